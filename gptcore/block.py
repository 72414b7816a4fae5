"""The transformer block, as in section 4.5 of the book: norm, operate, drop, add; twice."""

from torch import Tensor, nn

from gptcore.attention import MultiHeadAttention
from gptcore.config import GPTConfig
from gptcore.feed_forward import FeedForward
from gptcore.layer_norm import LayerNorm


class TransformerBlock(nn.Module):
    """Add to the stream what attention finds, then what the feed-forward finds (pre-LN)."""

    def __init__(self, cfg: GPTConfig) -> None:
        super().__init__()
        self.att = MultiHeadAttention(cfg)
        self.ff = FeedForward(cfg)
        self.norm1 = LayerNorm(cfg.emb_dim)
        self.norm2 = LayerNorm(cfg.emb_dim)
        self.drop_shortcut = nn.Dropout(cfg.drop_rate)

    def forward(self, x: Tensor) -> Tensor:
        """Transform the stream, whose shape stays: (B, T, D) -> (B, T, D)."""
        shortcut = x
        x = self.norm1(x)
        x = self.att(x)
        x = self.drop_shortcut(x)
        x = x + shortcut

        shortcut = x
        x = self.norm2(x)
        x = self.ff(x)
        x = self.drop_shortcut(x)
        x = x + shortcut
        return x
