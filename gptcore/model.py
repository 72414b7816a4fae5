"""The GPT model, as in section 4.6 of the book."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from gptcore.block import TransformerBlock
from gptcore.config import GPTConfig
from gptcore.layer_norm import LayerNorm


def check_token_ids(token_ids: Tensor, cfg: GPTConfig) -> None:
    """Refuse what no GPT of this configuration can read.

    Raises:
        ValueError: If `token_ids` is not a (B, T) tensor of int64 or int32, is empty, is longer
            than the context, or holds an ID outside the vocabulary.
    """
    if token_ids.ndim != 2 or token_ids.dtype not in (torch.int32, torch.int64):
        raise ValueError(
            "token_ids must be a (batch, tokens) tensor of int64 or int32; "
            f"got shape {tuple(token_ids.shape)} of {token_ids.dtype}"
        )
    n_tokens = token_ids.shape[1]
    if token_ids.numel() == 0:
        raise ValueError("token_ids must hold at least one token; got an empty sequence")
    if n_tokens > cfg.context_length:
        raise ValueError(
            f"a sequence must not be longer than context_length {cfg.context_length:,}; "
            f"got {n_tokens:,} tokens"
        )
    if token_ids.is_meta:  # shapes only: there are no values to look at
        return
    low, high = int(token_ids.min()), int(token_ids.max())
    if low < 0 or high >= cfg.vocab_size:
        wrong = low if low < 0 else high
        raise ValueError(
            f"token IDs must be from 0 to vocab_size - 1 = {cfg.vocab_size - 1:,}; got {wrong}"
        )


class GPTModel(nn.Module):
    """GPT-2 with PyTorch's default initialisation and nothing trained.

    Args:
        cfg: The configuration, kept as `model.cfg`.
        on_block: Told after each block that is built how many there are; may raise to give up.
    """

    def __init__(self, cfg: GPTConfig, on_block: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self.cfg = cfg
        self.tok_emb = nn.Embedding(cfg.vocab_size, cfg.emb_dim)
        self.pos_emb = nn.Embedding(cfg.context_length, cfg.emb_dim)
        self.drop_emb = nn.Dropout(cfg.drop_rate)
        self.trf_blocks = nn.Sequential()
        for n_built in range(1, cfg.n_layers + 1):
            self.trf_blocks.append(TransformerBlock(cfg))
            if on_block is not None:
                on_block(n_built)
        self.final_norm = LayerNorm(cfg.emb_dim)
        self.out_head = nn.Linear(cfg.emb_dim, cfg.vocab_size, bias=False)
        if cfg.tie_weights:
            self.out_head.weight = self.tok_emb.weight  # one tensor with two names

    def embed(self, token_ids: Tensor, first_position: int = 0) -> Tensor:
        """Begin the stream: (B, T) -> (B, T, D).

        Args:
            token_ids: (B, T) integers.
            first_position: Where the first of them stands; the earlier ones are in a KV cache.

        Raises:
            ValueError: See `check_token_ids`.
        """
        check_token_ids(token_ids, self.cfg)
        n_tokens = token_ids.shape[1]
        positions = torch.arange(first_position, first_position + n_tokens, device=token_ids.device)
        x = self.tok_emb(token_ids) + self.pos_emb(positions)  # (B, T, D) + (T, D)
        embedded: Tensor = self.drop_emb(x)
        return embedded

    def hidden_states(self, token_ids: Tensor) -> Tensor:
        """Run all but the head: (B, T) -> (B, T, D).

        Raises:
            ValueError: See `check_token_ids`.
        """
        x = self.embed(token_ids)  # (B, T) -> (B, T, D)
        x = self.trf_blocks(x)
        normalised: Tensor = self.final_norm(x)
        return normalised

    def forward(self, token_ids: Tensor) -> Tensor:
        """Score every vocabulary entry at every position: (B, T) -> (B, T, V).

        Raises:
            ValueError: See `check_token_ids`.
        """
        logits: Tensor = self.out_head(self.hidden_states(token_ids))  # (B, T, D) -> (B, T, V)
        return logits
