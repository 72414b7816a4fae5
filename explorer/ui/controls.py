"""Every control that belongs in a link, declared once: its name there and what it may hold.

The sidebar's controls are bound to the address and change it as they change. A page's own controls
take their first value from the address a visitor comes with; "Copy link" writes them all.
A widget with a value that is not declared here fails a test.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from explorer.measure.path import STOPS
from gptcore.config import CONFIGS, GPT_CONFIG_124M
from gptcore.tokenizer import MAX_CHARACTERS

EVERYWHERE = ""
MAX_SEED = 2**32 - 1
MAX_PROMPT_IN_ADDRESS = 2_000
CUSTOM = "custom"

Value = str | int | float | bool


@dataclass(frozen=True)
class Control:
    """A control that holds text.

    Attributes:
        key: Its name in the address and in the session; a page's own start with the page's name.
        page: The page it stands on, or EVERYWHERE.
        default: What it holds at first.
    """

    key: str
    page: str
    default: Value

    def parse(self, text: str) -> Value:
        """Read a value from an address.

        Raises:
            ValueError: If this control can't hold it; says what it can hold.
        """
        if len(text) > MAX_CHARACTERS:
            raise ValueError(f"at most {MAX_CHARACTERS:,} characters")
        return text

    def write(self, value: Value) -> str:
        """Write a value as the address holds it."""
        return str(value)


@dataclass(frozen=True)
class Name(Control):
    """A name from a list that is known only at run time."""

    def parse(self, text: str) -> str:
        """Read a name; whether it is on the list is for its page to say."""
        if not 0 < len(text) <= 100:
            raise ValueError("a name of 1 to 100 characters")
        return text


@dataclass(frozen=True)
class Choice(Control):
    """One of a few names."""

    options: tuple[str, ...] = ()

    def parse(self, text: str) -> str:
        """Read one of the options."""
        if text not in self.options:
            raise ValueError("one of " + ", ".join(self.options))
        return text


@dataclass(frozen=True)
class Whole(Control):
    """A whole number; where the range depends on the configuration, `high` is the widest."""

    low: int = 0
    high: int = 2**31

    def parse(self, text: str) -> int:
        """Read a whole number in the range."""
        wanted = f"a whole number from {self.low:,} to {self.high:,}"
        if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 12:
            raise ValueError(wanted)
        if not self.low <= int(text) <= self.high:
            raise ValueError(wanted)
        return int(text)


@dataclass(frozen=True)
class Real(Control):
    """A number."""

    low: float = 0.0
    high: float = 1.0

    def parse(self, text: str) -> float:
        """Read a number in the range."""
        wanted = f"a number from {self.low:g} to {self.high:g}"
        try:
            value = float(text)
        except ValueError:
            raise ValueError(wanted) from None
        if not math.isfinite(value) or not self.low <= value <= self.high:
            raise ValueError(wanted)
        return value


@dataclass(frozen=True)
class Switch(Control):
    """On or off."""

    def parse(self, text: str) -> bool:
        """Read true or false."""
        if text.lower() not in ("true", "false"):
            raise ValueError("true or false")
        return text.lower() == "true"

    def write(self, value: Value) -> str:
        """Write true or false."""
        return "true" if value else "false"


FIELDS: tuple[Control, ...] = (
    Whole("context_length", EVERYWHERE, GPT_CONFIG_124M.context_length, 1, 8192),
    Whole("emb_dim", EVERYWHERE, GPT_CONFIG_124M.emb_dim, 1, 16384),
    Whole("n_heads", EVERYWHERE, GPT_CONFIG_124M.n_heads, 1, 128),
    Whole("n_layers", EVERYWHERE, GPT_CONFIG_124M.n_layers, 1, 128),
    Real("drop_rate", EVERYWHERE, GPT_CONFIG_124M.drop_rate, 0.0, 0.99),
    Switch("qkv_bias", EVERYWHERE, GPT_CONFIG_124M.qkv_bias),
    Switch("tie_weights", EVERYWHERE, GPT_CONFIG_124M.tie_weights),
)
"""The fields of a custom configuration; the vocabulary stays GPT-2's, whose tokenizer this is."""

