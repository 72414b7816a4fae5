"""How much of the error reaches each layer of a deep network, with and without shortcuts."""

from typing import cast

import pandas as pd
import torch
from torch import Tensor, nn

from explorer.measure.progress import Progress, silent
from gptcore.gradients import parameter_gradients
from gptcore.seeding import seeded
from gptcore.shortcut import DeepNetwork
from gptcore.variants import ACTIVATIONS

MAX_DEPTH, MAX_WIDTH, MAX_SEEDS = 40, 64, 50
NETWORKS = {False: "plain", True: "with shortcuts"}
"""The names of the two networks, by whether they have shortcuts."""


class SeedStack(nn.Module):
    """The same linear layer of many networks, computed together: weights (S, out, in), S seeds."""

    def __init__(self, layers: list[nn.Linear]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.stack([layer.weight.detach() for layer in layers]))
        self.bias = nn.Parameter(torch.stack([layer.bias.detach() for layer in layers])[:, None])

    def forward(self, x: Tensor) -> Tensor:
        """Let every network transform its own rows: (S, B, in) -> (S, B, out)."""
        return torch.baddbmm(self.bias, x, self.weight.transpose(1, 2))


def lab_input(width: int) -> Tensor:
    """Return the chapter's input 1, 0, −1, repeated up to the width: (1, width)."""
    return torch.tensor([1.0, 0.0, -1.0]).repeat(width)[None, :width]


def _check(depth: int, width: int, seeds: tuple[int, ...]) -> None:
    for name, value, low, high in (
        ("layers", depth, 2, MAX_DEPTH),
        ("width", width, 2, MAX_WIDTH),
        ("seeds", len(seeds), 1, MAX_SEEDS),
    ):
        if not low <= value <= high:
            raise ValueError(f"{name} must be from {low} to {high}; got {value:,}")


def layer_gradients(
    depth: int, width: int, activation: str, seeds: tuple[int, ...], on_step: Progress = silent
) -> pd.DataFrame:
    """Compare a deep network's gradients without and with shortcuts, on the same weights.

    The network has `depth` layers: width → width, and a last one width → 1. The error is the mean
    squared difference between the output and 0. With one row of input, a layer's weight gradient is
    its input times its error signal, so the mean of its absolute values is the product of theirs.

    Args:
        depth: Number of layers, from 2 to 40.
        width: From 2 to 64.
        activation: A key of `gptcore.variants.ACTIVATIONS`.
        seeds: One network each, at most 50.
        on_step: Told after every seed and network.

    Returns:
        One row a network, seed and layer: `network` (see `NETWORKS`), `seed`, `layer` (from 0),
        `gradient` (mean absolute weight gradient), `relative` (divided by the last layer's; NaN
        where that is 0), `signal` (mean absolute gradient before the activation), `factor` (the
        signal divided by the next layer's; NaN for the last layer).

    Raises:
        ValueError: If a size is out of range.
    """
    _check(depth, width, seeds)
    steps = len(seeds) + len(NETWORKS)
    networks = []
    for seed in seeds:
        with seeded(seed):
            networks.append(
                DeepNetwork([width] * depth + [1], False, activation=ACTIVATIONS[activation])
            )
        on_step(len(networks), steps, "network")
    stacked = networks[0]
    for index, layer in enumerate(stacked.layers):
        alike = [cast(nn.Sequential, network.layers[index])[0] for network in networks]
        cast(nn.Sequential, layer)[0] = SeedStack(cast(list[nn.Linear], alike))

    frames = []
    for use_shortcut, name in NETWORKS.items():
        stacked.use_shortcut = use_shortcut
        output = stacked(lab_input(width).expand(len(seeds), 1, width))  # (S, 1, 1)
        # A sum over seeds: each network's error depends on its own weights alone.
        gradients = parameter_gradients(stacked, output.square().sum())
        size = {
            kind: torch.stack(
                [gradients[f"layers.{i}.0.{kind}"].abs().mean(dim=(1, 2)) for i in range(depth)], 1
            )  # (S, out, in) or (S, 1, out) a layer -> (S, layers)
            for kind in ("weight", "bias")
        }
        factor = torch.full_like(size["bias"], torch.nan)
        factor[:, :-1] = size["bias"][:, :-1] / size["bias"][:, 1:]
        relative = size["weight"] / size["weight"][:, -1:]
        columns = {
            "gradient": size["weight"],
            "relative": torch.where(relative.isfinite(), relative, torch.nan),
            "signal": size["bias"],
            "factor": torch.where(factor.isfinite(), factor, torch.nan),
        }
        keys = pd.MultiIndex.from_product([seeds, range(depth)], names=["seed", "layer"])
        values = {column: value.flatten().double().tolist() for column, value in columns.items()}
        frame = pd.DataFrame(values, index=keys).reset_index()
        frame.insert(0, "network", name)
        frames.append(frame)
        on_step(len(seeds) + len(frames), steps, "network")
    return pd.concat(frames, ignore_index=True)


def across_seeds(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """Summarise one column of `layer_gradients` over its seeds.

    Returns:
        One row a network and layer: `network`, `layer`, `median`, `lower` and `upper` (the
        quartiles: half of the seeds are between them).
    """
    grouped = frame.groupby(["network", "layer"], sort=False)[value]
    quartiles = grouped.quantile([0.25, 0.5, 0.75]).unstack()
    quartiles.columns = ["lower", "median", "upper"]
    return quartiles.reset_index()[["network", "layer", "median", "lower", "upper"]]


def first_layer_gains(frame: pd.DataFrame) -> "pd.Series[float]":
    """Say for each seed how many times larger layer 0's gradient is with shortcuts.

    Returns:
        By seed; infinite where only the plain gradient is 0, NaN where both are.
    """
    first = frame[frame["layer"] == 0].pivot(index="seed", columns="network", values="gradient")
    return first["with shortcuts"] / first["plain"]
