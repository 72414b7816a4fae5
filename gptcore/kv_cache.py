"""The KV cache: every token is read once, and its keys and values are kept for the later ones.

A later position never changes what an earlier one computed, because of the causal mask. So a new
token needs only its own query, and the keys and values of all before it. The model knows nothing of
this: the cache is on a private copy, which shares every parameter.
"""

from typing import cast

import torch
from torch import Tensor, nn

from gptcore.attention import MultiHeadAttention
from gptcore.block import TransformerBlock
from gptcore.model import GPTModel
from gptcore.sharing import private_copy
from gptcore.split_linear import split_linears


class CachedAttention(nn.Module):
    """Attention that keeps the keys and values of the positions it has read.

    Args:
        att: The attention whose layers it uses.
        context_length: Positions there is room for.
    """

    def __init__(self, att: MultiHeadAttention, context_length: int) -> None:
        super().__init__()
        self.att = att
        self.context_length = context_length
        self.keys = self.values = torch.empty(0)
        self.n_seen = 0

    def _append(self, k: Tensor, v: Tensor) -> None:
        """Write what T new positions have, (B, H, T, K) each, behind what is there."""
        batch, n_heads, n_tokens, head_dim = k.shape
        if self.n_seen == 0:  # memory is only taken as positions are written
            self.keys = k.new_empty(batch, n_heads, self.context_length, head_dim)
            self.values = torch.empty_like(self.keys)
        end = self.n_seen + n_tokens
        self.keys[:, :, self.n_seen : end] = k
        self.values[:, :, self.n_seen : end] = v
        self.n_seen = end

    def forward(self, x: Tensor) -> Tensor:
        """Mix T new positions with all before them: (B, T, D) -> (B, T, D)."""
        q, k, v = self.att.project(x)
        self._append(k, v)
        return self.att.attend(q, self.keys[:, :, : self.n_seen], self.values[:, :, : self.n_seen])


class CachedReader:
    """Reads a growing sequence with a model, each token once.

    Args:
        model: Stays as it is, in every respect.

    Attributes:
        n_seen: Tokens read so far.
    """

    def __init__(self, model: GPTModel) -> None:
        self.model = private_copy(model)
        self._attentions = []
        for block in self.model.trf_blocks:
            block = cast(TransformerBlock, block)
            cached = CachedAttention(block.att, model.cfg.context_length)
            block.att = cached  # type: ignore[assignment]
            self._attentions.append(cached)
        split_linears(self.model)
        self.n_seen = 0
        self._begun: Tensor | None = None  # (B, T, D) after the first block

    def begin(self, token_ids: Tensor) -> None:
        """Run T more tokens, (B, T), through the first block; `read` them next, and it goes on there.

        Raises:
            ValueError: See `read`.
        """
        if self.n_seen + token_ids.shape[1] > self.model.cfg.context_length:
            raise ValueError(
                f"a sequence must not be longer than context_length "
                f"{self.model.cfg.context_length:,}; got {token_ids.shape[1]:,} tokens "
                f"after {self.n_seen:,}"
            )
        with torch.no_grad():
            embedded = self.model.embed(token_ids, first_position=self.n_seen)
            self._begun = self.model.trf_blocks[0](embedded)  # (B, T, D)

    def read(self, token_ids: Tensor) -> Tensor:
        """Read T more tokens and return the scores of what follows the last: (B, T) -> (B, V).

        Raises:
            ValueError: If they don't fit into the context behind those already read; see also
                `check_token_ids`.
        """
        if self._begun is None:
            self.begin(token_ids)
        x, self._begun = cast(Tensor, self._begun), None
        self.n_seen += token_ids.shape[1]
        with torch.no_grad():
            for block in list(self.model.trf_blocks)[1:]:
                x = block(x)  # (B, T, D)
            last = self.model.final_norm(
                x[:, -1]
            )  # the head reads one position: (B, T, D) -> (B, D)
            logits: Tensor = self.model.out_head(last)  # (B, D) -> (B, V)
        return logits

    def forget(self) -> None:
        """Start over with an empty sequence."""
        self.n_seen, self._begun = 0, None
        for attention in self._attentions:
            attention.n_seen = 0
