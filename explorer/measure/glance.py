"""Every named tensor of one forward pass at a glance: statistics, a histogram, a small heat map.

All are reduced as the tensors go by, so that nothing large is kept.
"""

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from explorer.measure.prediction import NextToken, candidates_of
from explorer.measure.progress import Progress, silent
from gptcore.attention import attention_scores, causal_mask, merge_heads, split_heads
from gptcore.model import GPTModel
from gptcore.trace import watch_gpt

Cells = npt.NDArray[np.float32]

MAX_ROWS = 16
"""Most rows of a heat map: tokens, or groups of tokens."""
MAX_COLUMNS = 48
"""Most columns of a heat map D features wide; F gets four times as many."""
MAX_HEADS = 16
"""Most heads that are kept one by one."""
N_BINS = 40
_VALUES_AT_ONCE = 2**24  # of the scores, which the model itself does not keep


@dataclass(frozen=True)
class Glance:
    """What is kept of a tensor.

    Attributes:
        n: How many values it has; for masked scores, how many remain.
        mean, std, low, high: Over all of them; the population's standard deviation.
        reach: The histogram runs from -reach to reach.
        counts: Values in each of its `N_BINS` bins; empty if none was made.
        cells: (rows, columns), single values of the tensor: see `sampled`. Empty if none.
    """

    n: int
    mean: float
    std: float
    low: float
    high: float
    reach: float = 0.0
    counts: tuple[int, ...] = ()
    cells: Cells = field(default_factory=lambda: np.zeros((0, 0), np.float32))


@dataclass(frozen=True)
class HeadMaps:
    """The attention of one block, head by head: the first `MAX_HEADS` of them.

    Each is (heads, rows, columns) over groups of tokens (see `groups`), one token a group up to
    `MAX_ROWS` tokens.

    Attributes:
        scores: Mean score of a group of queries with a group of keys.
        masked: The same over the scores that the mask leaves; NaN where it leaves none.
        weights: Weight on a group of keys, the mean over a group of queries: rows sum to 1.
    """

    scores: Cells
    masked: Cells
    weights: Cells


@dataclass(frozen=True)
class Glances:
    """One forward pass at a glance, with one block in detail.

    Attributes:
        outside: By name, outside the blocks: `tok`, `pos`, `embed`, `final_norm_in`,
            `final_norm_out`, `logits`.
        inside: By name, in the block: as in the trace, and `scores`, `masked`, `context`.
        heads: The block's attention.
        stream_std: Standard deviation of the stream after each block.
        next_token: What the last position predicts.
    """

    outside: dict[str, Glance]
    inside: dict[str, Glance]
    heads: HeadMaps
    stream_std: tuple[float, ...]
    next_token: NextToken


