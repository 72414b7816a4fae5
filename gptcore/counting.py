"""How large a GPT-2 is: parameters and bytes from the configuration alone, nothing allocated."""

from gptcore.config import GPTConfig

BYTES_PER_FLOAT32 = 4
MIB = 2**20


def count_linear(n_in: int, n_out: int, bias: bool = True) -> int:
    """Count the weights, and the biases if any, of a linear layer."""
    return n_in * n_out + (n_out if bias else 0)


def count_block_layers(cfg: GPTConfig) -> dict[str, int]:
    """Count the parameters of one transformer block by layer, keyed by the module's path."""
    d, f = cfg.emb_dim, cfg.hidden_dim
    return {
        "norm1": 2 * d,
        "att.W_query": count_linear(d, d, cfg.qkv_bias),
        "att.W_key": count_linear(d, d, cfg.qkv_bias),
        "att.W_value": count_linear(d, d, cfg.qkv_bias),
        "att.out_proj": count_linear(d, d),
        "norm2": 2 * d,
        "ff.layers.0": count_linear(d, f),
        "ff.layers.2": count_linear(f, d),
    }


def count_block(cfg: GPTConfig) -> dict[str, int]:
    """Count the parameters of one transformer block by part: `norm1`, `att`, `norm2`, `ff`."""
    parts: dict[str, int] = {}
    for path, count in count_block_layers(cfg).items():
        part = path.split(".")[0]
        parts[part] = parts.get(part, 0) + count
    return parts


def count_parameters(cfg: GPTConfig) -> dict[str, int]:
    """Count the parameters of the whole model by component; the values sum to the total.

    A tied output head counts 0: its matrix is the token embedding's, counted there.
    """
    return {
        "tok_emb": cfg.vocab_size * cfg.emb_dim,
        "pos_emb": cfg.context_length * cfg.emb_dim,
        "trf_blocks": cfg.n_layers * sum(count_block(cfg).values()),
        "final_norm": 2 * cfg.emb_dim,
        "out_head": 0 if cfg.tie_weights else cfg.emb_dim * cfg.vocab_size,
    }


def weight_bytes(cfg: GPTConfig, bytes_per_value: int = BYTES_PER_FLOAT32) -> int:
    """Return the bytes that the parameters take."""
    return bytes_per_value * sum(count_parameters(cfg).values())


def mask_bytes(cfg: GPTConfig, bytes_per_value: int = 1) -> int:
    """Return the bytes of the causal masks, one a block; ours are boolean, 1 byte a value.

    The masks are buffers, so no parameter count shows them.
    """
    return cfg.n_layers * cfg.context_length**2 * bytes_per_value


def kv_cache_bytes(
    cfg: GPTConfig, batch: int, n_tokens: int, bytes_per_value: int = BYTES_PER_FLOAT32
) -> int:
    """Return the bytes of the keys and values of (B, T) tokens, kept in every block."""
    return 2 * cfg.n_layers * batch * n_tokens * cfg.emb_dim * bytes_per_value
