"""Text to token IDs and back: GPT-2's byte-pair encoding, from a ranks file beside this one.

The file is OpenAI's `r50k_base.tiktoken` (MIT), the one tiktoken itself pins by the same hash. It
is read here and not by tiktoken, whose loader would prefer a copy in a shared temporary folder.
"""

import base64
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import tiktoken

RANKS_FILE = Path(__file__).parent / "data" / "r50k_base.tiktoken"
RANKS_SHA256 = "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"
VOCAB_SIZE = 50257
END_OF_TEXT = "<|endoftext|>"
MAX_CHARACTERS = 100_000

# GPT-2's rule for cutting text before pairs are merged (Radford et al., 2019, encoder.py).
_SPLIT = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


class TokenizerFileError(RuntimeError):
    """The ranks file is missing or is not the one that was vendored."""


def read_ranks(path: Path = RANKS_FILE) -> dict[bytes, int]:
    """Read the byte-pair ranks and check the file's hash.

    Raises:
        TokenizerFileError: If the file can't be read or its SHA-256 is another.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TokenizerFileError(
            f"the tokenizer file {path.name} can't be read ({error.strerror}); "
            f"a file with SHA-256 {RANKS_SHA256} belongs in {path.parent}"
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != RANKS_SHA256:
        raise TokenizerFileError(
            f"the tokenizer file {path.name} is damaged: expected SHA-256 {RANKS_SHA256}, "
            f"found {found}"
        )
    pairs = (line.split() for line in content.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    return tiktoken.Encoding(
        name="gpt2-vendored",
        pat_str=_SPLIT,
        mergeable_ranks=read_ranks(),
        special_tokens={END_OF_TEXT: VOCAB_SIZE - 1},
        explicit_n_vocab=VOCAB_SIZE,
    )


def encode(text: str, allow_special: bool = False) -> list[int]:
    """Cut text into token IDs.

    Args:
        text: At most 100,000 characters.
        allow_special: Read `<|endoftext|>` as the one special token rather than as ordinary text.

    Raises:
        ValueError: If the text is no string, is too long, or holds a lone surrogate.
    """
    if not isinstance(text, str):
        raise ValueError(f"text must be a string; got {type(text).__name__}")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"text must have at most {MAX_CHARACTERS:,} characters; got {len(text):,}")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("text must be valid Unicode; it holds half of a surrogate pair")
    return _encoding().encode(
        text, allowed_special={END_OF_TEXT} if allow_special else set(), disallowed_special=()
    )


def decode_bytes(ids: Iterable[int]) -> bytes:
    """Return the UTF-8 bytes that token IDs stand for; a token may hold part of a character.

    Raises:
        ValueError: If an ID is not a whole number from 0 to 50,256.
    """
    ids = list(ids)
    for token_id in ids:
        if type(token_id) is not int or not 0 <= token_id < VOCAB_SIZE:
            raise ValueError(
                f"a token ID must be a whole number from 0 to {VOCAB_SIZE - 1:,}; got {token_id!r}"
            )
    return _encoding().decode_bytes(ids)


def decode(ids: Iterable[int]) -> str:
    """Return the text that token IDs stand for; bytes that form no character become U+FFFD.

    Raises:
        ValueError: If an ID is not a whole number from 0 to 50,256.
    """
    return decode_bytes(ids).decode("utf-8", errors="replace")
