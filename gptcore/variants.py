"""What if: the same weights wired otherwise or in train mode, or the same wiring begun otherwise.

The book's own modules stay as they are.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

import torch
from torch import Tensor, nn

from gptcore.block import TransformerBlock
from gptcore.building import build_model
from gptcore.config import GPTConfig
from gptcore.feed_forward import GELU
from gptcore.model import GPTModel
from gptcore.sharing import private_copy
from gptcore.trace import BLOCK_TAPS, Tap

GPT2_STD = 0.02
"""Standard deviation of GPT-2's own initial weights."""

ACTIVATIONS: dict[str, type[nn.Module]] = {"gelu": GELU, "relu": nn.ReLU, "tanh": nn.Tanh}


@dataclass(frozen=True)
class Wiring:
    """How the parts of a block are put together; the defaults are GPT-2's.

    Attributes:
        norm: LayerNorm inside the branch ("pre"), after each addition ("post"), or left out.
        shortcuts: Whether a branch's input is added to its output.
        activation: Between the two layers of the feed-forward.
        causal: Whether later positions are hidden.
    """

    norm: Literal["pre", "post", "none"] = "pre"
    shortcuts: bool = True
    activation: Literal["gelu", "relu", "tanh"] = "gelu"
    causal: bool = True


class VariantBlock(nn.Module):
    """A transformer block with the parts of another and a wiring of its own."""

    # norm2 no longer stands where the two halves meet, so the meeting point has a module of its own.
    taps: ClassVar[tuple[Tap, ...]] = tuple(
        Tap(tap.name, "meeting", "in", tap.shape) if tap.name == "resid_mid" else tap
        for tap in BLOCK_TAPS
    )

    def __init__(self, block: TransformerBlock, wiring: Wiring) -> None:
        super().__init__()
        self.wiring = wiring
        self.att = block.att
        self.ff = block.ff
        self.norm1 = block.norm1
        self.norm2 = block.norm2
        self.drop_shortcut = block.drop_shortcut
        self.meeting = nn.Identity()
        self.ff.layers[1] = ACTIVATIONS[wiring.activation]()
        if not wiring.causal:
            self.att.mask = torch.zeros_like(self.att.mask)
        self.train(block.training)

    def _half(self, x: Tensor, norm: nn.Module, operate: nn.Module) -> Tensor:
        shortcut = x
        if self.wiring.norm == "pre":
            x = norm(x)
        x = self.drop_shortcut(operate(x))
        if self.wiring.shortcuts:
            x = x + shortcut
        if self.wiring.norm == "post":
            x = norm(x)
        return x

    def forward(self, x: Tensor) -> Tensor:
        """Transform the stream: (B, T, D) -> (B, T, D)."""
        x = self.meeting(self._half(x, self.norm1, self.att))
        return self._half(x, self.norm2, self.ff)


def rewire(model: GPTModel, wiring: Wiring) -> GPTModel:
    """Return a private copy of the model, on the same weights, whose blocks are wired otherwise."""
    variant = private_copy(model)
    for index, block in enumerate(variant.trf_blocks):
        variant.trf_blocks[index] = VariantBlock(cast(TransformerBlock, block), wiring)
    return variant


def train_mode(model: GPTModel) -> GPTModel:
    """Return a private copy of the model, on the same weights, whose dropout is on.

    Run it inside `gptcore.seeding.seeded`: dropout draws from the global random state.
    """
    return private_copy(model).train()


def gpt2_initialised(
    cfg: GPTConfig, seed: int, on_block: Callable[[int], None] | None = None
) -> GPTModel:
    """Build a model that begins as GPT-2 did (Radford et al., 2019; its released TensorFlow code).

    Every matrix and embedding is drawn from N(0, 0.02²) and every bias is 0. The two layers of a
    block that end in an addition are then divided by √(2 n_layers), so that the stream's variance
    does not depend on the number of additions.

    Args:
        cfg: The configuration.
        seed: From 0 to 2³² − 1.
        on_block: Told after each block how many are built; may raise to give up.
    """
    model = build_model(cfg, seed, on_block)
    generator = torch.Generator().manual_seed(seed)
    residual_std = GPT2_STD / math.sqrt(2 * cfg.n_layers)
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2:
            ends_in_addition = name.endswith(("att.out_proj.weight", "ff.layers.2.weight"))
            std = residual_std if ends_in_addition else GPT2_STD
            nn.init.normal_(parameter, std=std, generator=generator)
        elif name.endswith(".bias"):
            nn.init.zeros_(parameter)
    return model
