"""The same statistic with and without a change, and the sentence that says what the change did."""

import math
from collections.abc import Sequence

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import blank_figure, scatter
from explorer.draw.numbers import number
from explorer.draw.stream import PARTS, add_depth_lines, tall
from explorer.draw.theme import Look

_SAME = 1e-5  # relative: two floats that differ by less tell nothing


def change_panels(
    frames: tuple[pd.DataFrame, pd.DataFrame],
    names: tuple[str, str],
    points: Sequence[str],
    statistic: str,
    title: str,
    look: Look,
) -> tuple[Chart, Chart]:
    """Draw one statistic over depth twice on one scale: as it is, and changed.

    Args:
        frames: From `explorer.measure.block_stats`, as it is and changed.
        names: What each is called.
        points: Which places of a block to draw.
        statistic: A column.
        title: What the statistic is.
        look: How the viewer sees the page.
    """
    shown = [f[f["point"].isin(points)].reset_index(drop=True) for f in frames]
    low = min(float(f[statistic].min()) for f in shown)
    high = max(float(f[statistic].max()) for f in shown)
    if low >= 0:
        low = 0.0
    room = 0.06 * ((high - low) or 1.0)
    charts = []
    for key, frame, name in zip("ab", shown, names, strict=True):
        figure = blank_figure(
            look, height=tall(look, 0.82), x_title="block", y_title=f"{name}: {title.lower()}"
        )
        add_depth_lines(figure, frame, statistic, points, look)
        figure.update_yaxes(range=[low - (room if low else 0), high + room])
        charts.append(
            Chart(
                f"what-if-{key}-{statistic}",
                figure,
                frame,
                extremes(frame, statistic, f"{name}: {title}", ["point", "block"]),
            )
        )
    return charts[0], charts[1]


def difference_sentence(
    before: pd.DataFrame, after: pd.DataFrame, statistic: str, title: str, change: str, point: str
) -> str:
    """Say what a change did to a statistic behind the last block: its name, direction and factor.

    Args:
        before: From `explorer.measure.block_stats`, as it is.
        after: The same, changed.
        statistic: A column.
        title: What the statistic is.
        change: What the change is called.
        point: The place of the block.
    """
    last = before["block"].max()

    def at(frame: pd.DataFrame) -> float:
        rows = frame[(frame["block"] == last) & (frame["point"] == point)]
        return float(rows[statistic].iloc[0])

    old, new = at(before), at(after)
    where = f"With {change}, the {title} {PARTS[point][2]} of block {last}"
    if math.isclose(old, new, rel_tol=_SAME, abs_tol=1e-9):
        return f"{where} stays {number(new)}."
    start = f"{where} is {number(new)} instead of {number(old)}"
    if old * new <= 0:
        return f"{start}: {'higher' if new > old else 'lower'} by {number(abs(new - old))}."
    factor = abs(new / old)
    size = " in size" if old < 0 else ""
    if factor > 1:
        return f"{start}: {number(factor, 2)} times larger{size}."
    return f"{start}: {number(1 / factor, 2)} times smaller{size}."


def norm_depth_lines(frame: pd.DataFrame, depth: int, value: str, title: str, look: Look) -> Chart:
    """Draw one value over the blocks of a deep narrow model, pre-LN solid and post-LN dashed.

    Args:
        frame: From `explorer.measure.norm_depth_stats`.
        depth: How many blocks.
        value: "rms" or "gradient".
        title: What the value is, with its unit; gradients are on a log scale.
        look: How the viewer sees the page.
    """
    shown = frame[frame["depth"] == depth].reset_index(drop=True)
    figure = blank_figure(look, height=tall(look, 0.82), x_title="block", y_title=title)
    log = value == "gradient"
    ends = {}
    for norm, dash in (("pre", "solid"), ("post", "dash")):
        rows = shown[shown["norm"] == norm]
        role = "grad" if log else "act"
        hue = look.role(role) if norm == "pre" else look.surface("muted")
        figure.add_trace(
            scatter(
                x=rows["block"],
                y=rows[value],
                name=f"{norm}-LN",
                mode="lines",
                line={"color": hue, "width": look.line_px, "dash": dash},
                hovertemplate=f"{norm}-LN, block %{{x}}: %{{y:.3g}}<extra></extra>",
            )
        )
        ends[norm] = (float(rows[value].iloc[-1]), hue)
    for norm, (end, hue) in ends.items():
        other = ends["post" if norm == "pre" else "pre"][0]
        figure.add_annotation(
            text=f"{norm}-LN",
            x=1,
            xref="paper",
            y=math.log10(end) if log else end,
            xanchor="left",
            yanchor="bottom" if end >= other else "top",
            xshift=4,
            showarrow=False,
            font={"color": hue, "size": look.font_px},
        )
    figure.update_layout(margin={"r": 4.5 * look.font_px})
    if log:
        low, high = float(shown[value].min()), float(shown[value].max())
        ticks = [
            m * 10.0**power
            for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for m in (1, 2, 5)
        ]
        figure.update_yaxes(type="log", tickvals=ticks, ticktext=[f"{t:g}" for t in ticks])
    else:
        figure.update_yaxes(range=[0, 1.08 * float(shown[value].max())])
    figure.update_xaxes(tickvals=[0, depth // 2, depth - 1])
    return Chart(
        f"norm-depth-{value}-{depth}",
        figure,
        shown,
        extremes(shown, value, title, ["norm", "block"]),
    )
