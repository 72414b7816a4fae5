"""Stage by stage, a norm of the model is LayerNorm; over the batch it is BatchNorm."""

import numpy as np
import pytest
import torch
from torch import nn

from explorer.measure.norms import (
    STAGES,
    NormInputs,
    constant_inputs,
    more_reference_inputs,
    norm_inputs,
    norm_names,
    norm_spread,
    norm_stages,
    reference_inputs,
    stage_histogram,
    stage_moments,
    variance_divisors,
)
from gptcore import GPTConfig, GPTModel, trace_gpt

IDS = (3, 1, 4, 1, 5)


@pytest.fixture
def inputs() -> NormInputs:
    """Four tokens of six features, with γ and β that are not their first values."""
    draw = np.random.default_rng(1)
    x, scale, shift = (
        draw.standard_normal(shape).astype(np.float32) for shape in ((4, 6), (6,), (6,))
    )
    return NormInputs(3 * x + 1, scale, shift)


def test_the_norms_are_named_in_the_order_of_computation(tiny: GPTConfig) -> None:
    assert norm_names(tiny) == ("0.norm1", "0.norm2", "1.norm1", "1.norm2", "final_norm")


def test_the_last_stage_is_what_the_models_own_norm_gives(
    tiny: GPTConfig, tiny_model: GPTModel
) -> None:
    trace = trace_gpt(tiny_model, torch.tensor([IDS]))
    outputs = {
        "0.norm1": trace.blocks[0].norm1_out,
        "0.norm2": trace.blocks[0].norm2_out,
        "1.norm1": trace.blocks[1].norm1_out,
        "1.norm2": trace.blocks[1].norm2_out,
        "final_norm": trace.final_norm_out,
    }
    for norm in norm_names(tiny):
        read = norm_inputs(tiny_model, IDS, norm)
        for token in range(len(IDS)):
            stages = norm_stages(read, token)
            assert tuple(stages) == STAGES
            np.testing.assert_allclose(stages["shifted"], outputs[norm][0, token], atol=1e-6)


def test_gain_and_offset_act_on_the_real_vectors(inputs: NormInputs) -> None:
    theirs = nn.LayerNorm(6)
    with torch.no_grad():
        theirs.weight.copy_(torch.from_numpy(2 * inputs.scale))
        theirs.bias.copy_(torch.from_numpy(-3 * inputs.shift + 0.5))
        expected = theirs(torch.from_numpy(inputs.x))[2]
    stages = norm_stages(inputs, 2, gain=2.0, shift_gain=-3.0, offset=0.5)
    np.testing.assert_allclose(stages["shifted"], expected, atol=1e-5)


def test_a_norm_over_the_batch_is_batch_norm(inputs: NormInputs) -> None:
    theirs = nn.BatchNorm1d(6)
    with torch.no_grad():
        expected = theirs(torch.from_numpy(inputs.x))[1]
    stages = norm_stages(inputs, 1, over="batch")
    np.testing.assert_allclose(stages["divided"], expected, atol=1e-5)


def test_other_rows_change_the_norm_over_the_batch_and_never_layer_norm(
    inputs: NormInputs,
) -> None:
    others = (NormInputs(inputs.x[::-1] * 4, inputs.scale, inputs.shift),)
    over_batch = [norm_stages(inputs, 0, more, over="batch") for more in ((), others)]
    assert not np.allclose(over_batch[0]["divided"], over_batch[1]["divided"], atol=0.1)
    over_features = [norm_stages(inputs, 0, more) for more in ((), others)]
    assert over_features[0].equals(over_features[1])


@pytest.mark.parametrize("unbiased", [False, True])
def test_the_divisor_is_the_one_that_was_chosen(inputs: NormInputs, unbiased: bool) -> None:
    stages = norm_stages(inputs, 3, unbiased=unbiased, eps=0)
    row = torch.from_numpy(inputs.x)[3]
    expected = (row - row.mean()) / row.std(unbiased=unbiased)
    np.testing.assert_allclose(stages["divided"], expected, atol=1e-5)
    moments = stage_moments({"divided": stages["divided"].to_numpy()}, unbiased)
    assert moments["variance"].item() == pytest.approx(1, abs=1e-5)


