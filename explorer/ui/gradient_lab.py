"""The gradient lab of the Shortcuts page: its table and the sentences that compute themselves."""

import pandas as pd

from explorer import measure
from explorer.draw.numbers import number, power_of_ten, significant
from explorer.ui import cache
from explorer.ui.figure_table import figure_table
from gptcore.config import GPTConfig

PLAIN, WITH = "plain", "with shortcuts"
TITLES = {
    "gradient": "mean |gradient| of a layer's weights",
    "relative": "mean |gradient|, divided by the last layer's",
    "factor": "error signal, divided by the next layer's",
}
ACTIVATION_NAMES = {"gelu": "GELU", "relu": "ReLU", "tanh": "tanh"}
EQUAL_SHAPES = (
    "An addition needs equal shapes. That is why a feed-forward that widens D to 4 D narrows to D "
    "again, and why attention ends with as many features as it began: the contraction is not a choice."
)
_ALMOST_NONE_EXPONENT = -6
_FACTORS_SHOWN = 5


def lab_frame(chosen: pd.DataFrame, seeds: pd.DataFrame, show: str) -> pd.DataFrame:
    """Join one seed's values with the quartiles over all seeds."""
    values = chosen[["network", "layer", show]].rename(columns={show: "value"})
    return values.merge(measure.across_seeds(seeds, show), on=["network", "layer"])


def times(ratio: float) -> str:
    """Say how many times larger, or smaller, something is."""
    if ratio >= 1:
        return f"{significant(ratio)} times larger"
    return f"{significant(1 / ratio)} times smaller"


def _columns(chosen: pd.DataFrame, show: str) -> pd.DataFrame:
    return chosen.pivot(index="layer", columns="network", values=show)


def first_gain(chosen: pd.DataFrame, show: str) -> float | None:
    """Return layer 0's value with shortcuts divided by the plain one; None without a number."""
    plain, with_shortcuts = _columns(chosen, show).loc[0, [PLAIN, WITH]]
    return float(with_shortcuts / plain) if plain > 0 and with_shortcuts > 0 else None


def lab_table(chosen: pd.DataFrame, show: str, seed: int, max_height_px: int) -> None:
    """Show one seed's values layer by layer; factors with their running product."""
    names, rows = cache.kept(_lab_rows, chosen, show)
    figure_table(f"Seed {seed}", names, rows, max_height_px=max_height_px)


