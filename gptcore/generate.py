"""Greedy decoding, as in section 4.7 of the book: the likeliest token, again and again.

Two loops give the same tokens: the plain one reads the whole sequence again for every token, the
cached one reads every token once.
"""

from collections.abc import Iterator
from itertools import islice

import torch
from torch import Tensor

from gptcore.kv_cache import CachedReader
from gptcore.model import GPTModel


def _check(model: GPTModel, token_ids: list[int], max_new_tokens: int) -> None:
    """Refuse what can't be continued."""
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


def plain_steps(model: GPTModel, ids: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Decode without end, reading everything again for every token; ids: (1, T)."""
    while True:
        cropped = ids[:, -model.cfg.context_length :]
        with torch.no_grad():
            logits = model(cropped)[:, -1, :]  # (1, T, V) -> (1, V)
        probs = torch.softmax(logits, dim=-1)
        next_id = torch.argmax(probs, dim=-1, keepdim=True)  # (1, V) -> (1, 1)
        ids = torch.cat((ids, next_id), dim=1)  # (1, T) -> (1, T + 1)
        yield next_id, logits


def cached_steps(
    model: GPTModel, ids: Tensor, reader: CachedReader | None = None
) -> Iterator[tuple[Tensor, Tensor]]:
    """Decode without end, reading every token once while the sequence fits; ids: (1, T).

    Past the context the window slides, and every token in it moves to another position: the cached
    keys and values were made with the old positions, so each step has to read all of it again.
    A reader of this model may have begun with these tokens.
    """
    reader = reader or CachedReader(model)
    unread = ids
    while True:
        if reader.n_seen + unread.shape[1] > model.cfg.context_length:
            reader.forget()
            unread = ids[:, -model.cfg.context_length :]
        logits = reader.read(unread)  # (1, T) -> (1, V)
        probs = torch.softmax(logits, dim=-1)
        unread = torch.argmax(probs, dim=-1, keepdim=True)  # (1, V) -> (1, 1)
        ids = torch.cat((ids, unread), dim=1)  # (1, T) -> (1, T + 1)
        yield unread, logits


def greedy_steps(
    model: GPTModel,
    token_ids: list[int],
    max_new_tokens: int,
    use_cache: bool = True,
    reader: CachedReader | None = None,
) -> Iterator[tuple[int, Tensor]]:
    """Yield each new token's ID and the logits (V,) it was chosen from, as soon as it is known.

    Stop asking, and no further token is computed.

    Args:
        model: In eval mode; stays as it is.
        token_ids: What is continued.
        max_new_tokens: How many to append.
        use_cache: Whether to keep keys and values.
        reader: For the cache, one that may have begun with these tokens.

    Raises:
        ValueError: If `token_ids` is empty or holds an ID outside the vocabulary, or
            `max_new_tokens` is negative.
    """
    _check(model, token_ids, max_new_tokens)
    ids = torch.tensor([token_ids])
    steps = cached_steps(model, ids, reader) if use_cache else plain_steps(model, ids)
    for next_id, logits in islice(steps, max_new_tokens):
        yield int(next_id), logits[0]


def generate_greedy(
    model: GPTModel, token_ids: list[int], max_new_tokens: int, use_cache: bool = True
) -> list[int]:
    """Return `token_ids` followed by `max_new_tokens` greedy ones.

    Args:
        model: In eval mode; stays as it is.
        token_ids: The prompt; what doesn't fit into the context is not read.
        max_new_tokens: How many to append.
        use_cache: Keep keys and values instead of computing them again; the tokens are the same.

    Raises:
        ValueError: See `greedy_steps`.
    """
    steps = greedy_steps(model, token_ids, max_new_tokens, use_cache)
    return token_ids + [token for token, _ in steps]
