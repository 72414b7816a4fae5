"""Pictures of the two loops hold the table's numbers."""

import pandas as pd
import pytest

from explorer.draw.loops import WITH, WITHOUT, cropping_bars, loop_lines, read_positions
from explorer.draw.theme import Look

WORK = pd.DataFrame(
    {
        "loop": [WITHOUT, WITH] * 3,
        "step": [1, 1, 2, 2, 3, 3],
        "tokens": [4, 4, 5, 5, 5, 5],
        "read": [4, 4, 5, 1, 5, 5],
        "gflops": [4.0, 3.0, 5.0, 1.0, 5.0, 4.0],
    }
)


def test_both_parts_of_a_bar_make_up_what_the_plain_loop_reads() -> None:
    drawn = read_positions(WORK, Look())
    again, fresh = drawn.figure.data
    assert list(again.y) == [0, 4, 0]
    assert list(fresh.y) == [4, 1, 5]
    assert list(fresh.base) == [0, 4, 0]
    assert "without a cache reads 14 positions and the one with a cache 10" in drawn.alt


@pytest.mark.parametrize("look", [Look(), Look("dark", projector=True)])
def test_lines_hold_the_tables_values_and_are_told_apart_without_colour(look: Look) -> None:
    drawn = loop_lines(WORK, "gflops", "GFLOP", look)
    plain, cached = drawn.figure.data
    assert (list(plain.y), list(cached.y)) == ([4, 5, 5], [3, 1, 4])
    assert (plain.line.dash, cached.line.dash) == ("dash", "solid")
    assert {note.text for note in drawn.figure.layout.annotations} == {WITHOUT, WITH}
    assert "largest, 5, at loop without cache, step 2" in drawn.alt


def test_a_winner_that_looks_like_markup_is_escaped() -> None:
    frame = pd.DataFrame({"window": [1, 2], "predicted": ["<b>", "&amp"], "distance": [0.2, 0.0]})
    drawn = cropping_bars(frame, Look())
    assert list(drawn.figure.data[0].text) == ["&lt;b>", "&amp;amp"]
    assert "largest, 0.200, at window 1" in drawn.alt
