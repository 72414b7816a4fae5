"""The feed-forward's activity is the traced one, and each position is its own affair."""

import numpy as np
import pytest
import torch

from explorer.measure.feed_forward import (
    THRESHOLDS,
    feed_forward_activity,
    reversal_effect,
    small_feed_forward,
    width_factors,
)
from explorer.ui import controls
from gptcore import GPT_CONFIG_124M, FeedForward, GPTConfig, GPTModel, encode, trace_gpt

IDS = (3, 1, 4, 1, 5)


def test_near_zero_counts_are_those_of_the_traced_hidden_values(tiny_model: GPTModel) -> None:
    activity = feed_forward_activity(tiny_model, IDS)
    trace = trace_gpt(tiny_model, torch.tensor([IDS]))
    assert len(activity.near_zero) == 2 * 2 * len(THRESHOLDS)
    for row in activity.near_zero.itertuples():
        block = trace.blocks[row.block]
        hidden = block.ff_hidden if row.activation == "gelu" else torch.relu(block.ff_pre)
        assert row.near == int((hidden.abs() < row.threshold).sum())
        assert row.n == hidden.numel() == 5 * 48
        assert row.share == row.near / row.n


def test_moments_and_histograms_are_there_for_every_block_and_stage(tiny_model: GPTModel) -> None:
    activity = feed_forward_activity(tiny_model, IDS)
    trace = trace_gpt(tiny_model, torch.tensor([IDS]))
    moments = activity.moments.set_index(["block", "stage"])
    for index, block in enumerate(trace.blocks):
        stages = {"in": block.norm2_out, "wide": block.ff_pre, "gelu": block.ff_hidden}
        for stage, tensor in (stages | {"out": block.ff_out}).items():
            assert moments.loc[(index, stage), "mean"] == pytest.approx(
                tensor.mean().item(), abs=1e-6
            )
            assert moments.loc[(index, stage), "n"] == tensor.numel()
    counts = activity.histogram.groupby(["block", "stage"])["count"].sum()
    assert counts.to_dict() == moments["n"].to_dict()


@pytest.mark.golden
def test_in_block_0_of_the_default_model_14_and_53_percent_are_near_zero(
    gpt2_small: GPTModel,
) -> None:
    near = feed_forward_activity(gpt2_small, tuple(encode("Hello, I am"))).near_zero
    first = near.query("block == 0 and threshold == 0.05").set_index("activation")["share"]
    assert first["gelu"] == pytest.approx(0.14, abs=0.01)
    assert first["relu"] == pytest.approx(0.53, abs=0.01)


def test_the_pages_thresholds_are_the_measures() -> None:
    assert tuple(map(float, controls.THRESHOLDS)) == THRESHOLDS


def test_the_feed_forward_permutes_with_its_tokens_and_attention_does_not(
    tiny_model: GPTModel,
) -> None:
    effect = reversal_effect(tiny_model, IDS, 1).set_index("part")
    assert effect.loc["feed-forward", "difference"] <= 1e-6
    assert effect.loc["attention", "difference"] > 1e-3
    assert (effect["largest"] > 0).all()
    alone = reversal_effect(tiny_model, IDS[:1], 0)
    assert alone["difference"].tolist() == [0, 0]
    with pytest.raises(ValueError, match="block must be from 0 to 1; got 2"):
        reversal_effect(tiny_model, IDS, 2)


def test_the_width_factors_count_what_a_built_feed_forward_has(tiny: GPTConfig) -> None:
    frame = width_factors(tiny)
    built = sum(parameter.numel() for parameter in FeedForward(tiny).parameters())
    assert frame.set_index("factor").loc[4, "parameters"] == built
    assert frame["factor"].tolist() == [1, 2, 4, 8]
    assert frame["hidden"].tolist() == [12, 24, 48, 96]
    assert frame.set_index("factor").loc[4, "times"] == 1
    small = width_factors(GPT_CONFIG_124M).set_index("factor")
    assert small.loc[4, "parameters"] == 4_722_432


def test_the_small_case_is_a_feed_forward_and_its_layers_collapse_without_gelu() -> None:
    case = small_feed_forward()
    shapes = {name: step.shape for name, step in case.steps.items()}
    assert shapes == {"x": (2, 4), "wide": (2, 16), "hidden": (2, 16), "out": (2, 4)}
    x = torch.from_numpy(case.steps["wide"])
    np.testing.assert_allclose(
        case.steps["hidden"], torch.nn.functional.gelu(x, approximate="tanh"), atol=1e-6
    )
    assert case.product.shape == (4, 4)
    assert case.bias.shape == (4,)
    assert case.collapse_error < 1e-6
    assert case.gelu_error > 0.01
