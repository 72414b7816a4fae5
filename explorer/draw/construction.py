"""The spread of the stream through a model under construction, before and after a switch."""

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import blank_figure, scatter
from explorer.draw.line_ends import beside
from explorer.draw.theme import Look


def construction_lines(now: pd.DataFrame, before: pd.DataFrame, look: Look) -> Chart:
    """Draw the standard deviation at every stage, as it is now and as it was before the switch.

    Args:
        now: The `stages` of `explorer.measure.construction`.
        before: The same of the parts that were real before.
        look: How the viewer sees the page.
    """
    frame = now.merge(
        before[["stage", "mean", "std"]], on="stage", suffixes=("", "_before"), validate="1:1"
    )
    figure = blank_figure(
        look,
        height=330,
        x_title="stage, from the embeddings to the logits",
        y_title="standard deviation of all values at that stage (linear from 0)",
    )
    above = frame["std"].iloc[-1] >= frame["std_before"].iloc[-1]
    for column, name, colour, dash, lift in (
        ("std_before", "before", look.surface("muted"), "dash", -0.7 if above else 0.7),
        ("std", "now", look.role("act"), "solid", 0.7 if above else -0.7),
    ):
        figure.add_trace(
            scatter(
                x=frame["stage"],
                y=frame[column],
                name=name,
                mode="lines+markers" if len(frame) <= 50 else "lines",
                line={"color": colour, "width": look.line_px, "dash": dash},
                marker={"size": look.marker_px, "color": colour},
                hovertemplate=f"%{{x}}, {name}: %{{y:.4f}}<extra></extra>",
            )
        )
        beside(
            figure,
            name,
            y=frame[column].iloc[-1],
            hue=colour,
            look=look,
            gap=6,
            lift=lift * look.font_px,
        )
    top = float(frame[["std", "std_before"]].max().max())
    figure.update_yaxes(range=[0, 1.12 * top or 1])
    ends = [0, (len(frame) - 1) // 2, len(frame) - 1]  # three names fit on a phone
    figure.update_xaxes(
        type="category",
        tickangle=0,
        tickvals=ends,
        ticktext=frame["stage"].iloc[ends],
        ticklabelstandoff=round(0.5 * look.font_px),  # clear of the 0 beside it
    )
    figure.update_layout(margin={"r": 4.5 * look.font_px})
    return Chart("construction", figure, frame, extremes(frame, "std", "The spread now", ["stage"]))
