"""One greedy step: the scores of the last position, and the token they choose."""

import math
from dataclasses import dataclass

import pandas as pd
import torch
from torch import Tensor

from explorer.measure.tokens import token_text


@dataclass(frozen=True)
class NextToken:
    """What one step chose, and from what.

    Attributes:
        candidates: One row a candidate, likeliest first: `rank` (from 1), `token_id`, `token`,
            `logit`, `probability`.
        entropy: Of the whole distribution, in nats.
        uniform_entropy: ln V, the entropy if all tokens were equally likely, in nats.
    """

    candidates: pd.DataFrame
    entropy: float
    uniform_entropy: float

    @property
    def token_id(self) -> int:
        """The chosen token: the likeliest."""
        return int(self.candidates["token_id"].iloc[0])


def distribution(logits: Tensor) -> tuple[Tensor, float]:
    """Return the log-probabilities (V,), as float64, and their entropy in nats."""
    log_probs = torch.log_softmax(logits.double(), dim=-1)
    probs = log_probs.exp()
    # x · log x is 0 where a probability underflows to 0.
    return log_probs, -torch.where(probs > 0, probs * log_probs, 0.0).sum().item()


def candidates_of(logits: Tensor, top_k: int) -> NextToken:
    """Turn the last position's logits, (V,), into probabilities and keep the `top_k` likeliest."""
    log_probs, entropy = distribution(logits)
    probs = log_probs.exp()
    top = torch.topk(probs, min(top_k, probs.numel()))
    ids = top.indices.tolist()
    candidates = pd.DataFrame(
        {
            "rank": range(1, len(ids) + 1),
            "token_id": ids,
            "token": [token_text(token_id) for token_id in ids],
            "logit": logits[top.indices].tolist(),
            "probability": top.values.tolist(),
        }
    )
    return NextToken(candidates, entropy, math.log(probs.numel()))
