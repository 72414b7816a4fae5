"""One forward pass, reduced as it goes by to small arrays that answer what the block page asks.

Whatever block, head, token or statistic is looked at afterwards, nothing runs again. Letters: L
blocks, S = 2 L + 1 points of the stream (into block 0, then after each addition), A = 2 L
additions, T tokens, H heads, G = min(T, 64) groups of neighbouring tokens.
"""

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from explorer.measure.changes import changed_pass
from explorer.measure.progress import Progress, silent
from gptcore.attention import attention_scores, split_heads
from gptcore.model import GPTModel

Array = npt.NDArray[Any]

STATISTICS = {
    "mean": "Mean: the sum of all values divided by their number N.",
    "std": "Standard deviation: √(mean of (x − mean)²), of the population (divided by N).",
    "min": "Minimum: the smallest single value.",
    "max": "Maximum: the largest single value.",
    "rms": "RMS norm: √(mean of x²), the size of a typical value, whatever its sign.",
}
MAX_GROUPS = 64
"""Tokens that attention keeps apart; a longer prompt is pooled to as many groups of neighbours."""
N_BINS = 64
N_LARGEST = 8
OUTSIDE = 3
"""Standard deviations beyond which a value counts as outlying."""

# Reducing many small tensors one by one would take longer than the pass itself.
_BATCH_VALUES = 2**20
_WANTED = ("resid_pre", "q", "k", "attn_weights", "attn_out", "resid_mid", "ff_out", "resid_post")


@dataclass(frozen=True, eq=False)
class PassSummary:
    """What is kept of one pass; see the module for the axis letters.

    Attributes:
        token_ids: What was read.
        stream: (S, T, 5), the `STATISTICS` of every token's D values.
        added: (A, T, 5), the same of what attention (even) and feed-forward (odd) give out.
        cosine: (A, T), cosine of what is given out with the stream that it is added to.
        gap: (A,), largest |stream after − (stream before + what is added)|.
        outside: (S,), share of the values farther than 3 standard deviations from the mean.
        edges: (S, 2), lowest and highest value, the ends of the histograms.
        histogram: (S, T, 64), values in each of 64 bins of equal width.
        features: (S, T, 8), the features with the largest absolute values, largest first.
        feature_values: (S, T, 8), their values.
        scores: (L, H, G, G), q·k / √K, the mean over a cell's pairs.
        weights: (L, H, G, G), summed over a cell's keys, averaged over its queries: rows sum to 1.
        uniform: (G, G), the same of weights that are all equal.
        entropy: (L, H), mean over queries, in nats.
        uniform_entropy: Mean over the same queries if all weights were equal, in nats.
        n_features: D.
        head_dim: K.
        causal: Whether later positions were hidden.
    """

    token_ids: tuple[int, ...]
    stream: Array
    added: Array
    cosine: Array
    gap: Array
    outside: Array
    edges: Array
    histogram: Array
    features: Array
    feature_values: Array
    scores: Array
    weights: Array
    uniform: Array
    entropy: Array
    uniform_entropy: float
    n_features: int
    head_dim: int
    causal: bool

    def __post_init__(self) -> None:
        for field in fields(self):  # it is shared between viewers
            if isinstance(value := getattr(self, field.name), np.ndarray):
                value.flags.writeable = False

    @property
    def n_blocks(self) -> int:
        """L."""
        return int(self.weights.shape[0])

    @property
    def n_heads(self) -> int:
        """H."""
        return int(self.weights.shape[1])

    @property
    def groups(self) -> tuple[tuple[int, int], ...]:
        """First and last position of each group."""
        return token_groups(len(self.token_ids))


def token_groups(n_tokens: int) -> tuple[tuple[int, int], ...]:
    """Cut positions into at most 64 groups of neighbours, each as first and last position."""
    size = math.ceil(n_tokens / MAX_GROUPS)
    return tuple((i, min(i + size, n_tokens) - 1) for i in range(0, n_tokens, size))


