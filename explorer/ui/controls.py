"""Every control that belongs in a link, declared once: its name there and what it may hold.

The sidebar's controls are bound to the address and change it as they change. A page's own controls
take their first value from the address a visitor comes with; "Copy link" writes them all.
A widget with a value that is not declared here fails a test.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

import streamlit as st

from explorer.lessons.file import MAX_STEPS
from explorer.measure.config_text import read_pins
from explorer.measure.path import STOPS
from explorer.ui.state import screen
from gptcore.config import CONFIGS, GPT_CONFIG_124M
from gptcore.tokenizer import MAX_CHARACTERS

EVERYWHERE = ""
MAX_SEED = 2**32 - 1
MAX_PROMPT_IN_ADDRESS = 2_000
CUSTOM = "custom"
MAX_BLOCKS = 128
MAX_CONTEXT = 8192
_OPTIONS_NAMED = 10  # in the sentence about a choice that isn't one
SAME = "same as A"
OTHER_WEIGHTS = "weights"

Value = str | int | float | bool
Width = Literal["stretch"] | int


@dataclass(frozen=True)
class Control:
    """A control that holds text.

    Attributes:
        key: Its name in the address and in the session; a page's own start with the page's name.
        page: The page it stands on, or EVERYWHERE.
        default: What it holds at first.
        linked: Whether links hold it; not what only mirrors a sidebar's control, nor a draft.
    """

    key: str
    page: str
    default: Value
    linked: bool = field(default=True, kw_only=True)

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
            some, rest = self.options[:_OPTIONS_NAMED], self.options[_OPTIONS_NAMED:]
            more = f" and {len(rest):,} more" if rest else ""
            raise ValueError("one of " + ", ".join(some) + more)
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


@dataclass(frozen=True)
class Pins(Control):
    """Up to `MAX_PINS` configurations, each as its eight fields."""

    def parse(self, text: str) -> str:
        """Read configurations as `explorer.measure.config_text.write_pins` writes them."""
        read_pins(text)
        return text


FIELDS: tuple[Control, ...] = (
    Whole("context_length", EVERYWHERE, GPT_CONFIG_124M.context_length, 1, MAX_CONTEXT),
    Whole("emb_dim", EVERYWHERE, GPT_CONFIG_124M.emb_dim, 1, 16384),
    Whole("n_heads", EVERYWHERE, GPT_CONFIG_124M.n_heads, 1, 128),
    Whole("n_layers", EVERYWHERE, GPT_CONFIG_124M.n_layers, 1, MAX_BLOCKS),
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
LESSON: tuple[Control, ...] = (
    Name("lesson", EVERYWHERE, "none"),
    Whole("lesson_step", EVERYWHERE, 1, 1, MAX_STEPS),
)
"""A step of a lesson, as the address names it; what it shows is the lesson's."""

NORM_EXAMPLES = ("reference", "constant")
NORMS = (
    "final_norm",
    *NORM_EXAMPLES,
    *(f"{block}.{norm}" for block in range(MAX_BLOCKS) for norm in ("norm1", "norm2")),
)
THRESHOLDS = ("0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1.0")
EPSILONS = ("0", "1e-12", "1e-9", "1e-7", "1e-5", "1e-3", "0.01", "0.1", "1", "10")
SWEPT = ("vocab_size", "context_length", "emb_dim", "n_heads", "n_layers")
DEVICES = ((8, 272), (16, 320), (24, 1008), (80, 3350), (141, 4800))
"""Memory in GB and bandwidth in GB/s that the Scaling page starts with, as makers state them: RTX
4060, T4, RTX 4090, H100 SXM, H200."""

