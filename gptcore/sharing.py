"""A copy of a model that shares every tensor with it: room for hooks and other wiring."""

import copy
from typing import TypeVar

from torch import nn

M = TypeVar("M", bound=nn.Module)


def private_copy(model: M) -> M:
    """Copy the module objects and share every parameter and buffer (about 2 ms for 12 blocks).

    What is hooked, replaced or switched on the copy never shows on the model. What is written into
    a tensor would: nothing may be.
    """
    copies = {module: copy.copy(module) for module in model.modules()}
    for copied in copies.values():
        registers = {k: v.copy() for k, v in vars(copied).items() if isinstance(v, dict | set)}
        vars(copied).update(registers)  # of parameters, buffers, hooks, children
        for name, child in copied._modules.items():
            if child is not None:
                copied._modules[name] = copies[child]
    copy_of_model: M = copies[model]  # type: ignore[assignment]
    return copy_of_model
