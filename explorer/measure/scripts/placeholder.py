"""From placeholder to GPT: shape, mean and spread of the stream with some parts real."""

import torch

import gptcore
from gptcore.assembly import assemble
from gptcore.trace import watch_gpt

# What the page shows.
cfg = gptcore.GPT_CONFIG_124M
model = gptcore.build_model(cfg, seed=123)
batch = [gptcore.encode("Every effort moves you"), gptcore.encode("Every day holds a")]
real: list[str] = []
# ---


def show(name: str, block: int | None, tensor: torch.Tensor) -> None:
    """Print a stage: its shape, its mean, and its standard deviation, divided by n."""
    if name in ("embed", "resid_post", "final_norm_out", "logits"):
        std, mean = torch.std_mean(tensor, unbiased=False)
        stage = name if block is None else f"{name}[{block}]"
        print(stage, tuple(tensor.shape), f"mean {mean:.6g} std {std:.6g}")


shell = assemble(model, frozenset(real))
logits = watch_gpt(shell, torch.tensor(batch), show)
print("parameters", sum(parameter.numel() for parameter in shell.parameters()))
with torch.no_grad():
    print("off by", f"{(logits - model(torch.tensor(batch))).abs().max():.6g}")
