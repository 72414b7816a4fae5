"""The figures, by what is in `fig.data` and never by pixels."""

import numpy as np
import pandas as pd
import pytest

from explorer.draw.prediction import next_token_bars
from explorer.draw.stream import STREAM, depth_panel, depth_panels
from explorer.draw.theme import Look
from explorer.measure.prediction import next_token
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
