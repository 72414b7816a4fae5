"""The stages of a LayerNorm on its page: where the inputs come from, and what the numbers say."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from explorer import measure
from explorer.draw.numbers import fixed, number, significant
from explorer.draw.stages import Stage, row_px
from explorer.draw.theme import Look
from explorer.ui import cache, controls
from explorer.ui.figure_table import figure_table
from explorer.ui.state import Screen
from gptcore.identity import Checkpoint
from gptcore.tokenizer import encode

STAGES = (
    Stage("raw", "Raw", "x", "act"),
    Stage("centred", "Centred", "x − mean", "norm"),
    Stage("divided", "Divided", "÷ √(var + ε)", "norm"),
    Stage("shifted", "Scaled, shifted", "γ · x + β", "norm"),
)
OTHER_SENTENCES = ("Every effort moves you", "Every day holds a")
OVER = {"features": "features", "batch": "batch", "larger": "larger"}
DIVISORS = {"n": "÷ n", "n-1": "÷ (n − 1)"}
WHY_NOT_BATCH = (
    "A norm over the batch takes each feature's mean and variance over all tokens of all sequences "
    "that happen to be computed together, as BatchNorm does in training. Then a token's output "
    "depends on other sentences (choose *batch* and *larger* above and compare), on padding "
    "and on the batch's size; a batch of one token has variance 0; and generating one sentence at a "
    "time needs averages kept from training. LayerNorm has none of this: each token of each "
    "sequence is normalised alone, in training and in use."
)
ROWS = {"reference": ("row 0", "row 1"), "constant": ("row 0",)}
EXAMPLES: "dict[str, Callable[[], measure.NormInputs]]" = {
    "reference": lambda: cache.kept(measure.reference_inputs),
    "constant": lambda: cache.kept(measure.constant_inputs),
}
MORE: "dict[str, Callable[[], measure.NormInputs]]" = {
    "reference": lambda: cache.kept(measure.more_reference_inputs),
    "constant": lambda: cache.kept(measure.reference_inputs),
}
NAMES = {
    "reference": "the book's example",
    "constant": "a constant row",
    "final_norm": "final_norm",
}


def norm_label(norm: str) -> str:
    """Write a norm's name for a person."""
    if norm in NAMES:
        return NAMES[norm]
    block, name = norm.split(".")
    return f"block {block}, {name}"


def norm_choice(now: Screen) -> str:
    """Let the viewer choose an example or a norm that this configuration has."""
    return controls.choice(
        "layernorm_norm",
        "Which LayerNorm",
        norm_label,
        options=(*controls.NORM_EXAMPLES, *measure.norm_names(now.config)),
        width=150,
    )


def places(now: Screen, norm: str) -> tuple[str, ...]:
    """Name the rows that a norm reads: the prompt's tokens, or an example's rows."""
    if norm in ROWS:
        return ROWS[norm]
    return tuple(f"{i} {measure.token_text(token)}" for i, token in enumerate(now.token_ids))


def inputs(now: Screen, norm: str) -> "measure.NormInputs":
    """Return what a norm reads: of the running model on the prompt, or an example."""
    if norm in EXAMPLES:
        example: measure.NormInputs = EXAMPLES[norm]()
        return example
    return cache.measured(measure.norm_inputs, now.model_id, now.token_ids, norm)


def other_inputs(now: Screen, norm: str) -> "tuple[measure.NormInputs, ...]":
    """Return what a larger batch adds: the chapter's two sentences, or an example's more rows."""
    if norm in MORE:
        return (MORE[norm](),)
    return tuple(
        cache.measured(
            measure.norm_inputs,
            now.model_id,
            tuple(encode(sentence)[: now.config.context_length]),
            norm,
        )
        for sentence in OTHER_SENTENCES
    )


@dataclass(frozen=True)
class Change:
    """How a token is normalised; see `explorer.measure.norm_stages`."""

    over: str
    unbiased: bool
    eps: str
    gain: float
    shift_gain: float
    offset: float


def change_controls(now: Screen, norm: str) -> Change:
    """Let the viewer change how a token is normalised.

    A β that was never trained is 0, and so is any multiple of it: there an amount is added.
    """
    over = controls.choice("layernorm_over", "Normalise over", OVER.__getitem__, segmented=True)
    divisor = controls.choice("layernorm_divisor", "Variance", DIVISORS.__getitem__, segmented=True)
    eps = controls.choice("layernorm_eps", "ε", slider=True, width=84)
    gain = controls.real("layernorm_gamma", "γ times", step=0.05, slider=True, width=72)
    shift_gain, offset = 1.0, 0.0
    if isinstance(now.weights, Checkpoint) and norm not in EXAMPLES:
        shift_gain = controls.real(
            "layernorm_beta_times", "β times", step=0.05, slider=True, width=72
        )
    else:
        offset = controls.real("layernorm_beta", "β plus", step=0.05, slider=True, width=72)
    return Change(over, divisor == "n-1", eps, gain, shift_gain, offset)


