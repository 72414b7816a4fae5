"""Watching a forward pass shows every named tensor and leaves no trace on the model."""

import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from gptcore import GPTConfig, GPTModel, build_model, trace_gpt
from gptcore.attention import attention_scores, attention_weights, causal_mask, split_heads
from gptcore.sharing import private_copy
from gptcore.trace import (
    BLOCK_TAPS,
    MODEL_TAPS,
    BlockTrace,
    GPTTrace,
    watch_gpt,
)

OF_MODEL = {
    "tok": "BTD",
    "pos": "TD",
    "embed": "BTD",
    "final_norm_in": "BTD",
    "final_norm_out": "BTD",
    "logits": "BTV",
}
OF_BLOCK = {
    "resid_pre": "BTD",
    "norm1_out": "BTD",
    "q": "BTD",
    "k": "BTD",
    "v": "BTD",
    "attn_weights": "BHTT",
    "attn_out": "BTD",
    "resid_mid": "BTD",
    "norm2_out": "BTD",
    "ff_pre": "BTF",
    "ff_hidden": "BTF",
    "ff_out": "BTD",
    "resid_post": "BTD",
}


@pytest.fixture(params=["untied", "tied and biased"])
def model(request: pytest.FixtureRequest, tiny_model: GPTModel, tied_model: GPTModel) -> GPTModel:
    return tiny_model if request.param == "untied" else tied_model


@pytest.fixture
def trace(model: GPTModel, tiny_ids: Tensor) -> GPTTrace:
    return trace_gpt(model, tiny_ids)


def logits_of(model: GPTModel, token_ids: Tensor) -> Tensor:
    with torch.no_grad():
        logits: Tensor = model(token_ids)
    return logits


def snapshot(model: GPTModel) -> dict[str, Any]:
    """Describe everything about a model that could change."""
    tensors = {**model.state_dict(keep_vars=True), **dict(model.named_buffers())}
    return {
        "identity": {name: (id(t), t.data_ptr(), t._version) for name, t in tensors.items()},
        "values": {name: t.detach().clone().numpy().tobytes() for name, t in tensors.items()},
        "grad": {name: (t.requires_grad, t.grad) for name, t in tensors.items()},
        "modules": {
            name: (id(m), m.training, sorted(vars(m))) for name, m in model.named_modules()
        },
        "hooks": n_hooks(model),
    }


def n_hooks(model: GPTModel) -> int:
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(m, kind)) for m in model.modules() for kind in kinds)


@contextmanager
def unchanged(model: GPTModel) -> Iterator[None]:
    before = snapshot(model)
    yield
    assert snapshot(model) == before


def test_the_declared_names_are_those_of_the_conventions() -> None:
    assert [tap.name for tap in BLOCK_TAPS] == list(OF_BLOCK)
    assert sorted(tap.name for tap in MODEL_TAPS) == sorted(OF_MODEL)
    assert {field.name for field in fields(BlockTrace)} == set(OF_BLOCK)
    assert {field.name for field in fields(GPTTrace)} == {*OF_MODEL, "blocks"}


def test_every_tap_declares_its_shape() -> None:
    for tap in (*MODEL_TAPS, *BLOCK_TAPS):
        assert "".join(tap.shape.strip("()").split(", ")) == (OF_MODEL | OF_BLOCK)[tap.name]


def test_every_declared_tensor_is_there_with_its_shape(
    trace: GPTTrace, model: GPTModel, tiny_ids: Tensor
) -> None:
    cfg = model.cfg
    size = dict(zip("BT", tiny_ids.shape, strict=True))
    size |= {"D": cfg.emb_dim, "H": cfg.n_heads, "F": 4 * cfg.emb_dim, "V": cfg.vocab_size}
    for name, axes in OF_MODEL.items():
        assert getattr(trace, name).shape == tuple(size[axis] for axis in axes), name
    assert len(trace.blocks) == cfg.n_layers
    for block in trace.blocks:
        for name, axes in OF_BLOCK.items():
            assert getattr(block, name).shape == tuple(size[axis] for axis in axes), name


def test_the_logits_are_bit_for_bit_the_untraced_models(
    trace: GPTTrace, model: GPTModel, tiny_ids: Tensor
) -> None:
    assert torch.equal(trace.logits, logits_of(model, tiny_ids))
    assert torch.equal(watch_gpt(model, tiny_ids, lambda *_: None), trace.logits)


@pytest.mark.golden
def test_tracing_gpt2_small_gives_the_untraced_logits(gpt2_small: GPTModel) -> None:
    ids = torch.tensor([[15496, 11, 314, 716]])
    trace = trace_gpt(gpt2_small, ids)
    assert torch.equal(trace.logits, logits_of(gpt2_small, ids))
    for block in trace.blocks:
        assert torch.equal(block.resid_mid, block.resid_pre + block.attn_out)
        assert torch.equal(block.resid_post, block.resid_mid + block.ff_out)


def test_each_block_adds_what_attention_and_feed_forward_give(trace: GPTTrace) -> None:
    for block in trace.blocks:
        assert torch.equal(block.resid_mid, block.resid_pre + block.attn_out)
        assert torch.equal(block.resid_post, block.resid_mid + block.ff_out)