SCALING: tuple[Control, ...] = (
    *(replace(one, key=f"scaling_{one.key}", page="scaling", linked=False) for one in FIELDS),
    Whole("scaling_vocab_size", "scaling", GPT_CONFIG_124M.vocab_size, 1, 1_000_000),
    Choice(
        "scaling_view",
        "scaling",
        "parameters",
        ("parameters", "tying", "memory", "compute", "growth", "compare"),
    ),
    Choice("scaling_show", "scaling", "share", ("share", "absolute")),
    Switch("scaling_halves", "scaling", False),
    Switch("scaling_variants", "scaling", False),
    Switch("scaling_demo_tied", "scaling", True),
    Real("scaling_demo_value", "scaling", 5.0, -1000.0, 1000.0),
    Choice("scaling_purpose", "scaling", "train", ("train", "generate")),
    Choice("scaling_precision", "scaling", "float32", ("float32", "float16 or bfloat16", "int8")),
    Switch("scaling_fused", "scaling", False),
    Whole("scaling_batch", "scaling", 1, 1, 4096),
    Whole("scaling_length", "scaling", 1024, 1, 8192),
    *(Whole(f"scaling_memory_{i}", "scaling", gb, 1, 10_000) for i, (gb, _) in enumerate(DEVICES)),
    *(
        Whole(f"scaling_bandwidth_{i}", "scaling", rate, 1, 100_000)
        for i, (_, rate) in enumerate(DEVICES)
    ),
    Real("scaling_tokens", "scaling", 300.0, 0.001, 1_000_000.0),
    Real("scaling_tflops", "scaling", 28.0, 0.001, 100_000.0),
    Whole("scaling_utilisation", "scaling", 100, 1, 100),
    Whole("scaling_devices", "scaling", 1, 1, 1_000_000),
    Choice(
        "scaling_quantity",
        "scaling",
        "parameters",
        ("parameters", "block", "flops", "activations", "kv_cache"),
    ),
    Choice("scaling_sweep", "scaling", "emb_dim", SWEPT),
    Choice("scaling_second", "scaling", "none", ("none", *SWEPT)),
    Choice("scaling_scale", "scaling", "log", ("log", "linear")),
    Pins("scaling_pins", "scaling", ""),
    Control("scaling_paste", "scaling", "", linked=False),
)

PAGES: tuple[Control, ...] = (
    Choice("layernorm_norm", "layernorm", "final_norm", NORMS),
    Whole("layernorm_token", "layernorm", 0, 0, MAX_CONTEXT - 1),
    Choice("layernorm_over", "layernorm", "features", ("features", "batch", "larger")),
    Choice("layernorm_divisor", "layernorm", "n", ("n", "n-1")),
    Choice("layernorm_eps", "layernorm", "1e-5", EPSILONS),
    Real("layernorm_gamma", "layernorm", 1.0, 0.0, 3.0),
    Real("layernorm_beta", "layernorm", 0.0, -3.0, 3.0),
    Real("layernorm_beta_times", "layernorm", 1.0, -3.0, 3.0),
    Choice("overview_stop", "overview", STOPS[0], STOPS),
    Whole("overview_block", "overview", 0, 0, 127),
    Control("placeholder_first", "placeholder", "Every effort moves you"),
    Control("placeholder_second", "placeholder", "Every day holds a"),
    Switch("placeholder_layer_norm", "placeholder", False),
    Switch("placeholder_attention", "placeholder", False),
    Switch("placeholder_feed_forward", "placeholder", False),
    Switch("placeholder_shortcuts", "placeholder", False),
    Switch("placeholder_final_norm", "placeholder", False),
    Real("gelu_x", "gelu", 1.0, -4.0, 4.0),
    Whole("gelu_block", "gelu", 0, 0, MAX_BLOCKS - 1),
    Choice("gelu_threshold", "gelu", "0.05", THRESHOLDS),
    Switch("gelu_positions", "gelu", False),
    Whole("shortcuts_layers", "shortcuts", 5, 2, 40),
    Whole("shortcuts_width", "shortcuts", 3, 2, 64),
    Choice("shortcuts_activation", "shortcuts", "gelu", ("gelu", "relu", "tanh")),
    Whole("shortcuts_seeds", "shortcuts", 50, 1, 50),
    Choice("shortcuts_show", "shortcuts", "gradient", ("gradient", "relative", "factor")),
    Switch("shortcuts_blocks", "shortcuts", False),
    Choice("shortcuts_part", "shortcuts", "attention", ("attention", "feed-forward", "norms")),
    Choice(
        "block_view",
        "block",
        "depth",
        (
            "depth",
            "tokens",
            "histograms",
            "attention",
            "what_if",
            "causality",
            "identity",
            "norm_depth",
        ),
    ),
    *SCALING,
    Choice("block_statistic", "block", "std", ("mean", "std", "min", "max", "rms")),
    Choice("block_point", "block", "resid_post", ("resid_pre", "resid_mid", "resid_post")),
    Whole("block_block", "block", 0, 0, 127),
    Whole("block_head", "block", 0, 0, 127),
    Whole("block_position", "block", 0, 0, 8191),
    Choice("block_step", "block", "weights", ("scores", "scaled", "masked", "weights", "ratio")),
    Choice(
        "block_change",
        "block",
        "post_ln",
        (
            "post_ln",
            "no_shortcuts",
            "no_norm",
            "relu",
            "no_mask",
            "train",
            "gpt2_init",
            OTHER_WEIGHTS,
        ),
    ),
    Name("block_b_weights", "block", "random"),
    Whole("block_b_seed", "block", 123, 0, MAX_SEED),
    Choice(
        "block_compared",
        "block",
        "resid_post",
        ("resid_pre", "attn_out", "resid_mid", "ff_out", "resid_post"),
    ),
    Whole("block_dropout_seed", "block", 0, 0, MAX_SEED),
    Whole("block_edited", "block", 1, 0, 63),
    Control("block_replacement", "block", " tea"),
    Switch("block_mask", "block", True),
    Choice("block_depth", "block", "24", ("12", "24", "48")),
    Whole("generate_step", "generate", 0, 0, 200),
    Whole("generate_tokens", "generate", 10, 1, 200),
    Whole("generate_top_k", "generate", 10, 5, 50),
    Choice("generate_scale", "generate", "linear", ("linear", "log")),
    Switch("generate_standing", "generate", False),
    Control("generate_asked", "generate", " you"),
    Switch("generate_positions", "generate", False),
    Switch("generate_cache", "generate", False),
    Whole("generate_cache_tokens", "generate", 24, 2, 200),
    Switch("generate_cropping", "generate", False),
    Switch("generate_comparison", "generate", False),
    Name("generate_b_weights", "generate", "random"),
    Choice("generate_b_config", "generate", SAME, (SAME, *CONFIGS)),
    Whole("generate_b_seed", "generate", 124, 0, MAX_SEED),
    Control("generate_b_prompt", "generate", ""),
    Switch("generate_copies", "generate", False),
)
PREDICT: tuple[Control, ...] = tuple(
    Switch(f"{page}_predict", page, False, linked=False)
    for page in (
        "overview",
        "placeholder",
        "layernorm",
        "gelu",
        "shortcuts",
        "block",
        "scaling",
        "generate",
    )
)
"""Whether a page's questions are open; a link shows the page and not what its sender answered."""

