"""What LayerNorm does to one token, step by step, and what a norm over the batch would do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
from torch import Tensor, nn

from explorer.measure.progress import Progress, silent
from explorer.measure.references import layer_norm_example
from gptcore.config import GPTConfig
from gptcore.model import GPTModel
from gptcore.seeding import seeded
from gptcore.trace import watch_gpt

Array = npt.NDArray[np.float32]
Over = Literal["features", "batch"]

STAGES = ("raw", "centred", "divided", "shifted")
"""x; minus the mean; divided by √(variance + ε); times γ, plus β."""

_INPUTS = {"norm1": "resid_pre", "norm2": "resid_mid"}
_OUTPUTS = {"norm1": "norm1_out", "norm2": "norm2_out"}


@dataclass(frozen=True)
class NormInputs:
    """What one norm reads, and its own parameters.

    Attributes:
        x: (T, D), one row a token.
        scale: γ, (D,).
        shift: β, (D,).
    """

    x: Array
    scale: Array
    shift: Array


def norm_names(cfg: GPTConfig) -> tuple[str, ...]:
    """Name the 2N + 1 norms of a model in the order of computation: 0.norm1 … final_norm."""
    blocks = (f"{block}.{norm}" for block in range(cfg.n_layers) for norm in ("norm1", "norm2"))
    return (*blocks, "final_norm")


def _name(tensor_name: str, block: int | None, ends: dict[str, str], final: str) -> str | None:
    """Return which norm a traced tensor is the input or output of."""
    if tensor_name == final:
        return "final_norm"
    return next((f"{block}.{norm}" for norm, end in ends.items() if end == tensor_name), None)


def norm_inputs(
    model: GPTModel, token_ids: tuple[int, ...], norm: str, on_step: Progress = silent
) -> NormInputs:
    """Return what a norm of the model reads on a prompt.

    Args:
        model: The model.
        token_ids: The prompt.
        norm: One of `norm_names`.
        on_step: Told after every block.

    Raises:
        ValueError: If the model has no such norm.
    """
    if norm not in norm_names(model.cfg):
        raise ValueError(f"norm must be one of {', '.join(norm_names(model.cfg))}; got {norm!r}")
    found: list[Array] = []

    def keep(name: str, block: int | None, tensor: Tensor) -> None:
        if _name(name, block, _INPUTS, "final_norm_in") == norm:
            found.append(tensor[0].numpy())
        if name == "resid_post" and block is not None:
            on_step(block + 1, model.cfg.n_layers, "block")

    watch_gpt(model, torch.tensor([token_ids]), keep)
    module = model.get_submodule(norm if norm == "final_norm" else f"trf_blocks.{norm}")
    scale, shift = (parameter.detach().numpy() for parameter in module.parameters())
    return NormInputs(found[0], scale, shift)


def _example(x: Tensor) -> NormInputs:
    n = x.shape[-1]
    return NormInputs(x.numpy(), np.ones(n, np.float32), np.zeros(n, np.float32))


def reference_inputs() -> NormInputs:
    """Return the chapter's activations, two rows of six features."""
    return _example(layer_norm_example()[0])


def more_reference_inputs() -> NormInputs:
    """Return two more rows like the chapter's, from other inputs to a layer of another seed."""
    with seeded(124), torch.no_grad():
        return _example(nn.Sequential(nn.Linear(5, 6), nn.ReLU())(torch.randn(2, 5)))


def constant_inputs() -> NormInputs:
    """Return one row whose six features are all 7."""
    return _example(torch.full((1, 6), 7.0))


def norm_stages(
    inputs: NormInputs,
    token: int,
    others: Sequence[NormInputs] = (),
    *,
    over: Over = "features",
    unbiased: bool = False,
    eps: float = 1e-5,
    gain: float = 1.0,
    shift_gain: float = 1.0,
    offset: float = 0.0,
) -> pd.DataFrame:
    """Take one token through a norm, one operation at a time.

    Args:
        inputs: What the norm reads.
        token: Which row.
        others: More rows of the batch; only a norm over the batch looks at them.
        over: LayerNorm's "features" of this token, or for each feature the "batch": all tokens of
            all sequences, as BatchNorm does in training.
        unbiased: Whether the variance is divided by n − 1 rather than n.
        eps: Added to the variance.
        gain: Multiplies every γ.
        shift_gain: Multiplies every β.
        offset: Is then added to every β.

    Returns:
        One row a feature, one column a stage, see `STAGES`.

    Raises:
        ValueError: If the division would be 0 / 0, or n − 1 is 0.
    """
    x = torch.from_numpy(inputs.x)[token]  # (D,)
    rows = torch.from_numpy(np.concatenate([inputs.x, *(other.x for other in others)]))  # (N, D)
    measured, dim = (x, -1) if over == "features" else (rows, 0)
    n = measured.shape[dim]
    if unbiased and n < 2:
        raise ValueError(f"A variance divided by n − 1 needs at least 2 values; there is {n} here.")
    mean = measured.mean(dim)
    centred = x - mean
    var = (measured - mean).square().sum(dim) / (n - 1 if unbiased else n)
    if eps == 0 and bool((var == 0).any()):
        what = "row" if over == "features" else "feature"
        raise ValueError(
            f"With ε = 0 a constant {what} divides 0 by √0, which is not a number: "
            "ε must be above 0 here."
        )
    divided = centred / torch.sqrt(var + eps)
    scale, shift = torch.from_numpy(inputs.scale), torch.from_numpy(inputs.shift)
    shifted = gain * scale * divided + (shift_gain * shift + offset)
    columns = zip(STAGES, (x, centred, divided, shifted), strict=True)
    return pd.DataFrame({name: values.numpy() for name, values in columns})


