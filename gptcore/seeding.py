"""The one place that touches torch's global random state."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

MAX_SEED = 2**32 - 1

# The state is global: two threads that shared it would both get numbers that no seed gives.
_lock = threading.RLock()


class Seeded:
    """A random state of its own that takes the place of torch's global one for a while.

    Raises:
        ValueError: If `seed` is not a whole number from 0 to 2³² − 1.
    """

    def __init__(self, seed: int) -> None:
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise ValueError(f"seed must be a whole number from 0 to {MAX_SEED:,}; got {seed!r}")
        self._own_state = torch.Generator().manual_seed(seed).get_state()

    def _swap_in(self) -> None:
        _lock.acquire()
        self._global_state = torch.get_rng_state()
        torch.set_rng_state(self._own_state)

    def _swap_out(self) -> None:
        self._own_state = torch.get_rng_state()
        torch.set_rng_state(self._global_state)
        _lock.release()

    @contextmanager
    def active(self) -> Iterator[None]:
        """Draw from this state; no other thread can do the same meanwhile."""
        self._swap_in()
        try:
            yield
        finally:
            self._swap_out()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside `active`: give the global state back for a while, so that others can go on."""
        self._swap_out()
        try:
            yield
        finally:
            self._swap_in()


@contextmanager
def seeded(seed: int) -> Iterator[Seeded]:
    """Run a block of code as if the global random state had just been seeded; then restore it.

    Raises:
        ValueError: If `seed` is not a whole number from 0 to 2³² − 1.
    """
    own = Seeded(seed)
    with own.active():
        yield own
