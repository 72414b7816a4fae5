"""The real code of every operation, with the lines that belong to it marked."""

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from gptcore.attention import (
    MultiHeadAttention,
    attention_scores,
    attention_weights,
    merge_heads,
    split_heads,
)
from gptcore.block import TransformerBlock
from gptcore.feed_forward import GELU, FeedForward
from gptcore.generate import plain_steps
from gptcore.layer_norm import LayerNorm
from gptcore.model import GPTModel
from gptcore.tokenizer import encode


@dataclass(frozen=True)
class Excerpt:
    """Where an operation's code is.

    Attributes:
        item: What is shown.
        marks: Parts of the lines that belong to the operation.
        occurrence: Which of the lines with a mark, if only one: 0 for the first.
    """

    item: Callable[..., object] | type
    marks: tuple[str, ...] = ()
    occurrence: int | None = None

    def show(self) -> dict[str, object]:
        """Return `name`, the source's `lines` and the indices of the `marked` ones.

        Raises:
            LookupError: If a mark stands in no line: the code has changed.
        """
        lines = textwrap.dedent(inspect.getsource(self.item)).rstrip().splitlines()
        marked: list[int] = []
        for mark in self.marks:
            found = [i for i, line in enumerate(lines) if mark in line]
            if not found:
                raise LookupError(f"no line of {self.item.__qualname__} holds {mark!r}")
            marked += found if self.occurrence is None else [found[self.occurrence]]
        name = f"{self.item.__module__}.{self.item.__qualname__}"
        return {"name": name, "lines": lines, "marked": sorted(marked)}


_START, _MODEL, _BLOCK = GPTModel.embed, GPTModel.hidden_states, TransformerBlock.forward
_EMBED = Excerpt(_START, ("self.tok_emb(token_ids) + self.pos_emb(positions)",))
_BLOCKS = Excerpt(_MODEL, ("self.trf_blocks(x)",))
_NORM = Excerpt(LayerNorm.forward)

EXCERPTS = {
    "tokens": Excerpt(encode, ("return _encoding().encode(",)),
    "tok_emb": _EMBED,
    "pos_emb": Excerpt(_START, ("torch.arange(", "self.pos_emb(positions)")),
    "add_emb": _EMBED,
    "drop_emb": Excerpt(_START, ("self.drop_emb(x)",)),
    "earlier": _BLOCKS,
    "norm1": _NORM,
    "qkv": Excerpt(
        MultiHeadAttention.project, ("self.W_query(x)", "self.W_key(x)", "self.W_value(x)")
    ),
    "split": Excerpt(split_heads, ("return ",)),
    "scores": Excerpt(attention_scores, ("return ",)),
    "mask": Excerpt(attention_weights, ("masked_fill(",)),
    "softmax": Excerpt(attention_weights, ("torch.softmax(",)),
    "weighted": Excerpt(MultiHeadAttention.attend, ("weights @ v",)),
    "merge": Excerpt(merge_heads, ("return ",)),
    "out_proj": Excerpt(MultiHeadAttention.attend, ("self.out_proj(context)",)),
    "drop_att": Excerpt(_BLOCK, ("self.drop_shortcut(x)",), 0),
    "add_att": Excerpt(_BLOCK, ("x = x + shortcut",), 0),
    "norm2": _NORM,
    "ff_up": Excerpt(FeedForward.__init__, ("nn.Linear(cfg.emb_dim, cfg.hidden_dim)",)),
    "gelu": Excerpt(GELU.forward, ("return ",)),
    "ff_down": Excerpt(FeedForward.__init__, ("nn.Linear(cfg.hidden_dim, cfg.emb_dim)",)),
    "drop_ff": Excerpt(_BLOCK, ("self.drop_shortcut(x)",), 1),
    "add_ff": Excerpt(_BLOCK, ("x = x + shortcut",), 1),
    "later": _BLOCKS,
    "final_norm": Excerpt(_MODEL, ("self.final_norm(x)",)),
    "out_head": Excerpt(GPTModel.forward, ("self.out_head(",)),
    "probs": Excerpt(plain_steps, ("[:, -1, :]", "torch.softmax(")),
    "next": Excerpt(plain_steps, ("torch.argmax(", "torch.cat(")),
}
"""By the names of `explorer.measure.STOPS`."""


@lru_cache(maxsize=1)
def source_excerpts() -> dict[str, dict[str, object]]:
    """Return every operation's source as the browser gets it."""
    return {stop: excerpt.show() for stop, excerpt in EXCERPTS.items()}
