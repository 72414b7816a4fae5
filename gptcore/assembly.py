"""From the shell to the model, one part at a time: each part is a placeholder until it is real.

A placeholder passes its input through, so the wiring can be tried before there is any mathematics.
"""

from typing import cast

from torch import Tensor, nn

from gptcore.model import GPTModel
from gptcore.trace import Tap
from gptcore.variants import VariantBlock, Wiring, rewire

PARTS = ("layer_norm", "attention", "feed_forward", "shortcuts", "final_norm")
"""In the chapter's order of construction; embeddings and head are real from the start."""

_TAPS = (Tap("resid_mid", "meeting", "in", "(B, T, D)"), Tap("resid_post", "", "out", "(B, T, D)"))


class Placeholder(nn.Module):
    """Stand where a part will be, and pass everything through."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the input, whatever its shape."""
        return x


def assemble(model: GPTModel, real: frozenset[str]) -> GPTModel:
    """Return a private copy of the model in which only the parts named in `real` are real.

    With all of `PARTS` it computes what the model computes; with none, what the shell does.

    Raises:
        ValueError: If a part is unknown.
    """
    if unknown := real - set(PARTS):
        raise ValueError(
            f"parts must be among {', '.join(PARTS)}; got {', '.join(sorted(unknown))}"
        )
    shell = rewire(model, Wiring(shortcuts="shortcuts" in real))
    for block in cast("list[VariantBlock]", list(shell.trf_blocks)):
        if "layer_norm" not in real:
            block.add_module("norm1", Placeholder())
            block.add_module("norm2", Placeholder())
        if "attention" not in real:
            block.add_module("att", Placeholder())
        if "feed_forward" not in real:
            block.add_module("ff", Placeholder())
        block.taps = _TAPS  # type: ignore[misc]
    if "final_norm" not in real:
        shell.add_module("final_norm", Placeholder())
    return shell
