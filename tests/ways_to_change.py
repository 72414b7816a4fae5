"""How each control of the registry is brought on screen, and another value that it can hold.

Both kinds of link tests read it, with and without a browser. A control that stands on a page only
under a condition, or that no widget holds, needs a line here; without one its test fails.
"""

from explorer.ui.controls import (
    CONTROLS,
    CUSTOM,
    EVERYWHERE,
    FIELDS,
    LESSON,
    OTHER_WEIGHTS,
    Choice,
    Control,
    Name,
    Pins,
    Real,
    Switch,
    Value,
    Whole,
)

SMALL = {"config": "gpt-nano"}
CUSTOM_SMALL = {"config": CUSTOM, "emb_dim": "48", "n_heads": "3", "n_layers": "3"}
CHECKPOINT = "tiny-gpt2"

_VIEWS = {
    "block_view": {
        "tokens": ("block_statistic", "block_point", "block_block", "block_position"),
        "attention": ("block_head", "block_step"),
        "what_if": ("block_change", "block_compared"),
        "causality": ("block_edited", "block_replacement", "block_mask"),
        "norm_depth": ("block_depth",),
    },
    "scaling_view": {
        "tying": ("scaling_demo_tied", "scaling_demo_value"),
        "memory": (
            "scaling_purpose",
            "scaling_precision",
            "scaling_fused",
            "scaling_batch",
            "scaling_length",
            *(key for key in CONTROLS if key.startswith(("scaling_memory_", "scaling_bandwidth_"))),
        ),
        "compute": (
            "scaling_tokens",
            "scaling_tflops",
            "scaling_utilisation",
            "scaling_devices",
        ),
        "growth": ("scaling_quantity", "scaling_sweep", "scaling_second", "scaling_scale"),
        "compare": ("scaling_pins",),
    },
}
_OPEN = {
    "shortcuts_blocks": ("shortcuts_part",),
    "generate_standing": ("generate_asked",),
    "generate_cache": ("generate_cache_tokens",),
    "generate_comparison": ("generate_b_config", "generate_b_seed", "generate_b_prompt"),
}
NEEDS: dict[str, dict[str, str]] = {
    **{
        key: {choice: view}
        for choice, views in _VIEWS.items()
        for view, keys in views.items()
        for key in keys
    },
    **{key: {switch: "true"} for switch, keys in _OPEN.items() for key in keys},
    **{field.key: CUSTOM_SMALL for field in FIELDS},
    "lesson_step": {"lesson": "chapter4"},
    "block_dropout_seed": {"block_view": "what_if", "block_change": "train"},
    # Where an operator offers checkpoints.
    "block_b_weights": {"block_view": "what_if", "block_change": OTHER_WEIGHTS},
    "block_b_seed": {
        "block_view": "what_if",
        "block_change": OTHER_WEIGHTS,
        "weights": CHECKPOINT,
    },
    "generate_b_weights": {"generate_comparison": "true"},
    "layernorm_beta_times": {"weights": CHECKPOINT},
}
"""What the address must say for a control to be on screen, where its page is not enough."""

WITH_CHECKPOINTS = {
    *(key for key, control in CONTROLS.items() if isinstance(control, Name)),
    "block_b_seed",
    "layernorm_beta_times",
} - {one.key for one in LESSON}
"""Controls that are there only where an operator offers checkpoints."""

# Choices whose second option is not there, or that a rule of their own binds.
_OTHER: dict[str, Value] = {
    "config": "gpt-mini",
    "emb_dim": 96,
    "n_heads": 4,
    "block_view": "histograms",
    "block_b_weights": "sharded",
    "generate_b_config": "gpt-mini",
    "layernorm_norm": "0.norm1",
    "layernorm_gamma": 1.5,
    "overview_stop": "softmax",
    "scaling_pins": "50257_64_48_3_3_0.1_0_0",
    "placeholder_first": "Every effort moves us",  # as many tokens as the other sentence
    "placeholder_second": "Every day holds the",
    "scaling_length": 32,
    "scaling_vocab_size": 65_536,
    "scaling_second": "n_layers",
    "shortcuts_seeds": 9,
}


def other_value(control: Control) -> Value:
    """Return a value that is not the default, nor what `NEEDS` has brought it to."""
    if control.key in _OTHER:
        return _OTHER[control.key]
    match control, control.default:
        case Switch(), default:
            return not default
        case Choice(options=options), default:
            return next(option for option in options if option != default)
        case Whole(high=high), int(default):
            return default + 1 if default < high else default - 1
        case Real(low=low, high=high), float(default):
            step = 0.05 if high < 1 else 0.5
            return default + step if default + step <= high else low
        case Name(), _:
            return CHECKPOINT
        case Pins(), _:
            raise ValueError("name a configuration for it in _OTHER")
    return f"{control.default} tea"


def address_for(control: Control) -> dict[str, str]:
    """Return what the address says where this control is on screen."""
    return SMALL | NEEDS.get(control.key, {})


def pages_of(control: Control) -> str:
    """Return the page to look for it on; those in the sidebar are on any."""
    return "block" if control.page == EVERYWHERE else control.page


def damaged_values(control: Control) -> dict[str, str]:
    """Return texts that an address may hold and this control may not; a text takes any but long ones."""
    match control:
        case Whole(low=low, high=high):
            return {"wrong type": "1.5", "too high": str(high + 1), "too low": str(low - 1)}
        case Real(low=low, high=high):
            return {"wrong type": "x", "too high": str(high + 1), "too low": str(low - 1)}
        case Switch():
            return {"wrong type": "maybe", "out of range": "2"}
        case Choice():
            return {"wrong type": "7", "out of range": "no such option"}
        case Name():
            return {"too long": "n" * 101}
        case Pins():
            return {"wrong type": "x", "too many": ",".join(["50257_64_48_3_3_0.1_0_0"] * 5)}
    return {"too long": "a" * 100_001}
