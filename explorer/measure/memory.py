"""Whether a model fits into the memory that is free."""

import psutil

from gptcore.config import GPTConfig
from gptcore.counting import MIB, mask_bytes, weight_bytes

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