def groups(n_tokens: int) -> list[range]:
    """Cut positions into at most `MAX_ROWS` runs of nearly equal length."""
    n_rows = min(n_tokens, MAX_ROWS)
    edges = [row * n_tokens // n_rows for row in range(n_rows + 1)]
    return [range(a, b) for a, b in pairwise(edges)]


def feature_stride(n_features: int, emb_dim: int) -> int:
    """Return which features a heat map shows: every how-manieth, so that F looks 4 times D.

    The vocabulary's entries, which are not to scale, get as many columns as D may.
    """
    if n_features in (emb_dim, 4 * emb_dim):
        return math.ceil(emb_dim / MAX_COLUMNS)
    return math.ceil(n_features / MAX_COLUMNS)


def sampled(x: Tensor, emb_dim: int) -> Cells:
    """Take the first token of each of `groups` and every `feature_stride`-th feature.

    Single values rather than means: the mean of many values near 0 would look like nothing.

    Args:
        x: (T, features).
        emb_dim: D, which sets the scale.
    """
    rows = [group[0] for group in groups(x.shape[0])]
    cells: Cells = x[rows][:, :: feature_stride(x.shape[1], emb_dim)].float().cpu().numpy()
    return cells


def _round_up(value: float) -> float:
    """Round up to two significant digits; at least a little above 0."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    digits = 1 - math.floor(math.log10(value))
    return round(math.ceil(value * 10.0**digits) / 10.0**digits, 12)


def glance_at(x: Tensor, emb_dim: int) -> Glance:
    """Reduce a tensor, (T, features) after the batch axis of 1 is dropped."""
    x = x.reshape(-1, x.shape[-1])
    known = _moments(x)
    reach = _round_up(max(-known.low, known.high))
    counts = torch.histc(x, N_BINS, -reach, reach)
    return replace(
        known,
        reach=reach,
        counts=tuple(int(count) for count in counts.tolist()),
        cells=sampled(x, emb_dim),
    )


def _combined(parts: list[Glance]) -> Glance:
    """Describe the union of disjoint sets of values from what is known of each."""
    n = sum(part.n for part in parts)
    mean = sum(part.n * part.mean for part in parts) / n
    square = sum(part.n * (part.std**2 + (part.mean - mean) ** 2) for part in parts) / n
    low, high = min(part.low for part in parts), max(part.high for part in parts)
    return Glance(n, mean, math.sqrt(square), low, high)


def _moments(x: Tensor) -> Glance:
    std, mean = torch.std_mean(x, unbiased=False)
    low, high = torch.aminmax(x)
    return Glance(x.numel(), mean.item(), std.item(), low.item(), high.item())


def _membership(n_tokens: int) -> Tensor:
    """Return (groups, T): 1 where a token belongs to a group."""
    member = torch.zeros(len(groups(n_tokens)), n_tokens)
    for row, run in enumerate(groups(n_tokens)):
        member[row, run.start : run.stop] = 1
    return member


def _head_maps(scores: Tensor, weights: Tensor, future: Tensor) -> HeadMaps:
    """Pool (heads, T, T) scores and weights over groups of tokens."""
    member = _membership(future.shape[0])
    sizes = member.sum(dim=1)
    kept = member @ (~future).float() @ member.T

    def summed(x: Tensor) -> Tensor:
        return member @ x @ member.T  # (heads, T, T) -> (heads, groups, groups)

    return HeadMaps(
        scores=(summed(scores) / sizes.outer(sizes)).numpy(),
        masked=(summed(scores.masked_fill(future, 0)) / kept).numpy(),  # 0 / 0 is NaN
        weights=(summed(weights) / sizes[:, None]).numpy(),
    )


def _look_at_heads(
    q: Tensor, k: Tensor, v: Tensor, weights: Tensor, emb_dim: int
) -> tuple[dict[str, Glance], HeadMaps]:
    """Derive scores and context, a few heads at a time.

    Args:
        q: (1, T, D), and likewise `k` and `v`.
        k: See `q`.
        v: See `q`.
        weights: (1, H, T, T).
        emb_dim: D.
    """
    n_heads, n_tokens = weights.shape[1:3]
    future = causal_mask(n_tokens)
    heads_q, heads_k, heads_v = (split_heads(x, n_heads) for x in (q, k, v))  # (1, H, T, K)
    at_once = max(MAX_HEADS, _VALUES_AT_ONCE // n_tokens**2)
    first = slice(0, MAX_HEADS)
    scores = attention_scores(heads_q[:, first], heads_k[:, first])[0]
    maps = _head_maps(scores, weights[0, first], future)
    scores_seen, masked_seen = [], []
    for start in range(0, n_heads, at_once):
        some = slice(start, start + at_once)
        scores = attention_scores(heads_q[:, some], heads_k[:, some])[0]  # (heads, T, T)
        scores_seen.append(_moments(scores))
        masked_seen.append(_moments(scores[:, ~future]))
    context = merge_heads(weights @ heads_v)  # (1, H, T, K) -> (1, T, D)
    return {
        "scores": _combined(scores_seen),
        "masked": _combined(masked_seen),
        "attn_weights": _moments(weights),
        "context": glance_at(context, emb_dim),
    }, maps


def gpt_glances(
    model: GPTModel, token_ids: tuple[int, ...], block: int, on_step: Progress = silent
) -> Glances:
    """Look at every named tensor of one forward pass outside the blocks and in one of them.

    Args:
        model: The model.
        token_ids: The prompt.
        block: Which block to look into.
        on_step: Told after each block.

    Raises:
        ValueError: If there is no such block.
    """
    cfg = model.cfg
    if not 0 <= block < cfg.n_layers:
        raise ValueError(f"block must be from 0 to {cfg.n_layers - 1:,}; got {block}")
    outside: dict[str, Glance] = {}
    inside: dict[str, Glance] = {}
    heads: list[HeadMaps] = []
    stream_std: list[float] = []
    held: dict[str, Tensor] = {}

    def reduce(name: str, index: int | None, tensor: Tensor) -> None:
        if index is None:
            outside[name] = glance_at(tensor, cfg.emb_dim)
        elif name == "resid_post":
            stream_std.append(tensor.std(unbiased=False).item())
            on_step(index + 1, cfg.n_layers, "block")
        if index != block:
            return
        if name in ("q", "k", "v"):
            held[name] = tensor
        if name == "attn_weights":
            glances, maps = _look_at_heads(
                held.pop("q"), held.pop("k"), held.pop("v"), tensor, cfg.emb_dim
            )
            inside.update(glances)
            heads.append(maps)
        else:
            inside[name] = glance_at(tensor, cfg.emb_dim)

    logits = watch_gpt(model, torch.tensor([token_ids]), reduce)
    next_token = candidates_of(logits[0, -1], 6)
    return Glances(outside, inside, heads[0], tuple(stream_std), next_token)
