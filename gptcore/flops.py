"""How much a GPT-2 computes: the FLOPs of its matrix products, from the configuration alone.

A product of (m, n) with (n, p) is counted as 2 m n p: a multiplication and an addition a term. What
is not a matrix product (norms, softmax, GELU, additions, look-ups) is left out, as is usual; it
costs time on memory traffic rather than arithmetic. Attention is counted in full, all T² pairs,
because this code computes the masked ones too.
"""

from gptcore.config import GPTConfig


def forward_flops(cfg: GPTConfig, n_tokens: int) -> dict[str, int]:
    """Count the FLOPs of the forward pass per token of a sequence of `n_tokens` (T).

    The values sum to the total, and T times it is the whole sequence's. They are also what one new
    token costs with a KV cache that holds T tokens, its own among them.

    Returns:
        By part: `qkv`, `scores` (queries with keys), `context` (weights with values), `out_proj`,
        `ff`, `out_head`. Tying the head changes none of them.
    """
    d, layers = cfg.emb_dim, cfg.n_layers
    return {
        "qkv": layers * 2 * 3 * d * d,
        "scores": layers * 2 * n_tokens * d,
        "context": layers * 2 * n_tokens * d,
        "out_proj": layers * 2 * d * d,
        "ff": layers * 2 * 2 * d * cfg.hidden_dim,
        "out_head": 2 * d * cfg.vocab_size,
    }


def backward_flops(cfg: GPTConfig, n_tokens: int) -> dict[str, int]:
    """Count the FLOPs of the backward pass per token, by the same parts.

    Each product of the forward pass is followed by two of its size: the gradient of one factor and
    the gradient of the other.
    """
    return {part: 2 * count for part, count in forward_flops(cfg, n_tokens).items()}
