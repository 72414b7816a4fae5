"""GPT-2's byte-pair encoding, offline and from a file that is the right one."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken_ext.openai_public
from hypothesis import given, settings
from hypothesis import strategies as st

from gptcore import decode, encode
from gptcore.tokenizer import (
    MAX_CHARACTERS,
    RANKS_FILE,
    RANKS_SHA256,
    TokenizerFileError,
    decode_bytes,
    read_ranks,
)

ROOT = Path(__file__).parents[2]
TIKTOKENS_PINS = Path(tiktoken_ext.openai_public.__file__)
HASH_IN_SPEC = "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello, I am", [15496, 11, 314, 716]),
        ("Every effort moves you", [6109, 3626, 6100, 345]),
        ("Every day holds a", [6109, 1110, 6622, 257]),
    ],
)
def test_a_prompt_of_the_book_has_its_ids(text: str, ids: list[int]) -> None:
    assert encode(text) == ids
    assert decode(ids) == text


def test_the_books_ten_tokens_are_its_ten_words() -> None:
    ids = [15496, 11, 314, 716, 27018, 24086, 47843, 30961, 42348]
    ids += [7267, 49706, 43231, 47062, 34657]
    expected = "Hello, I am Featureiman Byeswickattribute argue logger Normandy Compton analogous"
    assert decode(ids) == expected


def test_the_vendored_file_is_the_one_that_tiktoken_pins() -> None:
    content = RANKS_FILE.read_bytes()
    assert len(content) == 835_554
    assert hashlib.sha256(content).hexdigest() == HASH_IN_SPEC == RANKS_SHA256
    assert HASH_IN_SPEC in TIKTOKENS_PINS.read_text(encoding="utf-8")


def test_every_id_is_a_token_of_its_own() -> None:
    assert len({decode_bytes([token_id]) for token_id in range(50257)}) == 50257


@given(st.text())
@settings(max_examples=300)
def test_text_survives_encoding_and_decoding(text: str) -> None:
    for allow_special in (False, True):
        ids = encode(text, allow_special)
        assert decode(ids) == text
        assert all(0 <= token_id < 50257 for token_id in ids)


@given(st.lists(st.integers(0, 50256), max_size=20))
def test_any_ids_decode_to_text(ids: list[int]) -> None:
    assert decode(ids).encode() == decode_bytes(ids).decode(errors="replace").encode()
    assert decode_bytes(ids) == b"".join(decode_bytes([token_id]) for token_id in ids)


@pytest.mark.parametrize(
    "text",
    [
        "שלום עולם",
        "👩‍👩‍👧‍👦🏽",
        "<b>bold</b>",
        "$x^2$ **a**",
        "\x00\x07\x1b[31m",
        "a\r\n\tb",
        "\u3000",
        "\ufeffx",
        "",
    ],
)
def test_unusual_text_survives(text: str) -> None:
    assert decode(encode(text)) == text


def test_end_of_text_in_a_prompt_is_ordinary_text() -> None:
    ids = encode("a<|endoftext|>b")
    assert 50256 not in ids
    assert decode(ids) == "a<|endoftext|>b"


def test_end_of_text_is_one_token_where_it_is_allowed() -> None:
    assert encode("a<|endoftext|>b", allow_special=True) == [64, 50256, 65]
    assert decode([50256]) == "<|endoftext|>"


@pytest.mark.parametrize("filler", [" ", "a", "\n", "!", "😀", "7", " a"], ids=repr)
def test_a_hundred_thousand_characters_are_encoded(filler: str) -> None:
    text = filler * (MAX_CHARACTERS // len(filler))
    assert len(text) == 100_000
    assert decode(encode(text)) == text


@pytest.mark.parametrize("n_characters", [100_001, 1_000_000])
@pytest.mark.parametrize("allow_special", [False, True])
def test_longer_text_is_refused_before_encoding(n_characters: int, allow_special: bool) -> None:
    with pytest.raises(ValueError, match="at most 100,000 characters") as error:
        encode(" " * n_characters, allow_special)
    assert f"{n_characters:,}" in str(error.value)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "😀\ud83d"], ids=ascii)
def test_half_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="surrogate"):
        encode(text)


@pytest.mark.parametrize("text", [None, 5, b"Hello", ["Hello"], 1.5, True], ids=repr)
def test_what_is_no_string_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match=f"must be a string; got {type(text).__name__}"):
        encode(text)


@pytest.mark.parametrize(
    "token_id",
    [-1, 50257, 2**31, 2**64, -(2**70), 1.0, True, None, "a", np.int64(5), float("nan")],
    ids=repr,
)
def test_an_id_outside_the_vocabulary_is_refused(token_id: Any) -> None:
    for convert in (decode, decode_bytes):
        with pytest.raises(ValueError, match="from 0 to 50,256") as error:
            convert([15496, token_id])
        assert repr(token_id) in str(error.value)


def test_half_a_character_decodes_to_the_replacement_character() -> None:
    halves = encode("😀")
    assert len(halves) > 1
    assert decode(halves[:1]) == "\ufffd"


def _flip(content: bytes) -> bytes:
    return content[:400_000] + bytes([content[400_000] ^ 1]) + content[400_001:]


@pytest.mark.parametrize(
    "damage",
    [
        _flip,
        lambda content: content[:-1],
        lambda content: content + b"\n",
        lambda content: b"",
        lambda content: content.replace(b"\n", b"\r\n"),
    ],
    ids=["one bit", "one byte short", "one byte long", "empty", "line ends"],
)
def test_a_damaged_file_is_refused_with_both_hashes(tmp_path: Path, damage: Any) -> None:
    content = damage(RANKS_FILE.read_bytes())
    copy = tmp_path / "ranks.tiktoken"
    copy.write_bytes(content)
    with pytest.raises(TokenizerFileError) as error:
        read_ranks(copy)
    assert RANKS_SHA256 in str(error.value)
    assert hashlib.sha256(content).hexdigest() in str(error.value)
    assert "ranks.tiktoken" in str(error.value)


def test_a_missing_file_is_refused_with_the_hash_it_should_have(tmp_path: Path) -> None:
    for path in (tmp_path / "none.tiktoken", tmp_path):
        with pytest.raises(TokenizerFileError, match=RANKS_SHA256) as error:
            read_ranks(path)
        assert path.name in str(error.value)


def test_a_copy_of_the_right_file_gives_the_same_ranks(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(RANKS_FILE.read_bytes())
    assert read_ranks(copy) == read_ranks()


def test_encoding_needs_no_network_and_no_shared_cache(tmp_path: Path) -> None:
    pins = TIKTOKENS_PINS.read_text(encoding="utf-8")
    address = re.search(r'"(\S+/r50k_base.tiktoken)"', pins)
    assert address is not None
    poisoned = tmp_path / hashlib.sha1(address[1].encode()).hexdigest()  # where tiktoken would look
    poisoned.write_bytes(b"poison")
    code = """
import socket
def refuse(*args, **kwargs):
    raise OSError("the network was asked for")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
import gptcore
print(gptcore.encode("Hello, I am"), gptcore.decode([15496]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"TIKTOKEN_CACHE_DIR": str(tmp_path), "DATA_GYM_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "[15496, 11, 314, 716] Hello"
    assert [path.name for path in tmp_path.iterdir()] == [poisoned.name]
    assert poisoned.read_bytes() == b"poison"
