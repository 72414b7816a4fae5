"""LayerNorm is the book's, PyTorch's, and every token's own affair."""

import pytest
import torch
from torch import nn

from gptcore import LayerNorm
from gptcore.seeding import seeded


@pytest.fixture
def activations() -> torch.Tensor:
    """The book's example: two rows of six features out of a linear layer and ReLU, (2, 6)."""
    with seeded(123), torch.no_grad():
        batch = torch.randn(2, 5)
        row: torch.Tensor = nn.Sequential(nn.Linear(5, 6), nn.ReLU())(batch)
        return row


def test_the_books_activations_normalise_to_the_books_numbers(activations: torch.Tensor) -> None:
    assert activations[0].tolist() == pytest.approx(
        [0.225952, 0.346954, 0, 0.221604, 0, 0], abs=1e-6
    )
    assert activations[0].mean().item() == pytest.approx(0.132418, abs=1e-6)
    assert activations[0].var(unbiased=False).item() == pytest.approx(0.019222, abs=1e-6)
    with torch.no_grad():
        normalised = LayerNorm(6)(activations)
    assert normalised[0].tolist() == pytest.approx(
        [0.674460, 1.546987, -0.954852, 0.643108, -0.954852, -0.954852], abs=2e-6
    )
    assert normalised[0].mean().item() == pytest.approx(0, abs=1e-6)
    assert normalised[0].var(unbiased=False).item() == pytest.approx(0.999480, abs=1e-6)


@pytest.mark.parametrize("shape", [(6,), (2, 6), (3, 5, 48), (2, 7, 1), (1, 1024, 768)])
@pytest.mark.parametrize(
    ("dtype", "spread", "offset"),
    [
        (torch.float32, 1.0, 0.5),
        (torch.float64, 1e-3, 0.5),
        (torch.float64, 1.0, -10.0),
        (torch.float64, 1e3, 0.0),
    ],
)
def test_it_agrees_with_pytorchs(
    shape: tuple[int, ...], dtype: torch.dtype, spread: float, offset: float
) -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(shape, generator=generator, dtype=dtype) * spread + offset
    ours, theirs = LayerNorm(shape[-1]).to(dtype), nn.LayerNorm(shape[-1]).to(dtype)
    with torch.no_grad():
        ours.scale.copy_(theirs.weight.normal_(generator=generator))
        ours.shift.copy_(theirs.bias.normal_(generator=generator))
        tolerance = 1e-5 if dtype == torch.float32 else 1e-9
        torch.testing.assert_close(ours(x), theirs(x), rtol=tolerance, atol=tolerance)


def test_its_gradients_agree_with_pytorchs() -> None:
    x = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(0), requires_grad=True)
    ours, theirs = LayerNorm(12), nn.LayerNorm(12)
    aim = torch.arange(12.0)
    found = torch.autograd.grad((ours(x) * aim).sum(), [x, ours.scale, ours.shift])
    expected = torch.autograd.grad((theirs(x) * aim).sum(), [x, theirs.weight, theirs.bias])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_scale_starts_at_ones_and_shift_at_zeros_and_both_are_trainable() -> None:
    norm = LayerNorm(5)
    assert torch.equal(norm.scale, torch.ones(5))
    assert torch.equal(norm.shift, torch.zeros(5))
    assert [name for name, p in norm.named_parameters() if p.requires_grad] == ["scale", "shift"]


def test_each_token_of_each_sequence_is_normalised_alone() -> None:
    x = torch.randn(2, 4, 6, generator=torch.Generator().manual_seed(0))
    norm = LayerNorm(6)
    with torch.no_grad():
        together = norm(x)
        for sequence in range(2):
            for token in range(4):
                alone = norm(x[sequence, token])
                torch.testing.assert_close(together[sequence, token], alone, rtol=0, atol=1e-6)


def test_a_constant_token_becomes_the_shift_and_not_nan() -> None:
    with torch.no_grad():
        assert torch.equal(LayerNorm(4)(torch.full((1, 4), 7.0)), torch.zeros(1, 4))


def test_the_input_stays_as_it_is() -> None:
    x = torch.randn(2, 6, generator=torch.Generator().manual_seed(0))
    before = x.clone()
    LayerNorm(6)(x)
    assert torch.equal(x, before)
