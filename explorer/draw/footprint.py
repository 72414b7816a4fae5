"""Memory by use as bars."""

import pandas as pd

from explorer.draw.chart import Chart
from explorer.draw.figure import bar, blank_figure
from explorer.draw.line_ends import beside
from explorer.draw.numbers import both_units, number
from explorer.draw.parts import part_dash, part_hue
from explorer.draw.theme import Look


def memory_bars(frame: pd.DataFrame, look: Look) -> Chart:
    """Draw what each use takes, and all of them together, on one scale from 0.

    Args:
        frame: From `explorer.measure.memory_uses`.
        look: How the viewer sees the page.
    """
    total = float(frame["bytes"].sum())
    giga = total >= 10 * 2**30
    divisor = 2**30 if giga else 2**20
    unit = "GiB (2³⁰ bytes)" if giga else "MiB (2²⁰ bytes)"
    uses = [*frame["use"], "all together"]
    sizes = [*frame["bytes"], total]
    hues = [part_hue(use, look) for use in frame["use"]] + [look.surface("muted")]
    figure = blank_figure(
        look, height=58 + 36 * len(uses), x_title=f"{unit}, linear from 0", y_title=""
    )
    figure.add_trace(
        bar(
            x=[size / divisor for size in sizes],
            y=uses,
            orientation="h",
            marker={
                "color": hues,
                "pattern": {
                    "shape": [
                        "/" if use in set(frame["use"]) and part_dash(use) == "dash" else ""
                        for use in uses
                    ]
                },
                "line": {"width": 0},
            },
            hoverinfo="skip",
        )
    )
    for use, size in zip(uses, sizes, strict=True):
        beside(
            figure,
            f"{size / divisor:,.{1 if giga else 2}f} {unit[:3]}  <b>{100 * size / total:.1f} %</b>",
            y=use,
            hue=look.surface("text"),
            look=look,
            gap=10,
        )
    figure.update_layout(margin={"r": 12 * look.font_px, "t": 6}, bargap=0.3)
    figure.update_xaxes(range=[0, total / divisor * 1.02], nticks=4, tickformat=",", tickangle=0)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    largest = frame.loc[frame["bytes"].idxmax()]
    return Chart(
        "memory-by-use",
        figure,
        frame,
        f"All together {both_units(total)}. The largest use is {largest['use']}, "
        f"{both_units(float(largest['bytes']))}, {number(100 * float(largest['share']), 1)} %.",
    )
