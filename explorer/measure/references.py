"""The chapter's own figures, recomputed: what the book prints against what this code gives now."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd
import torch
from torch import Tensor, nn

from explorer.measure.compute import rule_ratio, training_time
from explorer.measure.progress import Progress, silent
from gptcore.config import CONFIGS, GPT_CONFIG_124M
from gptcore.counting import MIB, count_block, count_parameters, mask_bytes, weight_bytes
from gptcore.dummy import DummyGPTModel
from gptcore.feed_forward import GELU
from gptcore.generate import greedy_steps
from gptcore.gradients import mean_abs_gradients
from gptcore.layer_norm import LayerNorm
from gptcore.model import GPTModel
from gptcore.seeding import seeded
from gptcore.shortcut import DeepNetwork
from gptcore.tokenizer import encode

REFERENCE_SEED = 123
REFERENCE_PROMPT = "Hello, I am"
REFERENCE_TOKENS = (27018, 24086, 47843, 30961, 42348, 7267, 49706, 43231, 47062, 34657)

Values = tuple[float, ...]


@dataclass(frozen=True)
class Reference:
    """A figure of the chapter.

    Attributes:
        name: What it is.
        printed: The figure or figures as the book gives them.
        tolerance: Largest difference that still counts as the same; 0 for exact.
        compute: Computes the same figures.
        relative: Whether the tolerance is a share of the printed figure.
    """

    name: str
    printed: Values
    tolerance: float
    compute: Callable[[], Values]
    relative: bool = False


def layer_norm_example() -> tuple[Tensor, Tensor]:
    """Return section 4.2's activations, (2, 6), and the same normalised by `LayerNorm`, (2, 6)."""
    with seeded(REFERENCE_SEED):
        batch = torch.randn(2, 5)
        layer = nn.Sequential(nn.Linear(5, 6), nn.ReLU())
    with torch.no_grad():
        activations = layer(batch)
        return activations, LayerNorm(6)(activations)


def _layer_norm_row() -> Values:
    return tuple(layer_norm_example()[1][0].tolist())


def _layer_norm_moments() -> Values:
    raw, normalised = layer_norm_example()
    return (
        raw[0].mean().item(),
        raw[0].var(unbiased=False).item(),
        normalised[0].var(unbiased=False).item(),
    )


def _gelu(*x: float) -> Values:
    return tuple(GELU()(torch.tensor(x)).tolist())


def _gelu_minimum() -> Values:
    x = torch.linspace(-2, 0, 20001, dtype=torch.float64)
    y = GELU()(x)
    return x[y.argmin()].item(), y.min().item()


def _shortcut_gradients(use_shortcut: bool) -> Values:
    with seeded(REFERENCE_SEED):
        network = DeepNetwork([3, 3, 3, 3, 3, 1], use_shortcut)
    return tuple(mean_abs_gradients(network, torch.tensor([[1.0, 0.0, -1.0]])))


def _total(name: str, **changed: bool) -> int:
    cfg = CONFIGS[name]
    return sum(count_parameters(type(cfg)(**{**vars(cfg), **changed})).values())


def _v100_years() -> Values:
    """GPT-3's 300 billion tokens on one V100 at the 28 TFLOP/s that are usually assumed."""
    return (training_time(CONFIGS["gpt3-175b"], 2048, 300e9, 28e12).years_rule,)


def _placeholder_logits_shape() -> Values:
    batch = [encode("Every effort moves you"), encode("Every day holds a")]
    # The width is not in the shape, and at 768 the shell has 77 million parameters to initialise.
    narrow = replace(GPT_CONFIG_124M, emb_dim=1, n_heads=1)
    return tuple(DummyGPTModel(narrow)(torch.tensor(batch)).shape)


