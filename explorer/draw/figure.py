"""A plotly figure as the plain dictionary that its script draws from.

Plotly's own objects check each property as it is set, which took longer than all else that a page does
between a click and its answer. `Chart.figure` makes those objects, for whoever wants a figure; the
tests ask for them, and so check everything that is drawn.
"""

import base64
import json
from typing import Any

import numpy as np

from explorer.draw.theme import Look

Trace = dict[str, Any]


def scatter(**properties: Any) -> Trace:
    """Return a trace of points and lines, with plotly's properties."""
    return {"type": "scatter", **properties}


def bar(**properties: Any) -> Trace:
    """Return a trace of bars, with plotly's properties."""
    return {"type": "bar", **properties}


def heatmap(**properties: Any) -> Trace:
    """Return a trace of coloured cells, with plotly's properties."""
    return {"type": "heatmap", **properties}


class Figure:
    """Traces, and a layout that is changed property by property, by the names plotly gives them."""

    def __init__(self, layout: dict[str, Any]) -> None:
        self.data: list[Trace] = []
        self.layout: dict[str, Any] = {"shapes": [], "annotations": [], **layout}

    def add_trace(self, trace: Trace) -> None:
        """Draw one more trace, over the others."""
        self.data.append(trace)

    def add_annotation(self, **properties: Any) -> None:
        """Write a text."""
        self.layout["annotations"].append(properties)

    def add_shape(self, **properties: Any) -> None:
        """Draw a shape over the traces."""
        self.layout["shapes"].append(properties)

    def add_hline(self, y: float, **properties: Any) -> None:
        """Draw a horizontal line from side to side."""
        self.add_shape(type="line", xref="x domain", x0=0, x1=1, y0=y, y1=y, **properties)

    def add_vline(self, x: float, **properties: Any) -> None:
        """Draw a vertical line from top to bottom."""
        self.add_shape(type="line", yref="y domain", y0=0, y1=1, x0=x, x1=x, **properties)

    def update_layout(self, **changes: Any) -> None:
        """Change properties of the layout; what is in them besides stays."""
        self.layout = _merged(self.layout, changes)

    def update_xaxes(self, **changes: Any) -> None:
        """Change properties of every x axis."""
        self._update_axes("xaxis", changes)

    def update_yaxes(self, **changes: Any) -> None:
        """Change properties of every y axis."""
        self._update_axes("yaxis", changes)

    def _update_axes(self, kind: str, changes: dict[str, Any]) -> None:
        for name in [name for name in self.layout if name.startswith(kind)]:
            self.layout[name] = _merged(self.layout[name], changes)

    def to_json(self) -> str:
        """Return the figure as JSON; a value that is no number is null."""
        spec = {"data": self.data, "layout": self.layout}
        try:
            return json.dumps(spec, default=_plain, allow_nan=False)
        except ValueError:  # NaN or an infinity in a list
            written = json.dumps(spec, default=_plain)
            return json.dumps(json.loads(written, parse_constant=lambda _: None))


def blank_figure(look: Look, *, height: int, x_title: str, y_title: str) -> Figure:
    """Return an empty figure in the house style: horizontal grid lines, titles with units.

    The y title stands horizontally above the axis, because rotated text is hard to read at the back
    of a room.
    """
    text, muted, line = look.surface("text"), look.surface("muted"), look.surface("line")
    font = {"family": '"Source Sans", sans-serif', "size": look.font_px, "color": text}
    ticks = {"size": look.font_px, "color": text}
    x_axis = {
        "title": {"text": x_title, "font": {"color": muted, "size": look.font_px}},
        "tickfont": ticks,
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
        "spikecolor": muted,
        "spikethickness": 1,
        "spikedash": "solid",
    }
    y_axis = {
        "tickfont": ticks,
        "ticklabelstandoff": 5,
        "gridcolor": line,
        "gridwidth": 1,
        "zeroline": False,
        "automargin": True,
    }
    title = {
        "text": y_title,
        "font": {"color": muted, "size": look.font_px, "weight": "normal"},
        "x": 0,
        "xref": "container",
        "yref": "container",
        "y": 1,
        "yanchor": "top",
        "pad": {"t": 2},
    }
    return Figure(
        layout={
            "font": font,
            "height": look.height(height),
            "title": title,
            "margin": {"l": 8, "r": 8, "t": 2.2 * look.font_px, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "showlegend": False,
            "hoverlabel": {"font": font, "bgcolor": look.surface("panel"), "bordercolor": line},
            "hovermode": "closest",
            "dragmode": False,
            "bargap": 0.12,
            "xaxis": x_axis,
            "yaxis": y_axis,
        }
    )


def _merged(old: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return old properties with changes, and both as they were: one dictionary may stand twice."""
    new = dict(old)
    for name, value in changes.items():
        both = isinstance(value, dict) and isinstance(old.get(name), dict)
        new[name] = _merged(old[name], value) if both else value
    return new


def _plain(value: Any) -> Any:
    """Write what JSON doesn't know: arrays of numbers as their bytes, in the way plotly reads them."""
    if isinstance(value, np.generic):
        return value.item()
    array = value.to_numpy() if hasattr(value, "to_numpy") else value  # pandas
    if not isinstance(array, np.ndarray):
        raise TypeError(f"a figure can't hold a {type(value).__name__}")
    if array.dtype.kind == "i" and array.size and abs(array).max() < 2**31:
        array = array.astype("int32")
    if array.dtype not in ("float32", "float64", "int32", "uint8"):
        return array.tolist()
    content = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    bytes_ = {"dtype": array.dtype.str[1:], "bdata": content}
    return bytes_ if array.ndim == 1 else {**bytes_, "shape": ", ".join(map(str, array.shape))}
