"""The figures, by what is in `fig.data` and never by pixels."""

import numpy as np
import pandas as pd
import pytest

from explorer.draw.prediction import next_token_bars
from explorer.draw.stream import block_stats_lines
from explorer.draw.theme import Look
from explorer.measure.prediction import next_token
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


def test_bars_start_at_zero_and_end_beyond_the_largest(tiny: object, tiny_model: GPTModel) -> None:
    candidates = next_token(tiny_model, (1, 2, 3)).candidates
    figure = next_token_bars(candidates, tiny_model.cfg.vocab_size, Look()).figure
    low, high = figure.layout.xaxis.range
    assert low == 0
    assert high >= 100 * candidates["probability"].max()
    assert figure.layout.shapes[0].x0 == pytest.approx(100 / tiny_model.cfg.vocab_size)


def test_a_token_that_looks_like_markup_is_drawn_as_text() -> None:
    row = {"rank": 1, "token_id": 5, "token": "<b>&", "logit": 1.0, "probability": 0.5}
    figure = next_token_bars(pd.DataFrame([row]), 10, Look()).figure
    assert figure.layout.yaxis.ticktext == ("&lt;b>&amp;  5",)
