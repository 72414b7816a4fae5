"""What one forward pass did, by name, without the model knowing.

Only the module objects are copied; every parameter and buffer is shared with the model. The hooks
are on the copy, which is thrown away, so any number of threads can watch one model at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from gptcore.model import GPTModel
from gptcore.sharing import private_copy

Observer = Callable[[str, int | None, Tensor], None]
"""Called with a tensor's name, its block (None outside the blocks), and the tensor."""


@dataclass(frozen=True)
class Tap:
    """Where a named tensor is seen: at the input or the output of a module."""

    name: str
    module: str
    side: Literal["in", "out"]
    shape: str


BLOCK_TAPS = (
    Tap("resid_pre", "", "in", "(B, T, D)"),
    Tap("norm1_out", "norm1", "out", "(B, T, D)"),
    Tap("q", "att.W_query", "out", "(B, T, D)"),
    Tap("k", "att.W_key", "out", "(B, T, D)"),
    Tap("v", "att.W_value", "out", "(B, T, D)"),
    Tap("attn_weights", "att.dropout", "in", "(B, H, T, T)"),
    Tap("attn_out", "att", "out", "(B, T, D)"),
    Tap("resid_mid", "norm2", "in", "(B, T, D)"),
    Tap("norm2_out", "norm2", "out", "(B, T, D)"),
    Tap("ff_pre", "ff.layers.1", "in", "(B, T, F)"),
    Tap("ff_hidden", "ff.layers.1", "out", "(B, T, F)"),
    Tap("ff_out", "ff", "out", "(B, T, D)"),
    Tap("resid_post", "", "out", "(B, T, D)"),
)
MODEL_TAPS = (
    Tap("tok", "tok_emb", "out", "(B, T, D)"),
    Tap("pos", "pos_emb", "out", "(T, D)"),
    Tap("embed", "drop_emb", "out", "(B, T, D)"),
    Tap("final_norm_in", "final_norm", "in", "(B, T, D)"),
    Tap("final_norm_out", "final_norm", "out", "(B, T, D)"),
    Tap("logits", "out_head", "out", "(B, T, V)"),
)


@dataclass
class BlockTrace:
    """The tensors of one block, as in `BLOCK_TAPS`; B batch, T tokens, D features, F = 4 D."""

    resid_pre: Tensor = field(init=False)  # (B, T, D)
    norm1_out: Tensor = field(init=False)  # (B, T, D)
    q: Tensor = field(init=False)  # (B, T, D)
    k: Tensor = field(init=False)  # (B, T, D)
    v: Tensor = field(init=False)  # (B, T, D)
    attn_weights: Tensor = field(init=False)  # (B, H, T, T)
    attn_out: Tensor = field(init=False)  # (B, T, D)
    resid_mid: Tensor = field(init=False)  # (B, T, D)
    norm2_out: Tensor = field(init=False)  # (B, T, D)
    ff_pre: Tensor = field(init=False)  # (B, T, F)
    ff_hidden: Tensor = field(init=False)  # (B, T, F)
    ff_out: Tensor = field(init=False)  # (B, T, D)
    resid_post: Tensor = field(init=False)  # (B, T, D)


@dataclass
class GPTTrace:
    """The tensors of one forward pass, as in `MODEL_TAPS`, and one `BlockTrace` a block."""

    tok: Tensor = field(init=False)  # (B, T, D)
    pos: Tensor = field(init=False)  # (T, D)
    embed: Tensor = field(init=False)  # (B, T, D)
    blocks: list[BlockTrace]
    final_norm_in: Tensor = field(init=False)  # (B, T, D)
    final_norm_out: Tensor = field(init=False)  # (B, T, D)
    logits: Tensor = field(init=False)  # (B, T, V)


def _attach(module: nn.Module, tap: Tap, block: int | None, observer: Observer) -> None:
    """Show the observer what passes one side of a module."""
    target = module.get_submodule(tap.module)
    if tap.side == "in":

        def before(_: nn.Module, args: tuple[Tensor, ...]) -> None:
            observer(tap.name, block, args[0])

        target.register_forward_pre_hook(before)
    else:

        def after(_: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
            observer(tap.name, block, output)

        target.register_forward_hook(after)


def watch_gpt(model: GPTModel, token_ids: Tensor, observer: Observer) -> Tensor:
    """Run the model once and show every named tensor to `observer` as it goes by.

    Keep what you reduce and not the tensors, and the pass takes hardly more memory than a plain
    one. An observer that raises ends the pass.

    Args:
        model: Stays as it is, in every respect.
        token_ids: (B, T) integers.
        observer: See `Observer`; the names are those of `MODEL_TAPS` and `BLOCK_TAPS`.

    Returns:
        The logits, (B, T, V), without gradients.
    """
    watched = private_copy(model)
    for tap in MODEL_TAPS:
        _attach(watched, tap, None, observer)
    for index, block in enumerate(watched.trf_blocks):
        for tap in getattr(block, "taps", BLOCK_TAPS):
            _attach(block, tap, index, observer)
    with torch.no_grad():
        logits: Tensor = watched(token_ids)
    return logits


def trace_gpt(model: GPTModel, token_ids: Tensor) -> GPTTrace:
    """Run the model once and keep every named tensor: `trace_gpt(m, ids).blocks[2].attn_weights`.

    At 1,024 tokens of GPT-2 small this keeps about 2 GB; `watch_gpt` needs none of it.
    """
    trace = GPTTrace([BlockTrace() for _ in range(model.cfg.n_layers)])

    def keep(name: str, block: int | None, tensor: Tensor) -> None:
        setattr(trace if block is None else trace.blocks[block], name, tensor)

    watch_gpt(model, token_ids, keep)
    return trace
