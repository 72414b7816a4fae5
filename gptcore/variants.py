"""What if: the same weights, wired otherwise. The book's own modules stay as they are."""

from dataclasses import dataclass
from typing import ClassVar, Literal, cast

import torch
from torch import Tensor, nn

from gptcore.block import TransformerBlock
from gptcore.feed_forward import GELU
from gptcore.model import GPTModel
from gptcore.sharing import private_copy
from gptcore.trace import BLOCK_TAPS, Tap

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
