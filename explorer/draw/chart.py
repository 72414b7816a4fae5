"""A picture together with what it was drawn from and what it says to those who can't see it."""

import math
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go


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


def number(value: float, digits: int = 3) -> str:
    """Write a number for a sentence: grouped, a true minus, no digits that say nothing.

    Below the smallest value that `digits` decimals can show, powers of ten are used.
    """
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if float(value).is_integer() and abs(value) < 1e15:
        text = f"{int(value):,}"
    elif abs(value) < 10**-digits:
        mantissa, exponent = f"{value:.{max(digits - 1, 0)}e}".split("e")
        superscript = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        text = f"{mantissa} × 10{superscript}"
    else:
        text = f"{value:,.{digits}f}"
    return text.replace("-", "−")


def fixed(value: float, digits: int = 3) -> str:
    """Write a number for a column, where all have the same decimals; what rounds to 0 has no sign."""
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


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
