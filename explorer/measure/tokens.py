"""Tokens as a person can read them: spaces, line ends and broken characters made visible."""

from collections.abc import Sequence

from gptcore.tokenizer import decode_bytes

_VISIBLE = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}


def _visible(character: str) -> str:
    if character in _VISIBLE:
        return _VISIBLE[character]
    # Control and format characters (bidi overrides among them) would act on the text around them.
    return character if character.isprintable() else f"\\u{ord(character):04x}"


def token_text(token_id: int) -> str:
    r"""Return a token's text with a dot for a space; bytes that form no character as \xNN."""
    text = decode_bytes([token_id]).decode("utf-8", errors="backslashreplace")
    return "".join(map(_visible, text))


def sequence_text(token_ids: Sequence[int]) -> str:
    r"""Return the text of tokens as it is; only bytes that form no character show, as \xNN."""
    return decode_bytes(token_ids).decode("utf-8", errors="backslashreplace")
