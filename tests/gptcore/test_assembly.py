"""The model put together part by part."""

import pytest
import torch

from gptcore import DummyGPTModel, GPTModel, LayerNorm
from gptcore.assembly import PARTS, Placeholder, assemble
from gptcore.sharing import private_copy


def test_with_every_part_real_it_is_the_model_bit_for_bit(
    tiny_model: GPTModel, tiny_ids: torch.Tensor
) -> None:
    whole = assemble(tiny_model, frozenset(PARTS))
    assert torch.equal(whole(tiny_ids), tiny_model(tiny_ids))


def test_with_no_part_real_it_is_the_shell_on_the_same_weights(
    tiny_model: GPTModel, tiny_ids: torch.Tensor
) -> None:
    shell = DummyGPTModel(tiny_model.cfg).eval()
    shell.load_state_dict(
        {name: t for name, t in tiny_model.state_dict().items() if name in shell.state_dict()}
    )
    assert torch.equal(assemble(tiny_model, frozenset())(tiny_ids), shell(tiny_ids))


@pytest.mark.parametrize("part", PARTS)
def test_each_part_alone_changes_the_logits_and_never_their_shape(
    part: str, tiny_model: GPTModel, tiny_ids: torch.Tensor
) -> None:
    shell = assemble(tiny_model, frozenset())(tiny_ids)
    with_part = assemble(tiny_model, frozenset({part}))(tiny_ids)
    assert with_part.shape == shell.shape == tiny_model(tiny_ids).shape
    assert not torch.equal(with_part, shell)


def test_the_model_itself_stays_as_it_was(tiny_model: GPTModel, tiny_ids: torch.Tensor) -> None:
    before = tiny_model(tiny_ids)
    copy = private_copy(tiny_model)
    assemble(tiny_model, frozenset({"attention"}))
    assert not any(isinstance(module, Placeholder) for module in tiny_model.modules())
    assert isinstance(tiny_model.final_norm, LayerNorm)
    assert torch.equal(tiny_model(tiny_ids), before)
    assert torch.equal(copy(tiny_ids), before)


def test_an_unknown_part_is_refused_by_name(tiny_model: GPTModel) -> None:
    with pytest.raises(ValueError, match="engine"):
        assemble(tiny_model, frozenset({"engine"}))
