"""Greedy decoding, as in section 4.7 of the book: the likeliest token, again and again."""

from collections.abc import Iterator

import torch
from torch import Tensor

from gptcore.model import GPTModel


def greedy_steps(
    model: GPTModel, token_ids: list[int], max_new_tokens: int
) -> Iterator[tuple[int, Tensor]]:
    """Yield each new token's ID and the logits (V,) it was chosen from, as soon as it is known.

    Stop asking, and no further token is computed.

    Raises:
        ValueError: If `token_ids` is empty or holds an ID outside the vocabulary, or
            `max_new_tokens` is negative.
    """
    if type(max_new_tokens) is not int or max_new_tokens < 0:
        raise ValueError(
            f"max_new_tokens must be a whole number of at least 0; got {max_new_tokens!r}"
        )
    if not token_ids:
        raise ValueError("token_ids must hold at least one token; got an empty list")
    last = model.cfg.vocab_size - 1
    for token_id in token_ids:
        if type(token_id) is not int or not 0 <= token_id <= last:
            raise ValueError(
                f"token IDs must be whole numbers from 0 to vocab_size - 1 = {last:,}; "
                f"got {token_id!r}"
            )
    ids = torch.tensor([token_ids])  # (1, T)
    for _ in range(max_new_tokens):
        cropped = ids[:, -model.cfg.context_length :]
        with torch.no_grad():
            logits = model(cropped)[:, -1, :]  # (1, T, V) -> (1, V)
        probs = torch.softmax(logits, dim=-1)
        next_id = torch.argmax(probs, dim=-1, keepdim=True)  # (1, V) -> (1, 1)
        ids = torch.cat((ids, next_id), dim=1)  # (1, T) -> (1, T + 1)
        yield int(next_id), logits[0]


def generate_greedy(model: GPTModel, token_ids: list[int], max_new_tokens: int) -> list[int]:
    """Return `token_ids` followed by `max_new_tokens` greedy ones.

    Raises:
        ValueError: See `greedy_steps`.
    """
    return token_ids + [token for token, _ in greedy_steps(model, token_ids, max_new_tokens)]
