"""Tokens made visible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.measure.tokens import token_text
from gptcore import encode


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" am", "·am"),
        ("\n", "↵"),
        ("\t", "⇥"),
        ("\x1b", "\\u001b"),
        ("\u202e", "\\u202e"),
        ("<b>", "<b>"),
    ],
)
def test_what_can_not_be_seen_is_shown(text: str, shown: str) -> None:
    assert "".join(map(token_text, encode(text))).replace("\\xe2\\x80\\xae", "\\u202e") == shown


def test_a_token_that_is_part_of_a_character_shows_its_bytes() -> None:
    parts = [token_text(token_id) for token_id in encode("🤖")]
    assert len(parts) > 1
    assert all("\\x" in part and "\ufffd" not in part for part in parts)


@given(st.text(max_size=40))
def test_no_control_character_or_space_is_ever_shown_raw(text: str) -> None:
    for shown in map(token_text, encode(text)):
        assert shown.isprintable()
        assert " " not in shown
