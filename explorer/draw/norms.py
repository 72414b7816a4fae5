"""LayerNorm over the whole model, and the two ways to divide a variance."""

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import blank_figure, scatter
from explorer.draw.numbers import number, significant
from explorer.draw.theme import Look


def norm_spread_lines(frame: pd.DataFrame, look: Look) -> Chart:
    """Draw the spread before and after each norm of the model.

    Args:
        frame: From `explorer.measure.norm_spread`.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=300,
        x_title="norm, in the order of computation",
        y_title="standard deviation of a token's features, mean over tokens (activation units)",
    )
    for side, role, symbol in (("before", "act", "circle"), ("after", "norm", "square")):
        figure.add_trace(
            scatter(
                x=frame["order"],
                y=frame[side],
                mode="lines+markers" if len(frame) <= 60 else "lines",
                line={"color": look.role(role), "width": look.line_px},
                marker={"symbol": symbol, "size": look.marker_px * 0.8, "color": look.role(role)},
                customdata=frame["norm"],
                hovertemplate=f"{side} %{{customdata}}: %{{y:.4f}}<extra></extra>",
            )
        )
        figure.add_annotation(
            text=f"<b>{side}</b><br>{number(frame[side].iloc[-1])}",
            xref="paper",
            x=1,
            y=frame[side].iloc[-1],
            xanchor="left",
            xshift=8,
            align="left",
            showarrow=False,
            font={"color": look.role(role), "size": look.font_px},
        )
    step = max(1, len(frame) // 6)
    shown = frame.iloc[::step]
    figure.update_xaxes(tickvals=shown["order"], ticktext=shown["norm"])
    figure.update_yaxes(rangemode="tozero")
    figure.update_layout(margin={"r": 5.5 * look.font_px})
    return Chart(
        "norm-spread",
        figure,
        frame,
        extremes(frame, "before", "The spread before a norm", ["norm"])
        + " "
        + extremes(frame, "after", "The spread after it", ["norm"]),
    )


def variance_divisor_line(frame: pd.DataFrame, look: Look) -> Chart:
    """Draw how much larger the unbiased variance is, over the number of values.

    Args:
        frame: From `explorer.measure.variance_divisors`.
        look: How the viewer sees the page.
    """
    figure = blank_figure(
        look,
        height=280,
        x_title="n, the number of values, log scale",
        y_title="the variance divided by n − 1 is larger by (%, log scale)",
    )
    figure.add_trace(
        scatter(
            x=frame["n"],
            y=frame["percent"],
            mode="lines+markers+text",
            text=[f"{significant(value, 2)} %" for value in frame["percent"]],
            textposition="top right",
            textfont={"size": look.font_px, "color": look.surface("text")},
            line={"color": look.role("norm"), "width": look.line_px},
            marker={"size": look.marker_px, "color": look.role("norm")},
            hoverinfo="skip",
            cliponaxis=False,
        )
    )
    figure.update_xaxes(type="log", tickvals=frame["n"], ticktext=[f"{n:,}" for n in frame["n"]])
    figure.update_yaxes(
        type="log", tickvals=[0.1, 1, 10], ticktext=["0.1", "1", "10"], range=[-1.4, 1.7]
    )
    figure.update_layout(margin={"r": 4 * look.font_px})
    return Chart(
        "variance-divisors",
        figure,
        frame,
        extremes(frame, "percent", "The difference in %", ["n"]),
    )
