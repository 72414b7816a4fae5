"""Which examples of a test run each time, and which only when all are asked for (`-m thorough`)."""

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_thorough(values: Iterable[Any], always: Iterable[Any]) -> list[Any]:
    """Mark all values but those that are always run."""
    chosen = [*always]
    marked = []
    for value in values:
        parts = value if isinstance(value, tuple) else (value,)
        marks = () if value in chosen else (pytest.mark.thorough,)
        marked.append(pytest.param(*parts, marks=marks))
    return marked
