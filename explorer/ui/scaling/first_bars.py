"""The bars of the Scaling page as HTML, which a browser draws before plotly's script has started."""

from html import escape

from explorer import measure
from explorer.draw.chart import Chart
from explorer.draw.numbers import short
from explorer.draw.parts import part_variable

_TICKS = range(0, 101, 20)


def first_bars(drawn: Chart) -> str:
    """Return the picture of `parameter_bars`, by shares, at a desk; what is measured stands in CSS."""
    rows = []
    for model, parts in drawn.frame.groupby("model", sort=False):
        cut = "".join(
            f'<i style="width:{100 * row.share}%;'
            f'background:var({part_variable(measure.COMPONENTS[row.component])})">'
            f'<b class="bartext">{100 * row.share:.1f} %</b></i>'
            for row in parts.itertuples()
        )
        total = short(int(parts["parameters"].sum()))
        rows.append(
            f'<li><span class="name">{escape(str(model))}</span><span class="cut">{cut}</span>'
            f'<span class="total">{total}</span></li>'
        )
    ticks = "".join(f'<b style="--at:{tick / 100}">{tick}</b>' for tick in _TICKS)
    x_title = drawn.drawing.layout["xaxis"]["title"]["text"]
    return (
        f'<div class="chart" style="height:{drawn.height_px}px"><ul class="first-bars">'
        f'{"".join(rows)}</ul><p class="ticks">{ticks}<span style="--at:0.5">{escape(x_title)}</span>'
        "</p></div>"
    )
