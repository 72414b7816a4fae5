"""What training keeps for the backward pass, counted, against what autograd is seen to save."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from gptcore import CONFIGS, GPTConfig, GPTModel
from gptcore.activations import activation_bytes
from gptcore.attention import MultiHeadAttention, merge_heads, split_heads
from tests.gptcore.test_counting import small_configs

MID = GPTConfig(1000, 128, 256, 8, 4, 0.1, False)


def saved_bytes(model: nn.Module, ids: Tensor, with_loss: bool) -> int:
    """Sum what autograd saves in one forward pass, each storage once, parameters and masks apart."""
    there_anyway = {
        tensor.untyped_storage().data_ptr() for tensor in (*model.parameters(), *model.buffers())
    }
    kept: dict[int, Tensor] = {}

    def pack(tensor: Tensor) -> Tensor:
        kept.setdefault(tensor.untyped_storage().data_ptr(), tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = model(ids)
        if with_loss:
            output = F.cross_entropy(output.flatten(0, 1), ids.flatten().clone())
    total = sum(
        tensor.untyped_storage().nbytes()
        for pointer, tensor in kept.items()
        if pointer not in there_anyway
    )
    del output
    return total


def counted(cfg: GPTConfig, batch: int, n_tokens: int, **options: str) -> int:
    parts = activation_bytes(cfg, batch, n_tokens, **options)  # type: ignore[arg-type]
    return sum(parts.values())


class FusedAttention(MultiHeadAttention):
    """The same attention through PyTorch's fused kernel."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            split_heads(layer(x), self.n_heads)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        output: Tensor = self.out_proj(merge_heads(context))
        return output


def fused(cfg: GPTConfig) -> GPTModel:
    """Build the model with fused kernels in place of the modules that spell things out."""
    model = GPTModel(cfg)
    for block in model.trf_blocks:
        block.att = FusedAttention(cfg)
        block.norm1, block.norm2 = nn.LayerNorm(cfg.emb_dim), nn.LayerNorm(cfg.emb_dim)
        block.ff.layers[1] = nn.GELU(approximate="tanh")
    model.final_norm = nn.LayerNorm(cfg.emb_dim)  # type: ignore[assignment]
    return model


@pytest.mark.parametrize(
    ("cfg", "batch", "n_tokens"),
    [(replace(CONFIGS["gpt-mini"], vocab_size=2000), 2, 200), (MID, 3, 128), (MID, 1, 128)],
    ids=["gpt-mini", "mid", "mid, one sequence"],
)
@pytest.mark.parametrize("drop_rate", [0.0, 0.1])
@pytest.mark.parametrize("with_loss", [False, True])
def test_the_count_is_within_a_tenth_of_what_autograd_saves(
    cfg: GPTConfig, batch: int, n_tokens: int, drop_rate: float, with_loss: bool
) -> None:
    cfg = replace(cfg, drop_rate=drop_rate)
    ids = torch.randint(cfg.vocab_size, (batch, n_tokens))
    parts = activation_bytes(cfg, batch, n_tokens)
    expected = sum(parts.values()) - (0 if with_loss else parts["loss"])
    seen = saved_bytes(GPTModel(cfg).train(), ids, with_loss)
    assert expected == pytest.approx(seen, rel=0.1)


def test_for_gpt_mini_with_its_own_vocabulary_the_count_is_exact_to_a_hundredth() -> None:
    cfg = CONFIGS["gpt-mini"]
    ids = torch.randint(cfg.vocab_size, (2, 100))
    seen = saved_bytes(GPTModel(cfg).train(), ids, with_loss=True)
    assert counted(cfg, 2, 100) == pytest.approx(seen, rel=0.01)


@pytest.mark.parametrize("batch", [1, 3])
def test_fused_kernels_save_what_is_counted_for_them(batch: int) -> None:
    cfg = replace(MID, drop_rate=0.0)
    ids = torch.randint(cfg.vocab_size, (batch, 128))
    seen = saved_bytes(fused(cfg), ids, with_loss=True)
    assert counted(cfg, batch, 128, kernels="fused") == pytest.approx(seen, rel=0.02)


@given(small_configs(), st.integers(1, 3), st.integers(1, 12))
@settings(max_examples=40)
def test_the_count_is_near_for_any_small_configuration(
    cfg: GPTConfig, batch: int, n_tokens: int
) -> None:
    n_tokens = min(n_tokens, cfg.context_length)
    ids = torch.randint(cfg.vocab_size, (batch, n_tokens))
    seen = saved_bytes(GPTModel(cfg).train(), ids, with_loss=False)
    parts = activation_bytes(cfg, batch, n_tokens)
    assert sum(parts.values()) - parts["loss"] == pytest.approx(seen, rel=0.1)


@given(small_configs(), st.integers(1, 4))
def test_twice_the_batch_keeps_twice_as_much_but_for_the_positions(
    cfg: GPTConfig, batch: int
) -> None:
    t = cfg.context_length
    assert counted(cfg, 2 * batch, t) == 2 * counted(cfg, batch, t) - 8 * t


@given(small_configs(), st.integers(1, 4))
def test_only_the_pairs_grow_with_the_square_of_the_length(cfg: GPTConfig, batch: int) -> None:
    one, two = (activation_bytes(cfg, batch, n) for n in (64, 128))
    assert two["attention pairs"] == 4 * one["attention pairs"]
    assert all(two[part] == 2 * one[part] for part in one if part != "attention pairs")


@given(small_configs())
def test_fused_kernels_never_keep_more(cfg: GPTConfig) -> None:
    t = 64
    assert counted(cfg, 2, t, kernels="fused") < counted(cfg, 2, t)
