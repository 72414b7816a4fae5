"""Extremes in words."""

import pandas as pd
import pytest

from explorer.draw.chart import extremes


def test_the_extremes_are_those_of_the_frame() -> None:
    frame = pd.DataFrame({"block": [0, 1, 2], "std": [1.5, 0.25, 3.75]})
    assert extremes(frame, "std", "The spread", ["block"]) == (
        "The spread is largest, 3.750, at block 2; smallest, 0.250, at block 1."
    )


def test_an_empty_table_has_no_extremes() -> None:
    with pytest.raises(ValueError, match="empty table"):
        extremes(pd.DataFrame({"block": [], "std": []}), "std", "The spread", ["block"])
