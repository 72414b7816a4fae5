"""What makes two models the same: the configuration, and where the weights come from."""

from dataclasses import dataclass

from gptcore.config import GPTConfig


@dataclass(frozen=True)
class Seed:
    """Weights drawn by PyTorch's default initialisation after seeding with `number`."""

    number: int


@dataclass(frozen=True)
class Checkpoint:
    """Weights read from a folder in Hugging Face's GPT-2 layout."""

    folder: str


@dataclass(frozen=True)
class ModelId:
    """Identify a model by plain values, so that it can be a key."""

    config: GPTConfig
    weights: Seed | Checkpoint
