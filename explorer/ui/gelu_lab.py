"""The GELU page's tables and the sentences that compute themselves."""

from typing import Any

import numpy.typing as npt
import pandas as pd

from explorer import measure
from explorer.draw.activations import NAMES
from explorer.draw.numbers import fixed, number, significant
from explorer.draw.stages import Stage, row_px
from explorer.draw.theme import Look
from explorer.ui import cache
from explorer.ui.figure_table import figure_table
from gptcore.config import GPTConfig

STAGES = (
    Stage("in", "In: normalised", "D features", "norm"),
    Stage("wide", "Linear D → 4D", "4D features", "ff"),
    Stage("gelu", "GELU", "x · Φ(x)", "ff"),
    Stage("relu", "ReLU instead", "max(0, x)", "param"),
    Stage("out", "Linear 4D → D", "D features", "ff"),
)
_SHORT = {"in": "in", "wide": "4D", "gelu": "GELU", "relu": "ReLU", "out": "out"}
_STEPS = {
    "x": "x (1, 2, 4)",
    "wide": "first layer (1, 2, 16)",
    "hidden": "GELU (1, 2, 16)",
    "out": "second layer (1, 2, 4)",
}


def readout(at: pd.DataFrame, x: float) -> None:
    """Show what each form gives at one x."""
    heading = f"At x = {x:z.2f}".replace("-", "−")
    figure_table(heading, ("", "value", "slope", "gate"), cache.kept(_readout_rows, at))


def _readout_rows(at: pd.DataFrame) -> list[tuple[str, ...]]:
    return [
        (
            NAMES[row.activation],
            *(f"{v:z.4f}".replace("-", "−") for v in (row.value, row.slope, row.gate)),
        )
        for row in at.itertuples()
    ]


def gate_sentence(at: pd.DataFrame) -> str:
    """Say what the gate is at one x."""
    gelu = at.set_index("activation").loc["gelu"]
    return (
        f"GELU multiplies x by a gate between 0 and 1, here {number(gelu['gate'])}; "
        "ReLU's gate is 0 or 1."
    )


def minimum_notice(landmarks: dict[str, float]) -> str:
    """State GELU's one stationary point, and what float32 makes of the far tail."""
    return (
        f"GELU's minimum, {number(landmarks['value'], 5)} at x = {number(landmarks['x'], 5)}, is its "
        f"one stationary point. Below x ≈ {number(landmarks['saturated'], 2)} the float32 gradient "
        "reads 0 as well: there the tail is flatter than float32 can tell."
    )


def of_block(frame: pd.DataFrame, block: int) -> pd.DataFrame:
    """Return the rows of one block."""
    return frame[frame["block"] == block]


def near_zero_rows(near_zero: pd.DataFrame, block: int, threshold: float) -> pd.DataFrame:
    """Return the rows of one block and threshold."""
    return near_zero[(near_zero["block"] == block) & (near_zero["threshold"] == threshold)]


def near_zero_table(chosen: pd.DataFrame, threshold: float) -> None:
    """Show how many hidden values are near zero, with each activation."""
    rows = [
        (NAMES[row.activation], f"{row.near:,}", f"{100 * row.share:.1f} %")
        for row in chosen.itertuples()
    ]
    figure_table(f"Nearer to 0 than {threshold:g}", ("", "values", "share"), rows)


def near_zero_notice(chosen: pd.DataFrame, block: int, threshold: float) -> str:
    """Say how many hidden values are near zero under GELU and under ReLU, and why."""
    rows = chosen.set_index("activation")
    gelu, relu = (100 * float(rows.loc[name, "share"]) for name in ("gelu", "relu"))
    return (
        f"In block {block}, {number(gelu, 1)} % of {int(rows['n'].iloc[0]):,} hidden values are "
        f"nearer to 0 than {threshold:g} after GELU, and {number(relu, 1)} % after ReLU, which "
        "makes every negative input exactly 0."
    )


def moments_table(moments: pd.DataFrame, look: Look) -> None:
    """Show each stage's numbers beside its histogram."""
    figure_table(
        "The stages in numbers",
        ("", "mean", "std", "min", "max"),
        cache.kept(_moments_rows, moments),
        row_px=row_px(look),
        show_heading=False,
    )


def _moments_rows(moments: pd.DataFrame) -> list[tuple[str, ...]]:
    return [
        (_SHORT[row.stage], *map(fixed, (row.mean, row.std, row.min, row.max)))
        for row in moments.itertuples()
    ]


def reversal_notice(effect: pd.DataFrame, block: int, n_tokens: int) -> str:
    """Say that the feed-forward doesn't look at other positions, and attention does."""
    difference = effect.set_index("part")["difference"]
    if n_tokens < 2:
        return "One token has no other order: type at least two tokens to see a difference."
    return (
        f"With the {n_tokens} tokens reversed, block {block}'s feed-forward gives the same outputs "
        f"in reverse, to {significant(difference['feed-forward'], 2)}: it transforms each position "
        f"on its own. Attention's change by up to {significant(difference['attention'], 2)}: it mixes "
        "positions."
    )


def width_table(cfg: GPTConfig, n_tokens: int) -> None:
    """Show what another width between the layers costs."""
    figure_table(
        "Width between the layers",
        ("width", "hidden shape", "output shape", "parameters a block", "of 4 D"),
        cache.kept(_width_rows, cfg, n_tokens),
    )


def _width_rows(cfg: GPTConfig, n_tokens: int) -> list[tuple[str, ...]]:
    return [
        (
            f"{row.factor} D",
            f"(1, {n_tokens:,}, {row.hidden:,})",
            f"(1, {n_tokens:,}, {cfg.emb_dim:,})",
            f"{row.parameters:,}",
            f"{row.times:.2f} ×",
        )
        for row in measure.width_factors(cfg).itertuples()
    ]


def _matrix(heading: str, matrix: "npt.NDArray[Any]") -> None:
    rows = [(str(i), *map(fixed, row)) for i, row in enumerate(matrix)]
    figure_table(heading, ("", *map(str, range(matrix.shape[1]))), rows)


def small_case(case: "measure.SmallCase") -> None:
    """Print every number of a feed-forward with D = 4 on two positions."""
    for name, heading in _STEPS.items():
        _matrix(f"{heading}: one row a position", case.steps[name])


def collapse(case: "measure.SmallCase") -> None:
    """Show the one matrix that two linear layers are."""
    _matrix("W₂ · W₁, (4, 16) · (16, 4) = (4, 4)", case.product)


def collapse_notice(case: "measure.SmallCase") -> str:
    """Say how near the one matrix comes, with and without GELU."""
    return (
        f"Without an activation the two layers and this one matrix (with bias W₂ b₁ + b₂) differ by "
        f"at most {significant(case.collapse_error, 2)}, rounding alone: 16 hidden features add "
        f"nothing. With GELU between them the difference is {significant(case.gelu_error, 2)}."
    )
