"""Gradients over depth as lines: with shortcuts in the hue of gradients, plain muted and dashed."""

import math

import pandas as pd

from explorer.draw.chart import Chart, extremes
from explorer.draw.figure import Figure, blank_figure, scatter
from explorer.draw.numbers import power_of_ten, significant
from explorer.draw.theme import Look

_PLAIN, _WITH = "plain", "with shortcuts"
_BRACKET, _BRACKET_TIP = 0.012, 0.024  # shares of the plot's width


class LogAxis:
    """A logarithmic axis that keeps a lowest line for values that are exactly 0.

    Attributes:
        has_zero: Whether there is such a line.
        low: The exponent of ten at the bottom.
        high: The exponent of ten at the top.
    """

    def __init__(self, values: "pd.Series[float]") -> None:
        finite = values.dropna()
        positive = finite[finite > 0]
        exponents = [math.log10(value) for value in positive] or [0.0]
        self.has_zero = bool((finite == 0).any())
        self.low, self.high = math.floor(min(exponents)), math.ceil(max(exponents))
        self.high = max(self.high, self.low + 1)
        self._step = max(1, math.ceil((self.high - self.low) / 7))
        self._zero = self.low - self._step

    def place(self, values: "pd.Series[float]") -> "pd.Series[float]":
        """Return the values as they are drawn: 0 on the lowest line."""
        return values.where(values != 0, 10.0**self._zero)

    def apply(self, figure: Figure) -> None:
        """Set the range and write every tick as a power of ten."""
        ticks = list(range(self.low, self.high + 1, self._step))
        values = [10.0**tick for tick in ticks]
        names = ["1" if tick == 0 else power_of_ten(tick) for tick in ticks]
        bottom = float(self.low)
        if self.has_zero:
            values.insert(0, 10.0**self._zero)
            names.insert(0, "0")
            bottom = float(self._zero)
        room = 0.04 * (self.high - bottom)
        figure.update_yaxes(
            type="log",
            range=[bottom - room, self.high + room],
            tickvals=values,
            ticktext=names,
        )


def layer_gradient_lines(
    frame: pd.DataFrame, title: str, look: Look, *, width: int, gain: float | None
) -> Chart:
    """Draw one network's layers as thick lines over the middle half of many seeds.

    Args:
        frame: One row a network and layer: `network`, `layer`, `value`, `median`, `lower`, `upper`.
        title: What the values are, for the axis.
        look: How the viewer sees the page.
        width: Of every layer but the last.
        gain: Written at a bracket between the two lines at layer 0; None for no bracket.
    """
    last = int(frame["layer"].max())
    axis = LogAxis(pd.concat([frame[name] for name in ("value", "median", "lower", "upper")]))
    figure = blank_figure(
        look,
        height=372,
        x_title=f"layer, first to last; layer {last}, {width} → 1, has no shortcut",
        y_title=f"{title}, log scale",
    )
    for name in (_PLAIN, _WITH):
        _add_band(figure, frame[frame["network"] == name], axis, name, look)
    return _with_lines("layer-gradients", figure, frame, title, look, axis, "layer", gain)


def block_gradient_lines(frame: pd.DataFrame, part: str, look: Look, gain: float | None) -> Chart:
    """Draw the gradients of one part of every block.

    Args:
        frame: One row a network and block: `network`, `block`, `value`.
        part: Which part of a block.
        look: How the viewer sees the page.
        gain: Written at a bracket between the two lines at block 0; None for no bracket.
    """
    title = f"mean |gradient| of a block's {part}"
    figure = blank_figure(
        look, height=340, x_title="block, first to last", y_title=f"{title}, log scale"
    )
    axis = LogAxis(frame["value"])
    return _with_lines("block-gradients", figure, frame, title, look, axis, "block", gain)


def _with_lines(
    name: str,
    figure: Figure,
    frame: pd.DataFrame,
    title: str,
    look: Look,
    axis: LogAxis,
    depth: str,
    gain: float | None,
) -> Chart:
    """Draw both networks' values over a column of depths, and finish the chart."""
    there = frame.dropna(subset="value")
    for network in (_PLAIN, _WITH):
        _add_line(figure, there[there["network"] == network], axis, network, depth, look)
    axis.apply(figure)
    last = int(frame[depth].max())
    step, reach = max(1, math.ceil((last + 1) / 12)), max(last, 1)
    figure.update_xaxes(
        tickvals=list(range(0, last + 1, step)), range=[-0.06 * reach, last + 0.02 * reach]
    )
    _name_ends(figure, there, axis, look)
    if gain is not None:
        _add_gain(figure, frame[frame[depth] == 0], axis, gain, look)
    if len(there):
        alt = extremes(there, "value", title[0].upper() + title[1:], ["network", depth])
    else:
        alt = f"Nothing is drawn: every {title}, is 0 divided by 0."
    if gain is not None:
        change = f"{significant(gain)} times larger"
        if gain < 1:
            change = f"{significant(1 / gain)} times smaller"
        alt = f"{depth.capitalize()} 0 is {change} with shortcuts. {alt}"
    return Chart(name, figure, frame, alt)