REFERENCES: dict[str, tuple[Reference, ...]] = {
    "placeholder": (Reference("logits of the shell", (2, 4, 50257), 0, _placeholder_logits_shape),),
    "layernorm": (
        Reference(
            "mean, variance and variance after, row 0",
            (0.132418, 0.019222, 0.999480),
            5e-6,
            _layer_norm_moments,
        ),
        Reference(
            "normalised row 0",
            (0.674460, 1.546987, -0.954852, 0.643108, -0.954852, -0.954852),
            5e-6,
            _layer_norm_row,
        ),
    ),
    "gelu": (
        Reference(
            "GELU at −1, −0.5, 0, 0.5, 1, 3",
            (-0.158808, -0.154286, 0.0, 0.345714, 0.841192, 2.996363),
            1e-6,
            lambda: _gelu(-1.0, -0.5, 0.0, 0.5, 1.0, 3.0),
        ),
        Reference("x and value of the minimum", (-0.75246, -0.17004), 1e-4, _gelu_minimum),
    ),
    "shortcuts": (
        Reference(
            "plain, the book's layers 1 to 5, here 0 to 4",
            (2.0173588e-4, 1.2011161e-4, 7.1520417e-4, 1.3988739e-3, 5.0496464e-3),
            1e-5,
            lambda: _shortcut_gradients(False),
            relative=True,
        ),
        Reference(
            "with shortcuts",
            (0.22169791, 0.20694102, 0.32896996, 0.26657322, 1.32585418),
            1e-5,
            lambda: _shortcut_gradients(True),
            relative=True,
        ),
    ),
    "overview": (
        Reference("parameters", (163_009_536,), 0, lambda: (_total("gpt2-small"),)),
        Reference(
            "parameters, tied", (124_412_160,), 0, lambda: (_total("gpt2-small", tie_weights=True),)
        ),
        Reference(
            "float32 weights, MiB", (621.83,), 0.005, lambda: (weight_bytes(GPT_CONFIG_124M) / MIB,)
        ),
    ),
    "scaling": (
        Reference(
            "GPT-2 small: untied, tied, released",
            (163_009_536, 124_412_160, 124_439_808),
            0,
            lambda: (
                _total("gpt2-small"),
                _total("gpt2-small", tie_weights=True),
                _total("gpt2-small", tie_weights=True, qkv_bias=True),
            ),
        ),
        Reference(
            "medium, large, XL untied",
            (406_212_608, 838_220_800, 1_637_792_000),
            0,
            lambda: tuple(_total(f"gpt2-{size}") for size in ("medium", "large", "xl")),
        ),
        Reference("GPT-3", (174_604_259_328,), 0, lambda: (_total("gpt3-175b"),)),
        Reference("its V100-years", (355.7,), 0.05, _v100_years),
        Reference(
            "small's FLOPs over 2N at 4 and 1,024 tokens",
            (0.758, 0.874),
            5e-4,
            lambda: (rule_ratio(GPT_CONFIG_124M, 4), rule_ratio(GPT_CONFIG_124M, 1024)),
        ),
        Reference(
            "float32 masks of small and XL, MiB",
            (48, 192),
            0,
            lambda: tuple(mask_bytes(CONFIGS[f"gpt2-{size}"], 4) / MIB for size in ("small", "xl")),
        ),
    ),
    "block": (
        Reference(
            "parameters of one block: attention, feed-forward",
            (2_360_064, 4_722_432),
            0,
            lambda: (count_block(GPT_CONFIG_124M)["att"], count_block(GPT_CONFIG_124M)["ff"]),
        ),
    ),
}
"""By page; each computes in well under a second. For a whole model's tokens: `reference_tokens`."""


def compared_tokens(token_ids: tuple[int, ...]) -> pd.DataFrame:
    """Compare the first ten tokens of a run of the chapter's model and prompt with the chapter's.

    Returns:
        One row, as `check_references` gives them.
    """
    computed = token_ids[: len(REFERENCE_TOKENS)]
    return pd.DataFrame([_compare("ten greedy tokens", REFERENCE_TOKENS, computed, 0)])


def reference_tokens(model: GPTModel, on_step: Progress = silent) -> pd.DataFrame:
    """Compare the ten greedy tokens that `model` adds to the reference prompt with the chapter's.

    Returns:
        One row, as `check_references` gives them.
    """
    ids = []
    for token_id, _ in greedy_steps(model, encode(REFERENCE_PROMPT), len(REFERENCE_TOKENS)):
        ids.append(token_id)
        on_step(len(ids), len(REFERENCE_TOKENS), "reference token")
    return compared_tokens(tuple(ids))


def _compare(
    name: str, printed: Values, computed: Values, tolerance: float, relative: bool = False
) -> dict[str, object]:
    """Return one row of the comparison; a missing or surplus figure never holds."""
    holds = len(printed) == len(computed) and all(
        abs(p - c) <= tolerance * (abs(p) if relative else 1)
        for p, c in zip(printed, computed, strict=True)
    )
    return {
        "figure": name,
        "book": printed,
        "computed": computed,
        "tolerance": tolerance,
        "relative": relative,
        "holds": holds,
    }


def check_references(page: str) -> pd.DataFrame:
    """Recompute the figures of the chapter that belong to a page.

    Returns:
        One row a figure: `figure`, `book` and `computed` (tuples), `tolerance`, `relative` (whether
        the tolerance is a share of the book's figure), `holds`.
    """
    return pd.DataFrame(
        [
            _compare(r.name, r.printed, r.compute(), r.tolerance, r.relative)
            for r in REFERENCES[page]
        ]
    )
