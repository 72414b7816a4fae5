"""Where the weights come from: a seed, or one of the checkpoints that the operator offers."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from explorer.measure.checkpoints import list_checkpoints, without_place
from explorer.measure.memory import available_bytes, model_bytes
from explorer.ui import controls, show
from explorer.ui.options import MODELS_VARIABLE
from explorer.ui.state import Screen
from gptcore.config import GPT_CONFIG_124M, GPTConfig
from gptcore.identity import Checkpoint, ModelId, Seed
from gptcore.tokenizer import encode

RANDOM = "random"
_SHOWN_CHARACTERS = 40


def offered_checkpoints() -> dict[str, Path]:
    """Return the checkpoints in the operator's folder by name; empty without such a folder."""
    folder = os.environ.get(MODELS_VARIABLE)
    return list_checkpoints(Path(folder) if folder else None)


@lru_cache(maxsize=32)
def checkpoint_config(folder: Path) -> GPTConfig:
    """Return the configuration of a checkpoint that the pages can show.

    The weights are not read, but it is checked that they are there, unless they are too large.

    Raises:
        ValueError: If it is damaged or foreign, its vocabulary is not GPT-2's, or it is larger
            than the sidebar allows.
    """
    from gptcore.checkpoint import check_gpt2, read_gpt2_config  # not above: they import torch

    try:
        cfg = read_gpt2_config(folder)
        if model_bytes(cfg) < available_bytes():  # else building refuses it, and it can be counted
            check_gpt2(folder)
    except ValueError as error:
        raise without_place(error, folder) from error
    if cfg.vocab_size != GPT_CONFIG_124M.vocab_size:
        raise ValueError(
            f"the checkpoint {folder.name} has a vocabulary of {cfg.vocab_size:,} tokens, and the "
            f"tokenizer here has {GPT_CONFIG_124M.vocab_size:,}"
        )
    for field in controls.FIELDS:
        value = getattr(cfg, field.key)
        try:
            field.parse(field.write(value))
        except ValueError as error:
            raise ValueError(
                f"the checkpoint {folder.name} has {field.key} {value:,}; it must be {error}"
            ) from error
    return cfg


def checkpoint_model(name: str) -> ModelId:
    """Return what identifies the model of a checkpoint.

    Raises:
        ValueError: If it is not offered, or can't be used.
    """
    folder = offered_checkpoints().get(name)
    if folder is None:
        raise ValueError(f"The weights “{shortened(name)}” are not offered here.")
    return ModelId(checkpoint_config(folder), Checkpoint(str(folder)))


def shaped_like(model_id: ModelId, other: ModelId) -> ModelId:
    """Return the model with the other's shapes, if its weights are drawn; a checkpoint has its own."""
    return (
        replace(model_id, config=other.config) if isinstance(model_id.weights, Seed) else model_id
    )


def shortened(name: str) -> str:
    """Return a name that a sentence has room for."""
    return name if len(name) <= _SHOWN_CHARACTERS else name[:_SHOWN_CHARACTERS] + "…"


def named(weights: Seed | Checkpoint) -> str:
    """Name weights in a sentence."""
    seeded = isinstance(weights, Seed)
    return f"random weights of {_name(weights)}" if seeded else f"the weights of {_name(weights)}"


def _name(weights: Seed | Checkpoint) -> str:
    if isinstance(weights, Seed):
        return f"seed {weights.number}"
    return shortened(Path(weights.folder).name)


def same_shapes(now: Screen, a: ModelId, b: ModelId, same_prompt: bool = True) -> str:
    """Say what random weights and a checkpoint's have in common, as the end of a sentence.

    Args:
        now: The viewer's choices, whose model may have other shapes.
        a: One model.
        b: The other, of the same configuration.
        same_prompt: Whether both read this screen's prompt.
    """
    cfg = b.config
    checkpoint = a.weights if isinstance(a.weights, Checkpoint) else b.weights
    instead = f" rather than {now.config_name}" if a.config != now.config else ""
    n_tokens, room = len(encode(now.prompt)), cfg.context_length
    cropped = f" (the last {room:,} of {n_tokens:,} tokens)" if n_tokens > room else ""
    prompt = f"the same prompt{cropped} and " if same_prompt else ""
    return (
        f"with {prompt}the same shapes, the configuration of {_name(checkpoint)}{instead}: "
        f"emb_dim {cfg.emb_dim:,}, {cfg.n_heads} heads, {cfg.n_layers} blocks, context "
        f"{cfg.context_length:,}, {'tied' if cfg.tie_weights else 'untied'} head. "
        f"A has {named(a.weights)}, B {named(b.weights)}"
    )


def label(name: str) -> str:
    """Name weights in a list."""
    return "random (seed)" if name == RANDOM else name


def say_if_not_offered(key: str, names: Sequence[str]) -> None:
    """Say which weights a link asked for in vain, and what there is instead."""
    asked = str(controls.current(key))
    if asked not in (RANDOM, *names):
        show.problem(
            f"The weights “{shortened(asked)}” are not offered here; B has {label(names[0])} instead."
        )


def choose_weights(key: str, title: str, names: Sequence[str]) -> str:
    """Show a declared name as a list of the weights there are, and return which is chosen."""
    return controls.name(key, title, names, label)
