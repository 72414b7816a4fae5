"""How a quantity grows: parts as lines over one field, the sum as a heat map over two."""

import math

import numpy as np
import pandas as pd

from explorer.draw.cells import cell_numbers
from explorer.draw.chart import Chart
from explorer.draw.figure import blank_figure, heatmap, scatter
from explorer.draw.line_ends import name_line_ends
from explorer.draw.numbers import power_of_ten, short
from explorer.draw.parts import part_dash, part_hue
from explorer.draw.theme import Look


def _height(look: Look) -> int:
    """Return a height that leaves the picture on the first screen below two rows of controls."""
    return 240 if look.projector else 345


def growth_lines(
    frame: pd.DataFrame,
    field: str,
    title: str,
    *,
    log: bool,
    now: int,
    border: int | None,
    look: Look,
) -> Chart:
    """Draw each part over the field's values.

    Args:
        frame: From `explorer.measure.growth`; parts that are 0 everywhere are left out.
        field: The field swept.
        title: What is counted, with its unit.
        log: Whether both axes are logarithmic.
        now: The field's value in the viewer's configuration.
        border: Where the blocks begin to outweigh the embeddings, if it is to be marked.
        look: How the viewer sees the page.
    """
    scale = "log scale" if log else "linear"
    figure = blank_figure(
        look,
        height=_height(look),
        x_title=f"{field}, {scale}",
        y_title=f"{title}, {scale}",
    )
    drawn = frame[frame.groupby("part")["amount"].transform("max") > 0]
    shown = drawn[drawn["amount"] > 0] if log else drawn
    ends = []
    for part, rows in shown.groupby("part", sort=False):
        hue = part_hue(str(part), look)
        figure.add_trace(
            scatter(
                x=rows["value"],
                y=rows["amount"].astype(float),
                mode="lines",
                name=str(part),
                line={"color": hue, "width": look.line_px, "dash": part_dash(str(part))},
                hovertemplate=f"{part}, {field} %{{x:,}}: %{{y:,.4g}}<extra></extra>",
            )
        )
        last = float(rows["amount"].iloc[-1])
        ends.append((math.log10(last) if log else last, str(part), hue))
    top, bottom = float(shown["amount"].max()), float(shown["amount"].min())
    high = math.log10(top) + 0.1 if log else top * 1.05
    low = math.log10(bottom) - 0.1 if log else 0.0
    name_line_ends(figure, ends, low, high, look)
    marks = [(now, f"now {now:,}", "dot", "top")]
    if border is not None:
        marks.append((border, f"blocks outweigh: {border:,}", "dash", "bottom"))
    left, right = shown["value"].min(), shown["value"].max()
    for value, text, dash, end in marks:
        if not left <= value <= right:
            continue
        figure.add_vline(x=value, line={"color": look.surface("text"), "width": 1.5, "dash": dash})
        place = (math.log(value / left) / math.log(right / left)) if log else value / right
        to_left = place > 0.6
        figure.add_annotation(
            text=text,
            x=math.log10(value) if log else value,
            y=1 if end == "top" else 0,
            yref="paper",
            xanchor="right" if to_left else "left",
            yanchor=end,
            xshift=-4 if to_left else 4,
            showarrow=False,
            bgcolor=look.surface("page"),
            font={"size": look.font_px, "color": look.surface("text")},
        )
    kind = "log" if log else "linear"
    figure.update_xaxes(type=kind, tickformat=",", **({"dtick": 1} if log else {"nticks": 5}))
    figure.update_yaxes(
        type=kind, range=[low, high], exponentformat="power", **(_decades(low, high) if log else {})
    )
    final = frame[frame["value"] == frame["value"].max()]
    largest = final.loc[final["amount"].idxmax()]
    return Chart(
        f"growth-by-{field.replace('_', '-')}",
        figure,
        frame,
        f"{title[0].upper() + title[1:]}: from {short(float(frame['total'].iloc[0]))} at {field} "
        f"{frame['value'].iloc[0]:,} to {short(float(final['total'].iloc[0]))} at "
        f"{largest['value']:,}, where the largest part is {largest['part']} with "
        f"{short(float(largest['amount']))}.",
    )


def _decades(low: float, high: float) -> dict[str, list[float] | list[str]]:
    """Return a tick at each power of ten, written in full size."""
    powers = range(math.ceil(low), math.floor(high) + 1)
    return {"tickvals": [10.0**n for n in powers], "ticktext": [power_of_ten(n) for n in powers]}


def growth_heat_map(frame: pd.DataFrame, across: str, down: str, title: str, look: Look) -> Chart:
    """Draw a quantity over two fields; the colour is logarithmic, the number is printed.

    Args:
        frame: From `explorer.measure.growth_grid`.
        across: The field that runs to the right.
        down: The field that runs upwards.
        title: What is counted, with its unit.
        look: How the viewer sees the page.
    """
    table = frame.pivot(index=down, columns=across, values="amount")
    figure = blank_figure(
        look,
        height=max(_height(look), round(1.45 * look.font_px * len(table) + 6 * look.font_px)),
        x_title=f"{across} (not to scale)",
        y_title=f"{title}; colour on a log scale; rows: {down}",
    )
    logs = table.map(lambda value: math.log10(value) if value > 0 else float("nan"))
    figure.add_trace(
        heatmap(
            z=logs.to_numpy(),
            colorscale=look.scale("seq"),
            showscale=False,
            xgap=1,
            ygap=1,
            text=table.map(short, na_action="ignore").to_numpy().tolist(),
            hovertemplate="%{text}<extra></extra>",
            hoverongaps=False,
        )
    )
    ends = (float(logs.min().min()), float(logs.max().max()))
    for one in cell_numbers(logs.to_numpy(), "seq", ends, lambda log: short(10**log), look):
        figure.add_annotation(**one)
    muted = {"size": look.font_px, "color": look.surface("muted")}
    for (y, x), value in np.ndenumerate(table.to_numpy()):
        if not value > 0:  # nothing there, or a pair that is not allowed
            text = "–" if math.isnan(value) else short(value)
            figure.add_annotation(text=text, x=x, y=y, showarrow=False, font=muted)
    for update, values in (
        (figure.update_xaxes, table.columns),
        (figure.update_yaxes, table.index),
    ):
        update(
            tickmode="array",
            tickvals=list(range(len(values))),
            ticktext=[f"{value:,}" for value in values],
            showgrid=False,
        )
    there = frame.dropna()
    top, bottom = there.loc[there["amount"].idxmax()], there.loc[there["amount"].idxmin()]
    return Chart(
        f"growth-by-{across.replace('_', '-')}-and-{down.replace('_', '-')}",
        figure,
        frame,
        f"{title[0].upper() + title[1:]}: most, {short(top['amount'])}, at {across} "
        f"{int(top[across]):,} and {down} {int(top[down]):,}; least, {short(bottom['amount'])}, at "
        f"{int(bottom[across]):,} and {int(bottom[down]):,}.",
    )
