"""Overview: the shape of every tensor on the way through one block, and the next token."""

import torch

import gptcore
from gptcore.trace import watch_gpt

# What the page shows.
cfg = gptcore.GPT_CONFIG_124M
model = gptcore.build_model(cfg, seed=123)
token_ids = gptcore.encode("Hello, I am")
block = 0
# ---


def show(name: str, at: int | None, tensor: torch.Tensor) -> None:
    """Print the shape of what stands outside the blocks, or in this one."""
    if at in (None, block):
        print(name, tuple(tensor.shape))


logits = watch_gpt(model, torch.tensor([token_ids]), show)
probs = torch.softmax(logits[0, -1], dim=-1)
top = int(probs.argmax())
print("parameters", sum(gptcore.count_parameters(cfg).values()))
print("next", top, f"{float(probs[top]):.6g}", ascii(gptcore.decode([top])))
