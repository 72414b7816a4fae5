"""Floating-point operations by part, against the rules of thumb, and the time that training takes."""

from dataclasses import dataclass, replace

import pandas as pd

from gptcore.config import GPTConfig
from gptcore.counting import count_parameters
from gptcore.flops import backward_flops, forward_flops

PARTS = {
    "qkv": "query, key, value",
    "scores": "scores q·k",
    "context": "weights × values",
    "out_proj": "out_proj",
    "ff": "feed-forward",
    "out_head": "output head",
}
SECONDS_PER_YEAR = 365.25 * 86_400


def flops_by_part(cfg: GPTConfig, n_tokens: int) -> pd.DataFrame:
    """Count the FLOPs per token of a sequence of `n_tokens`; see `gptcore.flops`.

    Returns:
        One row a part: `part`, `forward`, `backward`, `share` (of the sum, 0 to 1).
    """
    forward, backward = forward_flops(cfg, n_tokens), backward_flops(cfg, n_tokens)
    frame = pd.DataFrame(
        {"part": PARTS.values(), "forward": forward.values(), "backward": backward.values()}
    )
    frame["share"] = frame["forward"] / frame["forward"].sum()
    return frame


def rule_ratio(cfg: GPTConfig, n_tokens: int) -> float:
    """Return the forward FLOPs per token, counted, over 2N.

    N is every parameter there is, embeddings among them, a tied table once. Backward over 4N and
    both over 6N give the same number.
    """
    return sum(forward_flops(cfg, n_tokens).values()) / (2 * sum(count_parameters(cfg).values()))


@dataclass(frozen=True)
class TrainingTime:
    """What training costs.

    Attributes:
        flops_rule: By 6N, over all tokens.
        flops_counted: Matrix products, forward and backward, over all tokens.
        years_rule: On all devices together, by 6N.
        years_counted: And counted.
    """

    flops_rule: float
    flops_counted: float
    years_rule: float
    years_counted: float


def training_time(
    cfg: GPTConfig,
    n_tokens: int,
    training_tokens: float,
    device_flops: float,
    utilisation: float = 1.0,
    n_devices: int = 1,
) -> TrainingTime:
    """Compute how long training takes.

    Args:
        cfg: The configuration.
        n_tokens: Length of the training sequences (T).
        training_tokens: How many tokens are seen.
        device_flops: Of one device, per second.
        utilisation: Share of that which is reached, above 0.
        n_devices: Working side by side without loss.
    """
    rule = 6 * sum(count_parameters(cfg).values()) * training_tokens
    counted = 3 * sum(forward_flops(cfg, n_tokens).values()) * training_tokens
    per_year = device_flops * utilisation * n_devices * SECONDS_PER_YEAR
    return TrainingTime(rule, counted, rule / per_year, counted / per_year)


def rule_table(cfg: GPTConfig) -> pd.DataFrame:
    """Compare counted FLOPs with 2N, untied and tied, for 4 tokens and for a full context.

    Returns:
        One row a head, written out: `head`, `N`, and a column a length with the ratio.
    """
    rows = []
    for tie_weights in (False, True):
        one = replace(cfg, tie_weights=tie_weights)
        rows.append(
            {
                "head": "tied" if tie_weights else "untied",
                "N": f"{sum(count_parameters(one).values()):,}",
            }
            | {
                f"T = {n_tokens:,}": f"{rule_ratio(one, n_tokens):.3f}"
                for n_tokens in sorted({min(4, cfg.context_length), cfg.context_length})
            }
        )
    return pd.DataFrame(rows)
