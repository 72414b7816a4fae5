"""Gradients as values: nothing is ever stored on a parameter that others share."""

import torch
from torch import Tensor, nn


def parameter_gradients(module: nn.Module, loss: Tensor) -> dict[str, Tensor]:
    """Differentiate a loss with respect to every parameter of a module.

    Args:
        module: What the loss was computed with; its `.grad` fields stay as they are.
        loss: A scalar with a graph. It can be used once.

    Returns:
        The gradient of each parameter by its name; zeros where the loss doesn't depend on it.
    """
    named = dict(module.named_parameters())
    gradients = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
    return {
        name: torch.zeros_like(parameter) if gradient is None else gradient
        for (name, parameter), gradient in zip(named.items(), gradients, strict=True)
    }


def mean_abs_gradients(network: nn.Module, x: Tensor) -> list[float]:
    """Say how much of the error reaches each layer's weights, the first layer first.

    The error is the mean squared difference between the network's output and 0.

    Args:
        network: Such as a `DeepNetwork`; every parameter named `weight` counts as a layer's.
        x: What the network reads.

    Returns:
        The mean of the absolute weight gradients, one number a layer.
    """
    gradients = parameter_gradients(network, network(x).square().mean())
    return [
        gradient.abs().mean().item()
        for name, gradient in gradients.items()
        if name.split(".")[-1] == "weight"
    ]