@dataclass(frozen=True)
class Normalised:
    """One token's way through a norm, and what is to be said about it."""

    stages: pd.DataFrame
    moments: pd.DataFrame
    histogram: pd.DataFrame
    notice: str


def normalise(now: Screen, norm: str, token: int, change: Change) -> Normalised:
    """Take a token through a norm as the controls say.

    Raises:
        ValueError: If the division would be 0 / 0.
    """
    read = inputs(now, norm)
    others = other_inputs(now, norm) if change.over != "features" else ()
    return cache.kept(_normalised, read, token, others, change)


def _normalised(
    read: "measure.NormInputs",
    token: int,
    others: "tuple[measure.NormInputs, ...]",
    change: Change,
) -> Normalised:
    def through(others: "tuple[measure.NormInputs, ...]") -> pd.DataFrame:
        return measure.norm_stages(
            read,
            token,
            others,
            over="features" if change.over == "features" else "batch",
            unbiased=change.unbiased,
            eps=float(change.eps),
            gain=change.gain,
            shift_gain=change.shift_gain,
            offset=change.offset,
        )

    alone = through(())
    together = through(others) if others else alone
    stages = together if change.over == "larger" else alone
    values = {stage: stages[stage].to_numpy() for stage in stages}
    moments = measure.stage_moments(values, change.unbiased)
    notice = (
        batch_notice(alone, together, len(read.x), sum(len(other.x) for other in others))
        if others
        else features_notice(moments, change.eps)
    )
    return Normalised(stages, moments, measure.stage_histogram(values), notice)


def stage_table(moments: pd.DataFrame, look: Look) -> None:
    """Show each stage's numbers beside its histogram, row by row."""
    figure_table(
        "The stages in numbers",
        ("", "mean", "variance", "min", "max"),
        cache.kept(_stage_rows, moments),
        row_px=row_px(look),
        show_heading=False,
    )


def _stage_rows(moments: pd.DataFrame) -> list[tuple[str, ...]]:
    return [
        (row.stage, *map(fixed, (row.mean, row.variance, row.min, row.max)))
        for row in moments.itertuples()
    ]


def features_notice(moments: pd.DataFrame, eps: str) -> str:
    """Say what did the work on this token."""
    raw, divided = moments.iloc[0], moments.iloc[2]
    if raw["variance"] == 0:
        return (
            f"All features are the same, so the variance is 0. Only ε keeps the division from being "
            f"0 / 0: 0 / √{eps} = 0, and the output is β."
        )
    end = (
        f"The variance ends at {number(divided['variance'])} rather than 1 because ε is added to it."
        if abs(divided["variance"] - 1) > 5e-4
        else "Up to γ and β, the token is only moved and scaled: the order of its features stays."
    )
    return (
        f"Centring moves this token by {significant(abs(raw['mean']), 2)}; dividing by "
        f"√({significant(raw['variance'])} + {eps}) = {_root(raw['variance'], eps)} does the rest. {end}"
    )


def _root(variance: float, eps: str) -> str:
    return significant((variance + float(eps)) ** 0.5)


def batch_notice(alone: pd.DataFrame, together: pd.DataFrame, n_rows: int, n_more: int) -> str:
    """Say how much more rows in the batch change this token."""
    change = (together["divided"] - alone["divided"]).abs()
    return (
        f"With {n_more} more rows beside the batch's {n_rows}, this token's output changes by up to "
        f"{number(float(change.max()))} (feature {int(change.idxmax())}), though the token is the "
        "same. Normalised over its features it changes by 0: other rows are never looked at."
    )


def spread_notice(frame: pd.DataFrame) -> str:
    """Say what the norms do to the spread over the whole model."""
    low, high = frame["before"].min(), frame["before"].max()
    return (
        f"What reaches a norm spreads from {number(low)} to {number(high)}; what leaves spreads from "
        f"{number(frame['after'].min())} to {number(frame['after'].max())}, because each norm "
        "divides by what it finds."
    )


def divisor_notice(frame: pd.DataFrame, emb_dim: int) -> str:
    """Say why the divisor stops mattering."""
    first, last = frame.iloc[0], frame.iloc[-1]
    own = measure.variance_divisors([emb_dim])["percent"].iloc[0] if emb_dim > 1 else float("nan")
    return (
        f"The two differ by {significant(first['percent'], 2)} % at n = {int(first['n'])}, by "
        f"{significant(last['percent'], 2)} % at n = {int(last['n']):,}, and by "
        f"{significant(own, 2)} % at this model's n = {emb_dim:,}. GPT-2 divides by n, as "
        "TensorFlow does by default."
    )
