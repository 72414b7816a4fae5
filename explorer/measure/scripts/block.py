"""Transformer block: what the stream is like before, between and after the halves of every block."""

import torch

import gptcore
from gptcore.trace import watch_gpt

# What the page shows.
cfg = gptcore.GPT_CONFIG_124M
model = gptcore.build_model(cfg, seed=123)
token_ids = gptcore.encode("Hello, I am")
# ---


def show(name: str, block: int | None, tensor: torch.Tensor) -> None:
    """Print the statistics over every token and feature, (1, T, D)."""
    if name in ("resid_pre", "attn_out", "resid_mid", "ff_out", "resid_post"):
        x = tensor.double()
        std, mean = torch.std_mean(x, unbiased=False)
        rms = x.square().mean().sqrt()
        low, high = x.aminmax()
        print(
            block,
            name,
            f"mean {mean:.6g} std {std:.6g} min {low:.6g} max {high:.6g} rms {rms:.6g}",
        )


watch_gpt(model, torch.tensor([token_ids]), show)
