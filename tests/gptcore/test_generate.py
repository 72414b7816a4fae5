"""Greedy decoding takes the likeliest token, again and again."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gptcore import GPTConfig, GPTModel, build_model, decode, generate_greedy
from gptcore.generate import greedy_steps

HELLO = [15496, 11, 314, 716]
BOOKS_TEN = [27018, 24086, 47843, 30961, 42348, 7267, 49706, 43231, 47062, 34657]


@pytest.mark.golden
def test_gpt2_small_says_what_it_says_in_the_book(gpt2_small: GPTModel) -> None:
    ids = generate_greedy(gpt2_small, HELLO, 10)
    assert ids == generate_greedy(gpt2_small, HELLO, 10, use_cache=False) == HELLO + BOOKS_TEN
    assert decode(ids) == (
        "Hello, I am Featureiman Byeswickattribute argue logger Normandy Compton analogous"
    )


@pytest.mark.golden
def test_tied_with_pytorchs_initialisation_it_echoes_its_input(
    gpt2_small_tied: GPTModel,
) -> None:
    assert generate_greedy(gpt2_small_tied, HELLO, 4) == HELLO + [716] * 4


def by_hand(model: GPTModel, ids: list[int], n_new: int) -> list[int]:
    """Decode greedily, in the plainest way."""
    ids = list(ids)
    for _ in range(n_new):
        with torch.no_grad():
            logits = model(torch.tensor([ids[-model.cfg.context_length :]]))
        ids.append(int(logits[0, -1].argmax()))
    return ids


@given(
    ids=st.lists(st.integers(0, 100), min_size=1, max_size=30),
    n_new=st.integers(0, 20),
    seed=st.integers(0, 50),
)
def test_it_is_the_plain_loop_also_past_the_context(ids: list[int], n_new: int, seed: int) -> None:
    model = build_model(GPTConfig(101, 13, 12, 3, 2, 0.1, False), seed)
    given_ids = list(ids)
    found = generate_greedy(model, ids, n_new)
    assert found == generate_greedy(model, ids, n_new, use_cache=False)
    assert found == by_hand(model, ids, n_new)
    assert ids == given_ids
    assert found[: len(ids)] == ids
    assert all(type(token_id) is int for token_id in found)


@pytest.mark.parametrize("use_cache", [True, False])
def test_each_step_gives_the_logits_that_its_token_was_chosen_from(
    tiny_model: GPTModel, use_cache: bool
) -> None:
    ids = [1, 2, 3]
    for token_id, logits in greedy_steps(tiny_model, [1, 2, 3], 5, use_cache):
        assert logits.shape == (101,)
        with torch.no_grad():
            torch.testing.assert_close(logits, tiny_model(torch.tensor([ids]))[0, -1])
        assert not logits.requires_grad
        assert token_id == int(logits.argmax()) == int(torch.softmax(logits, dim=-1).argmax())
        ids.append(token_id)


@pytest.mark.parametrize("use_cache", [True, False])
def test_a_token_nobody_asks_for_is_not_computed(tiny: GPTConfig, use_cache: bool) -> None:
    model = build_model(tiny, 1)  # a private one, since it gets a hook
    passes: list[None] = []
    model.out_head.register_forward_hook(lambda *_: passes.append(None))
    steps = greedy_steps(model, [1], 10**9, use_cache)
    assert passes == []
    next(steps)
    next(steps)
    assert len(passes) == 2


def test_no_new_tokens_give_the_list_back(tiny_model: GPTModel) -> None:
    ids = [1, 2, 3]
    found = generate_greedy(tiny_model, ids, 0)
    assert found == ids
    assert found is not ids


@pytest.mark.parametrize("n_new", [0, 1])
@pytest.mark.parametrize("wrong", [101, -1, 2**70, 1.0, True, None, "1"], ids=repr)
def test_an_id_outside_the_vocabulary_is_refused(
    tiny_model: GPTModel, n_new: int, wrong: Any
) -> None:
    for ids in ([wrong], [1, wrong, 2], [wrong, *[1] * 20]):
        with pytest.raises(ValueError, match=r"from 0 to vocab_size - 1 = 100") as error:
            generate_greedy(tiny_model, ids, n_new)
        assert repr(wrong) in str(error.value)


@pytest.mark.parametrize("n_new", [0, 1])
def test_an_empty_list_is_refused(tiny_model: GPTModel, n_new: int) -> None:
    with pytest.raises(ValueError, match="at least one token"):
        generate_greedy(tiny_model, [], n_new)


@pytest.mark.parametrize("n_new", [-1, 1.0, True, None, "1", float("nan")], ids=repr)
def test_a_number_of_tokens_that_is_none_is_refused(tiny_model: GPTModel, n_new: Any) -> None:
    with pytest.raises(ValueError, match="max_new_tokens must be a whole number") as error:
        generate_greedy(tiny_model, [1], n_new)
    assert repr(n_new) in str(error.value)


def test_generating_leaves_the_model_as_it_is(tiny: GPTConfig) -> None:
    model = build_model(tiny, 1)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    generate_greedy(model, [1, 2], 20)
    assert all(torch.equal(model.state_dict()[name], tensor) for name, tensor in before.items())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert not model.training