SIDEBAR: tuple[Control, ...] = (
    Choice("config", EVERYWHERE, "gpt2-small", (*CONFIGS, CUSTOM)),
    *FIELDS,
    Name("weights", EVERYWHERE, "random"),
    Whole("seed", EVERYWHERE, 123, 0, MAX_SEED),
    Control("prompt", EVERYWHERE, "Hello, I am"),
    Switch("projector", EVERYWHERE, False),
)
PAGES: tuple[Control, ...] = (
    Choice("overview_stop", "overview", STOPS[0], STOPS),
    Whole("overview_block", "overview", 0, 0, 127),
    Control("placeholder_first", "placeholder", "Every effort moves you"),
    Control("placeholder_second", "placeholder", "Every day holds a"),
    Switch("placeholder_layer_norm", "placeholder", False),
    Switch("placeholder_attention", "placeholder", False),
    Switch("placeholder_feed_forward", "placeholder", False),
    Switch("placeholder_shortcuts", "placeholder", False),
    Switch("placeholder_final_norm", "placeholder", False),
    Choice("block_statistic", "block", "std", ("mean", "std", "min", "max", "rms")),
    Whole("generate_step", "generate", 0, 0, 200),
    Whole("generate_tokens", "generate", 10, 1, 200),
)
CONTROLS: dict[str, Control] = {control.key: control for control in (*SIDEBAR, *PAGES)}


def current(key: str) -> Value:
    """Return what a declared control holds in this session."""
    value: Value = st.session_state.get(key, CONTROLS[key].default)
    return value


def _first(key: str, allowed: Callable[[Value], bool]) -> None:
    """Make sure that the session holds a value this control may have, before its widget is made."""
    if key not in st.session_state or not allowed(st.session_state[key]):
        st.session_state[key] = CONTROLS[key].default


def choice(
    key: str,
    label: str,
    labels: Callable[[str], str] = str,
    *,
    options: Sequence[str] | None = None,
    segmented: bool = False,
) -> str:
    """Show a declared choice, as a list or as a row of buttons, and return what is chosen."""
    control = CONTROLS[key]
    if not isinstance(control, Choice):
        raise ValueError(f"{key} is not declared as a choice")
    names = tuple(control.options if options is None else options)
    if control.default not in names:
        raise ValueError(f"the default of {key} must be among {names}")
    _first(key, lambda value: value in names)
    if segmented:
        chosen = st.segmented_control(
            label, names, key=key, format_func=labels, required=True, persist_state="session"
        )
    else:
        chosen = st.selectbox(label, names, key=key, format_func=labels, persist_state="session")
    return str(chosen)


def whole(
    key: str, label: str, *, high: int | None = None, slider: bool = False, help: str | None = None
) -> int:
    """Show a declared whole number and return it.

    Args:
        key: The control.
        label: What stands above it.
        high: The largest value for this configuration and prompt, if below the declared one.
        slider: A slider rather than a field.
        help: One sentence.
    """
    control = CONTROLS[key]
    if not isinstance(control, Whole):
        raise ValueError(f"{key} is not declared as a whole number")
    top = control.high if high is None else min(high, control.high)
    if key in st.session_state and type(st.session_state[key]) is int:
        st.session_state[key] = max(control.low, min(top, st.session_state[key]))
    _first(key, lambda value: type(value) is int and control.low <= value <= top)
    widget = st.slider if slider and top > control.low else st.number_input
    value = widget(
        label,
        min_value=control.low,
        max_value=top,
        step=1,
        key=key,
        help=help,
        width="stretch" if slider else 130,
        persist_state="session",
    )
    return int(value)


def words(key: str, label: str) -> str:
    """Show a declared line of text and return it as typed."""
    _first(key, lambda value: type(value) is str)
    return str(st.text_input(label, key=key, persist_state="session") or "")


def switch(key: str, label: str, *, help: str | None = None) -> bool:
    """Show a declared switch and return whether it is on."""
    _first(key, lambda value: type(value) is bool)
    return st.toggle(label, key=key, help=help, persist_state="session")
