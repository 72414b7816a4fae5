"""A greedy run, step by step: from what each token was chosen, and what it is compared with."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import torch
from torch import Tensor

from explorer.measure.prediction import distribution
from explorer.measure.progress import Progress, silent
from explorer.measure.tokens import token_text
from gptcore.generate import greedy_steps
from gptcore.kv_cache import CachedReader
from gptcore.model import GPTModel

MAX_TOP_K = 50
N_SAMPLES = 64
_POSITIONS_AT_ONCE = 64
_WINDOWS = tuple(2**n for n in range(14))


@dataclass(frozen=True)
class Step:
    """What one step chose, and from what.

    Attributes:
        token_id: The likeliest token, which the step appends.
        top_ids: The likeliest tokens, at most `MAX_TOP_K`, likeliest first.
        top_logits: Their scores.
        earlier_ranks: Their ranks (from 1) one step before; empty in the first step.
        log_normaliser: ln Σ exp(logit), so that ln p = logit − log_normaliser.
        entropy: Of the whole distribution, in nats.
        top_10_share: Probability of the ten likeliest together.
        total: Sum of all probabilities as float32 softmax gives them.
        logit_range: The smallest and the largest score.
        sample: `N_SAMPLES` scores at evenly spaced token IDs, from ID 0 on.
        softmax_agrees: Whether argmax gives the same before and after softmax.
    """

    token_id: int
    top_ids: tuple[int, ...]
    top_logits: tuple[float, ...]
    earlier_ranks: tuple[int, ...]
    log_normaliser: float
    entropy: float
    top_10_share: float
    total: float
    logit_range: tuple[float, float]
    sample: tuple[float, ...]
    softmax_agrees: bool


def ranks_of(logits: Tensor, token_ids: Tensor) -> Tensor:
    """Return the ranks, from 1, that tokens have by their logits; equals share the best rank."""
    ordered = logits.sort().values  # ascending: what is above a score is larger
    return len(ordered) - torch.searchsorted(ordered, logits[token_ids], right=True) + 1


def _step(token_id: int, logits: Tensor, earlier: Tensor | None) -> Step:
    log_probs, entropy = distribution(logits)
    top = torch.topk(logits, min(MAX_TOP_K, len(logits)))
    stride = max(1, len(logits) // N_SAMPLES)
    return Step(
        token_id=token_id,
        top_ids=tuple(top.indices.tolist()),
        top_logits=tuple(top.values.tolist()),
        earlier_ranks=() if earlier is None else tuple(ranks_of(earlier, top.indices).tolist()),
        log_normaliser=torch.logsumexp(logits.double(), dim=-1).item(),
        entropy=entropy,
        top_10_share=log_probs[top.indices[:10]].exp().sum().item(),
        total=torch.softmax(logits, dim=-1).sum().item(),
        logit_range=(logits.min().item(), logits.max().item()),
        sample=tuple(logits[::stride][:N_SAMPLES].tolist()),
        softmax_agrees=int(logits.argmax()) == token_id,
    )


def begun_run(model: GPTModel, token_ids: tuple[int, ...]) -> CachedReader:
    """Return a reader that has run the tokens through the first block, for `greedy_run` to go on."""
    reader = CachedReader(model)
    reader.begin(torch.tensor([token_ids[-model.cfg.context_length :]]))
    return reader


def greedy_run(
    model: GPTModel,
    token_ids: tuple[int, ...],
    known: tuple[Step, ...] = (),
    reader: CachedReader | None = None,
) -> Iterator[Step]:
    """Yield the steps of a greedy run after those that are known, without end.

    Taking up a run again costs one pass over what is there: the last known step is computed once
    more, because the next one's ranks are compared with it. A reader may have begun with the tokens.
    """
    earlier: Tensor | None = None
    ids = [*token_ids, *(step.token_id for step in known[:-1])]
    skip = bool(known)
    for token_id, logits in greedy_steps(model, ids, 2**31, reader=reader):
        if not skip:
            yield _step(token_id, logits, earlier)
        earlier, skip = logits, False


def candidates(step: Step, top_k: int) -> pd.DataFrame:
    """List what a step chose from.

    Returns:
        One row a candidate, likeliest first: `rank` (from 1), `token_id`, `token`, `logit`,
        `probability`, `rank_before` (one step earlier; missing in the first step).
    """
    ids = step.top_ids[:top_k]
    logits = torch.tensor(step.top_logits[:top_k], dtype=torch.float64)
    before = step.earlier_ranks[:top_k] or (None,) * len(ids)
    return pd.DataFrame(
        {
            "rank": range(1, len(ids) + 1),
            "token_id": ids,
            "token": [token_text(token_id) for token_id in ids],
            "logit": logits.tolist(),
            "probability": (logits - step.log_normaliser).exp().tolist(),
            "rank_before": pd.array(before, dtype="Int64"),
        }
    )


def run_table(steps: tuple[Step, ...]) -> pd.DataFrame:
    """List a run.

    Returns:
        One row a step: `step` (from 1), `token_id`, `token`, `logit`, `probability`, `entropy`
        (nats).
    """
    winners = [candidates(step, 1).iloc[0] for step in steps]
    return pd.DataFrame(
        {
            "step": range(1, len(steps) + 1),
            "token_id": [step.token_id for step in steps],
            "token": [token_text(step.token_id) for step in steps],
            "logit": [float(winner["logit"]) for winner in winners],
            "probability": [float(winner["probability"]) for winner in winners],
            "entropy": [step.entropy for step in steps],
        }
    )


def compared_runs(a: tuple[Step, ...], b: tuple[Step, ...]) -> pd.DataFrame:
    """Put two runs side by side, as far as both go.

    Returns:
        One row a step: `step` (from 1), `token_a`, `probability_a`, `token_b`, `probability_b`,
        `same`.
    """
    n = min(len(a), len(b))
    first, second = run_table(a[:n]), run_table(b[:n])
    return pd.DataFrame(
        {
            "step": first["step"],
            "token_a": first["token"],
            "probability_a": first["probability"],
            "token_b": second["token"],
            "probability_b": second["probability"],
            "same": first["token_id"] == second["token_id"],
        }
    )


def token_standing(
    model: GPTModel, token_ids: tuple[int, ...], asked: tuple[int, ...], on_step: Progress = silent
) -> pd.DataFrame:
    """Say where any tokens stand after a sequence.

    Returns:
        One row a token asked for: `token_id`, `token`, `rank` (from 1), `logit`, `probability`.
    """
    ((_, logits),) = greedy_steps(model, list(token_ids), 1)  # logits: (V,)
    on_step(1, 1, "pass")
    log_probs, _ = distribution(logits)
    ids = torch.tensor(asked)
    return pd.DataFrame(
        {
            "token_id": asked,
            "token": [token_text(token_id) for token_id in asked],
            "rank": ranks_of(logits, ids).tolist(),
            "logit": logits[ids].tolist(),
            "probability": log_probs[ids].exp().tolist(),
        }
    )


def position_predictions(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> pd.DataFrame:
    """Say what the model would have continued each position of a prompt with.

    Returns:
        One row a position: `position` (from 0), `token` (there), `predicted` (the likeliest next),
        `probability` (of it), `next_token` (that really follows; missing at the last position),
        `next_probability`, `next_rank` (from 1), `entropy` (nats).
    """
    with torch.no_grad():
        hidden = model.hidden_states(torch.tensor([token_ids]))[0]  # (1, T, D) -> (T, D)
    rows: list[dict[str, object]] = []
    for start in range(0, len(token_ids), _POSITIONS_AT_ONCE):
        with torch.no_grad():
            scores = model.out_head(hidden[start : start + _POSITIONS_AT_ONCE])  # (t, D) -> (t, V)
        for offset, logits in enumerate(scores):
            position = start + offset
            log_probs, entropy = distribution(logits)
            best = int(logits.argmax())
            row: dict[str, object] = {
                "position": position,
                "token": token_text(token_ids[position]),
                "predicted": token_text(best),
                "probability": log_probs[best].exp().item(),
                "next_token": None,
                "next_probability": None,
                "next_rank": None,
                "entropy": entropy,
            }
            if position + 1 < len(token_ids):
                following = token_ids[position + 1]
                row["next_token"] = token_text(following)
                row["next_probability"] = log_probs[following].exp().item()
                row["next_rank"] = int(ranks_of(logits, torch.tensor([following])))
            rows.append(row)
        on_step(len(rows), len(token_ids), "position")
    return pd.DataFrame(rows).astype({"next_probability": float, "next_rank": "Int64"})


def cropped_predictions(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> pd.DataFrame:
    """Predict what follows a sequence from its last 1, 2, 4, … tokens only, and from all of them.

    The positions of a cropped sequence start again at 0.

    Returns:
        One row a window, smallest first: `window` (tokens read), `predicted`, `probability`,
        `entropy` (nats), `distance` (total variation distance to the prediction from all tokens:
        0 the same, 1 nothing in common).
    """
    whole = len(token_ids)
    windows = [*(size for size in _WINDOWS if size < whole), whole]
    found: list[tuple[int, Tensor, float]] = []
    for size in windows:
        ((token_id, logits),) = greedy_steps(model, list(token_ids[-size:]), 1)
        log_probs, entropy = distribution(logits)
        found.append((token_id, log_probs.exp(), entropy))
        on_step(len(found), len(windows), "window")
    full = found[-1][1]
    return pd.DataFrame(
        {
            "window": windows,
            "predicted": [token_text(token_id) for token_id, _, _ in found],
            "probability": [probs[token_id].item() for token_id, probs, _ in found],
            "entropy": [entropy for _, _, entropy in found],
            "distance": [0.5 * (probs - full).abs().sum().item() for _, probs, _ in found],
        }
    )
