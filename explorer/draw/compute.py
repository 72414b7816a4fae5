"""FLOPs per token by part as bars, beside the rule of thumb."""

import pandas as pd

from explorer.draw.chart import Chart
from explorer.draw.figure import bar, blank_figure
from explorer.draw.line_ends import beside
from explorer.draw.numbers import number, short
from explorer.draw.parts import part_hue
from explorer.draw.theme import Look


def flop_bars(frame: pd.DataFrame, n_parameters: int, look: Look) -> Chart:
    """Draw each part's forward and backward FLOPs, their sum, and what the rule 6N gives.

    Args:
        frame: From `explorer.measure.flops_by_part`.
        n_parameters: N, every parameter.
        look: How the viewer sees the page.
    """
    forward, backward = float(frame["forward"].sum()), float(frame["backward"].sum())
    rows = [
        *zip(frame["part"], frame["forward"], frame["backward"], strict=True),
        ("all parts, counted", forward, backward),
        ("by the rule 2N + 4N", 2 * n_parameters, 4 * n_parameters),
    ]
    names = [name for name, _, _ in rows]
    hues = [part_hue(part, look) for part in frame["part"]] + [
        look.role("act"),
        look.surface("muted"),
    ]
    figure = blank_figure(
        look,
        height=58 + 34 * len(rows),
        x_title="FLOPs per token, linear from 0; solid: forward, hatched: backward",
        y_title="",
    )
    for column, shape in ((1, ""), (2, "/")):
        figure.add_trace(
            bar(
                x=[row[column] for row in rows],
                y=names,
                orientation="h",
                marker={
                    "color": hues,
                    "pattern": {
                        "shape": shape,
                        "fgcolor": hues,
                        "bgcolor": look.surface("page"),
                        "solidity": 0.3,
                    },
                    "line": {"color": hues, "width": 1},
                },
                hoverinfo="skip",
            )
        )
    for name, there, back in rows:
        beside(
            figure,
            f"<b>{short(there + back)}</b>",
            y=name,
            hue=look.surface("text"),
            look=look,
            gap=10,
        )
    figure.update_layout(barmode="stack", bargap=0.3, margin={"r": 5 * look.font_px, "t": 6})
    figure.update_xaxes(
        range=[0, max(forward + backward, 6 * n_parameters) * 1.02], nticks=4, tickangle=0
    )
    figure.update_yaxes(autorange="reversed", showgrid=False)
    largest = frame.loc[frame["forward"].idxmax()]
    return Chart(
        "flops-by-part",
        figure,
        frame,
        f"A token takes {short(forward)} FLOPs forward and {short(backward)} backward. The largest "
        f"part is {largest['part']}, {number(100 * float(largest['share']), 1)} %. The rule 6N gives "
        f"{short(6 * n_parameters)} in all.",
    )
