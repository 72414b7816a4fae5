"""A picture together with what it was drawn from and what it says to those who can't see it."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from explorer.draw.numbers import number


@dataclass(frozen=True)
class Chart:
    """A figure and its equals in other forms.

    Attributes:
        name: Names the download, in lower case with dashes.
        figure: The picture.
        frame: The very table that was drawn.
        alt: What the picture shows, in one or two sentences with the extreme and its value.
    """

    name: str
    figure: go.Figure
    frame: pd.DataFrame
    alt: str


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
        f"{what} is largest, {number(frame.loc[top, value])}, at {place(top)}; "
        f"smallest, {number(frame.loc[low, value])}, at {place(low)}."
    )
