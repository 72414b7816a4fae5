"""Bytes that answers keep."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from explorer.measure.sizes import kept_bytes

N = 1_000_000


@dataclass(frozen=True)
class Answer:
    values: object


def test_arrays_and_tables_take_at_least_their_numbers() -> None:
    values = np.zeros(N, dtype=np.float32)
    for holder in (values, [values], {"a": values}, Answer(values), pd.Series(values)):
        assert 4 * N <= kept_bytes(holder) < 4 * N + 2_000


def test_a_view_counts_what_it_shows() -> None:
    assert kept_bytes(np.zeros(N, dtype=np.uint8)[::2]) == N // 2


def test_text_in_a_table_counts() -> None:
    frame = pd.DataFrame({"token": ["x" * 100 for _ in range(1_000)]})
    assert kept_bytes(frame) >= 100_000
