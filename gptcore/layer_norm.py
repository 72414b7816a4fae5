"""Layer normalisation (Ba et al., 2016), as in section 4.2 of the book."""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Bring every token's features to mean 0 and variance 1, then scale and shift them.

    The variance is the population's (divided by n), as in GPT-2's own TensorFlow code.

    Args:
        emb_dim: Number of features, the last axis of the input.
    """

    def __init__(self, emb_dim: int) -> None:
        super().__init__()
        self.eps = 1e-5
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise over the last axis: (..., D) -> (..., D)."""
        mean = x.mean(dim=-1, keepdim=True)  # (..., D) -> (..., 1)
        centred = x - mean
        var = (centred * centred).mean(dim=-1, keepdim=True)  # divided by n
        norm_x = centred / torch.sqrt(var + self.eps)
        return self.scale * norm_x + self.shift
