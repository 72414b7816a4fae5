"""The frame of a page: the house style, the title, the claim, and what was refused."""

import unicodedata
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.draw.theme import AXIS, ROLE, SURFACE, Look
from explorer.ui.state import screen

STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
_ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format, surrogate, line and paragraph ends
_HARMLESS = "\n\t\u200c\u200d"  # and the joiners of emoji and of many scripts
_HEADING = "_heading"
# Streamlit's own blue is readable at a desk only.
_PROJECTOR = (
    ":root{font-size:clamp(20px,2.6vh,30px)}"
    '[data-testid="stSliderThumbValue"],[data-testid="stSliderThumbValue"] p{color:var(--gx-text)}'
    '[data-testid="stButtonGroup"] [aria-checked="true"] *{color:var(--gx-text) !important}'
    '[data-testid="stBaseButton-primary"]{background:var(--gx-act) !important}'
)


def variables(look: Look) -> str:
    """Return the colours of a theme as declarations of CSS variables."""
    colours = SURFACE[look.mode] | ROLE[look.mode]
    colours |= {f"axis-{letter}": hue for letter, hue in AXIS[look.mode].items()}
    colours |= {f"wash-{role}": look.wash(role) for role in ROLE[look.mode]}
    colours["wash-T"] = look.wash_of(AXIS[look.base]["T"])
    declared = ";".join(f"--gx-{name}:{colour}" for name, colour in colours.items())
    return f'{declared};--gx-code:"Source Code Pro",monospace'


def apply_style() -> None:
    """Put the style sheet and the colours of the viewer's theme on the page."""
    look = screen().look
    projector = _PROJECTOR if look.projector else ""
    st.html(f"<style>:root{{{variables(look)}}}{projector}{STYLE}</style>")


def _visible(character: str) -> str:
    acts = unicodedata.category(character) in _ACTING and character not in _HARMLESS
    return f"\\u{ord(character):04x}" if acts else character


def text_html(css_class: str, text: str, lead: str = "", **attributes: str) -> str:
    """Return a paragraph whose text is only ever text, whatever is in it.

    Characters that would act on the text around them, such as those that reverse it, are named.
    """
    rest = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    shown = "".join(map(_visible, text))
    bold = f"<b>{escape(lead)}</b> " if lead else ""
    return f'<p class="{css_class}"{rest}>{bold}{escape(shown)}</p>'


def heading() -> tuple[str, str]:
    """Return the title and the claim of the page that is shown."""
    shown: tuple[str, str] = st.session_state[_HEADING]
    return shown


def begin(title: str, claim: str, *, in_a_row: bool = False) -> DeltaGenerator:
    """Open a page: its title, one sentence that makes a claim, and what was refused or dropped.

    Args:
        title: The page's name.
        claim: The sentence.
        in_a_row: On a wide screen the claim stands beside the title: the picture needs the height.

    Returns:
        The page's head, for what else stands there.
    """
    st.session_state[_HEADING] = (title, claim)
    head = st.container(gap=None, key=f"page-head{'-in-a-row' * in_a_row}")
    with head:
        st.title(title, anchor=False)
        st.html(text_html("claim", claim))
        for sentence in screen().notices:
            st.html(text_html("problem", sentence, role="status"))
    return head
