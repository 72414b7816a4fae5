"""Whether this installation is the one that gives the chapter's figures."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from explorer.measure.references import (
    REFERENCE_SEED,
    REFERENCES,
    check_references,
    reference_tokens,
)
from gptcore.building import build_model
from gptcore.config import GPT_CONFIG_124M
from gptcore.tokenizer import RANKS_SHA256, TokenizerFileError, read_ranks

REQUIREMENTS = Path(__file__).parents[2] / "requirements.txt"


@dataclass(frozen=True)
class Finding:
    """One line of the check: what was looked at, what was found, and whether it is right."""

    what: str
    found: str
    holds: bool


def _packages() -> Iterator[Finding]:
    for line in REQUIREMENTS.read_text(encoding="utf-8").split():
        name, _, pinned = line.partition("==")
        try:
            found = version(name)
        except PackageNotFoundError:
            yield Finding(name, f"missing; {pinned} is needed", False)
        else:
            holds = found.split("+")[0] == pinned  # 2.13.0+cpu is 2.13.0
            yield Finding(name, found if holds else f"{found}; {pinned} is needed", holds)


def _tokenizer() -> Finding:
    try:
        n_ranks = len(read_ranks())
    except TokenizerFileError as error:
        return Finding("tokenizer", str(error), False)
    return Finding("tokenizer", f"{n_ranks:,} ranks, SHA-256 {RANKS_SHA256[:12]}…", True)


def installation_findings() -> Iterator[Finding]:
    """Check package versions, the tokenizer's hash, the chapter's figures and its ten tokens."""
    yield from _packages()
    yield _tokenizer()
    for page in REFERENCES:
        for row in check_references(page).itertuples():
            yield Finding(f"{page}: {row.figure}", str(row.computed), bool(row.holds))
    row = reference_tokens(build_model(GPT_CONFIG_124M, REFERENCE_SEED)).iloc[0]
    yield Finding(str(row["figure"]), str(row["computed"]), bool(row["holds"]))
