"""What a GPT-2 is made of: eight numbers and switches, and the sizes that have a name."""

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class GPTConfig:
    """Describe one GPT-2; the field names are the book's.

    Attributes:
        vocab_size: Tokens that can be read and predicted (V).
        context_length: Positions that have an embedding; no sequence is longer.
        emb_dim: Width of the residual stream (D).
        n_heads: Attention heads (H); each works on D / H features.
        n_layers: Transformer blocks.
        drop_rate: Share of values that dropout zeroes in training, at least 0 and below 1.
        qkv_bias: Whether the query, key and value layers have a bias.
        tie_weights: Whether the output head is the token embedding's own matrix.

    Raises:
        ValueError: If a field has the wrong type or breaks its rule; names field, rule and value.
    """

    vocab_size: int
    context_length: int
    emb_dim: int
    n_heads: int
    n_layers: int
    drop_rate: float
    qkv_bias: bool
    tie_weights: bool = False

    def __post_init__(self) -> None:
        for name in ("vocab_size", "context_length", "emb_dim", "n_heads", "n_layers"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1; got {value!r}")
        if type(self.drop_rate) not in (int, float) or not 0 <= self.drop_rate < 1:  # NaN fails too
            raise ValueError(
                f"drop_rate must be a number of at least 0 and below 1; got {self.drop_rate!r}"
            )
        object.__setattr__(self, "drop_rate", math.fabs(self.drop_rate))  # 0 and -0.0 -> 0.0
        for name in ("qkv_bias", "tie_weights"):
            value = getattr(self, name)
            if type(value) is not bool:
                raise ValueError(f"{name} must be True or False; got {value!r}")
        if self.emb_dim % self.n_heads:
            raise ValueError(
                "emb_dim must be divisible by n_heads, because every head gets an equal share; "
                f"got emb_dim {self.emb_dim} and n_heads {self.n_heads}"
            )

    @property
    def head_dim(self) -> int:
        """Features per head (K)."""
        return self.emb_dim // self.n_heads

    @property
    def hidden_dim(self) -> int:
        """Features between the two layers of the feed-forward (F)."""
        return 4 * self.emb_dim


GPT_CONFIG_124M = GPTConfig(
    vocab_size=50257,
    context_length=1024,
    emb_dim=768,
    n_heads=12,
    n_layers=12,
    drop_rate=0.1,
    qkv_bias=False,
)


def _size(emb_dim: int, n_layers: int, n_heads: int) -> GPTConfig:
    return replace(GPT_CONFIG_124M, emb_dim=emb_dim, n_layers=n_layers, n_heads=n_heads)


CONFIGS: dict[str, GPTConfig] = {
    "gpt-nano": replace(_size(48, 3, 3), context_length=64),
    "gpt-mini": replace(_size(192, 6, 6), context_length=256),
    "gpt2-small": GPT_CONFIG_124M,
    "gpt2-medium": _size(1024, 24, 16),
    "gpt2-large": _size(1280, 36, 20),
    "gpt2-xl": _size(1600, 48, 25),
    "gpt3-175b": replace(
        _size(12288, 96, 96), context_length=2048, qkv_bias=True, tie_weights=True
    ),
}
"""Sizes by name. The GPT-2 family changes only emb_dim, n_layers and n_heads (Radford et al.,
2019); GPT-3 175B is from Brown et al., 2020, table 2.1, and is counted, never allocated."""
