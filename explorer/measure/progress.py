"""How a long computation says how far it is, and finds out that nobody wants it any more."""

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what a step is. It may raise: then the work ends."""


def silent(done: int, total: int, what: str) -> None:
    """Ignore progress, for tests and notebooks."""
