"""The curves are PyTorch's, their slopes too, and what is marked is where it is said to be."""

import math

import pytest
import torch
from torch import nn

from explorer.measure.activations import (
    activation_curves,
    activation_gap,
    activation_values,
    gelu_landmarks,
)

X = [-5.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0]
THEIRS = {"gelu": nn.GELU("tanh"), "exact": nn.GELU(), "relu": nn.ReLU()}


@pytest.mark.parametrize("form", THEIRS)
def test_values_slopes_and_gates_are_those_of_pytorch(form: str) -> None:
    rows = activation_values(X)
    rows = rows[rows["activation"] == form]
    x = torch.tensor(X, dtype=torch.float64, requires_grad=True)
    y = THEIRS[form](x)
    (slope,) = torch.autograd.grad(y.sum(), [x])
    assert rows["value"].tolist() == pytest.approx(y.tolist(), abs=1e-12)
    assert rows["slope"].tolist() == pytest.approx(slope.tolist(), abs=1e-12)
    assert rows["gate"].between(0, 1).all()
    assert (rows["gate"] * rows["x"]).tolist() == pytest.approx(rows["value"].tolist(), abs=1e-12)


def test_the_exact_gate_is_the_normal_distribution() -> None:
    rows = activation_values(X).query("activation == 'exact'")
    expected = [0.5 * (1 + math.erf(x / math.sqrt(2))) for x in X]
    assert rows["gate"].tolist() == pytest.approx(expected, abs=1e-12)


def test_the_minimum_is_the_one_stationary_point() -> None:
    landmarks = gelu_landmarks()
    assert (landmarks["x"], landmarks["value"]) == pytest.approx((-0.75246, -0.17004), abs=1e-5)
    slopes = activation_curves(8.0, 16_001).query("activation == 'gelu'")["slope"]
    assert int((slopes.shift() * slopes < 0).sum()) == 1


def test_below_the_saturation_the_float32_gradient_is_exactly_zero_and_above_it_is_not() -> None:
    edge = gelu_landmarks()["saturated"]
    assert edge == pytest.approx(-5.1, abs=0.1)
    x = torch.tensor([edge - 0.5, edge - 0.01, edge + 0.01], requires_grad=True)
    (slope,) = torch.autograd.grad(THEIRS["gelu"](x).sum(), [x])
    assert (slope == 0).tolist() == [True, True, False]


def test_the_gap_between_the_forms_is_at_most_4_7e_4() -> None:
    assert activation_gap()["gap"].abs().max() == pytest.approx(4.7e-4, abs=0.05e-4)
