"""What a viewer has chosen, valid at all times: the one thing that pages read."""

from dataclasses import dataclass

import streamlit as st

from explorer.draw.theme import Look
from gptcore.config import GPTConfig
from gptcore.identity import Checkpoint, ModelId, Seed


@dataclass(frozen=True)
class Screen:
    """A viewer's valid choices.

    Attributes:
        config: The configuration.
        config_name: A preset's name, or "custom".
        seed: Gives the weights, unless they are a checkpoint's.
        weights: Where the weights come from.
        prompt: As typed.
        token_ids: The prompt's last tokens, as many as the context holds.
        look: Theme and projector mode.
        notices: Sentences about what was refused, dropped or cropped.
    """

    config: GPTConfig
    config_name: str
    seed: int
    weights: Seed | Checkpoint
    prompt: str
    token_ids: tuple[int, ...]
    look: Look
    notices: tuple[str, ...] = ()

    @property
    def model_id(self) -> ModelId:
        """The model that these choices name."""
        return ModelId(self.config, self.weights)


_KEY = "_screen"


def screen() -> Screen:
    """Return the viewer's valid choices, as the sidebar left them in this run."""
    current: Screen = st.session_state[_KEY]
    return current


def previous_screen() -> Screen | None:
    """Return the choices of the run before, or None in a session's first run."""
    return st.session_state.get(_KEY)


def set_screen(new: Screen) -> None:
    """Keep the choices of this run."""
    st.session_state[_KEY] = new