def test_the_stream_goes_from_block_to_block_unchanged(trace: GPTTrace) -> None:
    assert torch.equal(trace.embed, trace.tok + trace.pos)
    stream = trace.embed
    for block in trace.blocks:
        assert torch.equal(block.resid_pre, stream)
        stream = block.resid_post
    assert torch.equal(trace.final_norm_in, stream)


def test_every_tensor_is_what_its_module_makes_of_the_one_before(
    trace: GPTTrace, model: GPTModel, tiny_ids: Tensor
) -> None:
    with torch.no_grad():
        assert torch.equal(trace.tok, model.tok_emb(tiny_ids))
        assert torch.equal(trace.pos, model.pos_emb.weight[: tiny_ids.shape[1]])
        for module, block in zip(model.trf_blocks, trace.blocks, strict=True):
            assert torch.equal(block.norm1_out, module.norm1(block.resid_pre))
            assert torch.equal(block.q, module.att.W_query(block.norm1_out))
            assert torch.equal(block.k, module.att.W_key(block.norm1_out))
            assert torch.equal(block.v, module.att.W_value(block.norm1_out))
            assert torch.equal(block.attn_out, module.att(block.norm1_out))
            assert torch.equal(block.norm2_out, module.norm2(block.resid_mid))
            assert torch.equal(block.ff_pre, module.ff.layers[0](block.norm2_out))
            assert torch.equal(block.ff_hidden, module.ff.layers[1](block.ff_pre))
            assert torch.equal(block.ff_out, module.ff.layers[2](block.ff_hidden))
        assert torch.equal(trace.final_norm_out, model.final_norm(trace.final_norm_in))
        assert torch.equal(trace.logits, model.out_head(trace.final_norm_out))


def test_weights_derived_from_queries_and_keys_are_bit_for_bit_the_tapped_ones(
    trace: GPTTrace, model: GPTModel
) -> None:
    for block in trace.blocks:
        q, k = (split_heads(x, model.cfg.n_heads) for x in (block.q, block.k))
        derived = attention_weights(attention_scores(q, k), causal_mask(q.shape[2]))
        assert torch.equal(derived, block.attn_weights)


def test_traced_attention_looks_back_only_and_sums_to_one(trace: GPTTrace) -> None:
    for block in trace.blocks:
        weights = block.attn_weights
        assert torch.count_nonzero(weights.triu(diagonal=1)) == 0
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(weights.shape[:-1]))


def test_nothing_that_was_kept_asks_for_gradients(trace: GPTTrace) -> None:
    kept = [getattr(trace, name) for name in OF_MODEL]
    kept += [getattr(block, name) for block in trace.blocks for name in OF_BLOCK]
    assert not any(tensor.requires_grad for tensor in kept)


def test_tracing_changes_nothing_of_the_model(model: GPTModel, tiny_ids: Tensor) -> None:
    with unchanged(model):
        trace_gpt(model, tiny_ids)


def test_a_model_in_train_mode_stays_in_train_mode(tiny: GPTConfig, tiny_ids: Tensor) -> None:
    model = build_model(tiny, 1).train()
    with unchanged(model):
        trace_gpt(model, tiny_ids)


def test_the_model_has_no_hooks_even_while_it_is_watched(model: GPTModel, tiny_ids: Tensor) -> None:
    counts: list[int] = []
    watch_gpt(model, tiny_ids, lambda *_: counts.append(n_hooks(model)))
    assert set(counts) == {0}


def test_the_copy_shares_every_tensor_and_no_module(model: GPTModel) -> None:
    copied = private_copy(model)
    ours, theirs = list(model.modules()), list(copied.modules())
    assert len(ours) == len(theirs)
    assert not {id(module) for module in ours} & {id(module) for module in theirs}
    for kind in ("named_parameters", "named_buffers"):
        before = dict(getattr(model, kind)(remove_duplicate=False))
        after = dict(getattr(copied, kind)(remove_duplicate=False))
        assert before.keys() == after.keys()
        assert all(after[name] is tensor for name, tensor in before.items())


def test_what_is_done_to_the_copy_never_shows_on_the_model(model: GPTModel) -> None:
    def everything(of: GPTModel) -> list[object]:
        return [
            (name, key, list(value) if isinstance(value, dict | set) else value)
            for name, module in of.named_modules()
            for key, value in vars(module).items()
        ]

    before = everything(model)
    copied = private_copy(model)
    copied.train()
    for module in list(copied.modules()):
        module.register_forward_hook(lambda *_: None)
        module.register_forward_pre_hook(lambda *_: None)
        module.register_full_backward_hook(lambda *_: None)
        module.register_buffer("extra", torch.zeros(1), persistent=False)
        module.register_parameter("another", nn.Parameter(torch.zeros(1)))
        module.add_module("child", nn.Identity())
    assert everything(model) == before
    assert everything(copied) != before


def test_a_module_that_stands_in_two_places_is_one_in_the_copy_too() -> None:
    layer = nn.Linear(2, 2)
    copied = private_copy(nn.Sequential(layer, layer, nn.Sequential(layer)))
    assert copied[0] is copied[1] is copied[2][0]
    assert copied[0] is not layer


