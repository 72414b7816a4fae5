"""GELU and the feed-forward network, as in section 4.3 of the book."""

import math

import torch
from torch import Tensor, nn

from gptcore.config import GPTConfig


class GELU(nn.Module):
    """Gaussian error linear unit in the tanh form that GPT-2 uses (Hendrycks & Gimpel, 2016)."""

    def forward(self, x: Tensor) -> Tensor:
        """Multiply every value by a gate between 0 and 1; the shape stays."""
        cubed = 0.044715 * x * x * x
        gate = 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + cubed)))
        return x * gate


class FeedForward(nn.Module):
    """Widen every token to four times the features, apply GELU, and narrow it again.

    Every position is transformed on its own: nothing here looks at another token.
    """

    def __init__(self, cfg: GPTConfig) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(cfg.emb_dim, cfg.hidden_dim),  # (B, T, D) -> (B, T, F)
            GELU(),
            nn.Linear(cfg.hidden_dim, cfg.emb_dim),  # (B, T, F) -> (B, T, D)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Transform each position: (B, T, D) -> (B, T, D)."""
        output: Tensor = self.layers(x)
        return output
