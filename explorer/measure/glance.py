"""Every named tensor of one forward pass at a glance: statistics, a histogram, a small heat map.

All are reduced as the tensors go by, so that nothing large is kept.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from explorer.measure.prediction import NextToken, candidates_of
from explorer.measure.progress import Progress, silent
from gptcore.attention import attention_scores, attention_weights, causal_mask, split_heads
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
    """One forward pass at a glance.

    Attributes:
        outside: By name, outside the blocks: `tok`, `pos`, `embed`, `final_norm_in`,
            `final_norm_out`, `logits`.
        blocks: For each block by name; as in the trace, and `scores`, `masked`, `context`.
        heads: For each block.
        next_token: What the last position predicts.
    """

    outside: dict[str, Glance]
    blocks: list[dict[str, Glance]]
    heads: list[HeadMaps]
    next_token: NextToken


def groups(n_tokens: int) -> list[range]:
    """Cut positions into at most `MAX_ROWS` runs of nearly equal length."""
    n_rows = min(n_tokens, MAX_ROWS)
    edges = [row * n_tokens // n_rows for row in range(n_rows + 1)]
    return [range(a, b) for a, b in zip(edges, edges[1:], strict=False)]


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
    unit = 10 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / unit) * unit


def glance_at(x: Tensor, emb_dim: int) -> Glance:
    """Reduce a tensor, (T, features) after the batch axis of 1 is dropped."""
    x = x.reshape(-1, x.shape[-1])
    std, mean = torch.std_mean(x, unbiased=False)
    low, high = torch.aminmax(x)
    reach = _round_up(max(-low.item(), high.item()))
    counts = torch.histc(x, N_BINS, -reach, reach)
    return Glance(
        x.numel(),
        mean.item(),
        std.item(),
        low.item(),
        high.item(),
        reach,
        tuple(int(count) for count in counts.tolist()),
        sampled(x, emb_dim),
    )


class _Moments:
    """Mean, spread and extremes of values that come in parts."""

    def __init__(self) -> None:
        self.n, self.total, self.squares = 0, 0.0, 0.0
        self.low, self.high = math.inf, -math.inf

    def add(self, x: Tensor) -> None:
        self.n += x.numel()
        self.total += x.sum(dtype=torch.float64).item()
        self.squares += x.double().square().sum().item()
        self.low, self.high = min(self.low, x.min().item()), max(self.high, x.max().item())

    def glance(self) -> Glance:
        mean = self.total / self.n
        std = math.sqrt(max(0.0, self.squares / self.n - mean * mean))
        return Glance(self.n, mean, std, self.low, self.high)


def _grouped(sums: Tensor, runs: list[range]) -> Tensor:
    """Sum a (T, T) over groups of rows and of columns: (rows, columns)."""
    if len(runs) == sums.shape[0]:
        return sums
    edges = torch.tensor([run.stop for run in runs])
    down = sums.cumsum(0)[edges - 1]
    across = down.cumsum(1)[:, edges - 1]
    by_row = torch.cat((across[:1], across.diff(dim=0)))
    return torch.cat((by_row[:, :1], by_row.diff(dim=1)), dim=1)


def _look_at_heads(
    q: Tensor, k: Tensor, v: Tensor, n_heads: int, emb_dim: int
) -> tuple[dict[str, Glance], HeadMaps]:
    """Derive scores, weights and context from q, k and v, (1, T, D) each, head by head."""
    n_tokens = q.shape[1]
    runs, future = groups(n_tokens), causal_mask(n_tokens)
    sizes = torch.tensor([len(run) for run in runs], dtype=torch.float64)
    kept = _grouped((~future).double(), runs)
    moments = {name: _Moments() for name in ("scores", "masked", "attn_weights")}
    maps: dict[str, list[Tensor]] = {"scores": [], "masked": [], "weights": []}
    context = []
    by_head = zip(*(split_heads(x, n_heads).split(1, dim=1) for x in (q, k, v)), strict=True)
    for head, (head_q, head_k, head_v) in enumerate(by_head):  # (1, 1, T, K) each
        scores = attention_scores(head_q, head_k)
        weights = attention_weights(scores, future)
        context.append((weights @ head_v)[0, 0])
        moments["scores"].add(scores)
        moments["masked"].add(scores[0, 0][~future])
        moments["attn_weights"].add(weights)
        if head < MAX_HEADS:
            s, w = scores[0, 0].double(), weights[0, 0].double()
            maps["scores"].append(_grouped(s, runs) / sizes.outer(sizes))
            maps["masked"].append(_grouped(s.masked_fill(future, 0), runs) / kept)  # 0/0 is NaN
            maps["weights"].append(_grouped(w, runs) / sizes[:, None])
    glances = {name: moment.glance() for name, moment in moments.items()}
    glances["context"] = glance_at(torch.cat(context, dim=1), emb_dim)  # H of (T, K) -> (T, D)
    return glances, HeadMaps(**{name: torch.stack(m).float().numpy() for name, m in maps.items()})


def gpt_glances(
    model: GPTModel, token_ids: tuple[int, ...], on_step: Progress = silent
) -> Glances:
    """Look at every named tensor of one forward pass, and at every head of every block."""
    cfg = model.cfg
    outside: dict[str, Glance] = {}
    blocks: list[dict[str, Glance]] = [{} for _ in range(cfg.n_layers)]
    heads: list[HeadMaps] = []
    held: dict[str, Tensor] = {}

    def reduce(name: str, block: int | None, tensor: Tensor) -> None:
        if block is None:
            outside[name] = glance_at(tensor, cfg.emb_dim)
            return
        if name in ("q", "k", "v"):
            held[name] = tensor
        if name == "attn_weights":
            glances, maps = _look_at_heads(
                held.pop("q"), held.pop("k"), held.pop("v"), cfg.n_heads, cfg.emb_dim
            )
            blocks[block] |= glances
            heads.append(maps)
        else:
            blocks[block][name] = glance_at(tensor, cfg.emb_dim)
        if name == "resid_post":
            on_step(block + 1, cfg.n_layers, "block")

    logits = watch_gpt(model, torch.tensor([token_ids]), reduce)
    return Glances(outside, blocks, heads, candidates_of(logits[0, -1], 6))
