"""Pre-LN against post-LN as a model grows deeper: the stream, and the gradient on its way back."""

from dataclasses import replace

import pandas as pd
import torch
from torch import Tensor, nn

from explorer.measure.progress import Progress, silent
from gptcore.building import build_model
from gptcore.config import CONFIGS
from gptcore.gradients import parameter_gradients
from gptcore.model import GPTModel
from gptcore.trace import watch_gpt
from gptcore.variants import Wiring, rewire

DEPTHS = (12, 24, 48)
NARROW = CONFIGS["gpt-nano"]
"""The model that is made deeper; only its number of blocks changes."""


def _gradients(model: GPTModel, ids: Tensor) -> list[float]:
    """Return each block's mean absolute weight gradient of the next-token loss."""
    logits = model(ids[:, :-1])  # (1, T - 1, V)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[0, 1:])
    gradients = parameter_gradients(model, loss)
    means = []
    for block in range(model.cfg.n_layers):
        of_block = [
            gradient.abs().flatten()
            for name, gradient in gradients.items()
            if name.startswith(f"trf_blocks.{block}.") and gradient.ndim == 2
        ]
        means.append(torch.cat(of_block).mean().item())
    return means


def _sizes(model: GPTModel, ids: Tensor) -> list[float]:
    """Return the RMS norm of the stream after each block."""
    sizes: list[float] = []

    def see(name: str, block: int | None, tensor: Tensor) -> None:
        if name == "resid_post":
            sizes.append(tensor.square().mean().sqrt().item())

    watch_gpt(model, ids, see)
    return sizes


def norm_depth_stats(
    token_ids: tuple[int, ...], seed: int, on_step: Progress = silent
) -> pd.DataFrame:
    """Measure 12, 24 and 48 blocks of a narrow model, with pre-LN and with post-LN.

    Both share their weights. The loss is the mean cross-entropy of each next token of the prompt,
    whose first 64 tokens are read.

    Returns:
        One row a depth, norm and block: `depth`, `norm` ("pre" or "post"), `block`, `rms` (of
        `resid_post`), `gradient` (mean absolute value over the block's matrices).

    Raises:
        ValueError: If the prompt has a single token, so that there is nothing to predict.
    """
    if len(token_ids) < 2:
        raise ValueError("A gradient needs a next token: the prompt must have at least 2 tokens.")
    ids = torch.tensor([token_ids[: NARROW.context_length]])  # (1, T)
    frames = []
    for depth in DEPTHS:
        model = build_model(replace(NARROW, n_layers=depth), seed)
        for norm in ("pre", "post"):
            wired = rewire(model, Wiring(norm=norm))
            frames.append(
                pd.DataFrame(
                    {
                        "depth": depth,
                        "norm": norm,
                        "block": range(depth),
                        "rms": _sizes(wired, ids),
                        "gradient": _gradients(wired, ids),
                    }
                )
            )
            on_step(len(frames), 2 * len(DEPTHS), "model")
    return pd.concat(frames, ignore_index=True)


def gradient_ratios(frame: pd.DataFrame) -> pd.DataFrame:
    """Divide the first block's gradient by the last block's.

    Args:
        frame: From `norm_depth_stats`.

    Returns:
        One row a depth: `depth`, `pre`, `post`.
    """
    by_block = frame.sort_values("block").groupby(["depth", "norm"])["gradient"]
    ratios = (by_block.first() / by_block.last()).unstack("norm")
    return ratios.reset_index()[["depth", "pre", "post"]]
