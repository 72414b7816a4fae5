"""Shortcuts: the mean absolute gradient of each layer, without and with them."""

import torch
from torch import nn

import gptcore

# What the page shows.
layers = 5
width = 3
activation: type[nn.Module] = gptcore.GELU
seed = 123
# ---

x = torch.tensor([1.0, 0.0, -1.0]).repeat(width)[None, :width]  # (1, width)
for use_shortcut in (False, True):
    torch.manual_seed(seed)
    network = gptcore.DeepNetwork([width] * layers + [1], use_shortcut, activation)
    for layer, gradient in enumerate(gptcore.mean_abs_gradients(network, x)):
        print("with shortcuts" if use_shortcut else "plain", layer, f"{gradient:.8g}")
