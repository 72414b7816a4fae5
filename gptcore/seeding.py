"""The one place that touches torch's global random state."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

MAX_SEED = 2**32 - 1

_lock = threading.RLock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Run a block of code as if the global random state had just been seeded; then restore it.

    One thread at a time: the state is global, and two builders that shared it would both get
    numbers that no seed gives.

    Raises:
        ValueError: If `seed` is not a whole number from 0 to 2³² − 1.
    """
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must be a whole number from 0 to {MAX_SEED:,}; got {seed!r}")
    with _lock, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
