"""What the Scaling page counts: against hand-computed values, the real model, and without torch."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from explorer import measure
from explorer.measure.sweeps import allowed_values, amount, swept_values
from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, GPTModel, build_model, count_parameters
from gptcore.counting import kv_cache_bytes
from gptcore.gradients import parameter_gradients
from tests.gptcore.test_counting import n_values, on_meta, small_configs

ROOT = Path(__file__).parents[3]


def test_nothing_that_is_counted_imports_torch() -> None:
    code = """
import sys
from explorer import measure
from gptcore import CONFIGS
for cfg in CONFIGS.values():
    measure.component_shares({"a": cfg}), measure.size_table({"a": cfg}), measure.tying_steps(cfg)
    measure.memory_uses(cfg, "train", "float32", 1, 16), measure.flops_by_part(cfg, 16)
    measure.device_fit(1, measure.decode_bytes_read(cfg, "int8", 1, 16), [(8, 272)])
    measure.growth(cfg, "emb_dim", "parameters", True), measure.crossover(cfg, "n_layers")
    measure.growth_grid(cfg, "emb_dim", "n_heads", "flops"), measure.doubling(cfg, "emb_dim", "block")
    measure.halves_by_width(), measure.comparison({"a": cfg}), measure.rule_table(cfg)
    measure.read_config(measure.as_json(cfg)), measure.read_pins(measure.write_pins([cfg]))
    measure.training_time(cfg, 16, 1e9, 1e12), measure.nearest_width(9, 2, 99)
import explorer.draw.components, explorer.draw.compute, explorer.draw.footprint, explorer.draw.sweeps
import explorer.ui.scaling.parameters, explorer.ui.scaling.tying, explorer.ui.scaling.memory
import explorer.ui.scaling.compute, explorer.ui.scaling.growth, explorer.ui.scaling.compare
print("torch" in sys.modules)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == "False", ran.stderr


@pytest.mark.parametrize("cfg", CONFIGS.values(), ids=CONFIGS)
def test_components_are_those_of_the_model_without_numbers(cfg: GPTConfig) -> None:
    model, counts = on_meta(cfg), measure.count_components(cfg)
    assert sum(counts.values()) == n_values(model)
    assert counts["att"] == sum(n_values(block.att) for block in model.trf_blocks)  # type: ignore[arg-type]
    assert counts["ff"] == sum(n_values(block.ff) for block in model.trf_blocks)  # type: ignore[arg-type]
    norms = [module for name, module in model.named_modules() if "norm" in name]
    assert counts["norms"] == sum(map(n_values, norms))


@given(small_configs())
def test_components_sum_to_the_total_and_shares_to_one(cfg: GPTConfig) -> None:
    frame = measure.component_shares({"a": cfg, "b": GPT_CONFIG_124M})
    sums = frame.groupby("model")[["parameters", "share"]].sum()
    assert sums.loc["a", "parameters"] == sum(count_parameters(cfg).values())
    assert sums["share"].tolist() == pytest.approx([1, 1])


@given(small_configs())
@settings(max_examples=25)
def test_the_steps_end_at_the_released_weights_by_way_of_untied_and_tied(cfg: GPTConfig) -> None:
    total = measure.tying_steps(cfg).set_index("what")["total"]
    plain = replace(cfg, qkv_bias=False)
    for what, one in {
        "out_head": replace(plain, tie_weights=False),
        "tie": replace(plain, tie_weights=True),
        "bias": replace(cfg, tie_weights=True, qkv_bias=True),
    }.items():
        assert total[what] == sum(count_parameters(one).values()) == n_values(GPTModel(one))


def test_a_weight_of_a_tied_table_moves_in_both_and_of_an_untied_one_in_one() -> None:
    tied, untied = (measure.change_one_weight(tie, 7.0) for tie in (True, False))
    assert tied.same_object
    assert tied.after == 7.0 != tied.before
    assert not untied.same_object
    assert untied.after == untied.before
    changed = tied.tables.set_index(["table", "token_id"])["feature 1"]
    assert changed["tok_emb.weight", 2] == changed["out_head.weight", 2] == 7.0


def test_a_weight_that_is_no_number_is_refused() -> None:
    for value in (float("nan"), float("inf"), 1e39):
        with pytest.raises(ValueError, match="finite"):
            measure.change_one_weight(True, value)


def test_feed_forward_has_eight_d_squared_and_attention_four() -> None:
    d = 768
    assert measure.halves_ratio(GPT_CONFIG_124M) == (8 * d * d + 5 * d) / (4 * d * d + d)
    biased = replace(GPT_CONFIG_124M, qkv_bias=True)
    assert measure.halves_ratio(biased) == (8 * d * d + 5 * d) / (4 * d * d + 4 * d)
    frame = measure.halves_by_width()
    assert frame.groupby("qkv_bias")["ratio"].last().tolist() == pytest.approx([2, 2], abs=1e-3)


