"""A deep network with and without shortcuts, as in section 4.4 of the book."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from torch import Tensor, nn

from gptcore.feed_forward import GELU


class DeepNetwork(nn.Module):
    """Linear layers, each followed by an activation, whose inputs may be added to their outputs.

    The addition needs equal shapes: a layer that changes the width has no shortcut.

    Args:
        layer_sizes: Widths from the input to the output: [3, 3, 1] makes the layers 3→3 and 3→1.
        use_shortcut: Whether to add where the shapes agree.
        activation: Makes the activation of one layer.

    Raises:
        ValueError: If there are fewer than two widths, or one is below 1.
    """

    def __init__(
        self,
        layer_sizes: Sequence[int],
        use_shortcut: bool,
        activation: Callable[[], nn.Module] = GELU,
    ) -> None:
        super().__init__()
        if len(layer_sizes) < 2 or min(layer_sizes) < 1:
            raise ValueError(
                f"layer_sizes must be at least two widths of at least 1; got {list(layer_sizes)}"
            )
        self.use_shortcut = use_shortcut
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(n_in, n_out), activation())
            for n_in, n_out in pairwise(layer_sizes)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Pass through every layer: (B, first width) -> (B, last width)."""
        for layer in self.layers:
            output = layer(x)
            x = x + output if self.use_shortcut and output.shape == x.shape else output
        return x
