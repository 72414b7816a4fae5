"""The way of a tensor through the model: every operation, its shape and its parameters.

Counted from the configuration and the number of tokens alone.
"""

import pandas as pd

from gptcore.config import GPTConfig
from gptcore.counting import count_block_layers, count_parameters

_COLUMNS = ["part", "operation", "role", "shape_in", "shape_out", "parameters", "formula"]


def _shape(**axes: int) -> str:
    return " ".join(f"{letter}{size:,}" for letter, size in axes.items())


def tensor_path(cfg: GPTConfig, n_tokens: int) -> pd.DataFrame:
    """List the operations on the way from token IDs to the next token's probabilities.

    Args:
        cfg: The configuration.
        n_tokens: Tokens in the prompt (T); the batch (B) is 1.

    Returns:
        One row an operation, in order: `part` (what it belongs to), `operation`, `role` (its hue in
        the colour grammar), `shape_in` and `shape_out` (such as "B1 T4 D768"), `parameters`,
        `formula` (of the parameters, empty where there are none), `times` (how often it runs).
    """
    whole, block = count_parameters(cfg), count_block_layers(cfg)
    t, d, h, k, f, v = (
        n_tokens,
        cfg.emb_dim,
        cfg.n_heads,
        cfg.head_dim,
        cfg.hidden_dim,
        cfg.vocab_size,
    )
    ids, stream = _shape(B=1, T=t), _shape(B=1, T=t, D=d)
    heads, square = _shape(B=1, H=h, T=t, K=k), f"B1 H{h:,} T{t:,} T{t:,}"
    hidden, scores = _shape(B=1, T=t, F=f), _shape(B=1, T=t, V=v)
    bias = " + D" if cfg.qkv_bias else ""
    qkv = sum(block[f"att.W_{name}"] for name in ("query", "key", "value"))
    head = "tied: tok_emb's own" if cfg.tie_weights else "D × V"
    rows = [
        ("Embed", "token embedding", "param", ids, stream, whole["tok_emb"], "V × D"),
        (
            "Embed",
            "+ positional embedding",
            "param",
            stream,
            stream,
            whole["pos_emb"],
            "context × D",
        ),
        ("Embed", "dropout", "act", stream, stream, 0, ""),
        ("Attention", "norm1", "norm", stream, stream, block["norm1"], "2 D"),
        ("Attention", "query, key, value", "attn", stream, stream, qkv, f"3 (D × D{bias})"),
        ("Attention", "split into heads", "attn", stream, heads, 0, ""),
        ("Attention", "scores q·k / √K", "attn", heads, square, 0, ""),
        ("Attention", "causal mask, softmax, dropout", "attn", square, square, 0, ""),
        ("Attention", "weights × values", "attn", square, heads, 0, ""),
        ("Attention", "merge heads", "attn", heads, stream, 0, ""),
        ("Attention", "out_proj", "attn", stream, stream, block["att.out_proj"], "D × D + D"),
        ("Attention", "dropout, ⊕ add to the stream", "act", stream, stream, 0, ""),
        ("Feed-forward", "norm2", "norm", stream, stream, block["norm2"], "2 D"),
        ("Feed-forward", "Linear D → F", "ff", stream, hidden, block["ff.layers.0"], "D × F + F"),
        ("Feed-forward", "GELU", "ff", hidden, hidden, 0, ""),
        ("Feed-forward", "Linear F → D", "ff", hidden, stream, block["ff.layers.2"], "F × D + D"),
        ("Feed-forward", "dropout, ⊕ add to the stream", "act", stream, stream, 0, ""),
        ("Predict", "final_norm", "norm", stream, stream, whole["final_norm"], "2 D"),
        ("Predict", "out_head", "param", stream, scores, whole["out_head"], head),
        ("Predict", "softmax of the last position", "act", scores, f"V{v:,}", 0, ""),
    ]
    path = pd.DataFrame(rows, columns=_COLUMNS)
    path["times"] = path["part"].map({"Attention": cfg.n_layers, "Feed-forward": cfg.n_layers})
    return path.fillna({"times": 1}).astype({"times": int})