def test_tied_weights_are_one_tensor_in_the_copy_too(tied_model: GPTModel) -> None:
    copied = private_copy(tied_model)
    assert copied.out_head.weight is copied.tok_emb.weight is tied_model.tok_emb.weight


def test_of_everything_shown_only_the_logits_outlive_the_pass(
    model: GPTModel, tiny_ids: Tensor
) -> None:
    seen: list[weakref.ref[Tensor]] = []
    logits = watch_gpt(model, tiny_ids, lambda *args: seen.append(weakref.ref(args[2])))
    alive = [ref() for ref in seen if ref() is not None]
    assert len(alive) == 1
    assert alive[0] is logits


def test_tensors_are_shown_once_each_and_in_the_order_of_the_pass(
    model: GPTModel, tiny_ids: Tensor
) -> None:
    seen: list[tuple[str, int | None]] = []
    watch_gpt(model, tiny_ids, lambda name, block, _: seen.append((name, block)))
    of_blocks = [(name, block) for block in range(model.cfg.n_layers) for name in OF_BLOCK]
    start: list[tuple[str, int | None]] = [("tok", None), ("pos", None), ("embed", None)]
    end = [("final_norm_in", None), ("final_norm_out", None), ("logits", None)]
    assert seen == start + of_blocks + end


def test_a_watched_pass_holds_a_few_tensors_however_deep_the_model(
    tiny: GPTConfig, tiny_ids: Tensor
) -> None:
    alive: list[int] = []
    seen: list[weakref.ref[Tensor]] = []

    def observe(name: str, block: int | None, tensor: Tensor) -> None:
        seen.append(weakref.ref(tensor))
        alive.append(sum(ref() is not None for ref in seen))

    watch_gpt(build_model(replace(tiny, n_layers=20), 1), tiny_ids, observe)
    assert len(alive) == 20 * len(OF_BLOCK) + len(OF_MODEL)
    assert max(alive) <= len(OF_BLOCK)


class LeaveError(Exception):
    """What a viewer who has left raises."""


@pytest.mark.parametrize(("name", "block"), [("tok", None), ("resid_pre", 1), ("ff_hidden", 0)])
def test_an_observer_that_raises_ends_the_pass_there_and_leaves_the_model_clean(
    model: GPTModel, tiny_ids: Tensor, name: str, block: int | None
) -> None:
    seen: list[tuple[str, int | None]] = []

    def observe(*shown: Any) -> None:
        seen.append(shown[:2])
        if shown[:2] == (name, block):
            raise LeaveError

    with unchanged(model), pytest.raises(LeaveError):
        watch_gpt(model, tiny_ids, observe)
    assert seen[-1] == (name, block)
    assert seen.count((name, block)) == 1
    assert torch.is_grad_enabled()
    assert torch.equal(trace_gpt(model, tiny_ids).logits, logits_of(model, tiny_ids))


@pytest.mark.parametrize("token_ids", [torch.tensor([[101]]), torch.zeros(1, 14).long()])
def test_what_the_model_refuses_is_refused_and_nothing_was_shown(
    model: GPTModel, token_ids: Tensor
) -> None:
    seen: list[str] = []
    with pytest.raises(ValueError, match="must"):
        watch_gpt(model, token_ids, lambda name, *_: seen.append(name))
    assert seen == []


@given(n_tokens=st.integers(1, 13), batch=st.integers(1, 3), seed=st.integers(0, 99))
def test_the_laws_hold_for_any_prompt(n_tokens: int, batch: int, seed: int) -> None:
    model = build_model(GPTConfig(11, 13, 6, 2, 2, 0.1, True), seed)
    ids = torch.randint(11, (batch, n_tokens), generator=torch.Generator().manual_seed(seed))
    trace = trace_gpt(model, ids)
    assert torch.equal(trace.logits, logits_of(model, ids))
    for block in trace.blocks:
        assert torch.equal(block.resid_mid, block.resid_pre + block.attn_out)
        assert torch.equal(block.resid_post, block.resid_mid + block.ff_out)


def test_eight_threads_trace_one_model_and_get_what_each_gets_alone(model: GPTModel) -> None:
    generator = torch.Generator().manual_seed(0)
    prompts = [torch.randint(101, (1, 1 + i), generator=generator) for i in range(8)]
    alone = [trace_gpt(model, ids) for ids in prompts]
    together = threading.Barrier(8)

    def trace_often(ids: Tensor) -> list[GPTTrace]:
        together.wait()
        return [trace_gpt(model, ids) for _ in range(20)]

    with unchanged(model), ThreadPoolExecutor(8) as pool:
        found = list(pool.map(trace_often, prompts))
    for expected, traces in zip(alone, found, strict=True):
        for trace in traces:
            assert all(torch.equal(getattr(trace, n), getattr(expected, n)) for n in OF_MODEL)
            for ours, theirs in zip(trace.blocks, expected.blocks, strict=True):
                assert all(torch.equal(getattr(ours, n), getattr(theirs, n)) for n in OF_BLOCK)