def token_statistics(x: Tensor) -> Tensor:
    """Describe every token's features, in the order of `STATISTICS`: (..., D) -> (..., 5)."""
    mean = x.mean(-1, keepdim=True)
    centred = x - mean
    std = torch.linalg.vector_norm(centred, dim=-1) / math.sqrt(x.shape[-1])  # not torch.std: slow
    low, high = x.amin(-1), x.amax(-1)
    mean = mean.squeeze(-1)
    return torch.stack((mean, std, low, high, torch.hypot(mean, std)), dim=-1)


def over_tokens(statistics: Array) -> Array:
    """Combine the tokens' statistics to those of all N = T × D values: (..., T, 5) -> (..., 5).

    The variance of all is the mean of the tokens' variances and the variance of their means.
    """
    mean, std, low, high, rms = np.moveaxis(statistics.astype(np.float64), -1, 0)
    spread = np.sqrt((std**2).mean(-1) + mean.var(-1))
    size = np.sqrt((rms**2).mean(-1))
    return np.stack((mean.mean(-1), spread, low.min(-1), high.max(-1), size), axis=-1)


class _Reducer:
    """Observe a pass, and reduce its blocks some at a time."""

    def __init__(self, model: GPTModel, n_tokens: int) -> None:
        self._n_heads = model.cfg.n_heads
        self._blocks_at_once = max(1, _BATCH_VALUES // (n_tokens * model.cfg.emb_dim))
        self._size = math.ceil(n_tokens / MAX_GROUPS)
        self._starts = torch.arange(0, n_tokens, self._size)
        self._held: list[dict[str, Tensor]] = [{}]
        self.parts: dict[str, list[Tensor]] = {}

    def see(self, name: str, block: int | None, tensor: Tensor) -> None:
        if block is None or name not in _WANTED:
            return
        self._held[-1][name] = tensor
        if name == "resid_post":
            if len(self._held) == self._blocks_at_once:
                self.flush()
            else:
                self._held.append({})

    def flush(self) -> None:
        """Reduce the blocks that are held, and let go of them."""
        held = [block for block in self._held if block]
        self._held = [{}]
        if not held:
            return
        additions = [block[name][0] for block in held for name in ("attn_out", "ff_out")]
        after = [block[name][0] for block in held for name in ("resid_mid", "resid_post")]
        stream = torch.stack((held[0]["resid_pre"][0], *after))  # (2 blocks + 1, T, D)
        added = torch.stack(additions)  # (2 blocks, T, D)
        self._keep("added", token_statistics(added))
        before = stream[:-1]
        self._keep("cosine", torch.cosine_similarity(before, added, dim=-1))
        self._keep("gap", (stream[1:] - (before + added)).abs().amax(dim=(1, 2)))
        # The first point was the last of the blocks before.
        self._reduce_stream(stream[1:] if "stream" in self.parts else stream)
        self._reduce_attention(held)

    def _keep(self, name: str, part: Tensor) -> None:
        self.parts.setdefault(name, []).append(part)

    def _reduce_stream(self, x: Tensor) -> None:
        """Reduce points of the stream, (P, T, D)."""
        n_points, n_tokens, n_features = x.shape
        statistics = token_statistics(x)
        self._keep("stream", statistics)
        low, high = statistics[..., 2].amin(1), statistics[..., 3].amax(1)  # (P,)
        self._keep("edges", torch.stack((low, high), dim=1))

        of_all = torch.from_numpy(over_tokens(statistics.numpy())).to(x.dtype)[:, :2, None, None]
        beyond = (x - of_all[:, 0]).abs_() > OUTSIDE * of_all[:, 1]
        self._keep("outside", beyond.sum((1, 2)) / (n_tokens * n_features))

        width = ((high - low) / N_BINS).clamp_min(torch.finfo(x.dtype).tiny)
        bins = ((x - low[:, None, None]) / width[:, None, None]).to(torch.int32)
        bins = bins.clamp_(0, N_BINS - 1).view(n_points * n_tokens, n_features)
        rows = torch.arange(0, n_points * n_tokens * N_BINS, N_BINS, dtype=torch.int32)
        counts = torch.bincount(
            bins.add_(rows[:, None]).flatten(), minlength=n_points * n_tokens * N_BINS
        )
        self._keep("histogram", counts.view(n_points, n_tokens, N_BINS).to(torch.int32))

        largest = x.abs().topk(min(N_LARGEST, n_features), dim=-1).indices  # (P, T, 8)
        self._keep("features", largest.to(torch.int32))
        self._keep("feature_values", x.gather(-1, largest))

    def _reduce_attention(self, held: list[dict[str, Tensor]]) -> None:
        q, k = (torch.cat([block[name] for block in held]) for name in ("q", "k"))  # (blocks, T, D)
        # The mean of q·k over pairs is the mean q times the mean k, so pooling comes first.
        self._keep("scores", attention_scores(*(self._pooled_heads(x) for x in (q, k))))
        weights = torch.cat([block["attn_weights"] for block in held])  # (blocks, H, T, T)
        self._keep("weights", self.pool_weights(weights))
        looked_at = weights[:, :, :: self._size]  # every query, or one of each group
        self._keep("entropy", entropies(looked_at).mean(-1))

    def _pooled_heads(self, x: Tensor) -> Tensor:
        heads = split_heads(x, self._n_heads)  # (blocks, T, D) -> (blocks, H, T, K)
        return heads if self._size == 1 else _group_means(heads, 2, self._size)

    def pool_weights(self, weights: Tensor) -> Tensor:
        """Sum over the keys of a group and average over its queries: (..., T, T) -> (..., G, G)."""
        if self._size == 1:
            return weights
        summed = torch.zeros(*weights.shape[:-1], len(self._starts))
        groups = torch.arange(weights.shape[-1]) // self._size
        summed.index_add_(-1, groups, weights)
        return _group_means(summed, summed.ndim - 2, self._size)


def _group_means(x: Tensor, dim: int, size: int) -> Tensor:
    """Average neighbours along an axis, `size` at a time; the last group may be smaller."""
    n = x.shape[dim]
    groups = torch.arange(n) // size
    shape = list(x.shape)
    shape[dim] = int(groups[-1]) + 1
    sums = torch.zeros(shape).index_add_(dim, groups, x)
    counts = torch.bincount(groups).view([-1 if axis == dim else 1 for axis in range(x.ndim)])
    return sums / counts


def entropies(weights: Tensor) -> Tensor:
    """Return −Σ w ln w of every row, in nats: (..., T) -> (...)."""
    # w ln w is 0 where w is, as it is behind the mask.
    return -(weights * weights.clamp_min(torch.finfo(weights.dtype).tiny).log()).sum(-1)


def pass_summary(
    model: GPTModel,
    token_ids: tuple[int, ...],
    change: str = "none",
    seed: int = 0,
    on_step: Progress = silent,
) -> PassSummary:
    """Run a prompt once, with one thing changed if asked, and keep what the page can ask for.

    Args:
        model: Stays as it is.
        token_ids: The prompt.
        change: One of `explorer.measure.CHANGES`.
        seed: For dropout in train mode, or for the weights of the other initialisation.
        on_step: Told after each block.
    """
    reducer = _Reducer(model, len(token_ids))
    causal = changed_pass(model, token_ids, change, seed, reducer.see, on_step)
    reducer.flush()
    uniform = torch.ones(len(token_ids), len(token_ids))
    uniform = uniform.tril() if causal else uniform
    uniform /= uniform.sum(-1, keepdim=True)
    n_seen = (uniform[:: math.ceil(len(token_ids) / MAX_GROUPS)] > 0).sum(-1)
    arrays = {name: torch.cat(parts).numpy() for name, parts in reducer.parts.items()}
    return PassSummary(
        token_ids=token_ids,
        uniform=reducer.pool_weights(uniform).numpy(),
        uniform_entropy=n_seen.log().mean().item(),
        n_features=model.cfg.emb_dim,
        head_dim=model.cfg.head_dim,
        causal=causal,
        **arrays,
    )
