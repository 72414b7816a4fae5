"""The deep network and its gradients are the book's, and a shortcut adds where shapes agree."""

import pytest
import torch
from torch import nn

from gptcore import DeepNetwork, mean_abs_gradients
from gptcore.seeding import seeded

INPUT = torch.tensor([[1.0, 0.0, -1.0]])
PLAIN = [2.0173588e-4, 1.2011161e-4, 7.1520417e-4, 1.3988739e-3, 5.0496464e-3]
WITH = [0.22169793, 0.20694105, 0.32896996, 0.26657325, 1.32585418]


@pytest.mark.parametrize(("use_shortcut", "book"), [(False, PLAIN), (True, WITH)])
def test_the_reference_run_gives_the_books_gradients(use_shortcut: bool, book: list[float]) -> None:
    with seeded(123):
        network = DeepNetwork([3, 3, 3, 3, 3, 1], use_shortcut)
    assert mean_abs_gradients(network, INPUT) == pytest.approx(book, rel=1e-5)


def test_the_gradients_are_those_that_backward_would_leave_and_nothing_is_left() -> None:
    network = DeepNetwork([4, 4, 4, 2], True, activation=nn.Tanh)
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    found = mean_abs_gradients(network, x)
    assert all(parameter.grad is None for parameter in network.parameters())
    nn.MSELoss()(network(x), torch.zeros(3, 2)).backward()
    layers = [module for module in network.modules() if isinstance(module, nn.Linear)]
    expected = [layer.weight.grad.abs().mean().item() for layer in layers]  # type: ignore[union-attr]
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_shortcut_adds_the_input_where_the_shapes_agree_and_only_there() -> None:
    with seeded(1):
        plain = DeepNetwork([3, 3, 2], False)
    with seeded(1):
        shortcut = DeepNetwork([3, 3, 2], True)
    with torch.no_grad():
        first, second = plain.layers
        assert torch.equal(plain(INPUT), second(first(INPUT)))
        assert torch.equal(shortcut(INPUT), second(INPUT + first(INPUT)))


def test_shortcuts_have_no_weights_of_their_own() -> None:
    with seeded(1):
        plain = DeepNetwork([3, 3, 1], False).state_dict()
    with seeded(1):
        shortcut = DeepNetwork([3, 3, 1], True).state_dict()
    assert list(plain) == list(shortcut)
    assert all(torch.equal(plain[name], shortcut[name]) for name in plain)


@pytest.mark.parametrize("sizes", [[], [3], [3, 0, 1], [3, -1]])
def test_widths_that_make_no_network_are_refused(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="at least two widths of at least 1; got"):
        DeepNetwork(sizes, True)
