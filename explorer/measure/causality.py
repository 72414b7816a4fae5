"""Change one token and see what moves: the causal mask at work."""

import pandas as pd
import torch
from torch import Tensor

from explorer.measure.changes import changed_pass
from explorer.measure.progress import Progress, silent
from explorer.measure.tokens import token_text
from gptcore.model import GPTModel

MAX_EDITED_TOKENS = 64
"""Longer prompts are cut, so that the whole stream of one pass can be held against the other's."""


def _stream(model: GPTModel, ids: tuple[int, ...], change: str, on_step: Progress) -> list[Tensor]:
    """Return the stream into block 0 and after each addition, (T, D) each."""
    points: list[Tensor] = []

    def keep(name: str, block: int | None, tensor: Tensor) -> None:
        if name in ("resid_mid", "resid_post") or (name == "resid_pre" and block == 0):
            points.append(tensor[0])

    changed_pass(model, ids, change, 0, keep, on_step)
    return points


def moved_by_edit(
    model: GPTModel,
    token_ids: tuple[int, ...],
    position: int,
    new_id: int,
    causal: bool = True,
    on_step: Progress = silent,
) -> pd.DataFrame:
    """Put another token at one position, and compare the stream everywhere.

    Args:
        model: Stays as it is.
        token_ids: At most 64 tokens.
        position: Which one is replaced, from 0.
        new_id: What by.
        causal: Whether later positions are hidden.
        on_step: Told after each block.

    Returns:
        One row a point of the stream and position: `point` (0 for the stream into block 0, then one
        after each addition), `where` (its name), `position`, `token`, `moved` (largest absolute
        difference of any feature).

    Raises:
        ValueError: If there are too many tokens or the position isn't among them.
    """
    if len(token_ids) > MAX_EDITED_TOKENS or not 0 <= position < len(token_ids):
        raise ValueError(
            f"position must be below the number of tokens, at most {MAX_EDITED_TOKENS}; "
            f"got position {position} of {len(token_ids)}"
        )
    edited = (*token_ids[:position], new_id, *token_ids[position + 1 :])
    change = "none" if causal else "no_mask"
    before = _stream(model, token_ids, change, on_step)
    after = _stream(model, edited, change, on_step)
    moved = torch.stack([(a - b).abs().amax(-1) for a, b in zip(after, before, strict=True)])
    names = ["into block 0"]
    for block in range(model.cfg.n_layers):
        names += [f"block {block}, after attention", f"block {block}, after feed-forward"]
    return pd.DataFrame(
        [
            {"point": point, "where": name, "position": t, "token": token_text(edited[t])}
            | {"moved": moved[point, t].item()}
            for point, name in enumerate(names)
            for t in range(len(edited))
        ]
    )
