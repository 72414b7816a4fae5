"""Per-block statistics against the same figures computed from a whole trace."""

import numpy as np
import pytest
import torch

from explorer.measure.stream import POINTS, STATISTICS, block_stats
from gptcore import GPTModel, trace_gpt

IDS = (5, 17, 2, 99)


def test_statistics_are_those_of_the_traced_stream(tiny_model: GPTModel) -> None:
    frame = block_stats(tiny_model, IDS).set_index(["block", "point"])
    trace = trace_gpt(tiny_model, torch.tensor([IDS]))
    for index, block in enumerate(trace.blocks):
        for point in POINTS:
            x = getattr(block, point).double().numpy()
            row = frame.loc[(index, point)]
            expected = [x.mean(), x.std(), x.min(), x.max(), np.sqrt((x**2).mean())]
            np.testing.assert_allclose(row[list(STATISTICS)].to_numpy(float), expected, atol=1e-6)
            assert row["n"] == x.size


def test_the_stream_out_of_a_block_is_the_stream_into_the_next(tiny_model: GPTModel) -> None:
    frame = block_stats(tiny_model, IDS).set_index(["block", "point"])
    assert frame.loc[(0, "resid_post")].equals(frame.loc[(1, "resid_pre")])


def test_progress_counts_blocks_and_giving_up_ends_the_pass(tiny_model: GPTModel) -> None:
    seen: list[tuple[int, int]] = []

    def leave(done: int, total: int, what: str) -> None:
        seen.append((done, total))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        block_stats(tiny_model, IDS, leave)
    assert seen == [(1, tiny_model.cfg.n_layers)]


def test_every_statistic_is_defined_in_a_sentence() -> None:
    assert all(sentence.endswith(".") and ":" in sentence for sentence in STATISTICS.values())
