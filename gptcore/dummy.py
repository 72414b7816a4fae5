"""The shell with placeholders, as in section 4.1 of the book: the wiring, no mathematics."""

import torch
from torch import Tensor, nn

from gptcore.config import GPTConfig
from gptcore.model import check_token_ids


class DummyTransformerBlock(nn.Module):
    """Stand where a transformer block will be, and pass everything through."""

    def __init__(self, cfg: GPTConfig) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        """Return the input: (B, T, D) -> (B, T, D)."""
        return x


class DummyLayerNorm(nn.Module):
    """Stand where a LayerNorm will be, and pass everything through."""

    def __init__(self, emb_dim: int) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        """Return the input: (..., D) -> (..., D)."""
        return x


class DummyGPTModel(nn.Module):
    """A GPT whose blocks and final norm are placeholders; its output has the right shape."""

    def __init__(self, cfg: GPTConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.tok_emb = nn.Embedding(cfg.vocab_size, cfg.emb_dim)
        self.pos_emb = nn.Embedding(cfg.context_length, cfg.emb_dim)
        self.drop_emb = nn.Dropout(cfg.drop_rate)
        self.trf_blocks = nn.Sequential(*[DummyTransformerBlock(cfg) for _ in range(cfg.n_layers)])
        self.final_norm = DummyLayerNorm(cfg.emb_dim)
        self.out_head = nn.Linear(cfg.emb_dim, cfg.vocab_size, bias=False)
        if cfg.tie_weights:
            self.out_head.weight = self.tok_emb.weight

    def forward(self, token_ids: Tensor) -> Tensor:
        """Score every vocabulary entry at every position: (B, T) -> (B, T, V).

        Raises:
            ValueError: See `gptcore.model.check_token_ids`.
        """
        check_token_ids(token_ids, self.cfg)
        positions = torch.arange(token_ids.shape[1], device=token_ids.device)
        x = self.tok_emb(token_ids) + self.pos_emb(positions)  # (B, T, D) + (T, D)
        x = self.drop_emb(x)
        x = self.trf_blocks(x)
        x = self.final_norm(x)
        logits: Tensor = self.out_head(x)  # (B, T, D) -> (B, T, V)
        return logits