def _lab_rows(chosen: pd.DataFrame, show: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    columns = _columns(chosen, show)
    names: tuple[str, ...] = ("layer", "plain", "with", "gain")
    rows: list[tuple[str, ...]] = [
        (
            str(layer),
            significant(row[PLAIN]),
            significant(row[WITH]),
            f"{significant(row[WITH] / row[PLAIN])} ×" if row[PLAIN] > 0 else "—",
        )
        for layer, row in columns.iterrows()
    ]
    if show == "factor":
        names = ("layer", "plain", "product", "with", "product")
        signals = _columns(chosen, "signal")
        products = signals / signals.iloc[-1]
        rows = [
            (
                str(layer),
                significant(row[PLAIN], 3),
                significant(products.loc[layer, PLAIN], 3),
                significant(row[WITH], 3),
                significant(products.loc[layer, WITH], 3),
            )
            for layer, row in columns.iterrows()
        ]
    return names, rows


def lab_notice(chosen: pd.DataFrame, seeds: pd.DataFrame, show: str) -> str:
    """Say what the picture shows, in numbers."""
    if show == "factor":
        return _factor_notice(chosen)
    gain = first_gain(chosen, "gradient")
    plain, with_shortcuts = _columns(chosen, "gradient").loc[0, [PLAIN, WITH]]
    if gain is None:
        first = (
            f"Layer 0's gradient is {significant(plain)} without shortcuts and "
            f"{significant(with_shortcuts)} with them: a 0 is exact, an activation is flat there."
        )
    else:
        first = f"Layer 0's gradient is {times(gain)} with shortcuts{_relative(chosen)}."
    gains = measure.first_layer_gains(seeds).dropna()
    many = f"seeds 0 to {seeds['seed'].max()}" if len(gains) > 1 else "seed 0 alone"
    if gains.empty:
        return first
    return f"{first} Over {many} the median gain is {significant(gains.median(), 2)}."


def _relative(chosen: pd.DataFrame) -> str:
    gain = first_gain(chosen, "relative")
    if gain is None:
        return ""
    plain, with_shortcuts = _columns(chosen, "relative").loc[0, [PLAIN, WITH]]
    return (
        f"; relative to the last layer, {significant(gain, 2)} times, from "
        f"{significant(plain, 3)} to {significant(with_shortcuts, 3)}"
    )


def _factor_notice(chosen: pd.DataFrame) -> str:
    signals = _columns(chosen, "signal")
    last = len(signals) - 1
    said = {name: _product(chosen, signals, name) for name in (PLAIN, WITH)}
    return (
        f"Going back from layer {last} to layer 0, the plain error signal {said[PLAIN]}; "
        f"with shortcuts it {said[WITH]}."
    )


def _product(chosen: pd.DataFrame, signals: pd.DataFrame, network: str) -> str:
    """Say what a signal is multiplied by on its way from the last layer to the first."""
    start, end = signals[network].iloc[-1], signals[network].iloc[0]
    if start == 0:
        return "is 0 from the start: the last activation is flat"
    factors = _columns(chosen, "factor")[network].iloc[-2::-1].map(lambda f: significant(f, 2))
    shown = list(factors)
    if len(shown) > _FACTORS_SHOWN or end == 0:
        shown = [*shown[:2], "…"]
    return f"is multiplied by {' × '.join(shown)} = {significant(end / start, 2)}"


def lab_caption(seeds: pd.DataFrame, show: str, seed: int, width: int) -> str:
    """Say what the lines and bands are, and why the last layer has no shortcut."""
    n_seeds = seeds["seed"].nunique()
    what = {
        "gradient": "",
        "relative": " Every value is divided by its own network's last layer.",
        "factor": " A layer's gradient is its input times its error signal; the signal of layer 0 "
        "is the last one times the product of all factors.",
    }[show]
    bands = (
        f"Bands: the middle half of {n_seeds} seeds, 0 to {n_seeds - 1}; dotted: their median."
        if n_seeds > 1
        else "Dotted: seed 0."
    )
    last = f"The last layer, {width} → 1, has no shortcut: only equal shapes can be added."
    return f"Thick lines: seed {seed}. {bands}{what} {last}"


def starved_sentence(seeds: pd.DataFrame, activation: str) -> str:
    """Say how many networks with shortcuts get almost no gradient in layer 0, and why."""
    rows = seeds[seeds["network"] == WITH].pivot(index="seed", columns="layer", values="gradient")
    limit = 10.0**_ALMOST_NONE_EXPONENT
    starved = rows[rows[0] < limit]
    n_also = int((starved[rows.columns[-1]] < limit).sum())
    first = (
        f"With {len(rows.columns)} layers and {ACTIVATION_NAMES[activation]}, layer 0 gets less than "
        f"{power_of_ten(_ALMOST_NONE_EXPONENT)} in {len(starved)} of {len(rows)} networks with "
        f"shortcuts ({number(100 * len(starved) / len(rows), 0)} %)"
    )
    if starved.empty:
        return f"{first}."
    return (
        f"{first}. In {n_also} of these the last layer gets less than that too: its activation is "
        "flat where the sum arrives, and it has no shortcut around it, so nothing enters the network."
    )


def blocks_offer(cfg: GPTConfig) -> str:
    """Say what the switch computes; the page is there before it."""
    return f"Differentiate the next-token loss through all {cfg.n_layers} blocks, twice"


def blocks_frame(gradients: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return one part's gradients as they are drawn."""
    rows = gradients[gradients["part"] == part].rename(columns={"gradient": "value"})
    return rows[["network", "block", "value"]].reset_index(drop=True)


def _by_block(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.pivot(index="block", columns="network", values="value")


def blocks_gain(frame: pd.DataFrame) -> float | None:
    """Return block 0's gradient with shortcuts divided by the plain one; None without a number."""
    plain, with_shortcuts = _by_block(frame).loc[0, [PLAIN, WITH]]
    return float(with_shortcuts / plain) if plain > 0 and with_shortcuts > 0 else None


def blocks_table(values: pd.DataFrame, part: str, max_height_px: int) -> None:
    """Show one part's gradients, block by block."""
    names = ("block", "plain", "with", "gain")
    rows = cache.kept(_blocks_rows, values)
    figure_table(part.capitalize(), names, rows, max_height_px=max_height_px)


def _blocks_rows(values: pd.DataFrame) -> list[tuple[str, ...]]:
    return [
        (
            str(block),
            significant(row[PLAIN], 3),
            significant(row[WITH], 3),
            f"{significant(row[WITH] / row[PLAIN], 3)} ×" if row[PLAIN] > 0 else "—",
        )
        for block, row in _by_block(values).iterrows()
    ]


def losses(gradients: pd.DataFrame) -> str:
    """Say the loss with and without shortcuts."""
    loss = gradients.groupby("network")["loss"].first()
    return f"{number(loss[PLAIN], 2)} nats plain, {number(loss[WITH], 2)} with shortcuts"


def blocks_notice(frame: pd.DataFrame) -> str:
    """Say what shortcuts change in this model's blocks, and why less than in the lab."""
    columns, gain = _by_block(frame), blocks_gain(frame)
    last = columns.index.max()
    fall = columns.loc[0] / columns.loc[last]
    first = "" if gain is None else f"Block 0's gradient is {times(gain)} with shortcuts. "
    return (
        f"{first}From block {last} back to block 0 it goes to {significant(fall[PLAIN], 2)} times its "
        f"size without shortcuts and {significant(fall[WITH], 2)} times with. A LayerNorm in "
        "every branch divides by what it finds, which holds gradients up without shortcuts too."
    )
