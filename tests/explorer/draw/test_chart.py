"""Numbers and extremes in words."""

import pandas as pd
import pytest

from explorer.draw.chart import extremes, number


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (163_009_536, 3, "163,009,536"),
        (12.0, 3, "12"),
        (-0.17004, 3, "−0.170"),
        (0.02046, 4, "0.0205"),
        (1234.5678, 2, "1,234.57"),
        (0.00020174, 3, "2.02 × 10⁻⁴"),
        (-3e-9, 2, "−3.0 × 10⁻⁹"),
        (0, 3, "0"),
        (float("inf"), 3, "∞"),
        (float("nan"), 3, "not a number"),
    ],
)
def test_a_number_reads_as_a_person_would_write_it(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_the_extremes_are_those_of_the_frame() -> None:
    frame = pd.DataFrame({"block": [0, 1, 2], "std": [1.5, 0.25, 3.75]})
    assert extremes(frame, "std", "The spread", ["block"]) == (
        "The spread is largest, 3.750, at block 2; smallest, 0.250, at block 1."
    )


def test_an_empty_table_has_no_extremes() -> None:
    with pytest.raises(ValueError, match="empty table"):
        extremes(pd.DataFrame({"block": [], "std": []}), "std", "The spread", ["block"])
