"""GELU beside its relatives: values, slopes, and where float32 can no longer tell."""

from collections.abc import Sequence
from functools import cache

import pandas as pd
import torch
from torch import Tensor, nn

from gptcore.feed_forward import GELU

FORMS: dict[str, nn.Module] = {"gelu": GELU(), "exact": nn.GELU(), "relu": nn.ReLU()}
"""The tanh form that GPT-2 uses; x·Φ(x) itself, Φ the normal distribution; max(0, x)."""


def _value_and_slope(form: nn.Module, x: Tensor) -> tuple[Tensor, Tensor]:
    x = x.detach().requires_grad_()
    y = form(x)
    (slope,) = torch.autograd.grad(y.sum(), [x])  # each y depends on its own x alone
    return y.detach(), slope


def activation_values(x: Sequence[float]) -> pd.DataFrame:
    """Evaluate every form and its derivative, in float64.

    Returns:
        One row a form and x: `activation`, `x`, `value`, `slope`, `gate` (what x is multiplied
        by: value / x, and its limit at 0).
    """
    at = torch.tensor(x, dtype=torch.float64)
    frames = []
    for name, form in FORMS.items():
        value, slope = _value_and_slope(form, at)
        gate = torch.where(at == 0, slope, value / at)
        columns = {"x": at, "value": value, "slope": slope, "gate": gate}
        frame = pd.DataFrame({key: tensor.numpy() for key, tensor in columns.items()})
        frame.insert(0, "activation", name)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


@cache
def activation_curves(limit: float = 4.0, n_points: int = 241) -> pd.DataFrame:
    """Evaluate every form from −limit to limit; see `activation_values`."""
    return activation_values(torch.linspace(-limit, limit, n_points, dtype=torch.float64).tolist())


def activation_gap(limit: float = 5.0, n_points: int = 1001) -> pd.DataFrame:
    """Subtract the exact form from the tanh form.

    Returns:
        One row an x: `x`, `gap`.
    """
    x = torch.linspace(-limit, limit, n_points, dtype=torch.float64)
    return pd.DataFrame({"x": x.numpy(), "gap": (FORMS["gelu"](x) - FORMS["exact"](x)).numpy()})


@cache
def gelu_landmarks() -> dict[str, float]:
    """Find what is marked on the curve.

    Returns:
        `x` and `value` of the minimum of the tanh form, and `saturated`: the largest x below which
        its float32 gradient is exactly 0.
    """
    x = torch.linspace(-2, 0, 200_001, dtype=torch.float64)
    y = FORMS["gelu"](x)
    far = torch.linspace(-10, -3, 70_001)  # float32
    _, slope = _value_and_slope(FORMS["gelu"], far)
    first_alive = int((slope != 0).nonzero()[0])
    return {
        "x": x[y.argmin()].item(),
        "value": y.min().item(),
        "saturated": far[first_alive].item(),
    }
