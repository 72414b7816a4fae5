"""What a question is about, what it offers, and which of that is true."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gptcore.config import GPTConfig

Figure = int | float | str
"""A number, or a shape such as "1, 4, 768"."""


@dataclass(frozen=True)
class Subject:
    """What a viewer is looking at, and so what is asked about.

    Attributes:
        config: The configuration.
        token_ids: The prompt.
        seed: The seed.
        network: Layers, width and activation of the Shortcuts page's small network.
    """

    config: GPTConfig
    token_ids: tuple[int, ...]
    seed: int
    network: tuple[int, int, str] = (5, 3, "gelu")

    @property
    def n_tokens(self) -> int:
        """T."""
        return len(self.token_ids)


@dataclass(frozen=True)
class Truth:
    """Which answer is right, and the figures that show it."""

    right: str
    figures: Mapping[str, Figure] = field(default_factory=dict)


@dataclass(frozen=True)
class Offer:
    """The answers to choose from, and what is known before one is chosen.

    Attributes:
        options: Names of the answers, in the order shown.
        figures: What the question's and the answers' words are filled with.
        truth: If the configuration is enough to know it.
    """

    options: tuple[str, ...]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    truth: Truth | None = None


@dataclass(frozen=True)
class Question:
    """A question that a page asks before its picture.

    Attributes:
        page: The page's name.
        offer: Gives the answers; None where the configuration leaves nothing to ask.
        find: Finds the truth if the offer can't: a measure with `on_step` as its last argument.
        needs_model: Whether it takes the shared model first.
        arguments: The measure's other arguments, hashable.
    """

    page: str
    offer: Callable[[Subject], Offer | None]
    find: Callable[..., Truth] | None = None
    needs_model: bool = True
    arguments: Callable[[Subject], tuple[Any, ...]] = lambda subject: (subject.token_ids,)