def test_weights_gradients_and_adamw_take_what_they_take_in_torch(tiny_model: GPTModel) -> None:
    cfg = tiny_model.cfg
    model = build_model(cfg, 3)
    optimizer = torch.optim.AdamW(model.parameters())
    gradients = parameter_gradients(model, model(torch.tensor([[1, 2, 3]])).sum())
    for parameter, gradient in zip(model.parameters(), gradients.values(), strict=True):
        parameter.grad = gradient
    optimizer.step()
    states = [
        value
        for state in optimizer.state.values()
        for value in state.values()
        if isinstance(value, torch.Tensor) and value.ndim
    ]
    uses = measure.memory_uses(cfg, "train", "float32", 1, 3).set_index("use")["bytes"]
    assert uses["weights"] == sum(p.nbytes for p in model.parameters())
    assert uses["gradients"] == sum(gradient.nbytes for gradient in gradients.values())
    assert uses["AdamW states"] == sum(state.nbytes for state in states)
    assert uses["causal masks"] == sum(mask.nbytes for mask in model.buffers())


@pytest.mark.parametrize(
    ("precision", "weights", "gradients", "adamw"),
    [("float32", 4, 4, 8), ("float16 or bfloat16", 2, 2, 12)],
)
def test_training_takes_sixteen_bytes_a_parameter(
    precision: str, weights: int, gradients: int, adamw: int
) -> None:
    n = sum(count_parameters(GPT_CONFIG_124M).values())
    uses = measure.memory_uses(GPT_CONFIG_124M, "train", precision, 1, 8).set_index("use")["bytes"]
    assert (uses["weights"], uses["gradients"], uses["AdamW states"]) == (
        weights * n,
        gradients * n,
        adamw * n,
    )


def test_small_in_float32_is_621_mib_which_is_652_mb() -> None:
    weights = measure.memory_uses(GPT_CONFIG_124M, "generate", "float32", 1, 8).iloc[0]
    assert round(weights["MiB"], 2) == 621.83
    assert round(weights["MB"], 2) == 652.04


def test_nothing_is_trained_in_int8() -> None:
    with pytest.raises(ValueError, match="int8 is for generating"):
        measure.memory_uses(GPT_CONFIG_124M, "train", "int8", 1, 8)
    uses = measure.memory_uses(GPT_CONFIG_124M, "generate", "int8", 2, 8).set_index("use")["bytes"]
    assert uses["weights"] == sum(count_parameters(GPT_CONFIG_124M).values())
    assert uses["KV cache"] == 2 * 12 * 2 * 8 * 768 * 2


def test_the_kv_cache_is_as_large_as_the_models_keys_and_values(tiny_model: GPTModel) -> None:
    kept: list[int] = []
    model = build_model(tiny_model.cfg, 4)
    for name, module in model.named_modules():
        if name.endswith(("W_key", "W_value")):
            module.register_forward_hook(lambda _, __, output: kept.append(output.nbytes))
    model(torch.zeros(2, 7, dtype=torch.int64))
    assert kv_cache_bytes(model.cfg, 2, 7) == sum(kept)


@given(small_configs())
@settings(max_examples=25)
def test_decoding_reads_the_weights_of_every_linear_layer_and_norm(cfg: GPTConfig) -> None:
    model = GPTModel(cfg)
    multiplied = n_values(model.trf_blocks) + n_values(model.final_norm) + n_values(model.out_head)
    read = measure.decode_bytes_read(cfg, "float32", 1, 3)
    assert read == 4 * multiplied + kv_cache_bytes(cfg, 1, 3)


def test_a_device_decodes_as_fast_as_it_can_read() -> None:
    fit = measure.device_fit(9 * 10**9, 272 * 10**6, [(8, 272), (16, 544)])
    assert fit["fits"].tolist() == [False, True]
    assert fit["ms_per_token"].tolist() == pytest.approx([1.0, 0.5])
    assert fit["tokens_per_second"].tolist() == pytest.approx([1000, 2000])
    assert fit["used"].tolist() == pytest.approx([9 / 8, 9 / 16])


def test_gpt3_takes_a_v100_355_years() -> None:
    time = measure.training_time(CONFIGS["gpt3-175b"], 2048, 300e9, 28e12)
    assert time.flops_rule == pytest.approx(3.14e23, rel=1e-3)
    assert round(time.years_rule, 1) == 355.7
    slower = measure.training_time(CONFIGS["gpt3-175b"], 2048, 300e9, 15e12)
    assert slower.years_rule == pytest.approx(665, rel=3e-3)


