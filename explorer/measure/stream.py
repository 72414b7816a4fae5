"""Tables about the residual stream, block by block, from the summary of a pass."""

import numpy as np
import pandas as pd

from explorer.measure.summary import N_BINS, STATISTICS, Array, PassSummary, over_tokens
from explorer.measure.tokens import token_text

POINTS = {
    "resid_pre": "the stream into the block",
    "attn_out": "what attention gives out",
    "resid_mid": "the stream after attention was added",
    "ff_out": "what the feed-forward gives out",
    "resid_post": "the stream after the feed-forward was added",
}
"""Places of a block, in the order of the pass; only the `resid_` ones are points of the stream."""
STREAM_POINTS = ("resid_pre", "resid_mid", "resid_post")
ADDED_POINTS = ("attn_out", "ff_out")


def _index(block: int, point: str) -> int:
    """Return where a place of a block stands among the points of the stream, or the additions."""
    if point in ADDED_POINTS:
        return 2 * block + ADDED_POINTS.index(point)
    return 2 * block + STREAM_POINTS.index(point)


def _tokens_at(summary: PassSummary, block: int, point: str) -> Array:
    """Return every token's statistics at a place, (T, 5)."""
    place = summary.added if point in ADDED_POINTS else summary.stream
    statistics: Array = place[_index(block, point)]
    return statistics


def block_stats(summary: PassSummary) -> pd.DataFrame:
    """Describe the stream before, between and after the halves of every block, and what they add.

    Each statistic is over all N = T × D values at that place: every token and every feature.

    Returns:
        One row a block and place: `block` (from 0), `point` (see `POINTS`), `mean`, `std`
        (population), `min`, `max`, `rms`, `n`; `cosine`, the mean over the tokens of the cosine
        with the stream that is added to (for what is added only), and `outside`, the share of the
        values farther than 3 standard deviations from the mean (for the stream only).
    """
    rows = []
    for block in range(summary.n_blocks):
        for point in POINTS:
            described = over_tokens(_tokens_at(summary, block, point)).tolist()
            adds = point in ADDED_POINTS
            i = _index(block, point)
            rows.append(
                {"block": block, "point": point}
                | dict(zip(STATISTICS, described, strict=True))
                | {
                    "n": len(summary.token_ids) * summary.n_features,
                    "cosine": float(summary.cosine[i].mean()) if adds else np.nan,
                    "outside": np.nan if adds else float(summary.outside[i]),
                }
            )
    return pd.DataFrame(rows)


def token_stats(summary: PassSummary, point: str) -> pd.DataFrame:
    """Describe every token's D values at one place of every block.

    Returns:
        One row a block and token: `block`, `position` (both from 0), `token`, and the statistics.
    """
    tokens = [token_text(token_id) for token_id in summary.token_ids]
    frames = []
    for block in range(summary.n_blocks):
        frame = pd.DataFrame(_tokens_at(summary, block, point), columns=list(STATISTICS))
        frame.insert(0, "block", block)
        frame.insert(1, "position", range(len(tokens)))
        frame.insert(2, "token", tokens)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _bins(summary: PassSummary, block: int, point: str, counts: Array) -> pd.DataFrame:
    low, high = summary.edges[_index(block, point)].astype(float)
    edges = np.linspace(low, high, N_BINS + 1)
    share = counts / counts.sum()
    width = (high - low) / N_BINS
    return pd.DataFrame(
        {
            "block": block,
            "low": edges[:-1],
            "high": edges[1:],
            "count": counts,
            "density": share / width if width else np.zeros(N_BINS),
        }
    )


def block_histograms(summary: PassSummary, point: str) -> pd.DataFrame:
    """Sort all values of the stream at one point of every block into 64 bins of equal width.

    Returns:
        One row a block and bin: `block`, `low`, `high`, `count`, `density` (share per unit).
    """
    return pd.concat(
        [
            _bins(summary, block, point, summary.histogram[_index(block, point)].sum(0))
            for block in range(summary.n_blocks)
        ],
        ignore_index=True,
    )


def token_histogram(summary: PassSummary, block: int, point: str, position: int) -> pd.DataFrame:
    """Sort one token's D values at one point of the stream into bins: see `block_histograms`."""
    return _bins(summary, block, point, summary.histogram[_index(block, point), position])


def largest_features(summary: PassSummary, block: int, point: str, position: int) -> pd.DataFrame:
    """List a token's features with the largest absolute values at one point of the stream.

    Returns:
        One row a feature, largest first: `feature` (from 0), `value`.
    """
    i = _index(block, point)
    return pd.DataFrame(
        {
            "feature": summary.features[i, position],
            "value": summary.feature_values[i, position].astype(float),
        }
    )


def identity_gaps(summary: PassSummary) -> pd.DataFrame:
    """Compare the stream after each addition with the sum of what was added.

    Returns:
        One row an addition: `block`, `identity` (the equation), `gap` (largest absolute difference
        of any value), `largest` (largest absolute value of the stream there), `relative` (their
        ratio).
    """
    equations = ("resid_mid = resid_pre + attn_out", "resid_post = resid_mid + ff_out")
    low, high = summary.stream[1:, :, 2].min(1), summary.stream[1:, :, 3].max(1)
    frame = pd.DataFrame(
        {
            "block": np.repeat(range(summary.n_blocks), 2),
            "identity": equations * summary.n_blocks,
            "gap": summary.gap.astype(float),
            "largest": np.maximum(abs(low), abs(high)).astype(float),
        }
    )
    frame["relative"] = frame["gap"] / frame["largest"]
    return frame
