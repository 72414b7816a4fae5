"""Linear layers whose outputs are shared out among the processor's cores.

A product of a few rows with a large matrix is bound by how fast the weights come from memory, and
matrix libraries give it to one core. Cut into groups of outputs and computed as a batch, every core
reads weights of its own. Each output is the same sum as before.
"""

import torch
from torch import Tensor, nn


class SplitLinear(nn.Linear):
    """`nn.Linear`, computed in as many groups of outputs as torch has threads; without gradients."""

    def forward(self, x: Tensor) -> Tensor:
        """Transform the last axis: (..., D) -> (..., F)."""
        n_groups = min(torch.get_num_threads(), self.out_features)
        in_groups = self.out_features // n_groups * n_groups
        rows = x.reshape(-1, self.in_features)  # (R, D)
        groups = self.weight[:in_groups].view(n_groups, -1, self.in_features)  # (G, F / G, D)
        y = torch.bmm(rows.expand(n_groups, -1, -1), groups.transpose(1, 2))  # (G, R, F / G)
        y = y.transpose(0, 1).flatten(1)
        if in_groups < self.out_features:
            y = torch.cat((y, rows @ self.weight[in_groups:].T), dim=1)
        if self.bias is not None:
            y += self.bias
        return y.view(*x.shape[:-1], self.out_features)


def split_linears(model: nn.Module) -> None:
    """Compute the linear layers of a private copy in this way; its tensors stay as they are."""
    for module in model.modules():
        if type(module) is nn.Linear:
            module.__class__ = SplitLinear
