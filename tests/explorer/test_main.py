"""Starting, and what keeps it from starting: one sentence and an exit code."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

import explorer.__main__ as entry
from explorer.measure import installation
from explorer.measure.installation import Finding, installation_findings
from gptcore import tokenizer

ROOT = Path(__file__).parents[2]


def start(*options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "explorer", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_help_names_every_option() -> None:
    done = start("--help")
    assert done.returncode == 0
    for option in ("--port", "--host", "--models", "--lessons", "--memory", "--preload", "--check"):
        assert option in done.stdout


def test_a_port_in_use_is_one_sentence_and_an_exit_code() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = start("--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert done.stderr.startswith("GPT Explorer can't start: port")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--port", "0"),
        ("--port", "x"),
        ("--models", "/nowhere"),
        ("--lessons", "/nowhere"),
        ("--memory", "-1"),
    ],
)
def test_an_impossible_option_is_refused(options: tuple[str, str]) -> None:
    done = start(*options)
    assert done.returncode == 2
    assert options[0] in done.stderr


def test_a_damaged_tokenizer_file_is_named_with_both_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "ranks"
    damaged.write_bytes(b"damaged")
    monkeypatch.setattr(entry, "read_ranks", lambda: tokenizer.read_ranks(damaged))
    reason = entry._reason_not_to_start("127.0.0.1", 8501)
    assert reason is not None
    assert "expected SHA-256 306cd27f" in reason
    assert "found" in reason


def test_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "torch is not installed" in (entry._reason_not_to_start("127.0.0.1", 8501) or "")


@pytest.mark.golden
def test_this_installation_is_the_one_that_gives_the_chapters_figures() -> None:
    wrong = [finding for finding in installation_findings() if not finding.holds]
    assert not wrong


def test_another_version_of_a_package_is_crossed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = tmp_path / "requirements.txt"
    pins.write_text("torch==1.0.0\nno-such-package==1\n")
    monkeypatch.setattr(installation, "REQUIREMENTS", pins)
    torch_line, missing = installation._packages()
    assert not torch_line.holds
    assert missing == Finding("no-such-package", "missing; 1 is needed", False)


def test_the_check_fails_as_a_whole_if_one_line_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = [Finding("a", "fine", True), Finding("b", "wrong", False)]
    monkeypatch.setattr(installation, "installation_findings", lambda: iter(findings))
    assert entry._check() == 1
    assert capsys.readouterr().out == "✓ a: fine\n✗ b: wrong\n"
