"""What the loops read is what they read; FLOPs are torch's own count."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from explorer.measure.loops import (
    WITH,
    WITHOUT,
    cache_work,
    loops_side_by_side,
    read_flops,
    timed_loops,
)
from gptcore import GPTConfig, GPTModel, build_model
from gptcore.generate import greedy_steps
from gptcore.kv_cache import CachedReader


@pytest.mark.parametrize(("n_prompt", "n_tokens"), [(1, 1), (4, 6), (10, 8), (13, 3)])
def test_counted_flops_are_those_that_torch_counts(
    tiny: GPTConfig, tiny_model: GPTModel, n_prompt: int, n_tokens: int
) -> None:
    work = cache_work(tiny, n_prompt, n_tokens)
    for loop, use_cache in ((WITH, True), (WITHOUT, False)):
        with FlopCounterMode(display=False) as counter:
            list(greedy_steps(tiny_model, list(range(1, n_prompt + 1)), n_tokens, use_cache))
        counted = work[work["loop"] == loop]["gflops"].sum() * 1e9
        assert counted == pytest.approx(counter.get_total_flops())


@given(n_read=st.integers(1, 50), n_seen=st.integers(50, 99))
def test_reading_in_one_piece_costs_what_its_parts_cost(n_read: int, n_seen: int) -> None:
    cfg = GPTConfig(101, 100, 12, 3, 2, 0.1, False)
    whole = read_flops(cfg, n_read, n_seen, n_read)
    assert whole == n_read * read_flops(cfg, 1, n_seen, 1)


def test_positions_are_quadratic_without_and_linear_with_a_cache(tiny: GPTConfig) -> None:
    work = cache_work(replace(tiny, context_length=1000), 1, 100)
    read = work.groupby("loop")["read"].sum()
    assert read[WITHOUT] == 100 * 101 // 2
    assert read[WITH] == 100


def test_past_the_context_both_loops_read_the_whole_window(tiny: GPTConfig) -> None:
    work = cache_work(tiny, 12, 5)
    assert work[work["loop"] == WITHOUT]["read"].tolist() == [12, 13, 13, 13, 13]
    assert work[work["loop"] == WITH]["read"].tolist() == [12, 1, 13, 13, 13]


def test_cache_bytes_are_those_of_the_keys_and_values(tiny: GPTConfig) -> None:
    model = build_model(tiny, 1)
    reader = CachedReader(model)
    reader.read(torch.tensor([[1, 2, 3]]))
    kept = 0
    for block in reader.model.trf_blocks:
        for tensor in (block.att.keys, block.att.values):
            kept += tensor[:, :, :3].numel() * tensor.element_size()
    work = cache_work(tiny, 3, 1)
    assert work[work["loop"] == WITH]["cache_mib"].item() * 2**20 == kept


def test_timed_loops_give_the_same_tokens_and_the_clocks_times(tiny_model: GPTModel) -> None:
    ticks = iter(range(1000))
    frame = timed_loops(tiny_model, (1, 2), 15, clock=lambda: next(ticks))
    assert frame["milliseconds"].eq(1000).all()
    assert frame.groupby("loop")["step"].apply(list).tolist() == [list(range(1, 16))] * 2
    assert loops_side_by_side(frame)["same"].all()