def _hue(network: str, look: Look) -> str:
    return look.role("grad") if network == _WITH else look.surface("muted")


def _add_band(figure: Figure, rows: pd.DataFrame, axis: LogAxis, network: str, look: Look) -> None:
    """Fill from the lower to the upper quartile and dot the median."""
    hue = _hue(network, look)
    rows = rows.dropna(subset="median")
    red, green, blue = (int(hue[i : i + 2], 16) for i in (1, 3, 5))
    outline = pd.concat([rows["upper"], rows["lower"][::-1]])
    figure.add_trace(
        scatter(
            x=pd.concat([rows["layer"], rows["layer"][::-1]]),
            y=axis.place(outline),
            fill="toself",
            fillcolor=f"rgba({red},{green},{blue},0.15)",
            mode="none",
            hoverinfo="skip",
        )
    )
    figure.add_trace(
        scatter(
            x=rows["layer"],
            y=axis.place(rows["median"]),
            mode="lines",
            line={"color": hue, "width": look.thin_px, "dash": "dot"},
            hoverinfo="skip",
        )
    )


def _add_line(
    figure: Figure, rows: pd.DataFrame, axis: LogAxis, name: str, depth: str, look: Look
) -> None:
    hue, plain = _hue(name, look), name == _PLAIN
    figure.add_trace(
        scatter(
            x=rows[depth],
            y=axis.place(rows["value"]),
            name=name,
            mode="lines+markers" if len(rows) <= 24 else "lines",
            line={"color": hue, "width": look.line_px, "dash": "5px,4px" if plain else "solid"},
            marker={
                "size": look.marker_px,
                "color": look.surface("page") if plain else hue,
                "line": {"color": hue, "width": 3 if plain else 0},
            },
            customdata=rows["value"].map(significant),
            hovertemplate=f"{name}, {depth} %{{x}}: %{{customdata}}<extra></extra>",
            cliponaxis=False,
        )
    )


def _name_ends(figure: Figure, frame: pd.DataFrame, axis: LogAxis, look: Look) -> None:
    """Write each line's name and last value at its end, far enough apart to read."""
    ends = frame.groupby("network")["value"].last().to_dict()
    if not ends:
        return
    room = 0.17 * (axis.high - axis.low + 1)
    heights = {name: math.log10(axis.place(pd.Series([end])).iloc[0]) for name, end in ends.items()}
    upper = max(heights, key=lambda name: (heights[name], name))
    lower = min(heights, key=lambda name: (heights[name], name))
    if lower != upper:
        heights[lower] = min(heights[lower], heights[upper] - room)
    for name, height in heights.items():
        value = "" if math.isclose(ends[name], 1) else f"<br>{significant(ends[name])}"
        figure.add_annotation(
            text=f"<b>{name}</b>{value}",
            xref="paper",
            x=1,
            y=height,
            xanchor="left",
            xshift=12,
            align="left",
            showarrow=False,
            font={"color": _hue(name, look), "size": look.font_px},
        )
    figure.update_layout(margin={"r": 8.6 * look.font_px})


def _add_gain(figure: Figure, first: pd.DataFrame, axis: LogAxis, gain: float, look: Look) -> None:
    """Put a bracket beside the two first values, with their ratio."""
    ends = axis.place(first.set_index("network")["value"])
    low, high, ink = ends[_PLAIN], ends[_WITH], look.surface("text")
    figure.add_trace(
        scatter(
            x=[_BRACKET_TIP, _BRACKET, _BRACKET, _BRACKET_TIP],
            y=[low, low, high, high],
            xaxis="x2",
            mode="lines",
            line={"color": ink, "width": look.thin_px},
            hoverinfo="skip",
        )
    )
    figure.update_layout(
        xaxis2={"overlaying": "x", "range": [0, 1], "visible": False, "fixedrange": True}
    )
    figure.add_annotation(
        text=f"<b>{significant(gain)} ×</b>",
        xref="paper",
        x=_BRACKET,
        y=(math.log10(low) + math.log10(high)) / 2,
        xanchor="left",
        xshift=8,
        showarrow=False,
        bgcolor=look.surface("page"),
        opacity=0.92,
        font={"color": ink, "size": look.font_px},
    )
