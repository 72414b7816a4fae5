"""Attention is PyTorch's own, looks back only, and shares itself out completely."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (everybody's name for it)

from gptcore import GPTConfig, MultiHeadAttention
from gptcore.attention import (
    attention_scores,
    attention_weights,
    causal_mask,
    merge_heads,
    split_heads,
)
from gptcore.seeding import seeded


@pytest.fixture(params=[False, True], ids=["unbiased", "biased"])
def attention(request: pytest.FixtureRequest, tiny: GPTConfig) -> MultiHeadAttention:
    with seeded(4):
        return MultiHeadAttention(replace(tiny, qkv_bias=request.param)).eval()


def stream(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def weights_of(attention: MultiHeadAttention, x: Tensor) -> Tensor:
    """Return the weights that this layer gives to `x`, (B, H, T, T)."""
    q = split_heads(attention.W_query(x), attention.n_heads)
    k = split_heads(attention.W_key(x), attention.n_heads)
    return attention_weights(attention_scores(q, k), causal_mask(x.shape[1]))


@pytest.mark.parametrize("n_tokens", [1, 2, 7, 13])
def test_it_agrees_with_scaled_dot_product_attention(
    attention: MultiHeadAttention, tiny: GPTConfig, n_tokens: int
) -> None:
    x = stream(3, n_tokens, tiny.emb_dim)

    def heads(layer: torch.nn.Module) -> Tensor:
        projected: Tensor = layer(x)
        return projected.unflatten(-1, (tiny.n_heads, -1)).transpose(1, 2)

    with torch.no_grad():
        q, k, v = (heads(w) for w in (attention.W_query, attention.W_key, attention.W_value))
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        expected = attention.out_proj(context.transpose(1, 2).reshape(x.shape))
        torch.testing.assert_close(attention(x), expected, rtol=1e-5, atol=1e-6)


def test_it_agrees_with_pytorchs_multi_head_layer(tiny: GPTConfig) -> None:
    with seeded(4):
        ours = MultiHeadAttention(replace(tiny, qkv_bias=True)).eval()
        theirs = torch.nn.MultiheadAttention(tiny.emb_dim, tiny.n_heads, batch_first=True).eval()
    parts = (ours.W_query, ours.W_key, ours.W_value)
    theirs.load_state_dict(
        {
            "in_proj_weight": torch.cat([part.weight for part in parts]),
            "in_proj_bias": torch.cat([part.bias for part in parts]),
            "out_proj.weight": ours.out_proj.weight,
            "out_proj.bias": ours.out_proj.bias,
        }
    )
    x = stream(2, 7, tiny.emb_dim)
    with torch.no_grad():
        output, weights = theirs(
            x, x, x, attn_mask=causal_mask(7), average_attn_weights=False, need_weights=True
        )
        torch.testing.assert_close(ours(x), output, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(weights_of(ours, x), weights, rtol=1e-5, atol=1e-6)


@given(
    n_tokens=st.integers(1, 13),
    spread=st.floats(0, 1e3, width=32),
    seed=st.integers(0, 1000),
)
def test_every_row_of_weights_sums_to_one_and_ends_at_its_own_position(
    n_tokens: int, spread: float, seed: int
) -> None:
    q, k = stream(2, 3, n_tokens, 4, seed=seed) * spread, stream(2, 3, n_tokens, 4, seed=seed + 1)
    weights = attention_weights(attention_scores(q, k), causal_mask(n_tokens))
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 3, n_tokens))
    assert (weights >= 0).all()
    assert torch.count_nonzero(weights.triu(diagonal=1)) == 0


def test_the_first_position_can_look_at_itself_only(
    attention: MultiHeadAttention, tiny: GPTConfig
) -> None:
    x = stream(2, 5, tiny.emb_dim)
    with torch.no_grad():
        assert (weights_of(attention, x)[:, :, 0, 0] == 1).all()
        alone = attention.out_proj(attention.W_value(x[:, :1]))
        torch.testing.assert_close(attention(x)[:, :1], alone, rtol=1e-5, atol=1e-6)


@given(edited=st.integers(0, 12))
def test_an_edit_changes_its_own_position_and_later_ones_only(edited: int) -> None:
    cfg = GPTConfig(5, 13, 12, 3, 1, 0.1, False)
    with seeded(4):
        attention = MultiHeadAttention(cfg).eval()
    x = stream(1, 13, 12)
    other = x.clone()
    other[:, edited] += 1
    with torch.no_grad():
        changed = (attention(x) != attention(other)).any(dim=-1)[0]
    assert changed.tolist() == [position >= edited for position in range(13)]


def test_equal_keys_share_the_attention_evenly() -> None:
    q, k = stream(1, 1, 6, 4), torch.ones(1, 1, 6, 4)
    weights = attention_weights(attention_scores(q, k), causal_mask(6))[0, 0]
    expected = torch.tril(torch.ones(6, 6)) / torch.arange(1, 7)[:, None]
    torch.testing.assert_close(weights, expected)


@pytest.mark.parametrize("head_dim", [1, 4, 5, 64])
def test_scores_are_dot_products_over_the_root_of_the_head_width(head_dim: int) -> None:
    q, k = stream(2, 3, 5, head_dim), stream(2, 3, 5, head_dim, seed=1)
    expected = torch.einsum("bhik,bhjk->bhij", q, k) / math.sqrt(head_dim)
    torch.testing.assert_close(attention_scores(q, k), expected, rtol=1e-5, atol=1e-6)


def test_the_mask_is_true_exactly_above_the_diagonal() -> None:
    mask = causal_mask(9)
    assert mask.dtype == torch.bool
    assert all(bool(mask[i, j]) == (j > i) for i in range(9) for j in range(9))


def test_splitting_reads_consecutive_features_and_merging_undoes_it() -> None:
    x = stream(2, 5, 12)
    split = split_heads(x, 3)
    assert split.shape == (2, 3, 5, 4)
    for head in range(3):
        assert torch.equal(split[:, head], x[:, :, 4 * head : 4 * head + 4])
    assert torch.equal(merge_heads(split), x)


def test_the_mask_is_a_buffer_and_not_part_of_the_state_dict(
    attention: MultiHeadAttention, tiny: GPTConfig
) -> None:
    assert not any("mask" in name for name in attention.state_dict())
    (mask,) = attention.buffers()
    assert torch.equal(mask, causal_mask(tiny.context_length))


def test_its_parts_stand_in_the_order_of_construction(attention: MultiHeadAttention) -> None:
    parts = ["W_query", "W_key", "W_value", "out_proj", "dropout"]
    assert [name for name, _ in attention.named_children()] == parts
    assert attention.out_proj.bias is not None


def test_a_forward_changes_neither_input_nor_mask(
    attention: MultiHeadAttention, tiny: GPTConfig
) -> None:
    x = stream(2, 5, tiny.emb_dim)
    before, mask = x.clone(), attention.mask.clone()
    attention(x)
    assert torch.equal(x, before)
    assert torch.equal(attention.mask, mask)
