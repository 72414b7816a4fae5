"""Numbers in the cells of a heat map, legible on whatever colour the cell has."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.draw.theme import Look, contrast, ink_on, mixed

_STEPS = 20


def colour_at(scale: list[tuple[float, str]], share: float) -> str:
    """Return the colour that plotly gives a value at a share, from 0 to 1, of a colour scale."""
    for (low, first), (high, second) in pairwise(scale):
        if share <= high:
            return mixed(first, second, max(0.0, share - low) / (high - low))
    return scale[-1][1]


def ground_for(cell: str, ink: str, needed: float) -> str:
    """Return the colour nearest to a cell's on which ink has the contrast that is needed."""
    away = "#000000" if ink == "#FFFFFF" else "#FFFFFF"
    grounds = (mixed(cell, away, step / _STEPS) for step in range(_STEPS + 1))
    return next(ground for ground in grounds if contrast(ink, ground) >= needed)


def cell_numbers(
    values: NDArray[Any],
    name: str,
    ends: tuple[float, float],
    text: Callable[[float], str],
    look: Look,
) -> Iterator[dict[str, Any]]:
    """Write every cell's number as an annotation, at whole coordinates from 0.

    Where black and white are both too faint on a cell, the number has a ground of its own.

    Args:
        values: (rows, columns); what is no number gets none.
        name: Of the colour scale.
        ends: The values at the scale's two ends.
        text: Writes a value.
        look: How the viewer sees the page.
    """
    scale, (low, high) = look.scale(name), ends
    for (y, x), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        cell = colour_at(scale, min(1.0, max(0.0, (float(value) - low) / ((high - low) or 1.0))))
        ink = ink_on(cell)
        ground = ground_for(cell, ink, look.contrast)
        yield {
            "name": "cell",  # the browser, which knows how wide a cell is, makes it fit
            "text": text(float(value)),
            "x": x,
            "y": y,
            "showarrow": False,
            "borderpad": 0,
            "font": {"size": look.font_px, "color": ink},
            **({} if ground == cell else {"bgcolor": ground}),
        }
