"""The feed-forward network at work: wide and narrow again, each position on its own."""

from dataclasses import dataclass
from typing import Any, cast

import numpy.typing as npt
import pandas as pd
import torch
from torch import Tensor, nn

from explorer.measure.norms import stage_histogram, stage_moments
from explorer.measure.progress import Progress, silent
from gptcore.block import TransformerBlock
from gptcore.config import GPTConfig
from gptcore.counting import count_linear
from gptcore.feed_forward import FeedForward
from gptcore.model import GPTModel
from gptcore.seeding import seeded
from gptcore.trace import watch_gpt

THRESHOLDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
STAGES = ("in", "wide", "gelu", "relu", "out")
"""Out of norm2, (T, D); after the first layer, after GELU, after ReLU instead, (T, 4D); after the
second layer, (T, D)."""


@dataclass(frozen=True)
class Activity:
    """What the feed-forward networks of all blocks did on a prompt.

    Attributes:
        near_zero: One row a block, activation ("gelu", "relu") and threshold: `block`,
            `activation`, `threshold`, `near` (hidden values nearer to 0 than that), `n`, `share`.
        moments: One row a block and stage, see `explorer.measure.stage_moments`.
        histogram: One row a block, stage and bin, see `explorer.measure.stage_histogram`.
    """

    near_zero: pd.DataFrame
    moments: pd.DataFrame
    histogram: pd.DataFrame


def feed_forward_activity(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> Activity:
    """Watch the feed-forward of every block on a prompt, with ReLU in GELU's place beside it."""
    near_zero: list[dict[str, object]] = []
    moments: list[pd.DataFrame] = []
    histograms: list[pd.DataFrame] = []
    stages: dict[str, npt.NDArray[Any]] = {}

    def reduce(name: str, block: int | None, tensor: Tensor) -> None:
        if name == "norm2_out":
            stages["in"] = tensor.numpy()
        elif name == "ff_pre":
            stages["wide"] = tensor.numpy()
        elif name == "ff_hidden":
            stages["gelu"] = tensor.numpy()
            stages["relu"] = stages["wide"].clip(min=0)
        elif name == "ff_out" and block is not None:
            stages["out"] = tensor.numpy()
            near_zero.extend(_near_zero(block, stages))
            moments.append(stage_moments(stages).assign(block=block))
            histograms.append(stage_histogram(stages).assign(block=block))
            on_step(block + 1, model.cfg.n_layers, "block")

    watch_gpt(model, torch.tensor([token_ids]), reduce)
    return Activity(pd.DataFrame(near_zero), pd.concat(moments), pd.concat(histograms))


def _near_zero(block: int, stages: "dict[str, npt.NDArray[Any]]") -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for activation in ("gelu", "relu"):
        size = abs(stages[activation])
        for threshold in THRESHOLDS:
            near = int((size < threshold).sum())
            rows.append(
                {
                    "block": block,
                    "activation": activation,
                    "threshold": threshold,
                    "near": near,
                    "n": size.size,
                    "share": near / size.size,
                }
            )
    return rows


def reversal_effect(
    model: GPTModel, token_ids: tuple[int, ...], block: int, on_step: Progress = silent
) -> pd.DataFrame:
    """Reverse the tokens before a part of a block, and its outputs back again.

    Returns:
        One row a part ("feed-forward", "attention"): `part`, `difference` (largest absolute
        difference from what it gives in the usual order), `largest` (absolute output value).

    Raises:
        ValueError: If the model has no such block.
    """
    if not 0 <= block < model.cfg.n_layers:
        raise ValueError(f"block must be from 0 to {model.cfg.n_layers - 1}; got {block}")
    inputs: dict[str, Tensor] = {}

    def keep(name: str, at: int | None, tensor: Tensor) -> None:
        if at == block and name in ("norm1_out", "norm2_out"):
            inputs[name] = tensor
        if name == "resid_post" and at is not None:
            on_step(at + 1, model.cfg.n_layers, "block")

    watch_gpt(model, torch.tensor([token_ids]), keep)
    chosen = cast(TransformerBlock, model.trf_blocks[block])
    rows = []
    parts: tuple[tuple[str, nn.Module, str], ...] = (
        ("feed-forward", chosen.ff, "norm2_out"),
        ("attention", chosen.att, "norm1_out"),
    )
    with torch.no_grad():
        for name, part, read in parts:
            usual = part(inputs[read])  # (1, T, D)
            reversed_back = part(inputs[read].flip(1)).flip(1)
            difference = (usual - reversed_back).abs().max().item()
            rows.append((name, difference, usual.abs().max().item()))
    return pd.DataFrame(rows, columns=["part", "difference", "largest"])


def width_factors(cfg: GPTConfig) -> pd.DataFrame:
    """Count a feed-forward's parameters at other widths than 4 D.

    Returns:
        One row a factor: `factor`, `hidden` (features between the layers), `parameters`, `times`
        (divided by those at 4 D).
    """
    rows = [
        (f, f * cfg.emb_dim, _two_layers(cfg.emb_dim, f), _two_layers(cfg.emb_dim, f))
        for f in (1, 2, 4, 8)
    ]
    frame = pd.DataFrame(rows, columns=["factor", "hidden", "parameters", "times"])
    return frame.assign(times=frame["parameters"] / _two_layers(cfg.emb_dim, 4))


def _two_layers(d: int, factor: int) -> int:
    return count_linear(d, factor * d) + count_linear(factor * d, d)


@dataclass(frozen=True)
class SmallCase:
    """A feed-forward so small that every number fits on the page.

    Attributes:
        steps: What it reads (2, 4); wide (2, 16); after GELU (2, 16); what it gives (2, 4).
        product: The matrix that both layers make without an activation, (4, 4).
        bias: Its bias, (4,).
        collapse_error: Largest absolute difference between the two layers and that one matrix.
        gelu_error: The same with GELU between the two layers.
    """

    steps: dict[str, npt.NDArray[Any]]
    product: npt.NDArray[Any]
    bias: npt.NDArray[Any]
    collapse_error: float
    gelu_error: float


def small_feed_forward(seed: int = 123) -> SmallCase:
    """Run a feed-forward with D = 4 on two positions, and multiply its two layers out."""
    cfg = GPTConfig(
        vocab_size=50257,
        context_length=2,
        emb_dim=4,
        n_heads=1,
        n_layers=1,
        drop_rate=0.0,
        qkv_bias=False,
    )
    with seeded(seed), torch.no_grad():
        x = torch.randn(1, 2, 4)
        first, gelu, second = cast(
            tuple[nn.Linear, nn.Module, nn.Linear], tuple(FeedForward(cfg).layers)
        )
        wide = first(x)  # (1, 2, 4) -> (1, 2, 16)
        hidden = gelu(wide)
        out = second(hidden)  # (1, 2, 16) -> (1, 2, 4)
        product = second.weight @ first.weight  # (4, 16) @ (16, 4) -> (4, 4)
        bias = second.weight @ first.bias + second.bias
        one = x @ product.T + bias
        steps = {"x": x, "wide": wide, "hidden": hidden, "out": out}
        return SmallCase(
            {name: tensor[0].numpy() for name, tensor in steps.items()},
            product.numpy(),
            bias.numpy(),
            (second(wide) - one).abs().max().item(),
            (out - one).abs().max().item(),
        )
