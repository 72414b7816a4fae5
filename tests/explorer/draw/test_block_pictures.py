"""The pictures of the block page, by what is in `fig.data` and never by pixels."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from explorer.draw.attention import attention_heat, head_entropy_dots, head_thumbnails
from explorer.draw.causality import moved_heat
from explorer.draw.comparison import change_panels, difference_sentence, norm_depth_lines
from explorer.draw.stream import ADDED, STREAM, ridge
from explorer.draw.theme import Look
from explorer.draw.tokens import feature_bars, plain, short, token_heat, token_ticks, token_values
from explorer.measure import attention_maps, stream
from explorer.measure.causality import moved_by_edit
from explorer.measure.norm_depth import norm_depth_stats
from explorer.measure.summary import PassSummary, pass_summary
from gptcore import GPTConfig, GPTModel, build_model

IDS = (27, 17, 2, 99, 5)  # 27 is "<"
LOOK = Look("dark")


@pytest.fixture(scope="module")
def summary(tiny_model: GPTModel) -> PassSummary:
    return pass_summary(tiny_model, IDS)


def test_a_heat_map_shows_the_table_and_frames_the_picked_cell(summary: PassSummary) -> None:
    frame = stream.token_stats(summary, "resid_post")
    chart = token_heat(frame, "std", "Standard deviation", "resid_post", (1, 2), LOOK)
    (heat,) = chart.figure.data
    assert heat.z.shape == (5, 2)
    assert heat.z[3, 1] == pytest.approx(frame.query("block == 1 and position == 3")["std"].iloc[0])
    assert heat.zmin == 0
    framed = chart.figure.layout.shapes[-1]
    assert (framed.x0, framed.y0) == (0.5, 1.5)
    assert any("&lt;" in tick for tick in chart.figure.layout.yaxis.ticktext)


def test_signed_statistics_diverge_around_zero(summary: PassSummary) -> None:
    frame = stream.token_stats(summary, "resid_post")
    heat = token_heat(frame, "min", "Minimum", "resid_post", (0, 0), LOOK).figure.data[0]
    assert heat.zmin == -heat.zmax


def test_all_cells_have_the_same_decimals_and_numbers_too_small_for_that_none(
    summary: PassSummary,
) -> None:
    frame = stream.token_stats(summary, "resid_post")
    shown = token_heat(frame, "mean", "Mean", "resid_post", (0, 0), LOOK).figure.layout.annotations
    cells = [one.text for one in shown if one.xref is None]
    assert len(cells) == 10
    assert {len(text.partition(".")[2]) for text in cells} == {2}
    assert "−0.00" not in cells
    tiny = frame.assign(mean=frame["mean"] / 1e4)
    shown = token_heat(tiny, "mean", "Mean", "resid_post", (0, 0), LOOK).figure.layout.annotations
    assert not [one for one in shown if one.xref is None]


def test_many_tokens_get_few_names() -> None:
    labels = [str(i) for i in range(1000)]
    rows, names = token_ticks(labels)
    assert len(rows) <= 26
    assert names[1] == str(rows[1])
    assert short("a" * 50) == "a" * 11 + "…"
    assert plain("<b>&") == "&lt;b>&amp;"


def test_a_token_s_histogram_and_features_are_what_was_measured(summary: PassSummary) -> None:
    bins = stream.token_histogram(summary, 0, "resid_post", 1)
    chart = token_values(bins, (-4, 4), "a token", LOOK)
    assert sum(chart.figure.data[0].y) == 12
    features = stream.largest_features(summary, 0, "resid_post", 1)
    bars = feature_bars(features, "a token", LOOK)
    assert list(bars.figure.data[0].x) == features["value"].tolist()
    low, high = bars.figure.layout.xaxis.range
    assert low == -high


def test_a_ridge_has_one_outline_a_block_on_one_scale(summary: PassSummary) -> None:
    bins = stream.block_histograms(summary, "resid_mid")
    chart = ridge(bins, stream.block_stats(summary), "resid_mid", LOOK)
    outlines = chart.figure.data
    assert len(outlines) == 2
    heights = [max(o.y) - min(o.y) for o in outlines]
    by_block = bins.groupby("block")["density"].max()
    assert heights[0] / heights[1] == pytest.approx(by_block[0] / by_block[1])
    assert "3 standard deviations" in chart.alt


@pytest.mark.parametrize("step", attention_maps.STEPS)
def test_an_attention_map_shows_each_step_with_the_mask_hatched_once_it_is_on(
    step: str, summary: PassSummary
) -> None:
    frame = attention_maps.attention_map(summary, 1, 2, step)
    masked = step in ("masked", "weights", "ratio")
    figure = attention_heat(frame, step, step, masked, LOOK).figure
    heat = figure.data[0]
    assert np.isnan(heat.z[np.triu_indices(5, 1)]).all() == masked
    assert not np.isnan(heat.z[np.tril_indices(5)]).any()
    hatched = [trace for trace in figure.data[1:] if trace.fillpattern.shape == "/"]
    assert len(hatched) == masked
    assert heat.zmax == pytest.approx(np.nanmax(np.abs(heat.z)))
    assert heat.zmin == (0 if step in ("weights", "ratio") else -heat.zmax)


def test_thumbnails_put_depth_down_and_heads_across_and_the_picked_one_is_framed(
    summary: PassSummary,
) -> None:
    ratios = attention_maps.head_ratios(summary)
    chart = head_thumbnails(ratios, (1, 2), True, LOOK)
    heat, _, marks = chart.figure.data
    pitch = 6
    assert heat.z.shape == (2 * pitch, 3 * pitch)
    assert heat.z[pitch + 4, 2 * pitch + 1] == pytest.approx(ratios[1, 2, 4, 1])
    assert np.isnan(heat.z[0, 1])
    assert [list(mark) for mark in marks.customdata][-1] == [1, 2]
    frame = chart.figure.layout.shapes[-1]
    assert frame.x0 < 2 * pitch < frame.x1
    assert frame.y0 < pitch < frame.y1
    assert f"block {chart.frame.loc[chart.frame['largest_ratio'].idxmax(), 'block']}" in chart.alt


def test_thumbnails_of_many_heads_stay_small() -> None:
    ratios = np.ones((48, 25, 64, 64), dtype="float32")
    sheet = head_thumbnails(ratios, (0, 0), True, LOOK).figure.data[0].z
    assert sheet.size < 120_000


def test_entropies_stand_beside_that_of_even_weights(summary: PassSummary) -> None:
    frame = attention_maps.head_entropies(summary)
    chart = head_entropy_dots(frame, LOOK)
    assert chart.figure.layout.shapes[0].y0 == pytest.approx(summary.uniform_entropy)
    assert chart.figure.layout.yaxis.range[0] == 0


def test_both_sides_of_a_comparison_share_a_scale(tiny_model: GPTModel) -> None:
    a, b = (stream.block_stats(pass_summary(tiny_model, IDS, c)) for c in ("none", "post_ln"))
    left, right = change_panels((a, b), ("A", "B"), STREAM, "max", "Maximum", LOOK)
    assert left.figure.layout.yaxis.range == right.figure.layout.yaxis.range
    assert left.figure.layout.yaxis.range[1] >= max(a["max"].max(), b["max"].max()) * 0.99
    assert left.name != right.name


def sentence(cfg: GPTConfig, change: str, statistic: str, point: str) -> str:
    model = build_model(cfg, 1)
    a, b = (stream.block_stats(pass_summary(model, IDS, c, 1)) for c in ("none", change))
    return difference_sentence(a, b, statistic, statistic, "the change", point)


def test_the_sentence_says_opposite_things_of_a_narrow_and_a_wide_model(tiny: GPTConfig) -> None:
    # PyTorch draws a linear layer's weights with std 1/√(3 D): above GPT-2's 0.02 if D < 833.
    narrow = sentence(replace(tiny, n_layers=1), "gpt2_init", "std", "ff_out")
    wide = sentence(replace(tiny, emb_dim=1536, n_layers=1), "gpt2_init", "std", "ff_out")
    assert "times smaller" in narrow
    assert "times larger" in wide


def test_the_sentence_gives_statistic_place_direction_and_factor() -> None:
    def frame(value: float) -> pd.DataFrame:
        return pd.DataFrame([{"block": 3, "point": "resid_post", "std": value}])

    def said(old: float, new: float) -> str:
        return difference_sentence(frame(old), frame(new), "std", "spread", "X", "resid_post")

    start = "With X, the spread after feed-forward of block 3"
    assert said(2.5, 0.5) == f"{start} is 0.500 instead of 2.500: 5 times smaller."
    assert said(0.5, 2.5) == f"{start} is 2.500 instead of 0.500: 5 times larger."
    assert said(-0.5, -1.5) == f"{start} is −1.500 instead of −0.500: 3 times larger in size."
    assert said(-0.5, 1.5) == f"{start} is 1.500 instead of −0.500: higher by 2."
    assert said(1.5, 1.5) == f"{start} stays 1.500."


def test_dropout_is_said_to_change_nothing_where_there_is_none(tiny: GPTConfig) -> None:
    assert " stays " in sentence(replace(tiny, drop_rate=0.0), "train", "std", "resid_post")
    assert " times " in sentence(replace(tiny, drop_rate=0.5), "train", "std", "resid_post")


def test_what_is_added_can_be_compared_too(tiny_model: GPTModel) -> None:
    a = stream.block_stats(pass_summary(tiny_model, IDS))
    left, _ = change_panels((a, a), ("A", "B"), ADDED, "rms", "RMS", LOOK)
    assert [line.name for line in left.figure.data] == [
        "attention gives out",
        "feed-forward gives out",
    ]


def test_what_did_not_move_is_empty_and_says_0(tiny_model: GPTModel) -> None:
    frame = moved_by_edit(tiny_model, IDS, 2, 60)
    chart = moved_heat(frame, 2, LOOK)
    heat, zeros = chart.figure.data
    assert heat.z.shape == (5, 5)
    assert np.isnan(heat.z[:2]).all()
    assert not np.isnan(heat.z[2:, 1:]).any()
    assert {(x, y) for x, y in zip(zeros.x, zeros.y, strict=True)} >= {(0, 0), (4, 1), (0, 3)}
    assert "positions before it move by at most 0;" in chart.alt


def test_nothing_moved_at_all_can_be_drawn(tiny_model: GPTModel) -> None:
    chart = moved_heat(moved_by_edit(tiny_model, IDS, 0, IDS[0]), 0, LOOK)
    assert np.isnan(chart.figure.data[0].z).all()


def test_gradients_are_on_a_log_scale_that_is_said_to_be_one() -> None:
    frame = norm_depth_stats((1, 2, 3), 1)
    chart = norm_depth_lines(frame, 12, "gradient", "gradient, log scale", LOOK)
    assert chart.figure.layout.yaxis.type == "log"
    assert "log scale" in chart.figure.layout.title.text
    assert [line.line.dash for line in chart.figure.data] == ["solid", "dash"]
    assert len(chart.frame) == 24
