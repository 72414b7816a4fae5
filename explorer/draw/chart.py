"""A picture together with what it was drawn from and what it says to those who can't see it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from explorer.draw.figure import Figure
from explorer.draw.numbers import number

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure


@dataclass(frozen=True)
class Chart:
    """A figure and its equals in other forms.

    Attributes:
        name: Names the download, in lower case with dashes.
        drawing: The picture, as the browser gets it.
        frame: The very table that was drawn.
        alt: What the picture shows, in one or two sentences with the extreme and its value.
    """

    name: str
    drawing: Figure
    frame: pd.DataFrame
    alt: str

    @property
    def figure(self) -> "PlotlyFigure":
        """The picture as plotly's own object, every property checked, as a notebook shows it."""
        from plotly.graph_objects import Figure as PlotlyFigure  # not above: no page needs it

        return PlotlyFigure(self.drawing.data, self.drawing.layout)

    @property
    def height_px(self) -> int:
        """How tall the picture is."""
        return int(self.drawing.layout["height"])


def extremes(frame: pd.DataFrame, value: str, what: str, where: list[str]) -> str:
    """Say where a column is largest and smallest, with both values.

    Args:
        frame: What is drawn.
        value: The column.
        what: What the column is, with its unit.
        where: Columns that say where a row is, such as block and point.

    Raises:
        ValueError: If the frame is empty.
    """
    if frame.empty:
        raise ValueError("an empty table has no extremes")

    def place(label: object) -> str:
        # Cell by cell: a row of numbers would turn block 2 into block 2.0.
        return ", ".join(f"{name.replace('_', ' ')} {frame.at[label, name]}" for name in where)

    top, low = frame[value].idxmax(), frame[value].idxmin()
    return (
        f"{what[0].upper() + what[1:]} is largest, {number(frame.loc[top, value])}, at {place(top)}; "
        f"smallest, {number(frame.loc[low, value])}, at {place(low)}."
    )
