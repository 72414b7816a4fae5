"""GELU has the book's values, and the feed-forward looks at one position at a time."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (everybody's name for it)

from gptcore import GELU, FeedForward, GPTConfig
from gptcore.seeding import seeded


def gelu(x: Tensor) -> Tensor:
    y: Tensor = GELU()(x)
    return y


def slope(x: Tensor) -> Tensor:
    """Return GELU's derivative at every value of `x`."""
    x = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(gelu(x).sum(), x)
    return gradient


def grid(low: float, high: float, step: float, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.linspace(low, high, round((high - low) / step) + 1, dtype=dtype)


@pytest.fixture
def feed_forward(tiny: GPTConfig) -> FeedForward:
    with seeded(3):
        return FeedForward(tiny).eval()


def test_gelu_has_the_books_values() -> None:
    x = torch.tensor([-1, -0.5, 0, 0.5, 1, 3])
    expected = [-0.158808, -0.154286, 0, 0.345714, 0.841192, 2.996363]
    assert gelu(x).tolist() == pytest.approx(expected, abs=1e-6)


def test_the_minimum_of_gelu_is_left_of_minus_three_quarters() -> None:
    x = grid(-3, 1, 1e-5)
    lowest = int(gelu(x).argmin())
    assert gelu(x)[lowest].item() == pytest.approx(-0.17004, abs=5e-6)
    assert x[lowest].item() == pytest.approx(-0.75246, abs=1e-5)


def test_the_minimum_of_exact_gelu_is_elsewhere() -> None:
    x = grid(-3, 1, 1e-5)
    exact = F.gelu(x)
    assert exact.min().item() == pytest.approx(-0.16997, abs=5e-6)
    assert x[exact.argmin()].item() == pytest.approx(-0.75179, abs=1e-5)


def test_the_minimum_is_the_one_stationary_point_of_gelu() -> None:
    x = grid(-6, 6, 1e-4)
    rising = slope(x) > 0
    assert int((rising[1:] != rising[:-1]).sum()) == 1
    assert x[int(rising.int().argmax())].item() == pytest.approx(-0.7524, abs=1e-4)
    assert not (slope(x) == 0).any()


def test_in_float32_the_gradient_of_the_far_tail_reads_zero() -> None:
    x = grid(-8, -1, 1e-4, torch.float32)
    saturated = x[slope(x) == 0]
    assert saturated.max().item() == pytest.approx(-5.1, abs=0.1)


def test_gelu_is_at_most_half_a_thousandth_from_its_exact_form() -> None:
    x = grid(-5, 5, 1e-4)
    gap = (gelu(x) - F.gelu(x)).abs().max().item()
    assert gap == pytest.approx(4.7e-4, abs=5e-6)


def test_gelu_is_its_input_times_a_gate_between_zero_and_one() -> None:
    x = grid(-5, 5, 1e-3)
    x = x[x != 0]
    gate = gelu(x) / x
    assert gate.min() > 0
    assert gate.max() < 1
    assert (gate[1:] >= gate[:-1]).all()
    normal_cdf = 0.5 * (1 + torch.erf(x / 2**0.5))
    torch.testing.assert_close(gate, normal_cdf, rtol=0, atol=3e-4)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0, 1e6])
def test_gelu_agrees_with_pytorchs_tanh_form(spread: float) -> None:
    x = torch.randn(4, 5, 48, generator=torch.Generator().manual_seed(0)) * spread
    torch.testing.assert_close(gelu(x), F.gelu(x, approximate="tanh"), rtol=1e-5, atol=1e-6)


def test_gelus_gradient_agrees_with_pytorchs_tanh_form() -> None:
    x = grid(-6, 6, 1e-3).requires_grad_()
    (expected,) = torch.autograd.grad(F.gelu(x, approximate="tanh").sum(), x)
    torch.testing.assert_close(slope(x.detach()), expected)


def test_gelu_leaves_its_input_as_it_is() -> None:
    x = torch.randn(5, generator=torch.Generator().manual_seed(0))
    before = x.clone()
    gelu(x)
    assert torch.equal(x, before)


def test_the_feed_forward_is_two_linear_layers_around_gelu(
    feed_forward: FeedForward, tiny: GPTConfig
) -> None:
    x = torch.randn(2, 5, tiny.emb_dim, generator=torch.Generator().manual_seed(0))
    state = feed_forward.state_dict()
    assert list(state) == ["layers.0.weight", "layers.0.bias", "layers.2.weight", "layers.2.bias"]
    assert state["layers.0.weight"].shape == (4 * tiny.emb_dim, tiny.emb_dim)
    hidden = F.linear(x, state["layers.0.weight"], state["layers.0.bias"])
    hidden = F.gelu(hidden, approximate="tanh")
    expected = F.linear(hidden, state["layers.2.weight"], state["layers.2.bias"])
    with torch.no_grad():
        torch.testing.assert_close(feed_forward(x), expected, rtol=1e-5, atol=1e-6)


def test_permuting_the_positions_permutes_what_the_feed_forward_gives(
    feed_forward: FeedForward, tiny: GPTConfig
) -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 7, tiny.emb_dim, generator=generator)
    order = torch.randperm(7, generator=generator)
    with torch.no_grad():
        torch.testing.assert_close(feed_forward(x[:, order]), feed_forward(x)[:, order])


def test_another_token_changes_nothing_at_a_position(
    feed_forward: FeedForward, tiny: GPTConfig
) -> None:
    x = torch.randn(1, 7, tiny.emb_dim, generator=torch.Generator().manual_seed(0))
    edited = x.clone()
    edited[:, 3] += 1
    with torch.no_grad():
        changed = (feed_forward(x) != feed_forward(edited)).any(dim=-1)[0]
    assert changed.tolist() == [position == 3 for position in range(7)]