def test_devices_and_utilisation_divide_the_time() -> None:
    one = measure.training_time(GPT_CONFIG_124M, 8, 1e9, 1e12)
    many = measure.training_time(GPT_CONFIG_124M, 8, 1e9, 1e12, 0.5, 8)
    assert many.years_counted == pytest.approx(one.years_counted / 4)


def test_doubling_the_width_of_small_multiplies_a_block_by_3_998() -> None:
    step = measure.doubling(GPT_CONFIG_124M, "emb_dim", "block")
    assert step is not None
    assert (step.before, step.after) == (768, 1536)
    assert round(step.factor, 3) == 3.998


def test_heads_grow_to_a_number_that_divides_the_width() -> None:
    step = measure.doubling(replace(GPT_CONFIG_124M, emb_dim=36), "n_heads", "activations")
    assert step is not None
    assert step.after == 18
    assert measure.doubling(replace(GPT_CONFIG_124M, emb_dim=12), "n_heads", "block") is None


@given(small_configs(), st.sampled_from(sorted(measure.LIMITS)), st.booleans())
def test_every_swept_value_is_allowed_and_yours_is_among_them(
    cfg: GPTConfig, field: str, log: bool
) -> None:
    values = swept_values(cfg, field, log)
    assert getattr(cfg, field) in values
    assert values == sorted(set(values))
    for value in values:
        replace(cfg, **{field: value})  # type: ignore[arg-type]


@given(small_configs(), st.sampled_from(sorted(measure.QUANTITIES)))
def test_growth_at_your_own_value_is_your_amount(cfg: GPTConfig, quantity: str) -> None:
    frame = measure.growth(cfg, "n_layers", quantity, log=True)
    own = frame[frame["value"] == cfg.n_layers]
    assert own["amount"].sum() == own["total"].iloc[0] == amount(cfg, quantity)


@given(small_configs(), st.sampled_from(sorted(measure.LIMITS)))
def test_the_border_is_where_the_blocks_begin_to_outweigh(cfg: GPTConfig, field: str) -> None:
    border, allowed = measure.crossover(cfg, field), list(allowed_values(cfg, field))
    rising = field in ("emb_dim", "n_layers")

    def outweigh(value: int) -> bool:
        return measure.blocks_outweigh(replace(cfg, **{field: value}))  # type: ignore[arg-type]

    if border is None:
        assert outweigh(allowed[0]) == outweigh(allowed[-1])
    else:
        neighbour = allowed[allowed.index(border) + (-1 if rising else 1)]
        assert outweigh(border)
        assert not outweigh(neighbour)


def test_the_blocks_of_small_outweigh_its_embeddings_from_a_width_of_708() -> None:
    assert measure.crossover(GPT_CONFIG_124M, "emb_dim") == 708


def test_a_grid_leaves_out_what_is_not_allowed() -> None:
    grid = measure.growth_grid(GPT_CONFIG_124M, "emb_dim", "n_heads", "parameters")
    bad = grid[grid["emb_dim"] % grid["n_heads"] != 0]
    assert bad["amount"].isna().all()
    assert grid.drop(bad.index)["amount"].notna().all()


@given(st.integers(1, 16_384), st.integers(1, 128))
def test_the_neighbours_of_a_broken_pair_fit_and_nothing_nearer_does(
    width: int, heads: int
) -> None:
    near = measure.nearest_width(width, heads, 16_384)
    assert near % heads == 0
    assert 1 <= near <= 16_384
    between = range(width - abs(near - width) + 1, width + abs(near - width))
    assert not any(w % heads == 0 for w in between if 1 <= w <= 16_384)
    other = measure.nearest_heads(width, heads, 128)
    assert width % other == 0
    between = range(heads - abs(other - heads) + 1, heads + abs(other - heads))
    assert not any(width % h == 0 for h in between if 1 <= h <= 128)


def test_a_real_run_counts_the_real_tensors(tied_model: GPTModel) -> None:
    steps: list[int] = []
    run = measure.real_run(tied_model, (1, 2, 3), lambda done, total, what: steps.append(done))
    assert run.logits_shape == (1, 3, tied_model.cfg.vocab_size)
    assert run.n_parameters == sum(count_parameters(tied_model.cfg).values())
    assert run.n_bytes == 4 * run.n_parameters
    assert steps == [1, 2]
    logits = tied_model(torch.tensor([[1, 2, 3]]))
    assert run.logits_std == pytest.approx(logits.std(correction=0).item())
    assert isinstance(tied_model.tok_emb, nn.Embedding)
