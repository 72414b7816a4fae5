"""What watching a pass costs; exit code 1 if a limit is broken.

    python tests/benchmarks/trace_cost.py            time and memory, GPT-2 small
    python tests/benchmarks/trace_cost.py xl         one summary of GPT-2 XL (needs 8 GiB)

Plain and watched passes take turns on one thread, and what counts is the median of the ratios of
neighbours, in processor time: what else the machine does hits it least. Peaks are those of fresh
processes.
"""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

from explorer.measure.summary import pass_summary
from gptcore import CONFIGS, GPT_CONFIG_124M, GPTModel, build_model

ROOT = Path(__file__).parents[2]
TIMES = 1.25
PEAK_MIB = 200
ROUNDS = {4: 31, 64: 15, 1024: 3}


def tokens(n: int) -> tuple[int, ...]:
    generator = torch.Generator().manual_seed(0)
    return tuple(torch.randint(50257, (n,), generator=generator).tolist())


def plain(model: GPTModel, ids: tuple[int, ...]) -> object:
    with torch.no_grad():
        return model(torch.tensor([ids]))


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def times(failures: list[str]) -> None:
    """Race a watched pass against a plain one."""
    torch.set_num_threads(1)
    model = build_model(GPT_CONFIG_124M, 123)
    for n, rounds in ROUNDS.items():
        ids = tokens(n)
        plain(model, ids), pass_summary(model, ids)  # warm up
        ratios, ours, theirs = [], [], []
        for turn in range(rounds):
            first = seconds(lambda ids=ids: pass_summary(model, ids)) if turn % 2 else 0.0
            theirs.append(seconds(lambda ids=ids: plain(model, ids)))
            ours.append(first or seconds(lambda ids=ids: pass_summary(model, ids)))
            ratios.append(ours[-1] / theirs[-1])
        ratio = statistics.median(ratios)
        verdict = "ok" if ratio <= TIMES else "BROKEN"
        print(
            f"{n:>5} tokens: plain {1e3 * statistics.median(theirs):8.1f} ms, watched "
            f"{1e3 * statistics.median(ours):8.1f} ms, ratio {ratio:.3f}, limit {TIMES}: {verdict}",
            flush=True,
        )
        if ratio > TIMES:
            failures.append(f"time at {n} tokens")


def peak_mib(what: str) -> float:
    """Return the peak resident memory of one pass at 1,024 tokens in a process of its own."""
    said = subprocess.run(
        [sys.executable, __file__, "peak", what], capture_output=True, text=True, check=True
    ).stdout
    return float(said.split()[-1])


def peaks(failures: list[str]) -> None:
    """Compare the peaks of a plain and a watched pass."""
    without, watched = peak_mib("plain"), peak_mib("watched")
    verdict = "ok" if watched - without <= PEAK_MIB else "BROKEN"
    print(
        f" 1024 tokens: peak {without:,.0f} MiB plain, {watched:,.0f} MiB watched, "
        f"{watched - without:+,.0f} MiB, limit {PEAK_MIB}: {verdict}"
    )
    if watched - without > PEAK_MIB:
        failures.append("peak memory")


def one_peak(what: str) -> None:
    """Run one pass and print this process's peak."""
    model = build_model(GPT_CONFIG_124M, 123)
    ids = tokens(1024)
    plain(model, ids) if what == "plain" else pass_summary(model, ids)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def xl(failures: list[str]) -> None:
    """Summarise one pass of GPT-2 XL, with progress."""
    model = build_model(CONFIGS["gpt2-xl"], 123)
    steps: list[int] = []
    taken = seconds(
        lambda: pass_summary(model, tokens(64), on_step=lambda done, *_: steps.append(done))
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"GPT-2 XL, 64 tokens: {taken:.1f} s, {len(steps)} blocks reported, peak {peak:.1f} GiB")
    if steps != list(range(1, 49)):
        failures.append("progress of XL")


def main() -> int:
    """Measure what the arguments ask for."""
    failures: list[str] = []
    match sys.argv[1:]:
        case ["peak", what]:
            one_peak(what)
        case ["xl"]:
            xl(failures)
        case _:
            print(f"torch {torch.__version__}, one thread, processor time")
            times(failures)
            peaks(failures)
    if failures:
        print("limits broken:", ", ".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
