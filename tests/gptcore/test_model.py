"""The whole model: the book's first tokens, the order of construction, and what it refuses."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from gptcore import CONFIGS, GPT_CONFIG_124M, GPTConfig, GPTModel, build_model, encode
from gptcore.model import check_token_ids

HELLO = [[15496, 11, 314, 716]]
BATCH = [[6109, 3626, 6100, 345], [6109, 1110, 6622, 257]]


def logits_of(model: nn.Module, token_ids: Tensor) -> Tensor:
    with torch.no_grad():
        logits: Tensor = model(token_ids)
    return logits


def entropy(logits: Tensor) -> float:
    """Return the mean entropy of the predicted distributions, in nats."""
    log_probs = torch.log_softmax(logits.double(), dim=-1)
    return -(log_probs.exp() * log_probs).sum(dim=-1).mean().item()


@pytest.mark.golden
def test_gpt2_small_scores_the_vocabulary_at_every_position(gpt2_small: GPTModel) -> None:
    assert logits_of(gpt2_small, torch.tensor(HELLO)).shape == (1, 4, 50257)
    assert logits_of(gpt2_small, torch.tensor(BATCH)).shape == (2, 4, 50257)


@pytest.mark.golden
def test_an_untrained_gpt2_small_is_nearly_uniform(gpt2_small: GPTModel) -> None:
    assert math.log(50257) == pytest.approx(10.82, abs=0.005)
    assert entropy(logits_of(gpt2_small, torch.tensor(HELLO))) == pytest.approx(10.66, abs=0.005)


@pytest.mark.golden
def test_tied_with_pytorchs_initialisation_it_is_certain_of_its_own_input(
    gpt2_small_tied: GPTModel,
) -> None:
    logits = logits_of(gpt2_small_tied, torch.tensor(HELLO))
    assert logits.std().item() == pytest.approx(28, abs=0.5)
    assert entropy(logits) < 1e-6
    assert logits.argmax(dim=-1).tolist() == HELLO


@pytest.mark.golden
@pytest.mark.parametrize("tie_weights", [False, True])
def test_with_gpt2s_own_initialisation_it_is_nearly_uniform_tied_or_not(tie_weights: bool) -> None:
    with torch.device("meta"):
        model = GPTModel(replace(GPT_CONFIG_124M, tie_weights=tie_weights))
    model.to_empty(device="cpu").eval()
    if tie_weights:
        model.out_head.weight = model.tok_emb.weight
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2:
                parameter.normal_(0, 0.02, generator=generator)
            else:
                parameter.fill_(1 if name.endswith("scale") else 0)
        for name, mask in model.named_buffers():
            assert name.endswith("att.mask")
            mask.fill_(True).triu_(diagonal=1)
    assert entropy(logits_of(model, torch.tensor(HELLO))) == pytest.approx(10.7, abs=0.05)


def test_the_parts_stand_in_the_order_of_construction(tiny_model: GPTModel) -> None:
    parts = ["tok_emb", "pos_emb", "drop_emb", "trf_blocks", "final_norm", "out_head"]
    assert [name for name, _ in tiny_model.named_children()] == parts
    assert len(tiny_model.trf_blocks) == tiny_model.cfg.n_layers
    assert tiny_model.out_head.bias is None


def test_a_seed_gives_the_weights_of_that_order_and_pytorchs_initialisation(
    tiny: GPTConfig, tiny_model: GPTModel
) -> None:
    """Draw the same layers from the same random numbers, by hand."""
    d = tiny.emb_dim
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        drawn = [nn.Embedding(tiny.vocab_size, d), nn.Embedding(tiny.context_length, d)]
        for _ in range(tiny.n_layers):
            drawn += [nn.Linear(d, d, bias=False) for _ in range(3)]
            drawn += [nn.Linear(d, d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)]
        drawn += [nn.Linear(d, tiny.vocab_size, bias=False)]
    expected = [parameter for layer in drawn for parameter in layer.parameters()]
    norms = (".scale", ".shift")
    found = [p for name, p in tiny_model.named_parameters() if not name.endswith(norms)]
    assert len(found) == len(expected)
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(found, expected, strict=True))


def test_the_forward_is_its_parts_one_after_another(tiny_model: GPTModel, tiny_ids: Tensor) -> None:
    with torch.no_grad():
        x = tiny_model.tok_emb.weight[tiny_ids] + tiny_model.pos_emb.weight[: tiny_ids.shape[1]]
        for block in tiny_model.trf_blocks:
            x = block(x)
        expected = tiny_model.final_norm(x) @ tiny_model.out_head.weight.T
    torch.testing.assert_close(logits_of(tiny_model, tiny_ids), expected)


def test_tied_weights_are_one_tensor_with_two_names(tied_model: GPTModel) -> None:
    assert tied_model.out_head.weight is tied_model.tok_emb.weight
    assert "out_head.weight" not in dict(tied_model.named_parameters())


def test_no_mask_is_in_the_state_dict(tiny_model: GPTModel) -> None:
    names = set(tiny_model.state_dict())
    assert names == {name for name, _ in tiny_model.named_parameters()}
    assert not any("mask" in name for name in names)


@st.composite
def models_and_ids(draw: st.DrawFn) -> tuple[GPTModel, Tensor]:
    n_heads, context_length = draw(st.integers(1, 3)), draw(st.integers(1, 9))
    cfg = GPTConfig(
        vocab_size=draw(st.integers(1, 30)),
        context_length=context_length,
        emb_dim=n_heads * draw(st.integers(1, 4)),
        n_heads=n_heads,
        n_layers=draw(st.integers(1, 3)),
        drop_rate=0.1,
        qkv_bias=draw(st.booleans()),
        tie_weights=draw(st.booleans()),
    )
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, context_length)))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    ids = torch.randint(cfg.vocab_size, shape, generator=generator)
    return build_model(cfg, draw(st.integers(0, 1000))), ids


@given(models_and_ids())
def test_any_sequence_that_fits_gives_finite_logits(case: tuple[GPTModel, Tensor]) -> None:
    model, ids = case
    logits = logits_of(model, ids)
    assert logits.shape == (*ids.shape, model.cfg.vocab_size)
    assert logits.isfinite().all()


@given(models_and_ids(), st.data())
def test_an_edited_token_changes_nothing_before_it(
    case: tuple[GPTModel, Tensor], data: st.DataObject
) -> None:
    model, ids = case
    position = data.draw(st.integers(0, ids.shape[1] - 1))
    edited = ids.clone()
    edited[:, position] = data.draw(st.integers(0, model.cfg.vocab_size - 1))
    before = slice(None, position)
    assert torch.equal(logits_of(model, ids)[:, before], logits_of(model, edited)[:, before])


def test_an_edited_token_changes_every_position_after_it(
    tiny_model: GPTModel, tiny_ids: Tensor
) -> None:
    edited = tiny_ids.clone()
    edited[:, 2] = (edited[:, 2] + 1) % tiny_model.cfg.vocab_size
    changed = (logits_of(tiny_model, tiny_ids) != logits_of(tiny_model, edited)).any(dim=-1)
    assert changed.tolist() == [[position >= 2 for position in range(7)]] * 2


def test_sequences_of_a_batch_do_not_meet(tiny_model: GPTModel, tiny_ids: Tensor) -> None:
    together = logits_of(tiny_model, tiny_ids)
    for row in range(2):
        alone = logits_of(tiny_model, tiny_ids[row : row + 1])
        torch.testing.assert_close(together[row : row + 1], alone)


def test_the_same_token_at_two_positions_is_told_apart(tiny_model: GPTModel) -> None:
    logits = logits_of(tiny_model, torch.zeros(1, 5, dtype=torch.long))
    assert len({tuple(row) for row in logits[0].tolist()}) == 5


def test_without_positions_an_order_of_earlier_tokens_is_lost(tiny: GPTConfig) -> None:
    """In one block the last position sees a set; deeper blocks see prefixes, hence the order."""
    model = build_model(replace(tiny, n_layers=1), 1)
    ids, swapped = torch.tensor([[1, 2, 3, 4]]), torch.tensor([[3, 1, 2, 4]])
    assert not torch.allclose(logits_of(model, ids)[:, -1], logits_of(model, swapped)[:, -1])
    with torch.no_grad():
        model.pos_emb.weight.zero_()
    torch.testing.assert_close(logits_of(model, ids)[:, -1], logits_of(model, swapped)[:, -1])


def test_a_forward_changes_nothing_of_the_model(tiny: GPTConfig, tiny_ids: Tensor) -> None:
    model = build_model(tiny, 1)
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    before = {name: tensor.detach().clone() for name, tensor in tensors.items()}
    attributes = {name: set(vars(module)) for name, module in model.named_modules()}
    ids = tiny_ids.clone()
    model(tiny_ids)
    assert torch.equal(ids, tiny_ids)
    after = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    assert all(after[name] is tensor for name, tensor in tensors.items())
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert {name: set(vars(module)) for name, module in model.named_modules()} == attributes
    assert not model.training


def test_in_eval_mode_two_runs_agree_and_in_train_mode_dropout_parts_them(
    tiny: GPTConfig, tiny_ids: Tensor
) -> None:
    model = build_model(tiny, 1)
    assert torch.equal(logits_of(model, tiny_ids), logits_of(model, tiny_ids))
    model.train()
    assert not torch.equal(logits_of(model, tiny_ids), logits_of(model, tiny_ids))


@pytest.mark.parametrize("name", CONFIGS)
def test_every_preset_gives_its_shape_without_any_memory(name: str) -> None:
    cfg = CONFIGS[name]
    with torch.device("meta"):
        model = GPTModel(cfg).eval()
        ids = torch.zeros(2, cfg.context_length, dtype=torch.long)
    assert logits_of(model, ids).shape == (2, cfg.context_length, 50257)


def test_on_block_is_told_of_every_block_and_may_end_the_building(tiny: GPTConfig) -> None:
    told: list[int] = []
    GPTModel(replace(tiny, n_layers=4), told.append)
    assert told == [1, 2, 3, 4]

    class Enough(Exception):  # noqa: N818 (it is no error)
        pass

    def give_up(n_built: int) -> None:
        told.append(n_built)
        if n_built == 2:
            raise Enough

    told.clear()
    with pytest.raises(Enough):
        GPTModel(replace(tiny, n_layers=4), give_up)
    assert told == [1, 2]


@pytest.mark.parametrize(
    ("token_ids", "sentence"),
    [
        (torch.zeros(1, 14, dtype=torch.long), "longer than context_length 13; got 14 tokens"),
        (torch.zeros(1, 0, dtype=torch.long), "at least one token"),
        (torch.zeros(0, 3, dtype=torch.long), "at least one token"),
        (torch.zeros(3, dtype=torch.long), r"\(batch, tokens\).*got shape \(3,\) of torch.int64"),
        (torch.tensor(3), r"got shape \(\)"),
        (torch.zeros(1, 1, 3, dtype=torch.long), r"got shape \(1, 1, 3\)"),
        (torch.zeros(1, 3), "int64 or int32; got .* of torch.float32"),
        (torch.zeros(1, 3, dtype=torch.bool), "got .* of torch.bool"),
        (torch.zeros(1, 3, dtype=torch.complex64), "got .* of torch.complex64"),
        (torch.zeros(1, 3, dtype=torch.uint8), "got .* of torch.uint8"),
        (torch.tensor([[0, 101]]), "from 0 to vocab_size - 1 = 100; got 101"),
        (torch.tensor([[5, -1]]), "got -1"),
        (torch.tensor([[-(2**63), 2**63 - 1]]), f"got -{2**63}"),
    ],
)
def test_what_it_cannot_read_is_refused(
    tiny_model: GPTModel, token_ids: Tensor, sentence: str
) -> None:
    for refuse in (tiny_model, lambda ids: check_token_ids(ids, tiny_model.cfg)):
        with pytest.raises(ValueError, match=sentence) as error:
            refuse(token_ids)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_both_integer_types_of_an_embedding_are_read(
    tiny_model: GPTModel, tiny_ids: Tensor, dtype: torch.dtype
) -> None:
    assert torch.equal(logits_of(tiny_model, tiny_ids.to(dtype)), logits_of(tiny_model, tiny_ids))


def test_a_sequence_as_long_as_the_context_is_read(tiny_model: GPTModel) -> None:
    assert logits_of(tiny_model, torch.full((1, 13), 100)).shape == (1, 13, 101)


def test_the_books_batch_is_what_the_tokenizer_gives() -> None:
    assert [encode("Every effort moves you"), encode("Every day holds a")] == BATCH
