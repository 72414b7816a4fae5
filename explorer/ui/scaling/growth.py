"""How a quantity grows with one field, or with two."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import measure
from explorer.draw.numbers import number
from explorer.draw.sweeps import growth_heat_map, growth_lines
from explorer.ui import controls, show
from explorer.ui.state import screen
from gptcore import GPTConfig

_TITLES = {
    "parameters": "Parameters",
    "block": "A block's parameters",
    "flops": "FLOPs per token",
    "activations": "Kept for backward",
    "kv_cache": "KV cache",
}


def growth_view(cfg: GPTConfig, _row: DeltaGenerator) -> None:
    """Sweep one field or two and hold the rest."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=210):
            quantity = controls.choice("scaling_quantity", "What grows", _TITLES.__getitem__)
        with st.container(width=170):
            field = controls.choice("scaling_sweep", "With which field")
        with st.container(width=170):
            second = controls.choice("scaling_second", "And a second one")
        scale = controls.choice("scaling_scale", "Axes", segmented=True)
    if second in ("none", field):
        _one_field(cfg, field, quantity, scale == "log")
    else:
        _two_fields(cfg, field, second, quantity)
    show.code(measure.growth, measure.doubling, measure.crossover)


def _title(quantity: str) -> str:
    chosen = measure.QUANTITIES[quantity]
    return chosen.title if chosen.unit in chosen.title else f"{chosen.title} ({chosen.unit})"


def _one_field(cfg: GPTConfig, field: str, quantity: str, log: bool) -> None:
    frame = measure.growth(cfg, field, quantity, log)
    border = measure.crossover(cfg, field)
    marked = border is not None and quantity == "parameters"
    drawn = growth_lines(
        frame,
        field,
        _title(quantity),
        log=log,
        now=getattr(cfg, field),
        border=border if marked else None,
        look=screen().look,
    )
    show.chart(
        drawn,
        f"To the right: {field}, from a 16th to 16 times yours, as far as allowed; the rest is held. "
        "Dotted: yours"
        + ("; dashed: where the blocks outweigh embeddings and head." if marked else "."),
    )
    show.notice(f"{_doubling(cfg, field, quantity)} {_largest(frame, field)}", "act")
    if quantity == "parameters":
        show.notice(_border(cfg, field, border), "param")
    show.table_expander(drawn)


def _doubling(cfg: GPTConfig, field: str, quantity: str) -> str:
    step = measure.doubling(cfg, field, quantity)
    title = measure.QUANTITIES[quantity].title
    if step is None:
        return f"{field} can't grow: no larger number divides emb_dim {cfg.emb_dim:,}."
    verb = "Doubling" if step.after == 2 * step.before else "Raising"
    to = "" if verb == "Doubling" else f" to {step.after:,}"
    return f"{verb} {field} from {step.before:,}{to} multiplies {title} by {number(step.factor)}."


def _largest(frame: pd.DataFrame, field: str) -> str:
    runs = measure.largest_parts(frame)
    if len(runs) == 1:
        return f"The largest part is {runs[0][2]} all the way."
    said = [f"{part} to {last:,}" for _, last, part in runs[:-1]]
    return f"Largest by {field}: {', '.join(said)}, then {runs[-1][2]}."


def _border(cfg: GPTConfig, field: str, border: int | None) -> str:
    if border is None:
        does = "outweigh" if measure.blocks_outweigh(cfg) else "never outweigh"
        return f"The blocks {does} embeddings and head, whatever {field} is within its range."
    direction = "from" if field in ("emb_dim", "n_layers") else "up to"
    return f"The blocks outweigh embeddings and head {direction} {field} = {border:,}."


def _two_fields(cfg: GPTConfig, field: str, second: str, quantity: str) -> None:
    frame = measure.growth_grid(cfg, field, second, quantity)
    drawn = growth_heat_map(frame, field, second, _title(quantity), screen().look)
    show.chart(
        drawn,
        f"To the right: {field}; upwards: {second}; each from a 16th to 16 times yours, as far as "
        "allowed. The further a colour is from the page's, the more. A dash: not allowed.",
    )
    show.notice(
        f"{_doubling(cfg, field, quantity)} {_doubling(cfg, second, quantity)}",
        "act",
    )
    show.table_expander(drawn)
