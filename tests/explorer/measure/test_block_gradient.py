"""Block by block, the gradients are those of the whole loss; nothing is left on the model."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from explorer.measure import block_gradient, memory
from explorer.measure.block_gradient import PARTS, block_gradients
from explorer.measure.memory import DoesNotFitError, check_gradients_fit, gradient_bytes
from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, GPTModel, build_model
from gptcore.variants import Wiring, rewire

IDS = (3, 1, 4, 1, 5)


@pytest.mark.parametrize("shortcuts", [False, True])
def test_the_gradients_are_those_of_the_whole_graph(tiny_model: GPTModel, shortcuts: bool) -> None:
    frame = block_gradients(tiny_model, IDS)
    name = "with shortcuts" if shortcuts else "plain"
    rows = frame[frame["network"] == name].set_index(["block", "part"])
    variant = rewire(tiny_model, Wiring(shortcuts=shortcuts))
    logits = variant(torch.tensor([IDS]))[0]
    loss = nn.functional.cross_entropy(logits[:-1], torch.tensor(IDS[1:]))
    assert rows["loss"].unique() == pytest.approx([loss.item()], rel=1e-5)
    for index, block in enumerate(variant.trf_blocks):
        for part, modules in PARTS.items():
            own = [p for m in modules for p in block.get_submodule(m).parameters()]
            gradients = torch.autograd.grad(loss, own, retain_graph=True)
            flat = torch.cat([gradient.flatten() for gradient in gradients])
            expected = flat.abs().mean().item()
            assert rows.loc[(index, part), "gradient"] == pytest.approx(expected, rel=1e-3)


def test_the_parts_hold_every_parameter_of_a_block(tiny_model: GPTModel) -> None:
    modules = {module for names in PARTS.values() for module in names}
    assert {
        name.split(".")[0] for name, _ in tiny_model.trf_blocks[0].named_parameters()
    } == modules


def test_the_model_stays_as_it_is(tiny: GPTConfig) -> None:
    model = build_model(tiny, 3)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    block_gradients(model, IDS)
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert all(p.grad is None and p.requires_grad for p in model.parameters())
    assert not any(module._forward_hooks for module in model.modules())


def test_without_shortcuts_it_is_the_norms_that_hold_gradients_up(
    tiny: GPTConfig,
) -> None:
    model = build_model(replace(tiny, n_layers=6), 123)
    share = {}
    for norm in ("pre", "none"):
        variant = rewire(model, Wiring(norm=norm, shortcuts=False))  # type: ignore[arg-type]
        loss = nn.functional.cross_entropy(
            variant(torch.tensor([IDS]))[0, :-1], torch.tensor(IDS[1:])
        )
        ends = [variant.trf_blocks[i].att.out_proj.weight for i in (0, 5)]
        first, last = torch.autograd.grad(loss, ends)
        share[norm] = (first.abs().mean() / last.abs().mean()).item()
    assert share["pre"] > 20 * share["none"]


def test_a_tied_head_and_two_tokens_do(tied_model: GPTModel) -> None:
    frame = block_gradients(tied_model, IDS[:2])
    assert len(frame) == 2 * 2 * len(PARTS)
    assert (frame["gradient"] > 0).all()


def test_one_token_has_no_next_token(tiny_model: GPTModel) -> None:
    with pytest.raises(ValueError, match="at least 2 tokens; this one has 1"):
        block_gradients(tiny_model, IDS[:1])


def test_progress_counts_the_blocks_of_both_networks_and_may_end_the_work(
    tiny_model: GPTModel,
) -> None:
    told: list[tuple[int, int, str]] = []
    block_gradients(tiny_model, IDS, on_step=lambda *step: told.append(step))
    assert told == [(n, 4, "block") for n in range(1, 5)]

    def stop(done: int, total: int, what: str) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        block_gradients(tiny_model, IDS, on_step=stop)


def test_too_little_memory_is_refused_with_the_figures(
    tiny_model: GPTModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_gradient, "available_bytes", lambda: 1024)
    with pytest.raises(
        DoesNotFitError, match=r"need \d+\.\d\d MiB of memory, and 0\.00 MiB is free"
    ):
        block_gradients(tiny_model, IDS)


def test_the_estimate_grows_with_tokens_and_with_the_model() -> None:
    small, xl = GPT_CONFIG_124M, CONFIGS["gpt2-xl"]
    assert gradient_bytes(small, 8) < gradient_bytes(small, 1024) < gradient_bytes(xl, 1024)
    # One XL block's gradients alone are 117 MiB.
    assert gradient_bytes(xl, 2) > 117 * memory.MIB
    check_gradients_fit(small, 4, 2**30)
    with pytest.raises(DoesNotFitError):
        check_gradients_fit(small, 1024, 2**28)