CONTROLS: dict[str, Control] = {
    control.key: control for control in (*SIDEBAR, *LESSON, *PAGES, *PREDICT)
}
_RESTORED = "_controls_restored"


def current(key: str) -> Value:
    """Return what a declared control holds in this session."""
    value: Value = st.session_state.get(key, CONTROLS[key].default)
    return value


def restore(page: str, held: Mapping[str, Value]) -> None:
    """Make a page's controls hold what is given, and the rest of them their defaults.

    Call it before the page is drawn, or in a callback.
    """
    for key, control in CONTROLS.items():
        if control.page == page:
            st.session_state[key] = held.get(key, control.default)
    st.session_state[_RESTORED] = restored() + 1


def restored() -> int:
    """Return how often controls were restored: what else keeps a place then has to look again."""
    times: int = st.session_state.get(_RESTORED, 0)
    return times


def _pixels(width: Width) -> Width:
    """Return a widget's width for the size of type that the viewer sees."""
    return width if width == "stretch" else round(width * screen().look.zoom)


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
    slider: bool = False,
    bare: bool = False,
    width: Width = "stretch",
) -> str:
    """Show a declared choice and return what is chosen.

    Args:
        key: The control.
        label: What stands above it.
        labels: What each option is called, if not by its name.
        options: Those there are for this configuration, if not all.
        segmented: A row of buttons rather than a list.
        slider: A slider over the options in their order.
        bare: The label is for those who can't see; the options say enough.
        width: Of a list or slider, in pixels.
    """
    control = CONTROLS[key]
    if not isinstance(control, Choice):
        raise ValueError(f"{key} is not declared as a choice")
    names = tuple(control.options if options is None else options)
    if control.default not in names:
        raise ValueError(f"the default of {key} must be among {names}")
    _first(key, lambda value: value in names)
    if segmented:
        chosen = st.segmented_control(
            label,
            names,
            key=key,
            format_func=labels,
            required=True,
            label_visibility="collapsed" if bare else "visible",
            persist_state="session",
        )
    else:
        chosen = (st.select_slider if slider else st.selectbox)(  # type: ignore[operator]
            label,
            names,
            key=key,
            format_func=labels,
            width=_pixels(width),
            persist_state="session",
        )
    return str(chosen)


