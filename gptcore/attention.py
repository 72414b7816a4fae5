"""Causal multi-head self-attention (Vaswani et al., 2017), as in chapter 3 of the book."""

import math

import torch
from torch import Tensor, nn

from gptcore.config import GPTConfig


def causal_mask(context_length: int) -> Tensor:
    """Return a boolean (T, T) that is True where a position would look at a later one."""
    positions = torch.arange(context_length)
    return positions[:, None] < positions  # row: who looks; column: who is looked at


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """Read every token's features as one slice a head: (B, T, D) -> (B, H, T, K)."""
    batch, n_tokens, emb_dim = x.shape
    return x.view(batch, n_tokens, n_heads, emb_dim // n_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """Lay the heads' slices side by side again: (B, H, T, K) -> (B, T, D)."""
    return x.transpose(1, 2).flatten(2)


def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    """Match queries with keys, scaled by 1/√K: (B, H, T, K), (B, H, S, K) -> (B, H, T, S)."""
    return (q / math.sqrt(q.shape[-1])) @ k.transpose(2, 3)


def attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """Hide later positions and make every row sum to 1; the shape stays, (B, H, T, S)."""
    return torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)


class MultiHeadAttention(nn.Module):
    """Let every position take in weighted values of the positions before it and of itself."""

    mask: Tensor

    def __init__(self, cfg: GPTConfig) -> None:
        super().__init__()
        self.n_heads = cfg.n_heads
        self.W_query = nn.Linear(cfg.emb_dim, cfg.emb_dim, bias=cfg.qkv_bias)
        self.W_key = nn.Linear(cfg.emb_dim, cfg.emb_dim, bias=cfg.qkv_bias)
        self.W_value = nn.Linear(cfg.emb_dim, cfg.emb_dim, bias=cfg.qkv_bias)
        self.out_proj = nn.Linear(cfg.emb_dim, cfg.emb_dim)
        self.dropout = nn.Dropout(cfg.drop_rate)
        self.register_buffer("mask", causal_mask(cfg.context_length), persistent=False)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Make every head's queries, keys and values: (B, T, D) -> three (B, H, T, K)."""
        q = split_heads(self.W_query(x), self.n_heads)
        k = split_heads(self.W_key(x), self.n_heads)
        v = split_heads(self.W_value(x), self.n_heads)
        return q, k, v

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Let the last T of S positions look at all S that are there: -> (B, T, D).

        Args:
            q: Queries of the last T positions, (B, H, T, K).
            k: Keys of all positions, (B, H, S, K); S is T unless earlier ones are cached.
            v: Values, likewise.
        """
        n_tokens, n_seen = q.shape[2], k.shape[2]
        scores = attention_scores(q, k)  # (B, H, T, S)
        weights = attention_weights(scores, self.mask[n_seen - n_tokens : n_seen, :n_seen])
        weights = self.dropout(weights)

        context = merge_heads(weights @ v)  # (B, H, T, K) -> (B, T, D)
        output: Tensor = self.out_proj(context)
        return output

    def forward(self, x: Tensor) -> Tensor:
        """Mix the positions: (B, T, D) -> (B, T, D)."""
        return self.attend(*self.project(x))
