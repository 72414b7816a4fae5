"""Counts come from the configuration alone and are those of the model that it builds."""

import time
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, GPTModel, count_parameters
from gptcore.counting import (
    MIB,
    count_block,
    count_block_layers,
    count_linear,
    mask_bytes,
    weight_bytes,
)


def n_values(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())  # a shared one counts once


def on_meta(cfg: GPTConfig) -> GPTModel:
    """Build a model that has shapes and no numbers."""
    with torch.device("meta"):
        return GPTModel(cfg)


@st.composite
def small_configs(draw: st.DrawFn) -> GPTConfig:
    n_heads = draw(st.integers(1, 4))
    return GPTConfig(
        vocab_size=draw(st.integers(1, 40)),
        context_length=draw(st.integers(1, 12)),
        emb_dim=n_heads * draw(st.integers(1, 5)),
        n_heads=n_heads,
        n_layers=draw(st.integers(1, 4)),
        drop_rate=draw(st.floats(0, 0.9)),
        qkv_bias=draw(st.booleans()),
        tie_weights=draw(st.booleans()),
    )


@pytest.mark.parametrize(
    ("name", "untied", "tied", "released", "mib"),
    [
        ("gpt2-small", 163_009_536, 124_412_160, 124_439_808, 621.83),
        ("gpt2-medium", 406_212_608, 354_749_440, 354_823_168, 1_549.58),
        ("gpt2-large", 838_220_800, 773_891_840, 774_030_080, 3_197.56),
        ("gpt2-xl", 1_637_792_000, 1_557_380_800, 1_557_611_200, 6_247.68),
    ],
)
def test_a_gpt2_has_its_published_number_of_parameters(
    name: str, untied: int, tied: int, released: int, mib: float
) -> None:
    cfg = CONFIGS[name]
    assert sum(count_parameters(cfg).values()) == untied
    assert sum(count_parameters(replace(cfg, tie_weights=True)).values()) == tied
    as_released = replace(cfg, tie_weights=True, qkv_bias=True)
    assert sum(count_parameters(as_released).values()) == released
    assert round(weight_bytes(cfg) / MIB, 2) == mib


def test_the_components_of_gpt2_small_are_the_books() -> None:
    assert count_parameters(GPT_CONFIG_124M) == {
        "tok_emb": 38_597_376,
        "pos_emb": 786_432,
        "trf_blocks": 85_026_816,
        "final_norm": 1_536,
        "out_head": 38_597_376,
    }
    block = count_block(GPT_CONFIG_124M)
    assert sum(block.values()) == 7_085_568
    assert block["att"] == 2_360_064
    assert block["ff"] == 4_722_432
    assert block["norm1"] + block["norm2"] == 3_072


def test_gpt3_has_175_billion_parameters() -> None:
    assert sum(count_parameters(CONFIGS["gpt3-175b"]).values()) == 174_604_259_328


def test_a_matrix_of_2048_by_2048_has_four_million_parameters() -> None:
    assert count_linear(2048, 2048, bias=False) == 4_194_304


def test_float32_masks_would_add_48_mib_to_small_and_192_to_xl() -> None:
    assert mask_bytes(CONFIGS["gpt2-small"], bytes_per_value=4) / MIB == 48
    assert mask_bytes(CONFIGS["gpt2-xl"], bytes_per_value=4) / MIB == 192


def test_mask_bytes_are_those_of_the_masks_the_model_has(tiny_model: GPTModel) -> None:
    masks = [buffer for name, buffer in tiny_model.named_buffers() if name.endswith("mask")]
    assert len(masks) == tiny_model.cfg.n_layers
    assert sum(mask.nbytes for mask in masks) == mask_bytes(tiny_model.cfg)


@pytest.mark.parametrize("cfg", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("tie_weights", [False, True])
def test_a_presets_count_is_that_of_the_model_it_builds(cfg: GPTConfig, tie_weights: bool) -> None:
    cfg = replace(cfg, tie_weights=tie_weights)
    assert sum(count_parameters(cfg).values()) == n_values(on_meta(cfg))


@given(small_configs())
@settings(max_examples=60)
def test_every_count_is_that_of_the_module_it_names(cfg: GPTConfig) -> None:
    model = GPTModel(cfg)
    counts = count_parameters(cfg)
    assert sum(counts.values()) == n_values(model)
    assert weight_bytes(cfg) == sum(p.nbytes for p in model.parameters())
    for component, count in counts.items():
        if component == "out_head" and cfg.tie_weights:
            assert count == 0
        else:
            assert count == n_values(model.get_submodule(component))
    block = model.trf_blocks[0]
    for part, count in count_block(cfg).items():
        assert count == n_values(block.get_submodule(part))
    layers = count_block_layers(cfg)
    assert sum(layers.values()) == n_values(block)
    for path, count in layers.items():
        assert count == n_values(block.get_submodule(path))


@given(small_configs())
def test_tying_saves_exactly_the_output_head(cfg: GPTConfig) -> None:
    untied = count_parameters(replace(cfg, tie_weights=False))
    tied = count_parameters(replace(cfg, tie_weights=True))
    assert tied == untied | {"out_head": 0}
    assert untied["out_head"] == untied["tok_emb"]


def test_counting_a_model_larger_than_any_memory_takes_no_time() -> None:
    cfg = replace(CONFIGS["gpt3-175b"], n_layers=10**9)
    start = time.process_time()
    assert sum(count_parameters(cfg).values()) > 10**18
    assert time.process_time() - start < 0.1