def stage_moments(stages: "dict[str, npt.NDArray[Any]]", unbiased: bool = False) -> pd.DataFrame:
    """Describe each stage.

    Returns:
        One row a stage: `stage`, `mean`, `variance` (divided by n, or by n − 1 if unbiased),
        `std` (its root), `min`, `max`, `n`.
    """
    rows = []
    for stage, values in stages.items():
        x = values.astype(np.float64)
        variance = x.var(ddof=int(unbiased)).item()
        rows.append((stage, x.mean(), variance, variance**0.5, x.min(), x.max(), x.size))
    return pd.DataFrame(rows, columns=["stage", "mean", "variance", "std", "min", "max", "n"])


def stage_histogram(stages: "dict[str, npt.NDArray[Any]]", n_bins: int = 56) -> pd.DataFrame:
    """Count each stage's values in the same bins, whose width is 1, 2, 2.5 or 5 times 10ᵏ.

    Args:
        stages: Values by stage.
        n_bins: How many bins there may be, roughly.

    Returns:
        One row a stage and bin that holds something: `stage`, `low`, `high`, `count`.
    """
    low = min(float(values.min()) for values in stages.values())
    high = max(float(values.max()) for values in stages.values())
    wanted = (high - low) / n_bins or 0.1
    power = 10.0 ** np.floor(np.log10(wanted))
    width = float(next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= wanted))
    frames = []
    for stage, values in stages.items():
        bins, counts = np.unique(
            np.floor(values.ravel().astype(np.float64) / width), return_counts=True
        )
        frames.append(
            pd.DataFrame(
                {
                    "stage": stage,
                    "low": (bins * width).round(10),
                    "high": ((bins + 1) * width).round(10),
                    "count": counts,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def norm_spread(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> pd.DataFrame:
    """Compare the spread of a token's features before and after every norm of the model.

    Returns:
        One row a norm in the order of computation: `order` (from 0), `norm`, `before` and `after`
        (population standard deviation over a token's features, the mean over tokens).
    """
    spread: dict[str, dict[str, float]] = {"before": {}, "after": {}}

    def reduce(name: str, block: int | None, tensor: Tensor) -> None:
        for side, ends, final in (
            ("before", _INPUTS, "final_norm_in"),
            ("after", _OUTPUTS, "final_norm_out"),
        ):
            if (norm := _name(name, block, ends, final)) is not None:
                spread[side][norm] = tensor.std(dim=-1, unbiased=False).mean().item()
        if name == "resid_post" and block is not None:
            on_step(block + 1, model.cfg.n_layers, "block")

    watch_gpt(model, torch.tensor([token_ids]), reduce)
    names = norm_names(model.cfg)
    return pd.DataFrame(
        {
            "order": range(len(names)),
            "norm": names,
            "before": [spread["before"][name] for name in names],
            "after": [spread["after"][name] for name in names],
        }
    )


def variance_divisors(sizes: Sequence[int] = (5, 6, 12, 48, 192, 768, 1600)) -> pd.DataFrame:
    """Divide the same squared deviations by n and by n − 1.

    Returns:
        One row a number of values: `n`, `biased`, `unbiased` (variances of n standard normal
        draws), `percent` (how much larger the unbiased one is).
    """
    draws = torch.randn(max(sizes), generator=torch.Generator().manual_seed(123)).double()
    biased = [draws[:n].var(unbiased=False).item() for n in sizes]
    unbiased = [draws[:n].var(unbiased=True).item() for n in sizes]
    percent = [100 * (u / b - 1) for u, b in zip(unbiased, biased, strict=True)]
    return pd.DataFrame({"n": sizes, "biased": biased, "unbiased": unbiased, "percent": percent})
