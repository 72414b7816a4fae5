"""How many bytes a table, or what holds tables, keeps in memory."""

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd


def kept_bytes(value: object) -> int:
    """Return roughly what a measure's answer keeps allocated; what is shared counts each time."""
    match value:
        case np.ndarray():
            return sys.getsizeof(value) if value.base is None else value.nbytes
        case pd.DataFrame() | pd.Series():
            return sys.getsizeof(value)  # pandas counts its columns and their text
        case Mapping():
            return sys.getsizeof(value) + sum(map(kept_bytes, [*value.keys(), *value.values()]))
        case tuple() | list() | set() | frozenset():
            return sys.getsizeof(value) + sum(map(kept_bytes, value))
    if is_dataclass(value):
        inside = (getattr(value, field.name) for field in fields(value))
        return sys.getsizeof(value) + sum(map(kept_bytes, inside))
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return sys.getsizeof(value) + kept_bytes(vars(value))
    return sys.getsizeof(value)
