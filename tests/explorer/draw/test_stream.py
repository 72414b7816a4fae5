"""The figures, by what is in `fig.data` and never by pixels."""

import numpy as np
import pandas as pd
import pytest

from explorer.draw.stream import block_stats_lines
from explorer.draw.theme import Look
from explorer.measure.stream import block_stats
from gptcore import GPTModel


@pytest.fixture(scope="module")
def stats(tiny_model: GPTModel) -> pd.DataFrame:
    return block_stats(tiny_model, (1, 2, 3))


def test_each_point_of_the_block_is_one_line_in_its_own_hue_and_shape(stats: pd.DataFrame) -> None:
    look = Look("dark", projector=True)
    chart = block_stats_lines(stats, "std", "Standard deviation", look)
    lines = chart.figure.data
    assert [line.line.color for line in lines] == [look.role(r) for r in ("act", "attn", "ff")]
    assert len({line.marker.symbol for line in lines}) == 3
    for line, point in zip(lines, ("resid_pre", "resid_mid", "resid_post"), strict=True):
        np.testing.assert_array_equal(line.y, stats[stats["point"] == point]["std"])
        assert line.line.width == look.line_px


def test_the_text_alternative_names_the_extreme_of_what_was_drawn(stats: pd.DataFrame) -> None:
    for statistic in ("mean", "max"):
        chart = block_stats_lines(stats, statistic, statistic, Look())
        row = stats.loc[stats[statistic].idxmax()]
        assert f"at point {row['point']}, block {row['block']}" in chart.alt
        assert chart.frame is stats
