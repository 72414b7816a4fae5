"""Whether a model fits into the memory that is free."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from gptcore.config import GPTConfig
from gptcore.counting import BYTES_PER_FLOAT32, MIB, count_block, mask_bytes, weight_bytes

# Left for the interpreter, torch, activations and everybody else's tables.
_HEADROOM_BYTES = 512 * MIB
_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")
_FILES = {  # of a group: its limit, what it uses, and the files of its cache that can go at once
    "v2": ("memory.max", "memory.current", "inactive_file"),
    "v1": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


class DoesNotFitError(ValueError):
    """A model needs more memory than there is; the sentence holds the figures."""


def _own_groups(groups: Path, own_group: Path) -> Iterator[tuple[str, Path]]:
    """Yield the version and the folder of each control group that limits this process's memory."""
    try:
        lines = own_group.read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            version, top = "v2", groups
        elif "memory" in controllers.split(","):
            version, top = "v1", groups / "memory"
        else:
            continue
        folder = top / path.lstrip("/")
        while folder != top and top in folder.parents:
            yield version, folder
            folder = folder.parent
        yield version, top  # in a container this is the process's own group, whatever its path


def _room(version: str, folder: Path) -> int | None:
    """Return how many bytes a control group still allows, or None if it sets no limit."""
    limit, used, cache = _FILES[version]
    try:
        most = int((folder / limit).read_text(encoding="utf-8"))
        now = int((folder / used).read_text(encoding="utf-8"))
        stat = (folder / "memory.stat").read_text(encoding="utf-8")
        freed = sum(int(n) for name, n in map(str.split, stat.splitlines()) if name == cache)
    except (OSError, ValueError):  # no such group here, or "max"
        return None
    return max(0, most - max(0, now - freed))


def available_bytes(groups: Path = _GROUPS, own_group: Path = _OWN_GROUP) -> int:
    """Return the memory that can be had now without swapping, in bytes.

    That is what the machine has free, or what the container or service that this runs in may still
    take, if that is less.

    Args:
        groups: Where Linux shows its control groups, version 2 or 1.
        own_group: The file that says which are this process's.
    """
    rooms = (_room(version, folder) for version, folder in _own_groups(groups, own_group))
    limits = [room for room in rooms if room is not None]
    return min([int(psutil.virtual_memory().available), *limits])


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


@contextmanager
def refusing_what_memory_lacks(cfg: GPTConfig) -> Iterator[None]:
    """Say in a sentence that memory ran out after all: others may have taken it meanwhile.

    Raises:
        DoesNotFitError: With what is needed and what there is, in place of torch's error.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "can't allocate memory" not in str(error):
            raise
        raise DoesNotFitError(
            f"The memory ran out while this model of {in_words(model_bytes(cfg))} was built; "
            f"{in_words(available_bytes())} is free now. Everything that is counted from the "
            "configuration alone still works."
        ) from error


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
