"""Per-block activation statistics of the residual stream."""

import pandas as pd
import torch
from torch import Tensor

from explorer.measure.progress import Progress, silent
from gptcore.model import GPTModel
from gptcore.trace import watch_gpt

POINTS = ("resid_pre", "resid_mid", "resid_post")
"""The stream as it enters a block, after attention was added, after the feed-forward was added."""

STATISTICS = {
    "mean": "Mean: the sum of all values divided by their number N.",
    "std": "Standard deviation: √(mean of (x − mean)²), of the population (divided by N).",
    "min": "Minimum: the smallest single value.",
    "max": "Maximum: the largest single value.",
    "rms": "RMS norm: √(mean of x²), the size of a typical value, whatever its sign.",
}


def _row(block: int, point: str, x: Tensor) -> dict[str, object]:
    std, mean = torch.std_mean(x, unbiased=False)
    return {
        "block": block,
        "point": point,
        "mean": mean.item(),
        "std": std.item(),
        "min": x.min().item(),
        "max": x.max().item(),
        "rms": x.square().mean().sqrt().item(),
        "n": x.numel(),
    }


def block_stats(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> pd.DataFrame:
    """Describe the residual stream before, between and after the two halves of every block.

    Each statistic is over all N = T × D values of the stream at that point: every token of the
    prompt and every feature.

    Returns:
        One row a block and point: `block` (from 0), `point` (see `POINTS`), `mean`, `std`
        (population), `min`, `max`, `rms`, `n`.
    """
    rows: list[dict[str, object]] = []

    def reduce(name: str, block: int | None, tensor: Tensor) -> None:
        if block is not None and name in POINTS:
            rows.append(_row(block, name, tensor))
            if name == "resid_post":
                on_step(block + 1, model.cfg.n_layers, "block")

    watch_gpt(model, torch.tensor([token_ids]), reduce)
    return pd.DataFrame(rows)
