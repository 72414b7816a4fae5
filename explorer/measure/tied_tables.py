"""One tensor with two names, shown on the real objects of a model that nobody else has."""

from dataclasses import dataclass

import pandas as pd
import torch

from gptcore.building import build_model
from gptcore.config import GPTConfig

ROW, COLUMN = 2, 1
"""The weight that is changed: token 2, feature 1."""


@dataclass(frozen=True)
class TiedTables:
    """What became of both tables when one weight of one was changed.

    Attributes:
        tables: One row a table and token: `table`, `token_id`, and a column a feature, after it.
        same_object: Whether `out_head.weight is tok_emb.weight`.
        before: The head's weight in that place before.
        after: And after.
    """

    tables: pd.DataFrame
    same_object: bool
    before: float
    after: float


def change_one_weight(tie_weights: bool, value: float) -> TiedTables:
    """Build a model of 4 tokens and 3 features, write `value` into its token embedding, and look.

    Raises:
        ValueError: If the value is no number a float32 can hold.
    """
    if not abs(value) <= torch.finfo(torch.float32).max:
        raise ValueError(f"a weight must be a finite number; got {value!r}")
    cfg = GPTConfig(4, 2, 3, 1, 1, 0.0, False, tie_weights)
    model = build_model(cfg, 123)  # private: built here, seen by nobody else, thrown away
    embedding, head = model.tok_emb.weight, model.out_head.weight
    before = head[ROW, COLUMN].item()
    with torch.no_grad():
        embedding[ROW, COLUMN] = value
    rows = [
        {"table": name, "token_id": token_id, **{f"feature {i}": x for i, x in enumerate(row)}}
        for name, weight in (("tok_emb.weight", embedding), ("out_head.weight", head))
        for token_id, row in enumerate(weight.tolist())
    ]
    return TiedTables(pd.DataFrame(rows), head is embedding, before, head[ROW, COLUMN].item())
