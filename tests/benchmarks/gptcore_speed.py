"""How fast gptcore is beside Hugging Face and bare PyTorch; exit code 1 if a limit is broken.

Contestants take turns in one run, in changing order, and what counts is the median of the ratios
of neighbours: whatever else the machine does hits both alike.

    python tests/benchmarks/gptcore_speed.py
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, str(Path(__file__).parents[2]))

import torch
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.utils import logging as hugging_face_logging

from gptcore import CONFIGS, GPT_CONFIG_124M, GPTModel, build_model, count_parameters, load_gpt2

Contestant = Callable[[], object]


def seconds(run: Contestant) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def race(ours: Contestant, theirs: Contestant, rounds: int) -> tuple[float, float, float]:
    """Return the median times of both, and the median ratio of ours to theirs."""
    ours(), theirs()  # warm up
    mine, other = [], []
    for turn in range(rounds):
        first, second = (mine, other) if turn % 2 else (other, mine)
        for times in (first, second):
            times.append(seconds(ours if times is mine else theirs))
    ratios = [a / b for a, b in zip(mine, other, strict=True)]
    return statistics.median(mine), statistics.median(other), statistics.median(ratios)


def hugging_face(attention: str, folder: str) -> GPT2LMHeadModel:
    return GPT2LMHeadModel.from_pretrained(folder, attn_implementation=attention).eval()


def forward(model: nn.Module, ids: Tensor, **options: bool) -> Contestant:
    def run() -> object:
        with torch.no_grad():
            return model(ids, **options)

    return run


def bare_layers() -> list[nn.Module]:
    """Initialise GPT-2 small's layers, in order, as PyTorch does by itself."""
    cfg = GPT_CONFIG_124M
    d = cfg.emb_dim
    layers: list[nn.Module] = [nn.Embedding(cfg.vocab_size, d), nn.Embedding(1024, d)]
    for _ in range(cfg.n_layers):
        layers += [nn.Linear(d, d, bias=False) for _ in range(3)]
        layers += [nn.Linear(d, d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)]
        layers += [nn.LayerNorm(d), nn.LayerNorm(d)]
    layers += [nn.LayerNorm(d), nn.Linear(d, cfg.vocab_size, bias=False)]
    return layers


def forwards(failures: list[str]) -> None:
    """Compare forward passes of GPT-2 small on the same weights."""
    with tempfile.TemporaryDirectory() as folder:
        GPT2LMHeadModel(GPT2Config()).save_pretrained(folder)
        ours: GPTModel = load_gpt2(folder)
        theirs = {kind: hugging_face(kind, folder) for kind in ("eager", "sdpa")}
    generator = torch.Generator().manual_seed(0)
    for n_tokens, kind, rounds, limit in (
        (64, "eager", 61, 1.05),
        (64, "sdpa", 61, 1.05),
        (1024, "eager", 21, 1.0),
        (1024, "sdpa", 7, None),  # one fused kernel, which a book can't read: for comparison only
    ):
        ids = torch.randint(50257, (1, n_tokens), generator=generator)
        with torch.no_grad():
            gap = (ours(ids) - theirs[kind](ids, use_cache=False).logits).abs().max().item()
        report(
            f"forward, {n_tokens} tokens, Hugging Face {kind}",
            race(forward(ours, ids), forward(theirs[kind], ids, use_cache=False), rounds),
            limit,
            failures,
            f"logits differ by at most {gap:.0e}",
        )


def report(
    what: str,
    figures: tuple[float, float, float],
    limit: float | None,
    failures: list[str],
    note: str = "",
) -> None:
    mine, other, ratio = figures
    broken = limit is not None and ratio > limit
    allowed = "no limit" if limit is None else f"limit {limit:.2f}"
    print(
        f"{what:<44}{mine * 1e3:>9.1f} ms {other * 1e3:>9.1f} ms {ratio:>7.3f}  {allowed:<11}"
        f"{'BROKEN' if broken else 'ok':<8}{note}",
        flush=True,
    )
    if broken:
        failures.append(what)


def main() -> int:
    """Run every race."""
    hugging_face_logging.set_verbosity_error()
    hugging_face_logging.disable_progress_bar()
    failures: list[str] = []
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    print(f"{'':<44}{'ours':>12} {'theirs':>12} {'ratio':>7}")
    counting = [seconds(lambda: count_parameters(CONFIGS["gpt3-175b"])) for _ in range(1000)]
    slowest, allowed = max(counting), 5e-3
    print(f"counting GPT-3 175B: slowest of 1,000 {slowest * 1e3:.3f} ms, limit 5 ms")
    if slowest > allowed:
        failures.append("counting")
    figures = race(lambda: build_model(GPT_CONFIG_124M, 123), bare_layers, 31)
    report("building GPT-2 small, bare layers", figures, 1.05, failures)
    forwards(failures)
    if failures:
        print("limits broken:", ", ".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
