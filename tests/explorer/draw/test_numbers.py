"""Numbers in words."""

import pytest

from explorer.draw.numbers import number


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
