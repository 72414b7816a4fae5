"""GELU and feed-forward: one x through three forms, and the hidden values near zero in a block."""

import torch
from torch import nn

import gptcore
from gptcore.trace import watch_gpt

# What the page shows.
cfg = gptcore.GPT_CONFIG_124M
model = gptcore.build_model(cfg, seed=123)
token_ids = gptcore.encode("Hello, I am")
x = 1.0
block = 0
threshold = 0.05
# ---

at = torch.tensor(x, dtype=torch.float64, requires_grad=True)
for name, form in {"gelu": gptcore.GELU(), "exact": nn.GELU(), "relu": nn.ReLU()}.items():
    value = form(at)
    (slope,) = torch.autograd.grad(value, [at])
    print(name, f"value {value.item():.6g} slope {slope.item():.6g}")


def show(name: str, of_block: int | None, hidden: torch.Tensor) -> None:
    """Print the share of the block's hidden values, (B, T, 4D), that are near zero."""
    if name == "ff_pre" and of_block == block:
        for activation, form in {"gelu": gptcore.GELU(), "relu": nn.ReLU()}.items():
            near = form(hidden).abs() < threshold
            print(activation, f"near zero {near.double().mean():.6g} of {near.numel()}")


watch_gpt(model, torch.tensor([token_ids]), show)
