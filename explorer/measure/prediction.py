"""One greedy step: the scores of the last position, and the token they choose."""

import math
from dataclasses import dataclass

import pandas as pd
import torch
from torch import Tensor

from explorer.measure.progress import Progress, silent
from explorer.measure.tokens import token_text
from gptcore.generate import greedy_steps
from gptcore.model import GPTModel


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


def next_token(
    model: GPTModel, token_ids: tuple[int, ...], top_k: int = 10, on_step: Progress = silent
) -> NextToken:
    """Take one greedy step and keep the `top_k` likeliest tokens."""
    ((_, logits),) = greedy_steps(model, list(token_ids), 1)  # logits: (V,)
    on_step(1, 1, "step")
    return candidates_of(logits, top_k)


def candidates_of(logits: Tensor, top_k: int) -> NextToken:
    """Turn the last position's logits, (V,), into probabilities and keep the `top_k` likeliest."""
    log_probs = torch.log_softmax(logits.double(), dim=-1)
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
    # x · log x is 0 where a probability underflows to 0.
    entropy = -torch.where(probs > 0, probs * log_probs, 0.0).sum().item()
    return NextToken(candidates, entropy, math.log(probs.numel()))
