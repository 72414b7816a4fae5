"""How a quantity grows as one field of the configuration grows, and where one part outweighs another."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd

from explorer.measure.compute import PARTS
from explorer.measure.family import COMPONENTS, count_components
from gptcore.activations import activation_bytes
from gptcore.config import GPTConfig
from gptcore.counting import count_block, count_parameters, kv_cache_bytes
from gptcore.flops import forward_flops

LIMITS = {
    "vocab_size": 1_000_000,
    "context_length": 8_192,
    "emb_dim": 16_384,
    "n_heads": 128,
    "n_layers": 128,
}
"""The fields that can be swept, and how far."""


@dataclass(frozen=True)
class Quantity:
    """Something that a configuration decides.

    Attributes:
        title: What it is, for a sentence.
        unit: Its unit.
        parts: Counts it by part.
    """

    title: str
    unit: str
    parts: Callable[[GPTConfig], dict[str, int]]


def _parameters(cfg: GPTConfig) -> dict[str, int]:
    return {COMPONENTS[name]: count for name, count in count_components(cfg).items()}


def _block(cfg: GPTConfig) -> dict[str, int]:
    block = count_block(cfg)
    return {
        "attention": block["att"],
        "feed-forward": block["ff"],
        "norms": block["norm1"] + block["norm2"],
    }


def _flops(cfg: GPTConfig) -> dict[str, int]:
    return {PARTS[part]: count for part, count in forward_flops(cfg, cfg.context_length).items()}


QUANTITIES = {
    "parameters": Quantity("the model's parameters", "parameters", _parameters),
    "block": Quantity("a block's parameters", "parameters", _block),
    "flops": Quantity("the forward pass, per token of a full context", "FLOPs", _flops),
    "activations": Quantity(
        "what one full sequence keeps for the backward pass",
        "bytes",
        lambda cfg: activation_bytes(cfg, 1, cfg.context_length),
    ),
    "kv_cache": Quantity(
        "the KV cache of one full sequence",
        "bytes",
        lambda cfg: {"KV cache": kv_cache_bytes(cfg, 1, cfg.context_length)},
    ),
}


def amount(cfg: GPTConfig, quantity: str) -> int:
    """Return a quantity's sum over its parts; see `QUANTITIES`."""
    return sum(QUANTITIES[quantity].parts(cfg).values())


def allowed_values(cfg: GPTConfig, field: str) -> range | list[int]:
    """Return every value that a field may have while the others stay, up to `LIMITS`."""
    if field == "emb_dim":
        return range(cfg.n_heads, LIMITS[field] + 1, cfg.n_heads)
    if field == "n_heads":
        most = min(LIMITS[field], cfg.emb_dim)
        return [heads for heads in range(1, most + 1) if cfg.emb_dim % heads == 0]
    return range(1, LIMITS[field] + 1)


def with_field(cfg: GPTConfig, field: str, value: int) -> GPTConfig:
    """Return the configuration with one field changed."""
    return replace(cfg, **{field: value})  # type: ignore[arg-type]


def swept_values(cfg: GPTConfig, field: str, log: bool, n_values: int = 33) -> list[int]:
    """Choose values from a 16th to 16 times the field's own, the own among them.

    They are spaced evenly, on a log scale or a linear one, and each is the nearest allowed.
    """
    allowed, own = allowed_values(cfg, field), getattr(cfg, field)
    low, high = max(own / 16, allowed[0]), min(own * 16, allowed[-1])
    steps = [index / (n_values - 1) for index in range(n_values)]
    wanted = [low * (high / low) ** s if log else low + (high - low) * s for s in steps]
    return sorted({_nearest(allowed, value) for value in wanted} | {own})


def _nearest(allowed: range | list[int], value: float) -> int:
    place = bisect_left(allowed, value)
    return min(allowed[max(place - 1, 0) : place + 1], key=lambda candidate: abs(candidate - value))


def growth(cfg: GPTConfig, field: str, quantity: str, log: bool) -> pd.DataFrame:
    """Sweep one field and hold the rest.

    Returns:
        One row a value and part: `value` (of the field), `part`, `amount`, `total` (over the parts).
    """
    rows = []
    for value in swept_values(cfg, field, log):
        parts = QUANTITIES[quantity].parts(with_field(cfg, field, value))
        total = sum(parts.values())
        rows += [(value, part, count, total) for part, count in parts.items()]
    return pd.DataFrame(rows, columns=["value", "part", "amount", "total"])


def growth_grid(cfg: GPTConfig, across: str, down: str, quantity: str) -> pd.DataFrame:
    """Sweep two fields and hold the rest; pairs that break a rule have no amount.

    Returns:
        One row a pair: the two fields by their names, and `amount` (float; NaN where not allowed).
    """
    rows = []
    for y in swept_values(cfg, down, log=True, n_values=9):
        for x in swept_values(cfg, across, log=True, n_values=9):
            try:
                total = float(amount(with_field(with_field(cfg, across, x), down, y), quantity))
            except ValueError:  # heads that don't divide the width
                total = float("nan")
            rows.append({across: x, down: y, "amount": total})
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Doubling:
    """What doubling a field does; heads that can't be doubled go to the next number that divides.

    Attributes:
        before: The field's value.
        after: The one it is raised to.
        factor: By which the quantity is multiplied.
    """

    before: int
    after: int
    factor: float


def doubling(cfg: GPTConfig, field: str, quantity: str) -> Doubling | None:
    """Return what doubling a field does to a quantity, or None where it can't grow."""
    before = getattr(cfg, field)
    after = 2 * before
    if field == "n_heads":
        larger = [heads for heads in range(before + 1, cfg.emb_dim + 1) if cfg.emb_dim % heads == 0]
        if not larger:
            return None
        after = min(larger, key=lambda heads: abs(heads - after))
    grown = amount(with_field(cfg, field, after), quantity)
    return Doubling(before, after, grown / amount(cfg, quantity))


def blocks_outweigh(cfg: GPTConfig) -> bool:
    """Return whether the blocks have more parameters than the embeddings and the head together."""
    counts = count_parameters(cfg)
    return counts["trf_blocks"] > counts["tok_emb"] + counts["pos_emb"] + counts["out_head"]


def crossover(cfg: GPTConfig, field: str) -> int | None:
    """Find where the blocks begin to outweigh embeddings and head as a field changes.

    Returns:
        For `emb_dim` and `n_layers` the smallest value at which they do, for `vocab_size` and
        `context_length` the largest; None if no allowed value is such a border.
    """
    allowed = allowed_values(cfg, field)
    rising = field in ("emb_dim", "n_layers")

    def past(value: int) -> bool:
        return blocks_outweigh(with_field(cfg, field, value)) == rising

    place = bisect_left(allowed, True, key=past)
    if place in (0, len(allowed)):
        return None
    return allowed[place] if rising else allowed[place - 1]


def largest_parts(frame: pd.DataFrame) -> list[tuple[int, int, str]]:
    """Say which part is largest where: runs of values as (first, last, part), in order.

    Args:
        frame: From `growth`.
    """
    runs: list[tuple[int, int, str]] = []
    for label in frame.groupby("value")["amount"].idxmax():
        value, part = int(frame.loc[label, "value"]), str(frame.loc[label, "part"])
        if runs and runs[-1][2] == part:
            runs[-1] = (runs[-1][0], value, part)
        else:
            runs.append((value, value, part))
    return runs
