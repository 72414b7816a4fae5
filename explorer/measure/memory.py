"""Whether a model fits into the memory that is free."""

import psutil

from gptcore.config import GPTConfig
from gptcore.counting import BYTES_PER_FLOAT32, MIB, count_block, mask_bytes, weight_bytes

# Left for the interpreter, torch, activations and everybody else's tables.
_HEADROOM_BYTES = 512 * MIB


class DoesNotFitError(ValueError):
    """A model needs more memory than there is; the sentence holds the figures."""


def available_bytes() -> int:
    """Return the memory that can be had now without swapping, in bytes."""
    return int(psutil.virtual_memory().available)


def model_bytes(cfg: GPTConfig) -> int:
    """Return what a float32 model of this configuration keeps allocated: weights and masks."""
    return weight_bytes(cfg) + mask_bytes(cfg)


def in_words(n_bytes: float) -> str:
    """Write bytes in MiB (2²⁰ bytes) or, from 10 GiB on, in GiB (2³⁰ bytes)."""
    if n_bytes >= 10 * 2**30:
        return f"{n_bytes / 2**30:,.1f} GiB"
    return f"{n_bytes / MIB:,.2f} MiB"


def check_fits(cfg: GPTConfig, budget_bytes: int) -> None:
    """Refuse a model that is larger than the budget, less some headroom.

    Raises:
        DoesNotFitError: With what is needed and what there is.
    """
    needed = model_bytes(cfg) + _HEADROOM_BYTES
    if needed > budget_bytes:
        raise DoesNotFitError(
            f"This configuration needs {in_words(needed)} of memory to run, and "
            f"{in_words(budget_bytes)} is what models may use here. Everything that is counted "
            "from the configuration alone still works."
        )


def gradient_bytes(cfg: GPTConfig, n_tokens: int) -> int:
    """Return roughly what differentiating a prompt's loss block by block holds at its peak.

    Either the head's logits with what the loss and its gradient keep of the same size, or one
    block's gradients and graph (every activation with its gradient; each head's (T, T) scores,
    weights and gradients); and in both cases the stream into every block.
    """
    t, d = n_tokens, cfg.emb_dim
    streams = (cfg.n_layers + 1) * t * d
    head = 5 * t * cfg.vocab_size
    activations = 2 * t * (9 * d + 2 * cfg.hidden_dim) + 6 * cfg.n_heads * t * t
    block = sum(count_block(cfg).values()) + activations
    return BYTES_PER_FLOAT32 * (streams + max(head, block))


def check_gradients_fit(cfg: GPTConfig, n_tokens: int, budget_bytes: int) -> None:
    """Refuse to differentiate what would take more than the budget.

    Raises:
        DoesNotFitError: With what is needed and what there is.
    """
    needed = gradient_bytes(cfg, n_tokens)
    if needed > budget_bytes:
        raise DoesNotFitError(
            f"The gradients of {n_tokens:,} tokens need {in_words(needed)} of memory, and "
            f"{in_words(budget_bytes)} is free here. A shorter prompt or a smaller configuration "
            "needs less."
        )
