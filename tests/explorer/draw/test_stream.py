"""The figures, by what is in `fig.data` and never by pixels."""

import numpy as np
import pandas as pd
import pytest

from explorer.draw.stream import STREAM, depth_panel, depth_panels
from explorer.draw.theme import Look
from explorer.measure.stream import block_stats
from explorer.measure.summary import pass_summary
from gptcore import GPTModel


@pytest.fixture(scope="module")
def stats(tiny_model: GPTModel) -> pd.DataFrame:
    return block_stats(pass_summary(tiny_model, (1, 2, 3)))


def test_each_point_of_the_block_is_one_line_in_its_own_hue_and_shape(stats: pd.DataFrame) -> None:
    look = Look("dark", projector=True)
    lines = depth_panel(stats, "std", "Standard deviation", STREAM, look).figure.data
    assert [line.line.color for line in lines] == [look.role(r) for r in ("act", "attn", "ff")]
    assert len({line.marker.symbol for line in lines}) == 3
    for line, point in zip(lines, STREAM, strict=True):
        np.testing.assert_array_equal(line.y, stats[stats["point"] == point]["std"])


def test_the_text_alternative_names_the_extreme_of_what_was_drawn(stats: pd.DataFrame) -> None:
    for chart in depth_panels(stats, Look()):
        column = chart.name.removeprefix("block-").removeprefix("added-")
        row = chart.frame.loc[chart.frame[column].idxmax()]
        assert f"at point {row['point']}, block {row['block']}" in chart.alt
    assert len({chart.name for chart in depth_panels(stats, Look())}) == 7
