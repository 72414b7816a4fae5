"""Histograms of the stages of a computation, one above the other on one scale."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import Figure, bar, blank_figure, scatter
from explorer.draw.numbers import number
from explorer.draw.theme import Look

_ROW_PX = 76
_LABEL_SHARE = 0.27  # of the width of the values, kept free for the stages' names


@dataclass(frozen=True)
class Stage:
    """How a stage is shown: its name in the table, its title, its formula, its hue's role."""

    name: str
    title: str
    formula: str
    role: str


def row_px(look: Look) -> int:
    """Return the height of one stage's picture, for what stands beside it."""
    return round(_ROW_PX * look.zoom)


def stage_histograms(
    histogram: pd.DataFrame,
    moments: pd.DataFrame,
    stages: Sequence[Stage],
    x_title: str,
    look: Look,
    *,
    name: str,
    percent: bool = False,
) -> Chart:
    """Draw the stages' histograms on one horizontal and one vertical scale.

    Args:
        histogram: From `explorer.measure.stage_histogram`.
        moments: From `explorer.measure.stage_moments`; mean ± 1 std is marked under each.
        stages: From top to bottom.
        x_title: What a value is, and what a bar counts.
        look: How the viewer sees the page.
        name: Names the download.
        percent: Draw the share of a stage's values rather than their number.
    """
    n_rows, row = len(stages), 1 / len(stages)
    figure = blank_figure(
        look,
        height=_ROW_PX * n_rows + 76,
        x_title=x_title,
        y_title=f"{_y_title(percent)}; line below: mean ± 1 std",
    )
    shown = histogram.merge(moments[["stage", "n", "mean", "variance", "std"]], on="stage")
    shown["height"] = 100 * shown["count"] / shown["n"] if percent else shown["count"]
    tallest = float(shown["height"].max())
    top = tallest * 1.08
    width = float((shown["high"] - shown["low"]).iloc[0])
    low, high = shown["low"].min() - width, shown["high"].max() + width
    low -= _LABEL_SHARE * (high - low)
    names: list[dict[str, object]] = []
    for index, stage in enumerate(stages):
        axis = "" if index == 0 else str(index + 1)
        bars = shown[shown["stage"] == stage.name]
        ends = moments.set_index("stage").loc[stage.name]
        figure.add_trace(
            bar(
                x=(bars["low"] + bars["high"]) / 2,
                y=bars["height"],
                width=width * 0.9,
                marker={"color": look.role(stage.role), "line": {"width": 0}},
                yaxis=f"y{axis}",
                customdata=bars[["low", "high", "count"]],
                hovertemplate="%{customdata[0]:.4g} to %{customdata[1]:.4g}: "
                "%{customdata[2]:,}<extra></extra>",
            )
        )
        _mark_spread(figure, ends, f"y{axis}", top, look)
        bottom = 1 - (index + 1) * row
        figure.layout[f"yaxis{axis}"] = {
            "domain": [bottom + 0.03 * row, bottom + 0.97 * row],
            "range": [-0.28 * top, top],
            "tickvals": [0, tallest],
            "ticktext": ["0", number(tallest, 0 if tallest >= 10 else 1)],
            "tickfont": {"size": look.font_px, "color": look.surface("text")},
            "showgrid": False,
            "zeroline": True,
            "zerolinecolor": look.surface("muted"),
            "zerolinewidth": 1,
            "automargin": True,
        }
        names.append(
            {
                "text": f"<b>{index + 1} {stage.title}</b><br>"
                f'<span style="color:{look.surface("text")};font-family:Source Code Pro,monospace;'
                f'font-size:{0.9 * look.font_px}px">{stage.formula}</span>',
                "align": "left",
                "xref": "paper",
                "x": 0,
                "yref": f"y{axis}",
                "y": top,
                "xanchor": "left",
                "yanchor": "top",
                "xshift": 4,
                "showarrow": False,
                "font": {"color": look.role(stage.role), "size": look.font_px},
            }
        )
    figure.layout["annotations"] = names
    figure.update_xaxes(
        range=[low, high],
        showgrid=True,
        gridcolor=look.surface("line"),
        zeroline=True,
        zerolinecolor=look.surface("muted"),
        zerolinewidth=1,
        anchor=f"y{n_rows}" if n_rows > 1 else "y",
    )
    counted = extremes(shown, "height", _y_title(percent).capitalize(), ["stage", "low", "high"])
    spread = extremes(moments, "std", "The standard deviation", ["stage"])
    return Chart(name, figure, shown, f"{counted} {spread}")


def _y_title(percent: bool) -> str:
    return "values in a bin (% of the stage)" if percent else "number of values in a bin"


def _mark_spread(
    figure: Figure, ends: "pd.Series[float]", axis: str, top: float, look: Look
) -> None:
    """Mark the mean with a dot and one standard deviation to each side with a bar."""
    figure.add_trace(
        scatter(
            x=[ends["mean"]],
            y=[-0.15 * top],
            yaxis=axis,
            mode="markers",
            marker={"size": look.marker_px * 0.8, "color": look.surface("text")},
            error_x={
                "type": "constant",
                "value": float(ends["std"]),
                "color": look.surface("text"),
                "thickness": 2,
                "width": look.marker_px * 0.45,
            },
            hoverinfo="skip",
            cliponaxis=False,
        )
    )
