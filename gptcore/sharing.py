"""A copy of a model that shares every tensor with it: room for hooks and other wiring."""

import copy
from typing import TypeVar

from torch import nn

M = TypeVar("M", bound=nn.Module)


def private_copy(model: M) -> M:
    """Copy the module objects and share every parameter and buffer (about 10 ms for 12 blocks).

    What is hooked, replaced or switched on the copy never shows on the model. What is written into
    a tensor would: nothing may be.
    """
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, shared)
