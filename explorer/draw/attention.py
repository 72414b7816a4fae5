"""Attention maps: all heads as thumbnails, one head with its tokens, and entropy by head."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from explorer.draw.cells import cell_numbers
from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import Trace, blank_figure, heatmap, scatter
from explorer.draw.numbers import number
from explorer.draw.stream import tall
from explorer.draw.theme import Look
from explorer.draw.tokens import colour_bar, frame_cell, token_ticks

Array = npt.NDArray[Any]
_MAX_THUMBNAIL_VALUES = 25_000
_STEP_SCALE = {
    "scores": "div",
    "scaled": "div",
    "masked": "div",
    "weights": "prob",
    "ratio": "prob",
}


def _thin(maps: Array) -> Array:
    """Keep every few rows and columns, so that all thumbnails together stay small."""
    side = maps.shape[-1]
    most = max(4, int((_MAX_THUMBNAIL_VALUES / (maps.shape[0] * maps.shape[1])) ** 0.5))
    step = -(-side // most)
    return maps[..., step - 1 :: step, step - 1 :: step] if step > 1 else maps


def _hatched(outlines: Sequence[tuple[list[float], list[float]]], look: Look) -> Trace:
    """Fill outlines with hatching, the sign of what the mask hides."""
    x, y = (
        np.array([v for outline in outlines for v in (*outline[axis], np.nan)], dtype="float32")
        for axis in (0, 1)
    )
    return scatter(
        x=x,
        y=y,
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=look.surface("panel"),
        fillpattern={
            "shape": "/",
            "size": 6,
            "solidity": 0.22,
            "fgcolor": look.surface("muted"),
            "bgcolor": look.surface("panel"),
        },
        hoverinfo="skip",
    )


def _staircase(n: int, left: float = -0.5, top: float = -0.5, scale: float = 1.0) -> Any:
    """Outline the cells above the diagonal of an n × n map; y runs downwards."""
    x, y = [left + scale], [top]
    for row in range(n - 1):
        x += [left + scale * (row + 1), left + scale * (row + 2)]
        y += [top + scale * (row + 1), top + scale * (row + 1)]
    return [*x, left + scale * n, left + scale], [*y, top, top]


def head_thumbnails(ratios: Array, picked: tuple[int, int], causal: bool, look: Look) -> Chart:
    """Draw every head's weights as a ratio to an even share, blocks downwards and heads sideways.

    Args:
        ratios: From `explorer.measure.head_ratios`, (L, H, G, G).
        picked: Block and head to frame.
        causal: Whether the part above the diagonal is hidden.
        look: How the viewer sees the page.
    """
    maps = _thin(ratios)
    n_blocks, n_heads, side, _ = maps.shape
    maps = maps.astype("float32")
    if causal:
        maps = np.where(np.tril(np.ones((side, side), dtype=bool)), maps, np.float32(np.nan))
    gap = max(1, round(side / 6))
    pitch = side + gap
    sheet = np.full((n_blocks * pitch, n_heads * pitch), np.nan, dtype="float32")
    outlines = []
    for block in range(n_blocks):
        for head in range(n_heads):
            top, left = block * pitch, head * pitch
            sheet[top : top + side, left : left + side] = maps[block, head]
            if causal and side > 1:
                outlines.append(_staircase(side, left - 0.5, top - 0.5))
    largest = float(ratios.max())
    figure = blank_figure(
        look, height=tall(look), x_title="head", y_title="block; every head's weights ÷ even share"
    )
    figure.add_trace(
        heatmap(
            z=sheet,
            colorscale=look.scale("prob"),
            zmin=0,
            zmax=largest,
            showscale=False,
            hoverinfo="skip",
        )
    )
    if outlines:
        figure.add_trace(_hatched(outlines, look))
    centre = (side - 1) / 2
    grid = [(block, head) for block in range(n_blocks) for head in range(n_heads)]
    figure.add_trace(
        scatter(
            x=[head * pitch + centre for _, head in grid],
            y=[block * pitch + centre for block, _ in grid],
            customdata=grid,
            mode="markers",
            marker={"symbol": "square", "size": 20, "color": "rgba(0,0,0,0)"},
            hovertemplate="block %{customdata[0]}, head %{customdata[1]}<extra></extra>",
        )
    )
    block, head = picked
    edge = gap / 2 + 0.5
    across, down = ((i * pitch - edge, i * pitch + side - 1 + edge) for i in (head, block))
    frame_cell(figure, across, down, look)
    named_heads = range(0, n_heads, max(1, round(n_heads / 12)))
    named_blocks = range(0, n_blocks, max(1, round(n_blocks / 12)))
    figure.update_xaxes(
        tickvals=[h * pitch + centre for h in named_heads],
        ticktext=[str(h) for h in named_heads],
        ticks="",
        range=[-edge - 0.5, n_heads * pitch - gap + edge],
    )
    figure.update_yaxes(
        tickvals=[b * pitch + centre for b in named_blocks],
        ticktext=[str(b) for b in named_blocks],
        ticks="",
        range=[n_blocks * pitch - gap + edge, -edge - 0.5],
        showgrid=False,
    )
    frame = pd.DataFrame(
        [{"block": b, "head": h, "largest_ratio": float(ratios[b, h].max())} for b, h in grid]
    )
    return Chart(
        "attention-heads",
        figure,
        frame,
        extremes(
            frame, "largest_ratio", "A head's largest ratio to an even share", ["block", "head"]
        ),
    )


def attention_heat(frame: pd.DataFrame, step: str, title: str, masked: bool, look: Look) -> Chart:
    """Draw one head, queries downwards and keys sideways, what the mask hides hatched.

    Args:
        frame: From `explorer.measure.attention_map`.
        step: Which step of attention it is.
        title: What the values are.
        masked: Whether the mask is on at this step.
        look: How the viewer sees the page.
    """
    labels = list(dict.fromkeys(frame["query"]))
    n = len(labels)
    values = frame["value"].to_numpy(dtype="float32").reshape(n, n)
    hidden = frame["hidden"].to_numpy().reshape(n, n)
    shown = np.where(hidden, np.float32(np.nan), values) if masked else values
    seen = frame[~frame["hidden"]] if masked else frame
    signed = _STEP_SCALE[step] == "div"
    reach = float(np.nanmax(np.abs(shown))) or 1.0
    figure = blank_figure(
        look,
        height=tall(look),
        x_title="key (looked at)",
        y_title=f"query (looks), downwards; {title}",
    )
    bar = colour_bar(look, "")
    if step == "ratio":
        bar |= {"tickvals": [0, 1, reach], "ticktext": ["0", "1 even", number(reach, 2)]}
    elif step == "weights":
        # The first rows share their weight between few keys; on their scale the others are blank.
        reach = float(np.nanmax(shown[n // 4 :])) if n > 8 else reach
        top = number(reach, 2) + ("+" if n > 8 else "")
        bar |= {"tickvals": [0, reach], "ticktext": ["0", top]}
    heat = heatmap(
        z=shown,
        colorscale=look.scale(_STEP_SCALE[step]),
        zmin=-reach if signed else 0,
        zmax=reach,
        xgap=1,
        ygap=1,
        colorbar=bar,
        hovertemplate="query %{y}, key %{x}: %{z:.4f}<extra></extra>",
    )
    figure.add_trace(heat)
    if n <= 8:
        ends = (-reach if signed else 0.0, reach)
        for one in cell_numbers(
            shown, _STEP_SCALE[step], ends, lambda value: number(value, 2), look
        ):
            figure.add_annotation(**one)
    if masked and hidden.any():
        figure.add_trace(_hatched([_staircase(n)], look))
    rows, names = token_ticks(labels)
    figure.update_yaxes(
        range=[n - 0.5, -0.5],
        ticks="",
        ticklabelstandoff=6,
        tickvals=rows,
        ticktext=names,
        showgrid=False,
    )
    across = n <= 6
    columns, names = token_ticks(labels, 14)
    figure.update_xaxes(
        range=[-0.5, n - 0.5],
        ticks="",
        tickvals=columns,
        ticktext=names,
        tickangle=0 if across else -90,
    )
    return Chart(
        f"attention-{step}",
        figure,
        frame,
        extremes(seen, "value", title, ["query", "key"]),
    )


def head_entropy_dots(frame: pd.DataFrame, look: Look) -> Chart:
    """Draw every head's entropy as a dot over its block, with the entropy of even weights marked.

    Args:
        frame: From `explorer.measure.head_entropies`.
        look: How the viewer sees the page.
    """
    even = float(frame["uniform"].iloc[0])
    n_blocks = frame["block"].nunique()
    figure = blank_figure(
        look,
        height=300,
        x_title="block; one dot a head",
        y_title="entropy of a head's weights (nats, mean over queries)",
    )
    figure.add_trace(
        scatter(
            x=frame["block"],
            y=frame["entropy"],
            mode="markers",
            marker={"color": look.role("attn"), "size": look.marker_px * 0.7, "opacity": 0.7},
            customdata=frame["head"],
            hovertemplate="block %{x}, head %{customdata}: %{y:.4f} nats<extra></extra>",
        )
    )
    figure.add_hline(y=even, line={"color": look.surface("text"), "width": 2, "dash": "dot"})
    figure.add_annotation(
        text=f"even weights: {number(even)}",
        x=0,
        xref="paper",
        y=even,
        xanchor="left",
        yanchor="bottom",
        showarrow=False,
        font={"size": look.font_px, "color": look.surface("muted")},
    )
    figure.update_yaxes(range=[0, 1.18 * max(even, float(frame["entropy"].max())) or 1.0])
    figure.update_xaxes(dtick=max(1, round(n_blocks / 12)), range=[-0.6, n_blocks - 0.4])
    return Chart(
        "attention-entropy",
        figure,
        frame,
        extremes(frame, "entropy", "Entropy in nats", ["block", "head"])
        + f" Even weights would have {number(even)}.",
    )
