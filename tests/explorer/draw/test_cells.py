"""Numbers in the cells of a heat map can be read on every colour of every scale."""

import numpy as np
import pytest

from explorer.draw.cells import cell_numbers, colour_at
from explorer.draw.theme import SCALE, Look
from tests.explorer.draw.test_theme import contrast

LOOKS = [
    Look("dark" if dark else "light", projector=projector)
    for dark in (False, True)
    for projector in (False, True)
]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.mode)
@pytest.mark.parametrize("name", ["seq", "prob", "div"])
def test_every_number_contrasts_with_what_is_behind_it(look: Look, name: str) -> None:
    values = np.linspace(-3, 5, 201).reshape(3, 67)
    shown = list(cell_numbers(values, name, (-3, 5), str, look))
    assert len(shown) == values.size
    needed = 7 if look.projector else 4.5
    for one in shown:
        share = (float(one["text"]) + 3) / 8
        behind = one.get("bgcolor", colour_at(look.scale(name), share))
        assert contrast(one["font"]["color"], behind) >= needed, one


def test_a_number_has_a_ground_of_its_own_only_where_it_needs_one() -> None:
    values = np.linspace(0, 1, 101)[None]
    desk, room = (
        sum("bgcolor" in one for one in cell_numbers(values, "seq", (0, 1), str, Look(projector=p)))
        for p in (False, True)
    )
    assert desk == 0
    assert 0 < room < 60


def test_what_is_no_number_gets_none_and_places_are_rows_and_columns() -> None:
    values = np.array([[1.0, np.nan], [2.0, 3.0]])
    shown = list(cell_numbers(values, "seq", (1, 3), str, Look()))
    assert [(one["x"], one["y"], one["text"]) for one in shown] == [
        (0, 0, "1.0"),
        (0, 1, "2.0"),
        (1, 1, "3.0"),
    ]


@pytest.mark.parametrize("base", SCALE)
def test_between_two_stops_a_colour_is_between_theirs(base: str) -> None:
    scale = [(0.0, "#000000"), (0.5, "#204060"), (1.0, "#FFFFFF")]
    assert [colour_at(scale, share) for share in (0, 0.25, 0.5, 1)] == [
        "#000000",
        "#102030",
        "#204060",
        "#FFFFFF",
    ]
    ends = Look(base).scale("seq")  # type: ignore[arg-type]
    assert colour_at(ends, 0) == ends[0][1]
    assert colour_at(ends, 1) == ends[-1][1]


def test_all_cells_of_one_value_are_written() -> None:
    shown = list(cell_numbers(np.zeros((2, 2)), "seq", (0, 0), str, Look()))
    assert len(shown) == 4
