"""A configuration built for real: its tensors counted, and the prompt run through it once."""

from dataclasses import dataclass

import torch
from torch import Tensor

from explorer.measure.progress import Progress, silent
from gptcore.model import GPTModel
from gptcore.trace import watch_gpt


@dataclass(frozen=True)
class RealRun:
    """What a real model is.

    Attributes:
        n_parameters: Values in its parameters, a shared tensor once.
        n_bytes: What they take.
        logits_shape: (B, T, V).
        logits_mean: Over all of them.
        logits_std: Likewise, of the population.
    """

    n_parameters: int
    n_bytes: int
    logits_shape: tuple[int, ...]
    logits_mean: float
    logits_std: float


def real_run(model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent) -> RealRun:
    """Count the model's real tensors and run the prompt through it."""

    def watch(name: str, block: int | None, tensor: Tensor) -> None:
        if block is not None and name == "resid_post":
            on_step(block + 1, model.cfg.n_layers, "block")

    logits = watch_gpt(model, torch.tensor([token_ids]), watch)
    parameters = list(model.parameters())
    std, mean = torch.std_mean(logits, unbiased=False)
    return RealRun(
        sum(parameter.numel() for parameter in parameters),
        sum(parameter.nbytes for parameter in parameters),
        tuple(logits.shape),
        mean.item(),
        std.item(),
    )
