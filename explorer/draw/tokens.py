"""Tokens against blocks as a heat map, and one token's features."""

import math
from functools import partial

import pandas as pd

from explorer.draw.cells import cell_numbers
from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import Figure, bar, blank_figure, heatmap
from explorer.draw.numbers import fixed, number
from explorer.draw.stream import PARTS, tall
from explorer.draw.theme import Look

MAX_LABELS = 26
_PRINTED_FROM = 0.1  # smaller numbers have more digits than a cell has room for
_AROUND_BARS_PX = 50  # the axis and its title


def plain(text: str) -> str:
    """Make text that a person typed or a model made safe for plotly, which reads some HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def short(text: str, length: int = 12) -> str:
    """Cut a token to a width that a tick has room for."""
    return text if len(text) <= length else text[: length - 1] + "…"


def token_ticks(labels: list[str], most: int = MAX_LABELS) -> tuple[list[int], list[str]]:
    """Choose which rows to name when there are too many, and name them."""
    step = -(-len(labels) // most)
    rows = list(range(0, len(labels), step))
    return rows, [plain(short(labels[row])) for row in rows]


def colour_bar(look: Look, title: str) -> dict[str, object]:
    """Return a narrow colour bar in the house style."""
    font = {"size": look.font_px, "color": look.surface("text")}
    return {
        "thickness": 12,
        "outlinewidth": 0,
        "tickfont": font,
        "title": {"text": title, "font": font, "side": "top"},
        "nticks": 5,
        "xpad": 4,
    }


def frame_cell(figure: Figure, x: tuple[float, float], y: tuple[float, float], look: Look) -> None:
    """Frame what is picked: ink on a lighter line, so that it shows on any colour of a scale."""
    for surface, width in (("page", 6.0), ("text", 2.5)):
        line = {"color": look.surface(surface), "width": width}
        figure.add_shape(type="rect", x0=x[0], x1=x[1], y0=y[0], y1=y[1], line=line)


def token_heat(
    frame: pd.DataFrame,
    statistic: str,
    title: str,
    point: str,
    picked: tuple[int, int],
    look: Look,
) -> Chart:
    """Draw one statistic of every token in every block, the picked cell framed.

    Args:
        frame: From `explorer.measure.token_stats`.
        statistic: One of its columns.
        title: What the statistic is.
        point: The place of the block.
        picked: Block and position.
        look: How the viewer sees the page.
    """
    table = frame.pivot(index="position", columns="block", values=statistic)
    tokens = frame[frame["block"] == 0]["token"].tolist()
    n_tokens, n_blocks = table.shape
    low, high = float(table.min(axis=None)), float(table.max(axis=None))
    signed = low < 0
    reach = max(abs(low), abs(high)) or 1.0
    figure = blank_figure(
        look,
        height=tall(look, 1.03),
        x_title="block, from the first (0) to the last",
        y_title=f"{title} of each token, {PARTS[point][2]}",
    )
    figure.add_trace(
        heatmap(
            z=table.to_numpy(dtype="float32"),
            x=list(range(n_blocks)),
            y=list(range(n_tokens)),
            colorscale=look.scale("div" if signed else "seq"),
            zmin=-reach if signed else 0,
            zmax=reach,
            xgap=1 if n_tokens <= 64 else 0,
            ygap=1 if n_tokens <= 64 else 0,
            colorbar=colour_bar(look, ""),
            hovertemplate="position %{y}, block %{x}: %{z:.4f}<extra></extra>",
        )
    )
    if table.size <= 120 and n_blocks <= 12 and reach >= _PRINTED_FROM:
        ends = (-reach if signed else 0.0, reach)
        decimals = max(0, 2 - max(0, math.floor(math.log10(reach))))

        write, scale = partial(fixed, digits=decimals), "div" if signed else "seq"
        for one in cell_numbers(table.to_numpy(), scale, ends, write, look):
            figure.add_annotation(**one)
    block, position = picked
    frame_cell(figure, (block - 0.5, block + 0.5), (position - 0.5, position + 0.5), look)
    rows, names = token_ticks([f"{t} {token}" for t, token in enumerate(tokens)])
    figure.update_yaxes(
        range=[n_tokens - 0.5, -0.5],
        ticks="",
        ticklabelstandoff=6,
        tickvals=rows,
        ticktext=names,
        showgrid=False,
    )
    figure.update_xaxes(range=[-0.5, n_blocks - 0.5], dtick=max(1, round(n_blocks / 12)))
    return Chart(
        f"block-tokens-{point}-{statistic}",
        figure,
        frame,
        extremes(frame, statistic, f"{title} of a token", ["block", "position", "token"]),
    )


def token_values(bins: pd.DataFrame, reach: tuple[float, float], place: str, look: Look) -> Chart:
    """Draw one token's features as a histogram.

    Args:
        bins: From `explorer.measure.token_histogram`.
        reach: Ends of the value axis, the same for every token of this point.
        place: Which token and where, for the text version.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=tall(look, 0.49),
        x_title="value (activation units)",
        y_title=f"number of its {int(bins['count'].sum()):,} features",
    )
    figure.add_trace(
        bar(
            x=(bins["low"] + bins["high"]) / 2,
            y=bins["count"],
            width=bins["high"] - bins["low"],
            marker={"color": look.role("act"), "line": {"width": 0}},
            hovertemplate="%{x:.3f}: %{y} features<extra></extra>",
        )
    )
    figure.update_xaxes(range=list(reach))
    top = bins.loc[bins["count"].idxmax()]
    return Chart(
        "block-token-values",
        figure,
        bins,
        f"Values of {place}: most, {int(top['count'])}, lie between {number(top['low'])} and "
        f"{number(top['high'])}.",
    )


def feature_bars(features: pd.DataFrame, place: str, look: Look) -> Chart:
    """Draw a token's largest features as bars to either side of 0.

    Args:
        features: From `explorer.measure.largest_features`.
        place: Which token and where, for the text version.
        look: How the viewer sees the page.
    """
    height = tall(look, 0.49)
    figure = blank_figure(
        look,
        height=height,
        x_title="value (activation units)",
        y_title="largest features, by index",
    )
    room = round((height - _AROUND_BARS_PX) / (1.1 * look.font_px))
    drawn = features.head(room)  # the table has them all
    figure.add_trace(
        bar(
            x=drawn["value"],
            y=[str(feature) for feature in drawn["feature"]],
            orientation="h",
            marker={"color": look.role("act"), "line": {"width": 0}},
            text=[number(value, 2) for value in drawn["value"]],
            textposition="outside",
            textfont={"size": look.font_px, "color": look.surface("text")},
            constraintext="none",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    reach = float(features["value"].abs().max()) * 1.35 or 1.0
    figure.update_yaxes(autorange="reversed", type="category", dtick=1, showgrid=False)
    figure.update_xaxes(range=[-reach, reach], nticks=5)
    first = features.iloc[0]
    return Chart(
        "block-token-features",
        figure,
        features,
        f"Largest feature of {place}: feature {int(first['feature'])} with "
        f"{number(first['value'])}.",
    )
