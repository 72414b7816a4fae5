"""Tables about the stream against the same figures computed from a whole trace."""

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.measure import stream
from explorer.measure.stream import POINTS, STREAM_POINTS, block_stats, token_stats
from explorer.measure.summary import N_BINS, STATISTICS, PassSummary, pass_summary
from gptcore import GPTConfig, GPTModel, build_model, trace_gpt
from gptcore.trace import GPTTrace

IDS = (5, 17, 2, 99)


@pytest.fixture(scope="module")
def summary(tiny_model: GPTModel) -> PassSummary:
    return pass_summary(tiny_model, IDS)


@pytest.fixture(scope="module")
def trace(tiny_model: GPTModel) -> GPTTrace:
    return trace_gpt(tiny_model, torch.tensor([IDS]))


def described(x: Tensor) -> list[float]:
    values = x.double().numpy()
    return [
        values.mean(),
        values.std(),
        values.min(),
        values.max(),
        np.sqrt((values**2).mean()),
    ]


def test_statistics_are_those_of_the_traced_tensors(summary: PassSummary, trace: GPTTrace) -> None:
    frame = block_stats(summary).set_index(["block", "point"])
    for index, block in enumerate(trace.blocks):
        for point in POINTS:
            x = getattr(block, point)
            row = frame.loc[(index, point)]
            np.testing.assert_allclose(
                row[list(STATISTICS)].to_numpy(float), described(x), rtol=1e-5, atol=1e-6
            )
            assert row["n"] == x.numel()


def test_a_token_s_statistics_are_those_of_its_own_features(
    summary: PassSummary, trace: GPTTrace
) -> None:
    for point in POINTS:
        frame = token_stats(summary, point).set_index(["block", "position"])
        for index, block in enumerate(trace.blocks):
            for t in range(len(IDS)):
                np.testing.assert_allclose(
                    frame.loc[(index, t)][list(STATISTICS)].to_numpy(float),
                    described(getattr(block, point)[0, t]),
                    rtol=1e-5,
                    atol=1e-6,
                )


def test_the_cosine_is_that_of_what_is_added_with_the_stream_before(
    summary: PassSummary, trace: GPTTrace
) -> None:
    frame = block_stats(summary).set_index(["block", "point"])["cosine"]
    for index, block in enumerate(trace.blocks):
        for added, before in (("attn_out", "resid_pre"), ("ff_out", "resid_mid")):
            x, y = getattr(block, added)[0], getattr(block, before)[0]
            by_hand = ((x * y).sum(-1) / (x.norm(dim=-1) * y.norm(dim=-1))).mean()
            assert frame[(index, added)] == pytest.approx(by_hand.item(), abs=1e-6)
    assert frame.xs("resid_mid", level="point").isna().all()


def test_histograms_count_every_value_and_agree_with_numpy(
    summary: PassSummary, trace: GPTTrace
) -> None:
    for point in STREAM_POINTS:
        bins = stream.block_histograms(summary, point)
        for index, block in enumerate(trace.blocks):
            x = getattr(block, point).double().numpy().ravel()
            rows = bins[bins["block"] == index]
            expected, _ = np.histogram(x, N_BINS, (x.min(), x.max()))
            # A value on an edge may fall to either side.
            assert np.abs(rows["count"].to_numpy() - expected).sum() <= 4
            assert rows["count"].sum() == x.size
            width = rows["high"] - rows["low"]
            assert (rows["density"] * width).sum() == pytest.approx(1)


def test_the_share_outside_is_that_of_values_beyond_three_standard_deviations(
    summary: PassSummary, trace: GPTTrace
) -> None:
    frame = block_stats(summary).set_index(["block", "point"])["outside"]
    for index, block in enumerate(trace.blocks):
        x = block.resid_post.double()
        share = ((x - x.mean()).abs() > 3 * x.std(correction=0)).double().mean().item()
        assert frame[(index, "resid_post")] == pytest.approx(share)


def test_the_largest_features_are_the_token_s_own_and_in_order(
    summary: PassSummary, trace: GPTTrace
) -> None:
    features = stream.largest_features(summary, 1, "resid_mid", 2)
    x = trace.blocks[1].resid_mid[0, 2]
    assert features["value"].tolist() == x[features["feature"].tolist()].tolist()
    assert features["feature"].tolist() == x.abs().argsort(descending=True)[:8].tolist()
    counts = stream.token_histogram(summary, 1, "resid_mid", 2)["count"]
    assert counts.sum() == x.numel()


def test_a_block_adds_to_the_stream_and_does_nothing_else(summary: PassSummary) -> None:
    gaps = stream.identity_gaps(summary)
    assert len(gaps) == 2 * summary.n_blocks
    assert gaps["gap"].max() == 0


def test_without_shortcuts_the_stream_is_no_sum(tiny_model: GPTModel) -> None:
    gaps = stream.identity_gaps(pass_summary(tiny_model, IDS, "no_shortcuts"))
    assert (gaps["gap"] > 0.1).all()


def test_the_stream_out_of_a_block_is_the_stream_into_the_next(summary: PassSummary) -> None:
    frame = block_stats(summary).set_index(["block", "point"])
    assert frame.loc[(0, "resid_post")].equals(frame.loc[(1, "resid_pre")])


def test_every_statistic_is_defined_in_a_sentence() -> None:
    assert all(sentence.endswith(".") and ":" in sentence for sentence in STATISTICS.values())


def test_blocks_reduced_one_by_one_give_the_same_tables_as_all_at_once(
    tiny_model: GPTModel, monkeypatch: pytest.MonkeyPatch, summary: PassSummary
) -> None:
    monkeypatch.setattr("explorer.measure.summary._BATCH_VALUES", 1)
    apart = pass_summary(tiny_model, IDS)
    for name in ("stream", "added", "cosine", "weights", "scores", "edges", "outside"):
        np.testing.assert_allclose(getattr(apart, name), getattr(summary, name), atol=1e-6)
    np.testing.assert_array_equal(apart.histogram, summary.histogram)
    np.testing.assert_array_equal(apart.features, summary.features)


def test_a_prompt_of_one_token_has_all_its_tables(tiny_model: GPTModel) -> None:
    summary = pass_summary(tiny_model, (7,))
    assert block_stats(summary)[list(STATISTICS)].notna().all(axis=None)
    assert summary.weights.tolist() == [[[[1.0]]] * 3] * 2


def test_a_summary_of_many_tokens_is_small(tiny: GPTConfig) -> None:
    cfg = GPTConfig(101, 256, 12, 3, 2, 0.1, False)
    summary = pass_summary(build_model(cfg, 1), tuple(range(100)) * 2)
    assert len(token_stats(summary, "resid_post")) == 2 * 200
    assert summary.weights.shape == (2, 3, 50, 50)
