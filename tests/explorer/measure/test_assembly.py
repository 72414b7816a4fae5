"""The model under construction, against the finished one and against counting."""

from dataclasses import replace

import pytest
import torch

from explorer.measure.assembly import (
    construction,
    error_of_undivided_heads,
    error_without_contraction,
)
from explorer.measure.parts import PART_CLASSES, PART_NAMES
from gptcore import CONFIGS, GPTConfig, GPTModel, count_parameters, trace_gpt
from gptcore.assembly import PARTS
from gptcore.counting import count_block

BATCH = ((1, 2, 3, 4), (5, 6, 7, 8))


def test_the_named_parts_are_the_ones_that_can_be_switched() -> None:
    assert tuple(PART_NAMES) == PARTS == tuple(PART_CLASSES)


def test_once_all_are_real_every_stage_is_the_traced_models(tiny_model: GPTModel) -> None:
    built = construction(tiny_model, BATCH, frozenset(PARTS))
    trace = trace_gpt(tiny_model, torch.tensor(BATCH))
    stages = [trace.embed, *(b.resid_post for b in trace.blocks), trace.final_norm_out]
    stages.append(trace.logits)
    for row, tensor in zip(built.stages.itertuples(), stages, strict=True):
        assert row.std == pytest.approx(tensor.std(unbiased=False).item(), rel=1e-6)
        assert row.mean == pytest.approx(tensor.mean().item(), abs=1e-6)
        assert row.n == tensor.numel()
    assert built.difference == 0
    assert built.n_parameters == sum(count_parameters(tiny_model.cfg).values())


@pytest.mark.parametrize("n_real", range(len(PARTS)))
def test_shapes_never_change_and_half_a_model_is_not_the_model(
    n_real: int, tiny_model: GPTModel
) -> None:
    whole = construction(tiny_model, BATCH, frozenset(PARTS))
    half = construction(tiny_model, BATCH, frozenset(PARTS[:n_real]))
    assert half.stages["shape"].tolist() == whole.stages["shape"].tolist()
    assert half.logits_shape == (2, 4, tiny_model.cfg.vocab_size)
    assert half.difference > 0


def test_a_parts_parameters_are_those_that_were_counted(tiny_model: GPTModel) -> None:
    cfg = tiny_model.cfg
    block = count_block(cfg)
    shell = construction(tiny_model, BATCH, frozenset()).n_parameters
    added = {
        "layer_norm": cfg.n_layers * (block["norm1"] + block["norm2"]),
        "attention": cfg.n_layers * block["att"],
        "feed_forward": cfg.n_layers * block["ff"],
        "shortcuts": 0,
        "final_norm": 2 * cfg.emb_dim,
    }
    for part, n_added in added.items():
        built = construction(tiny_model, BATCH, frozenset({part}))
        assert built.n_parameters - shell == n_added, part


def test_one_feature_is_broadcast_and_nothing_fails(tiny: GPTConfig) -> None:
    with pytest.raises(ValueError, match="repeats the one feature for all 4"):
        error_without_contraction(replace(tiny, emb_dim=1, n_heads=1), 2, 4)


def test_the_error_without_contraction_names_both_widths(tiny: GPTConfig) -> None:
    for cfg in (tiny, CONFIGS["gpt3-175b"]):
        error = error_without_contraction(cfg, 2, 4)
        assert str(cfg.emb_dim) in error
        assert str(cfg.hidden_dim) in error


def test_the_heads_of_the_error_do_not_divide_the_width(tiny: GPTConfig) -> None:
    n_heads, error = error_of_undivided_heads(tiny, 2, 4)
    assert tiny.emb_dim % n_heads
    assert str(2 * 4 * tiny.emb_dim) in error
