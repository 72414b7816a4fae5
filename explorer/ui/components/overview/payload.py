"""What the browser gets: first what the configuration gives, then the values of this pass."""

import base64
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from explorer import measure
from explorer.draw.theme import SCALE
from explorer.ui.components.overview.words import live_sentences, path_words
from explorer.ui.state import Screen
from gptcore.counting import count_block, count_parameters

if TYPE_CHECKING:
    from explorer.measure import Glances
    from explorer.measure.glance import Glance

MAX_CHIPS = 12
"""Up to so many tokens are sent; of more, half of that from either end."""

TENSORS = {
    "tok_emb": "tok",
    "pos_emb": "pos",
    "add_emb": "embed",
    "drop_emb": "embed",
    "earlier": "resid_pre",
    "norm1": "norm1_out",
    "qkv": "q",
    "split": "q",
    "scores": "scores",
    "mask": "masked",
    "softmax": "attn_weights",
    "weighted": "context",
    "merge": "context",
    "out_proj": "attn_out",
    "drop_att": "attn_out",
    "add_att": "resid_mid",
    "norm2": "norm2_out",
    "ff_up": "ff_pre",
    "gelu": "ff_hidden",
    "ff_down": "ff_out",
    "drop_ff": "ff_out",
    "add_ff": "resid_post",
    "later": "final_norm_in",
    "final_norm": "final_norm_out",
    "out_head": "logits",
}
"""The tensor that each operation puts out; the first of three for query, key, value."""

_FIGURES = {
    "tokens": "tokens",
    "scores": "scores",
    "mask": "masked",
    "softmax": "weights",
    "weighted": "weights",
    "probs": "top",
    "next": "top",
}
_PARTS = ("q", "k", "v", "context", "attn_out", "ff_pre", "ff_hidden", "ff_out")
_NICE = (1, 2, 3, 4, 5, 6, 8, 10)


def _axes(shape: str) -> list[list[str]]:
    """Cut a shape such as "B1 T4 D768" into letters and sizes."""
    return [[axis[0], axis[1:]] for axis in shape.split()]


def _chips(token_ids: Sequence[int]) -> list[dict[str, object]]:
    n, half = len(token_ids), MAX_CHIPS // 2
    shown = range(n) if n <= MAX_CHIPS else [*range(half), *range(n - half, n)]
    return [
        {"position": i, "id": token_ids[i], "text": measure.token_text(token_ids[i])} for i in shown
    ]


def identity(now: Screen, block: int) -> str:
    """Name what the values belong to, so that old ones are never drawn into a new picture."""
    return format(hash((now.model_id, now.token_ids, block)), "x")


def picture_data(now: Screen, block: int, selected: str) -> dict[str, object]:
    """Return what the configuration and the prompt give, without torch.

    Args:
        now: The viewer's choices.
        block: The open block.
        selected: The selected operation.
    """
    cfg, n_tokens = now.config, len(now.token_ids)
    words = path_words(cfg, n_tokens, block)
    stops = [
        {
            "id": row.stop,
            "role": row.role,
            "part": row.part,
            "title": words[row.stop].title,
            "does": words[row.stop].does,
            "say": words[row.stop].say,
            "in": _axes(row.shape_in),
            "out": _axes(row.shape_out),
            "parameters": row.parameters,
            "formula": row.formula,
            "filled": row.filled,
            "tensor": TENSORS.get(row.stop, ""),
            "figure": _FIGURES.get(row.stop, "histogram"),
        }
        for row in measure.tensor_path(cfg, n_tokens, block)
    ]
    per_block = count_block(cfg)
    return {
        "of": identity(now, block),
        "axes": {
            "B": 1,
            "T": n_tokens,
            "D": cfg.emb_dim,
            "H": cfg.n_heads,
            "K": cfg.head_dim,
            "F": cfg.hidden_dim,
            "V": cfg.vocab_size,
        },
        "block": block,
        "n_layers": cfg.n_layers,
        "tied": cfg.tie_weights,
        "total": sum(count_parameters(cfg).values()),
        "per_block": per_block | {"all": sum(per_block.values())},
        "tokens": _chips(now.token_ids),
        "stops": stops,
        "selected": selected,
        "projector": now.look.projector,
        "scales": {name: SCALE[now.look.base][name] for name in ("div", "prob")},
    }


def colour_limit(values: Sequence[float]) -> float:
    """Return a round number that about 99 % of values with these spreads lie within."""
    wanted = 2.5 * max(values)
    if not math.isfinite(wanted) or wanted <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(wanted))
    return next(nice for nice in _NICE if nice * unit >= wanted) * unit


def _packed(values: npt.NDArray[np.generic]) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def _tensor(glance: "Glance", limit: float) -> dict[str, object]:
    rows, columns = glance.cells.shape
    steps = np.nan_to_num(np.clip(glance.cells / limit, -1, 1) * 127).round().astype(np.int8)
    return {
        "n": glance.n,
        "mean": glance.mean,
        "std": glance.std,
        "low": glance.low,
        "high": glance.high,
        "reach": glance.reach,
        "counts": glance.counts,
        "rows": rows,
        "columns": columns,
        "limit": limit,
        "cells": _packed(steps),
    }


def _labels(token_ids: Sequence[int], runs: Sequence[range]) -> list[str]:
    """Name each group of tokens: by its text if it is one, else by its positions."""
    return [
        measure.token_text(token_ids[run[0]]) if len(run) == 1 else f"{run[0]:,}–{run[-1]:,}"
        for run in runs
    ]


def live_data(glances: "Glances", now: Screen, block: int) -> dict[str, object]:
    """Return the values of one pass, of the open block and outside the blocks.

    Signed values are sent as 127ths of the end of their colour scale, of which there are three: for
    the stream (the same whichever block is open), for a block's parts, and for the logits.
    """
    from explorer.measure.glance import feature_stride, groups  # not above: they import torch

    cfg, here, maps = now.config, glances.inside, glances.heads
    parts = colour_limit([here[name].std for name in _PARTS])
    logits = colour_limit([glances.outside["logits"].std])
    stream = colour_limit(
        [g.std for name, g in glances.outside.items() if name != "logits"]
        + list(glances.stream_std)
    )
    limits = dict.fromkeys(_PARTS, parts) | {"logits": logits}
    top = glances.next_token
    return {
        "tensors": {
            name: _tensor(glance, limits.get(name, stream))
            for name, glance in (glances.outside | here).items()
        },
        "limits": {"stream": stream, "parts": parts, "scores": colour_limit([here["scores"].std])},
        "stride": feature_stride(cfg.emb_dim, cfg.emb_dim),
        "heads": {
            "n": maps.scores.shape[0],
            "side": maps.scores.shape[1],
            "scores": _packed(maps.scores),
            "masked": _packed(maps.masked),
            "weights": _packed(maps.weights),
        },
        "groups": _labels(now.token_ids, groups(len(now.token_ids))),
        "top": [
            {"id": row.token_id, "text": row.token, "probability": row.probability}
            for row in top.candidates.itertuples()
        ],
        "entropy": top.entropy,
        "uniform_entropy": top.uniform_entropy,
        "say": live_sentences(glances, cfg, block),
    }
