"""Fifty deep networks at once, as the Shortcuts page asks for them.

Run `python -m tests.benchmarks.gradient_seeds`. Exit code 1 if the limit is broken.
"""

import time

from explorer.measure.gradient_lab import layer_gradients

LIMIT_S = 3.0
RUNS = 5


def main() -> int:
    """Print the slowest of some runs for the narrowest reference and the widest network."""
    broken = 0
    for width in (3, 64):
        layer_gradients(5, width, "gelu", (0,))
        runs = []
        for _ in range(RUNS):
            start = time.perf_counter()
            layer_gradients(40, width, "gelu", tuple(range(50)))
            runs.append(time.perf_counter() - start)
        broken += max(runs) > LIMIT_S
        print(f"50 seeds, 40 layers of width {width:2}: slowest of {RUNS} {max(runs):.2f} s")
    print(f"limit {LIMIT_S} s")
    return int(broken > 0)


if __name__ == "__main__":
    raise SystemExit(main())
