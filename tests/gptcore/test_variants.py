"""Each other wiring keeps the weights and obeys its law."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from gptcore import GPTConfig, GPTModel, build_model, trace_gpt
from gptcore.seeding import seeded
from gptcore.variants import GPT2_STD, Wiring, gpt2_initialised, rewire, train_mode


def logits(model: GPTModel, ids: Tensor) -> Tensor:
    with torch.no_grad():
        scores: Tensor = model(ids)
    return scores


def test_gpt2s_own_wiring_gives_bit_equal_logits(tiny_model: GPTModel, tiny_ids: Tensor) -> None:
    assert torch.equal(logits(rewire(tiny_model, Wiring()), tiny_ids), logits(tiny_model, tiny_ids))


@pytest.mark.parametrize(
    "make",
    [
        lambda model: rewire(model, Wiring(norm="post", shortcuts=False, causal=False)),
        lambda model: rewire(model, Wiring(norm="none", activation="relu")),
        train_mode,
    ],
)
def test_a_variant_shares_every_weight_and_leaves_the_model_as_it_was(
    make: Callable[[GPTModel], GPTModel], tiny_model: GPTModel, tiny_ids: Tensor
) -> None:
    before = logits(tiny_model, tiny_ids)
    variant = make(tiny_model)
    ours = dict(variant.named_parameters())
    assert ours
    assert all(ours[name] is parameter for name, parameter in tiny_model.named_parameters())
    assert torch.equal(logits(tiny_model, tiny_ids), before)
    assert not any(module.training for module in tiny_model.modules())


def test_without_the_mask_the_upper_triangle_is_not_zero(
    tiny_model: GPTModel, tiny_ids: Tensor
) -> None:
    later = torch.ones(7, 7).triu(1).bool()
    with_mask, without = (
        trace_gpt(rewire(tiny_model, Wiring(causal=causal)), tiny_ids).blocks[0].attn_weights
        for causal in (True, False)
    )
    assert (with_mask[..., later] == 0).all()
    assert (without[..., later] > 0).all()
    torch.testing.assert_close(without.sum(-1), torch.ones(2, 3, 7))


def test_without_shortcuts_the_stream_is_what_the_part_gave_out(
    tiny_model: GPTModel, tiny_ids: Tensor
) -> None:
    for block in trace_gpt(rewire(tiny_model, Wiring(shortcuts=False)), tiny_ids).blocks:
        assert torch.equal(block.resid_mid, block.attn_out)
        assert torch.equal(block.resid_post, block.ff_out)


def test_post_ln_ends_each_block_with_mean_0_and_variance_v_over_v_plus_eps(
    tiny_model: GPTModel, tiny_ids: Tensor
) -> None:
    for block in trace_gpt(rewire(tiny_model, Wiring(norm="post")), tiny_ids).blocks:
        before = (block.resid_mid + block.ff_out).double()
        variance = before.var(-1, correction=0)
        after = block.resid_post.double()
        torch.testing.assert_close(after.mean(-1), torch.zeros_like(variance), atol=1e-6, rtol=0)
        torch.testing.assert_close(
            after.var(-1, correction=0), variance / (variance + 1e-5), atol=1e-6, rtol=0
        )


def test_without_norms_attention_reads_the_stream_as_it_is(
    tiny_model: GPTModel, tiny_ids: Tensor
) -> None:
    trace = trace_gpt_without_norms(tiny_model, tiny_ids)
    block = tiny_model.trf_blocks[0]
    assert torch.equal(trace.q, block.att.W_query(trace.resid_pre))
    assert not hasattr(trace, "norm1_out")


def trace_gpt_without_norms(model: GPTModel, ids: Tensor):  # type: ignore[no-untyped-def]
    return trace_gpt(rewire(model, Wiring(norm="none")), ids).blocks[0]


def test_relu_leaves_no_negative_hidden_value(tiny_model: GPTModel, tiny_ids: Tensor) -> None:
    trace = trace_gpt(rewire(tiny_model, Wiring(activation="relu")), tiny_ids)
    assert all(torch.equal(b.ff_hidden, b.ff_pre.clamp_min(0)) for b in trace.blocks)


def test_in_train_mode_a_seed_decides_what_is_dropped(
    tiny_model: GPTModel, tiny_ids: Tensor
) -> None:
    def run(seed: int) -> Tensor:
        with seeded(seed):
            return logits(train_mode(tiny_model), tiny_ids)

    assert torch.equal(run(1), run(1))
    assert not torch.equal(run(1), run(2))
    assert not torch.equal(run(1), logits(tiny_model, tiny_ids))


def test_gpt2s_initialisation_has_its_two_scales_and_no_biases(tiny: GPTConfig) -> None:
    cfg = replace(tiny, emb_dim=96, n_layers=8, qkv_bias=True)
    model = gpt2_initialised(cfg, 5)
    block = model.trf_blocks[3]
    for weight in (block.att.W_query.weight, block.ff.layers[0].weight, model.pos_emb.weight):
        assert weight.std().item() == pytest.approx(GPT2_STD, rel=0.1)
    for weight in (block.att.out_proj.weight, block.ff.layers[2].weight):
        assert weight.std().item() == pytest.approx(GPT2_STD / math.sqrt(16), rel=0.1)
    assert all((p == 0).all() for name, p in model.named_parameters() if name.endswith("bias"))
    assert (block.norm1.scale == 1).all()
    assert torch.equal(
        block.ff.layers[0].weight, gpt2_initialised(cfg, 5).trf_blocks[3].ff.layers[0].weight
    )
    assert not model.training


def test_gpt2s_initialisation_leaves_the_random_state_alone(tiny: GPTConfig) -> None:
    before = torch.get_rng_state()
    gpt2_initialised(tiny, 5)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_tied_head_stays_tied(tiny: GPTConfig) -> None:
    model = gpt2_initialised(replace(tiny, tie_weights=True), 5)
    assert model.out_head.weight is model.tok_emb.weight
    assert build_model(tiny, 5).out_head.weight is not None
