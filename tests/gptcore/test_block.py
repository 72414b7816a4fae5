"""The block is norm, operate, drop, add; twice."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from gptcore import GPTConfig, TransformerBlock
from gptcore.attention import causal_mask
from gptcore.seeding import seeded


def build(cfg: GPTConfig) -> TransformerBlock:
    with seeded(6):
        return TransformerBlock(cfg).eval()


def stream(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def test_it_agrees_with_pytorchs_pre_norm_encoder_layer(tiny: GPTConfig) -> None:
    """With a causal mask that layer is GPT-2's block."""
    ours = build(replace(tiny, qkv_bias=True))
    theirs = nn.TransformerEncoderLayer(
        tiny.emb_dim,
        tiny.n_heads,
        dim_feedforward=4 * tiny.emb_dim,
        activation=nn.GELU(approximate="tanh"),
        norm_first=True,
        batch_first=True,
    ).eval()
    qkv = (ours.att.W_query, ours.att.W_key, ours.att.W_value)
    state = ours.state_dict()
    theirs.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat([part.weight for part in qkv]),
            "self_attn.in_proj_bias": torch.cat([part.bias for part in qkv]),
            "self_attn.out_proj.weight": state["att.out_proj.weight"],
            "self_attn.out_proj.bias": state["att.out_proj.bias"],
            "linear1.weight": state["ff.layers.0.weight"],
            "linear1.bias": state["ff.layers.0.bias"],
            "linear2.weight": state["ff.layers.2.weight"],
            "linear2.bias": state["ff.layers.2.bias"],
            "norm1.weight": state["norm1.scale"],
            "norm1.bias": state["norm1.shift"],
            "norm2.weight": state["norm2.scale"],
            "norm2.bias": state["norm2.shift"],
        }
    )
    x = stream(2, 7, tiny.emb_dim)
    with torch.no_grad():
        expected = theirs(x, src_mask=causal_mask(7))
        torch.testing.assert_close(ours(x), expected, rtol=1e-5, atol=1e-5)


def test_it_adds_attention_and_then_feed_forward_to_the_stream(tiny: GPTConfig) -> None:
    block = build(tiny)
    x = stream(2, 7, tiny.emb_dim)
    with torch.no_grad():
        middle = x + block.att(block.norm1(x))
        assert torch.equal(block(x), middle + block.ff(block.norm2(middle)))


@pytest.mark.parametrize("shape", [(1, 1), (1, 13), (4, 5)])
def test_the_shape_of_the_stream_never_changes(tiny: GPTConfig, shape: tuple[int, int]) -> None:
    x = stream(*shape, tiny.emb_dim)
    assert build(tiny)(x).shape == x.shape


def test_its_parts_stand_in_the_order_of_construction(tiny: GPTConfig) -> None:
    parts = ["att", "ff", "norm1", "norm2", "drop_shortcut"]
    assert [name for name, _ in build(tiny).named_children()] == parts


def test_an_edit_changes_its_own_position_and_later_ones_only(tiny: GPTConfig) -> None:
    block = build(tiny)
    x = stream(1, 13, tiny.emb_dim)
    for edited in range(13):
        other = x.clone()
        other[:, edited] = x[:, edited].flip(-1)  # adding a number would be lost in the norm
        with torch.no_grad():
            changed = (block(x) != block(other)).any(dim=-1)[0]
        assert changed.tolist() == [position >= edited for position in range(13)]


def test_a_forward_leaves_its_input_as_it_is(tiny: GPTConfig) -> None:
    x = stream(2, 5, tiny.emb_dim)
    before = x.clone()
    build(tiny)(x)
    assert torch.equal(x, before)


def test_in_train_mode_dropout_touches_attention_and_both_additions(tiny: GPTConfig) -> None:
    block = build(replace(tiny, drop_rate=0.5)).train()
    dropouts = [name for name, m in block.named_modules() if isinstance(m, nn.Dropout)]
    assert dropouts == ["att.dropout", "drop_shortcut"]
    x = stream(1, 13, tiny.emb_dim)
    with seeded(0):
        first = block(x)
    with seeded(1):
        second = block(x)
    assert not torch.equal(first, second)
    assert not torch.equal(first, block.eval()(x))
