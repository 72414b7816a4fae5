"""The way of a tensor through the model: every operation, its shape and its parameters.

Counted from the configuration and the number of tokens alone.
"""

from typing import NamedTuple

from gptcore.config import GPTConfig
from gptcore.counting import count_block, count_block_layers, count_parameters


class Operation(NamedTuple):
    """One operation on the way from text to the next token.

    Attributes:
        stop: Its name, one of `STOPS`.
        part: What it belongs to.
        operation: What it is called.
        role: Its hue in the colour grammar.
        shape_in: Such as "B1 T4 D768"; empty for text.
        shape_out: Likewise.
        parameters: How many it has.
        formula: Of the parameters; empty where there are none.
        filled: The same with this configuration's numbers.
    """

    stop: str
    part: str
    operation: str
    role: str
    shape_in: str
    shape_out: str
    parameters: int
    formula: str
    filled: str


Row = tuple[str, str, str, str, str, str, int, str, str]

STOPS = (
    *("tokens", "tok_emb", "pos_emb", "add_emb", "drop_emb", "earlier"),
    *("norm1", "qkv", "split", "scores", "mask", "softmax", "weighted", "merge", "out_proj"),
    *("drop_att", "add_att", "norm2", "ff_up", "gelu", "ff_down", "drop_ff", "add_ff"),
    *("later", "final_norm", "out_head", "probs", "next"),
)
"""Every operation's name, in order. `earlier` and `later` are the blocks before and after the open
one, where there are any."""


def _shape(**axes: int) -> str:
    return " ".join(f"{letter}{size:,}" for letter, size in axes.items())


def blocks_in_words(first: int, last: int) -> str:
    """Name a run of blocks: "block 3" or "blocks 3–11"."""
    return f"block {first:,}" if first == last else f"blocks {first:,}–{last:,}"


def tensor_path(cfg: GPTConfig, n_tokens: int, block: int = 0) -> list[Operation]:
    """List the operations on the way from text to the next token, into one open block.

    Args:
        cfg: The configuration.
        n_tokens: Tokens in the prompt (T); the batch (B) is 1.
        block: The block that is listed operation by operation; the others are a row together.

    Returns:
        Every operation, in order; their parameters sum to the model's.

    Raises:
        ValueError: If there is no such block, or no token.
    """
    if not 0 <= block < cfg.n_layers:
        raise ValueError(f"block must be from 0 to {cfg.n_layers - 1:,}; got {block}")
    if n_tokens < 1:
        raise ValueError(f"n_tokens must be at least 1; got {n_tokens}")
    whole, layers, one_block = (
        count_parameters(cfg),
        count_block_layers(cfg),
        sum(count_block(cfg).values()),
    )
    t, d, h, k = n_tokens, cfg.emb_dim, cfg.n_heads, cfg.head_dim
    f, v, c = cfg.hidden_dim, cfg.vocab_size, cfg.context_length
    ids, stream = _shape(B=1, T=t), _shape(B=1, T=t, D=d)
    heads, square = _shape(B=1, H=h, T=t, K=k), f"B1 H{h:,} T{t:,} T{t:,}"
    hidden, scores, last = _shape(B=1, T=t, F=f), _shape(B=1, T=t, V=v), _shape(B=1, V=v)
    qkv = sum(layers[f"att.W_{name}"] for name in ("query", "key", "value"))
    bias = (" + D)", f" + {d:,})") if cfg.qkv_bias else (")", ")")
    norm = ("2 × D", f"2 × {d:,}")
    tied = ("tied: the token table", "") if cfg.tie_weights else ("D × V", f"{d:,} × {v:,}")
    none = ("", "")
    earlier, later = range(block), range(block + 1, cfg.n_layers)

    def others(stop: str, run: range) -> list[Row]:
        if not run:
            return []
        name = blocks_in_words(run[0], run[-1])
        formula = ("blocks × one block", f"{len(run):,} × {one_block:,}")
        count = len(run) * one_block
        return [(stop, name.capitalize(), name, "act", stream, stream, count, *formula)]

    att, ff = f"Attention, block {block:,}", f"Feed-forward, block {block:,}"
    rows: list[Row] = [
        ("tokens", "Tokens", "text → token IDs", "T", "", ids, 0, *none),
        (
            *("tok_emb", "Embed", "token embedding", "param", ids, stream),
            *(whole["tok_emb"], "V × D", f"{v:,} × {d:,}"),
        ),
        (
            *("pos_emb", "Embed", "positional embedding", "param", f"T{t:,}", f"T{t:,} D{d:,}"),
            *(whole["pos_emb"], "context × D", f"{c:,} × {d:,}"),
        ),
        ("add_emb", "Embed", "⊕ token + position", "act", stream, stream, 0, *none),
        ("drop_emb", "Embed", "dropout", "act", stream, stream, 0, *none),
        *others("earlier", earlier),
        ("norm1", att, "norm1", "norm", stream, stream, layers["norm1"], *norm),
        (
            *("qkv", att, "query, key, value", "attn", stream, stream, qkv),
            *("3 × (D × D" + bias[0], f"3 × ({d:,} × {d:,}" + bias[1]),
        ),
        ("split", att, "split into heads", "attn", stream, heads, 0, *none),
        ("scores", att, "scores q·k / √K", "attn", heads, square, 0, *none),
        ("mask", att, "causal mask", "attn", square, square, 0, *none),
        ("softmax", att, "softmax, dropout", "attn", square, square, 0, *none),
        ("weighted", att, "weights × values", "attn", square, heads, 0, *none),
        ("merge", att, "merge heads", "attn", heads, stream, 0, *none),
        (
            *("out_proj", att, "out_proj", "attn", stream, stream, layers["att.out_proj"]),
            *("D × D + D", f"{d:,} × {d:,} + {d:,}"),
        ),
        ("drop_att", att, "dropout", "attn", stream, stream, 0, *none),
        ("add_att", att, "⊕ add to the stream", "act", stream, stream, 0, *none),
        ("norm2", ff, "norm2", "norm", stream, stream, layers["norm2"], *norm),
        (
            *("ff_up", ff, "Linear D → F", "ff", stream, hidden, layers["ff.layers.0"]),
            *("D × F + F", f"{d:,} × {f:,} + {f:,}"),
        ),
        ("gelu", ff, "GELU", "ff", hidden, hidden, 0, *none),
        (
            *("ff_down", ff, "Linear F → D", "ff", hidden, stream, layers["ff.layers.2"]),
            *("F × D + D", f"{f:,} × {d:,} + {d:,}"),
        ),
        ("drop_ff", ff, "dropout", "ff", stream, stream, 0, *none),
        ("add_ff", ff, "⊕ add to the stream", "act", stream, stream, 0, *none),
        *others("later", later),
        ("final_norm", "Predict", "final_norm", "norm", stream, stream, whole["final_norm"], *norm),
        ("out_head", "Predict", "out_head", "param", stream, scores, whole["out_head"], *tied),
        ("probs", "Predict", "softmax of the last position", "V", scores, last, 0, *none),
        ("next", "Predict", "argmax, append", "V", last, _shape(B=1, T=t + 1), 0, *none),
    ]
    return [Operation(*row) for row in rows]