def name(key: str, label: str, names: Sequence[str], labels: Callable[[str], str] = str) -> str:
    """Show a declared name as a list of those there are now, and return which is chosen.

    What is held but not there gives way to the first.
    """
    if st.session_state.get(key) not in names:
        st.session_state[key] = names[0]
    return str(st.selectbox(label, names, key=key, format_func=labels, persist_state="session"))


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
    _first(key, lambda value: type(value) is int)
    in_range = max(control.low, min(top, st.session_state[key]))
    if in_range != st.session_state[key]:
        st.session_state[key] = in_range
    widget = st.slider if slider and top > control.low else st.number_input
    value = widget(
        label,
        min_value=control.low,
        max_value=top,
        step=1,
        key=key,
        help=help,
        width=_pixels("stretch" if slider else 130),
        persist_state="session",
    )
    return int(value)


def position(key: str, label: str, names: Sequence[str], *, width: Width = "stretch") -> int:
    """Show a declared whole number as a list of named places, and return which is chosen."""
    _first(key, lambda value: type(value) is int and 0 <= value < len(names))
    return int(
        st.selectbox(
            label,
            range(len(names)),
            key=key,
            format_func=names.__getitem__,
            width=_pixels(width),
            persist_state="session",
        )
    )


def log_whole(
    key: str,
    label: str,
    landmarks: Sequence[int],
    *,
    width: int,
    on_change: Callable[[], None] | None = None,
) -> int:
    """Show a declared whole number as a slider over a range so wide that it has to be logarithmic.

    Its stops are the powers of two and 1½ times them, and the landmarks, and what it holds now.

    Args:
        key: The control.
        label: What stands above it.
        landmarks: Other values worth a stop.
        width: In pixels.
        on_change: Called before the script runs again.
    """
    control = CONTROLS[key]
    if not isinstance(control, Whole):
        raise ValueError(f"{key} is not declared as a whole number")
    _first(key, lambda value: type(value) is int and control.low <= value <= control.high)
    powers = [2**power for power in range(control.high.bit_length())]
    stops = {*powers, *(3 * power // 2 for power in powers), *landmarks, st.session_state[key]}
    value = st.select_slider(
        label,
        sorted(stop for stop in stops if control.low <= stop <= control.high),
        format_func=lambda stop: f"{stop:,}",
        key=key,
        width=width,
        on_change=on_change,
        persist_state="session",
    )
    return int(value)


def real(
    key: str,
    label: str,
    *,
    step: float,
    slider: bool = False,
    width: Width = 130,
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
) -> float:
    """Show a declared number as a field, or as a slider, and return it."""
    control = CONTROLS[key]
    if not isinstance(control, Real):
        raise ValueError(f"{key} is not declared as a number")
    _first(key, lambda value: type(value) is float and control.low <= value <= control.high)
    value = (st.slider if slider else st.number_input)(
        label,
        min_value=control.low,
        max_value=control.high,
        step=step,
        format="%g",
        key=key,
        help=help,
        width=_pixels(width),
        on_change=on_change,
        persist_state="session",
    )
    return float(value)


@contextmanager
def panel(key: str, label: str) -> Iterator[bool]:
    """Show a declared switch as an expander, and say whether it is open: only then compute."""
    _first(key, lambda value: type(value) is bool)
    box = st.expander(label, key=key, on_change="rerun")
    with box:
        yield bool(box.open)


@contextmanager
def popover(key: str, label: str) -> Iterator[bool]:
    """Show a declared switch as a button that opens a panel over the page, and say whether it is."""
    _first(key, lambda value: type(value) is bool)
    box = st.popover(label, key=key, type="tertiary", on_change="rerun")
    with box:
        yield bool(box.open)


def draft(key: str, label: str, *, max_characters: int) -> str:
    """Show a declared text as a field of several lines and return it."""
    _first(key, lambda value: type(value) is str)
    return st.text_area(label, key=key, max_chars=max_characters, persist_state="session") or ""


def words(key: str, label: str) -> str:
    """Show a declared line of text and return it as typed."""
    _first(key, lambda value: type(value) is str)
    return str(st.text_input(label, key=key, persist_state="session") or "")


def switch(
    key: str,
    label: str,
    *,
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
) -> bool:
    """Show a declared switch and return whether it is on."""
    _first(key, lambda value: type(value) is bool)
    return st.toggle(label, key=key, help=help, on_change=on_change, persist_state="session")
