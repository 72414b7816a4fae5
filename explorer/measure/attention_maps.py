"""Tables about attention, from the summary of a pass."""

import math

import numpy as np
import pandas as pd

from explorer.measure.summary import Array, PassSummary
from explorer.measure.tokens import token_text

STEPS = {
    "scores": "q·k: how well a query matches a key",
    "scaled": "q·k / √K: scaled, so that softmax does not harden as heads grow",
    "masked": "after the mask: later positions are −∞",
    "weights": "weights, after softmax",
    "ratio": "weight divided by 1/(t+1), the even share of a row that sees t+1 positions",
}
"""What attention does, in order, and the last once more as a ratio to an even share."""

NEAR_UNIFORM = 0.9
"""Of the entropy of even weights: from here on attention is called near uniform."""


def _all_heads(summary: PassSummary, step: str) -> Array:
    """Return one step of every block and head, (L, H, G, G); −∞ where a cell is hidden."""
    if step == "weights":
        weights: Array = summary.weights
        return weights
    if step == "ratio":
        even = np.where(summary.uniform > 0, summary.uniform, 1)
        return np.asarray(summary.weights / even, dtype=np.float32)
    scale = math.sqrt(summary.head_dim) if step == "scores" else 1
    scores: Array = summary.scores * np.float32(scale)
    if step == "masked":
        scores = np.where(summary.uniform > 0, scores, np.float32(-np.inf))
    return scores


def hidden_cells(summary: PassSummary) -> Array:
    """Return a boolean (G, G) that is True where no query of a group may see any key of another."""
    hidden: Array = summary.uniform == 0
    return hidden


def group_labels(summary: PassSummary) -> list[str]:
    """Name each group: its position and token, or its first and last position if it holds more."""
    return [
        f"{first} {token_text(summary.token_ids[first])}" if first == last else f"{first}–{last}"
        for first, last in summary.groups
    ]


def attention_map(summary: PassSummary, block: int, head: int, step: str) -> pd.DataFrame:
    """Read off one head at one of the `STEPS`.

    Returns:
        One row a query and key: `query`, `key` (positions, or groups of them), `value` (−∞ behind
        the mask once it is on), `hidden` (whether the mask covers the whole cell).

    Raises:
        ValueError: If the step is unknown.
    """
    if step not in STEPS:
        raise ValueError(f"a step must be one of {', '.join(STEPS)}; got {step!r}")
    labels = group_labels(summary)
    n = len(labels)
    return pd.DataFrame(
        {
            "query": np.repeat(labels, n),
            "key": labels * n,
            "value": _all_heads(summary, step)[block, head].astype(float).ravel(),
            "hidden": hidden_cells(summary).ravel(),
        }
    )


def head_ratios(summary: PassSummary) -> Array:
    """Return every head's weights as a ratio to an even share, (L, H, G, G)."""
    return _all_heads(summary, "ratio")


def head_entropies(summary: PassSummary) -> pd.DataFrame:
    """Say how undecided every head is.

    Returns:
        One row a head: `block`, `head`, `entropy` (nats, mean over queries; with more than 64
        tokens over the first query of each group), `uniform` (the same if all weights were equal),
        `share` (their ratio; 1 where a single token leaves no choice).
    """
    frame = pd.DataFrame(
        {
            "block": np.repeat(range(summary.n_blocks), summary.n_heads),
            "head": list(range(summary.n_heads)) * summary.n_blocks,
            "entropy": summary.entropy.astype(float).ravel(),
            "uniform": summary.uniform_entropy,
        }
    )
    frame["share"] = frame["entropy"] / summary.uniform_entropy if summary.uniform_entropy else 1.0
    return frame
