"""Where the weights come from: a seed, or one of the checkpoints that the operator offers."""

import os
from functools import lru_cache
from pathlib import Path

from explorer.measure.checkpoints import list_checkpoints
from gptcore.config import GPT_CONFIG_124M, GPTConfig

MODELS_VARIABLE = "GPT_EXPLORER_MODELS"
RANDOM = "random"


def offered_checkpoints() -> dict[str, Path]:
    """Return the checkpoints in the operator's folder by name; empty without such a folder."""
    folder = os.environ.get(MODELS_VARIABLE)
    return list_checkpoints(Path(folder) if folder else None)


@lru_cache(maxsize=32)
def checkpoint_config(folder: Path) -> GPTConfig:
    """Return the configuration of a checkpoint that GPT-2's tokenizer can be used with.

    Raises:
        ValueError: If its config can't be used, or its vocabulary is another.
    """
    from gptcore.checkpoint import read_gpt2_config  # not above: it imports torch

    cfg = read_gpt2_config(folder)
    if cfg.vocab_size != GPT_CONFIG_124M.vocab_size:
        raise ValueError(
            f"the checkpoint {folder.name} has a vocabulary of {cfg.vocab_size:,} tokens, and the "
            f"tokenizer here has {GPT_CONFIG_124M.vocab_size:,}"
        )
    return cfg