def test_the_examples_are_the_chapters_and_the_constant_row_needs_epsilon() -> None:
    stages = norm_stages(reference_inputs(), 0)
    assert stages["shifted"].tolist() == pytest.approx(
        [0.674460, 1.546987, -0.954852, 0.643108, -0.954852, -0.954852], abs=5e-6
    )
    assert more_reference_inputs().x.shape == (2, 6)
    assert norm_stages(constant_inputs(), 0)["shifted"].tolist() == [0] * 6
    with pytest.raises(ValueError, match="With ε = 0 a constant row divides 0 by √0"):
        norm_stages(constant_inputs(), 0, eps=0)
    with pytest.raises(ValueError, match="a constant feature"):
        norm_stages(constant_inputs(), 0, over="batch", eps=0)
    with pytest.raises(ValueError, match="needs at least 2 values; there is 1 here"):
        norm_stages(constant_inputs(), 0, over="batch", unbiased=True)


def test_a_norm_that_is_not_there_is_refused(tiny_model: GPTModel) -> None:
    with pytest.raises(ValueError, match=r"0\.norm1, .*; got '2\.norm1'"):
        norm_inputs(tiny_model, IDS, "2.norm1")


def test_the_moments_are_those_of_numpy() -> None:
    values = np.array([1.0, 2.0, 6.0])
    row = stage_moments({"a": values}).iloc[0]
    assert row[["mean", "variance", "std", "min", "max", "n"]].tolist() == pytest.approx(
        [3, 14 / 3, (14 / 3) ** 0.5, 1, 6, 3]
    )


@pytest.mark.parametrize("scale", [1e-4, 1.0, 37.0])
def test_a_histogram_counts_every_value_once_in_its_bin(scale: float) -> None:
    draw = np.random.default_rng(0)
    stages = {"a": scale * draw.standard_normal(500), "b": scale * draw.standard_normal((2, 50))}
    histogram = stage_histogram(stages)
    for stage, values in stages.items():
        rows = histogram[histogram["stage"] == stage]
        assert rows["count"].sum() == values.size
        for row in rows.itertuples():
            inside = (values >= row.low) & (values < row.high)
            assert abs(int(inside.sum()) - row.count) <= 1  # a value may lie on a rounded edge
    width = (histogram["high"] - histogram["low"]).round(12)
    assert width.nunique() == 1
    mantissa = width.iloc[0] / 10 ** np.floor(np.log10(width.iloc[0]))
    assert min(abs(mantissa - nice) for nice in (1, 2, 2.5, 5)) < 1e-6


def test_a_histogram_of_one_value_has_one_bin() -> None:
    assert stage_histogram({"a": np.full(4, 7.0)})["count"].tolist() == [4]


def test_the_spread_before_and_after_is_that_of_the_traced_tensors(tiny_model: GPTModel) -> None:
    frame = norm_spread(tiny_model, IDS)
    trace = trace_gpt(tiny_model, torch.tensor([IDS]))
    pairs = [
        pair
        for block in trace.blocks
        for pair in ((block.resid_pre, block.norm1_out), (block.resid_mid, block.norm2_out))
    ]
    pairs.append((trace.final_norm_in, trace.final_norm_out))
    for side, index in (("before", 0), ("after", 1)):
        expected = [pair[index].std(-1, unbiased=False).mean().item() for pair in pairs]
        assert frame[side].tolist() == pytest.approx(expected, rel=1e-5)
    assert frame["after"].tolist() == pytest.approx([1] * 5, abs=1e-3)


def test_the_unbiased_variance_is_larger_by_one_part_in_n_minus_1() -> None:
    frame = variance_divisors([5, 768, 1600])
    assert frame["percent"].tolist() == pytest.approx([25, 100 / 767, 100 / 1599])


def test_progress_is_told_block_by_block(tiny_model: GPTModel) -> None:
    told: list[tuple[int, int, str]] = []
    norm_inputs(tiny_model, IDS, "final_norm", on_step=lambda *step: told.append(step))
    norm_spread(tiny_model, IDS, on_step=lambda *step: told.append(step))
    assert told == [(1, 2, "block"), (2, 2, "block")] * 2
