"""What the KV cache saves: positions and FLOPs counted from the configuration, time measured."""

import time
from collections.abc import Callable

import pandas as pd

from explorer.measure.progress import Progress, silent
from explorer.measure.tokens import token_text
from gptcore.config import GPTConfig
from gptcore.counting import MIB, kv_cache_bytes
from gptcore.flops import forward_flops
from gptcore.generate import greedy_steps
from gptcore.model import GPTModel

WITHOUT, WITH = "without cache", "with cache"


def read_flops(cfg: GPTConfig, n_read: int, n_seen: int, n_scored: int) -> int:
    """Count the FLOPs of reading `n_read` positions; see `gptcore.flops`.

    Args:
        cfg: The configuration.
        n_read: Positions that are computed now.
        n_seen: Positions that each of them is matched with: those and the cached ones.
        n_scored: Positions that the output head scores.
    """
    per_position = forward_flops(cfg, n_seen)
    head = per_position.pop("out_head")
    return n_read * sum(per_position.values()) + n_scored * head


def cache_work(cfg: GPTConfig, n_prompt: int, n_tokens: int) -> pd.DataFrame:
    """Count what each step of both loops reads.

    Without the cache the head scores every position read; with it, the last. Past the context the
    window slides, positions restart and the cached loop reads the whole window again, too.

    Returns:
        One row a loop and step: `loop`, `step` (from 1), `tokens` (of the window), `read`
        (positions computed), `gflops` (10⁹ operations), `cache_mib` (0 without).
    """
    rows = []
    for step in range(1, n_tokens + 1):
        length = n_prompt + step - 1
        window = min(length, cfg.context_length)
        fresh = step == 1 or length > cfg.context_length
        read = window if fresh else 1
        plain = read_flops(cfg, window, window, window) / 1e9
        cached = read_flops(cfg, read, window, 1) / 1e9
        rows.append((WITHOUT, step, window, window, plain, 0.0))
        rows.append((WITH, step, window, read, cached, kv_cache_bytes(cfg, 1, window) / MIB))
    return pd.DataFrame(rows, columns=["loop", "step", "tokens", "read", "gflops", "cache_mib"])


def timed_loops(
    model: GPTModel,
    token_ids: tuple[int, ...],
    n_tokens: int,
    on_step: Progress = silent,
    clock: Callable[[], float] = time.perf_counter,
) -> pd.DataFrame:
    """Run both loops and take the time of every step.

    Returns:
        One row a loop and step: `loop`, `step` (from 1), `token_id`, `milliseconds`.
    """
    rows: list[tuple[str, int, int, float]] = []
    for loop, use_cache in ((WITH, True), (WITHOUT, False)):
        start = clock()
        for token_id, _ in greedy_steps(model, list(token_ids), n_tokens, use_cache):
            rows.append((loop, 1 + len(rows) % n_tokens, token_id, 1e3 * (clock() - start)))
            on_step(len(rows), 2 * n_tokens, "token of both loops")
            start = clock()
    return pd.DataFrame(rows, columns=["loop", "step", "token_id", "milliseconds"])


def loops_side_by_side(times: pd.DataFrame) -> pd.DataFrame:
    """Put the tokens of both loops beside each other.

    Args:
        times: From `timed_loops`.

    Returns:
        One row a step: `step` (from 1), `token_a` (without cache), `token_b` (with), `same`.
    """
    ids = times.pivot(index="step", columns="loop", values="token_id")
    return pd.DataFrame(
        {
            "step": ids.index,
            "token_a": [token_text(token_id) for token_id in ids[WITHOUT]],
            "token_b": [token_text(token_id) for token_id in ids[WITH]],
            "same": (ids[WITHOUT] == ids[WITH]).to_numpy(),
        }
    )
