"""Reading each token once gives what reading all of them again gives."""

import threading
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gptcore import GPTConfig, GPTModel, build_model, generate_greedy
from gptcore.kv_cache import CachedReader

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


@given(
    lengths=st.lists(st.integers(1, 5), min_size=1, max_size=5).filter(lambda x: sum(x) <= 13),
    batch=st.integers(1, 3),
    tied=st.booleans(),
    seed=st.integers(0, 20),
)
def test_read_in_any_pieces_the_scores_are_the_models_own(
    lengths: list[int], batch: int, tied: bool, seed: int
) -> None:
    model = build_model(GPTConfig(101, 13, 12, 3, 2, 0.1, tied, tied), seed)
    ids = torch.randint(101, (batch, 13), generator=torch.Generator().manual_seed(seed))
    reader, n_read = CachedReader(model), 0
    for n_tokens in lengths:
        logits = reader.read(ids[:, n_read : n_read + n_tokens])
        n_read += n_tokens
        assert reader.n_seen == n_read
        with torch.no_grad():
            expected = model(ids[:, :n_read])[:, -1]
        torch.testing.assert_close(logits, expected, **CLOSE)
        assert not logits.requires_grad


def test_forgetting_starts_over(tiny_model: GPTModel) -> None:
    reader = CachedReader(tiny_model)
    first = reader.read(torch.tensor([[4, 5, 6]]))
    reader.read(torch.tensor([[7]]))
    reader.forget()
    assert reader.n_seen == 0
    assert torch.equal(reader.read(torch.tensor([[4, 5, 6]])), first)


def test_more_than_the_context_is_refused_and_nothing_is_read(tiny_model: GPTModel) -> None:
    reader = CachedReader(tiny_model)
    reader.read(torch.ones(1, 12, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"context_length 13; got 2 tokens after 12"):
        reader.read(torch.ones(1, 2, dtype=torch.int64))
    assert reader.n_seen == 12
    reader.read(torch.ones(1, 1, dtype=torch.int64))


def test_the_model_keeps_its_own_attention_and_shares_its_weights(tiny: GPTConfig) -> None:
    model = build_model(tiny, 1)
    modules = dict(model.named_modules())
    reader = CachedReader(model)
    reader.read(torch.tensor([[1, 2]]))
    assert dict(model.named_modules()) == modules
    shared = {parameter.data_ptr() for parameter in model.parameters()}
    assert {parameter.data_ptr() for parameter in reader.model.parameters()} == shared


def test_the_head_scores_one_position_a_read(tiny: GPTConfig) -> None:
    model = build_model(tiny, 1)
    shapes: list[torch.Size] = []
    model.out_head.register_forward_hook(lambda _, args, __: shapes.append(args[0].shape))
    reader = CachedReader(model)
    reader.read(torch.tensor([[1, 2, 3]]))
    assert shapes == [(1, 12)]


def test_many_threads_can_read_with_one_model(tiny: GPTConfig) -> None:
    model = build_model(replace(tiny, context_length=40), 3)
    prompts = [[n, n + 1, n + 2] for n in range(8)]
    expected = [generate_greedy(model, prompt, 30, use_cache=False) for prompt in prompts]
    found: dict[int, list[int]] = {}
    threads = [
        threading.Thread(
            target=lambda n=n: found.update({n: generate_greedy(model, prompts[n], 30)})
        )
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n] for n in range(8)] == expected


@pytest.mark.parametrize("n_layers", [1, 2])
def test_what_was_begun_is_gone_on_with_and_gives_the_same(tiny: GPTConfig, n_layers: int) -> None:
    model, ids = build_model(replace(tiny, n_layers=n_layers), 1), torch.tensor([[4, 5, 6]])
    whole, begun = CachedReader(model), CachedReader(model)
    seen: list[int] = []
    for index, block in enumerate(begun.model.trf_blocks):
        block.register_forward_hook(lambda *_, index=index: seen.append(index))
    begun.begin(ids)
    assert seen == [0]
    assert begun.n_seen == 0
    assert torch.equal(begun.read(ids), whole.read(ids))
    assert seen == list(range(n_layers))
    assert begun.n_seen == 3
    more = torch.tensor([[7]])
    assert torch.equal(begun.read(more), whole.read(more))


def test_forgetting_takes_back_what_was_begun(tiny_model: GPTModel) -> None:
    reader = CachedReader(tiny_model)
    reader.begin(torch.tensor([[1, 2]]))
    reader.forget()
    expected = CachedReader(tiny_model).read(torch.tensor([[4, 5, 6]]))
    assert torch.equal(reader.read(torch.tensor([[4, 5, 6]])), expected)
