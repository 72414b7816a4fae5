"""The placeholder has the real model's wiring and none of its mathematics."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from gptcore import GPT_CONFIG_124M, DummyGPTModel, GPTConfig, GPTModel
from gptcore.seeding import seeded

BATCH = [[6109, 3626, 6100, 345], [6109, 1110, 6622, 257]]


@pytest.fixture
def dummy(tiny: GPTConfig) -> DummyGPTModel:
    with seeded(1):
        return DummyGPTModel(tiny).eval()


@pytest.mark.golden
def test_the_placeholder_of_gpt2_small_passes_the_shape_check() -> None:
    with seeded(123), torch.no_grad():
        logits = DummyGPTModel(GPT_CONFIG_124M)(torch.tensor(BATCH))
    assert logits.shape == (2, 4, 50257)


def test_it_has_the_real_models_parts_in_the_same_order(
    dummy: DummyGPTModel, tiny_model: GPTModel
) -> None:
    names = [name for name, _ in tiny_model.named_children()]
    assert [name for name, _ in dummy.named_children()] == names
    assert len(dummy.trf_blocks) == len(tiny_model.trf_blocks)


def test_its_blocks_and_its_norm_have_no_parameters(dummy: DummyGPTModel) -> None:
    names = [name for name, _ in dummy.named_parameters()]
    assert names == ["tok_emb.weight", "pos_emb.weight", "out_head.weight"]


def test_what_enters_its_blocks_leaves_the_norm_unchanged(
    dummy: DummyGPTModel, tiny_ids: Tensor
) -> None:
    with torch.no_grad():
        x = dummy.tok_emb(tiny_ids) + dummy.pos_emb.weight[: tiny_ids.shape[1]]
        assert dummy.final_norm(dummy.trf_blocks(x)) is x
        assert torch.equal(dummy(tiny_ids), dummy.out_head(x))


def test_no_position_hears_of_another(dummy: DummyGPTModel, tiny_ids: Tensor) -> None:
    edited = tiny_ids.clone()
    edited[:, 2] = (edited[:, 2] + 1) % dummy.cfg.vocab_size
    with torch.no_grad():
        changed = (dummy(tiny_ids) != dummy(edited)).any(dim=-1)
    assert changed.tolist() == [[position == 2 for position in range(7)]] * 2


def test_it_can_be_tied_as_the_real_one(tiny: GPTConfig) -> None:
    dummy = DummyGPTModel(replace(tiny, tie_weights=True))
    assert dummy.out_head.weight is dummy.tok_emb.weight


@pytest.mark.parametrize(
    ("token_ids", "sentence"),
    [
        (torch.zeros(1, 14, dtype=torch.long), "longer than context_length"),
        (torch.zeros(1, 0, dtype=torch.long), "at least one token"),
        (torch.tensor([[101]]), "from 0 to vocab_size - 1"),
        (torch.zeros(1, 2), "int64 or int32"),
    ],
)
def test_it_refuses_what_the_real_model_refuses(
    dummy: DummyGPTModel, token_ids: Tensor, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        dummy(token_ids)
