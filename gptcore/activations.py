"""What a forward pass keeps for the backward pass, in bytes, from the configuration alone.

Autograd keeps the tensors that a gradient will need. Which ones depends on how an operation is
written: GELU spelled out in elementary steps keeps five tensors of the hidden width, a fused kernel
keeps one. Parameters and causal masks are not counted: they are there anyway.
"""

from typing import Literal

from gptcore.config import GPTConfig

Kernels = Literal["spelled out", "fused"]
_INDEX_BYTES = 8  # token IDs and positions are int64


def _spelled_out(cfg: GPTConfig, batch: int, n_tokens: int, width: int) -> dict[str, int]:
    """Count what the modules of `gptcore` keep, in bytes; dropout keeps what it multiplies with."""
    rows = batch * n_tokens
    stream = rows * cfg.emb_dim * width  # (B, T, D)
    hidden = rows * cfg.hidden_dim * width  # (B, T, F)
    pairs = batch * cfg.n_heads * n_tokens**2 * width  # (B, H, T, T)
    dropped = 1 if cfg.drop_rate else 0
    norm = 3 * stream + rows * width  # centred, normalised, the output; √(variance + ε)
    return {
        "embeddings": (rows + n_tokens) * _INDEX_BYTES + dropped * stream,
        "norms": (2 * cfg.n_layers + 1) * norm,
        "attention": cfg.n_layers * (4 + dropped) * stream,  # q, k, v, context; dropout after it
        "attention pairs": cfg.n_layers * (1 + 2 * dropped) * pairs,  # softmax; noise, dropped
        "feed-forward": cfg.n_layers * (6 * hidden + dropped * stream),
    }


def _fused(cfg: GPTConfig, batch: int, n_tokens: int, width: int) -> dict[str, int]:
    """Count what fused LayerNorm, GELU and attention keep; a dropout mask takes a byte a value."""
    rows = batch * n_tokens
    stream = rows * cfg.emb_dim * width
    hidden = rows * cfg.hidden_dim * width
    mask = rows * cfg.emb_dim if cfg.drop_rate else 0
    norm = 2 * stream + 2 * rows * width  # input, output; mean, 1/√(variance + ε)
    log_sums = batch * cfg.n_heads * n_tokens * width  # one a query, in place of T² weights
    return {
        "embeddings": (rows + n_tokens) * _INDEX_BYTES + mask,
        "norms": (2 * cfg.n_layers + 1) * norm,
        "attention": cfg.n_layers * (4 * stream + mask),
        "attention pairs": cfg.n_layers * log_sums,
        "feed-forward": cfg.n_layers * (2 * hidden + mask),
    }


def activation_bytes(
    cfg: GPTConfig,
    batch: int,
    n_tokens: int,
    bytes_per_value: int = 4,
    kernels: Kernels = "spelled out",
) -> dict[str, int]:
    """Count the bytes that one training step's forward pass keeps for (B, T) tokens.

    Args:
        cfg: The configuration; with `drop_rate` 0, dropout keeps nothing.
        batch: Sequences side by side (B).
        n_tokens: Tokens of each (T).
        bytes_per_value: Of an activation.
        kernels: "spelled out" for the modules of `gptcore` on a CPU, "fused" for
            `torch.nn.LayerNorm`, `torch.nn.GELU` and attention that keeps no T × T weights
            (FlashAttention; Dao et al., 2022).

    Returns:
        By part: `embeddings`, `norms`, `attention`, `attention pairs` (what is B × H × T × T large,
        or stands for it), `feed-forward`, `loss` (cross-entropy's log-probabilities, (B, T, V), and
        the int64 targets).
    """
    parts = (_spelled_out if kernels == "spelled out" else _fused)(
        cfg, batch, n_tokens, bytes_per_value
    )
    rows = batch * n_tokens
    return parts | {"loss": rows * cfg.vocab_size * bytes_per_value + rows * _INDEX_BYTES}
