"""The eight fields as sliders. Seven mirror the sidebar's; the vocabulary is this page's own."""

from dataclasses import replace
from functools import partial

import streamlit as st

from explorer import measure
from explorer.ui import controls
from explorer.ui.sidebar import change_field, held_fields
from explorer.ui.state import screen
from gptcore import CONFIGS, GPTConfig

_SLIDERS = {
    "emb_dim": "emb_dim (D)",
    "n_layers": "n_layers",
    "n_heads": "n_heads (H)",
    "context_length": "context_length",
}


def _hand_up(field: str) -> None:
    change_field(field, st.session_state[f"scaling_{field}"])


def _landmarks(field: str) -> list[int]:
    return [getattr(cfg, field) for cfg in CONFIGS.values()]


def configuration() -> GPTConfig:
    """Show the fields, and what can be done where width and heads don't fit; return the valid ones."""
    held = held_fields()
    for field, value in held.items():
        st.session_state[f"scaling_{field}"] = value
    width = 150 if screen().look.projector else 112
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="small", key="scaling-fields"
    ):
        for field, label in _SLIDERS.items():
            controls.log_whole(
                f"scaling_{field}",
                label,
                _landmarks(field),
                width=width,
                on_change=partial(_hand_up, field),
            )
        vocab_size = controls.log_whole(
            "scaling_vocab_size", "vocab_size (V)", _landmarks("vocab_size"), width=width
        )
        controls.real(
            "scaling_drop_rate",
            "drop_rate",
            step=0.05,
            width=width,
            on_change=partial(_hand_up, "drop_rate"),
        )
        with st.container(width="content", gap=None):
            for field, label in (("qkv_bias", "QKV bias"), ("tie_weights", "Tied weights")):
                controls.switch(f"scaling_{field}", label, on_change=partial(_hand_up, field))
    _offer_neighbours(int(held["emb_dim"]), int(held["n_heads"]))
    return replace(screen().config, vocab_size=vocab_size)


def _offer_neighbours(emb_dim: int, n_heads: int) -> None:
    if emb_dim % n_heads == 0:
        return
    width = measure.nearest_width(emb_dim, n_heads, measure.LIMITS["emb_dim"])
    heads = measure.nearest_heads(emb_dim, n_heads, measure.LIMITS["n_heads"])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(
            f'<p class="caption">Nearest that fit {emb_dim:,} and {n_heads:,}:</p>', width="content"
        )
        st.button(
            f"emb_dim {width:,}",
            key="scaling_take_width",
            on_click=change_field,
            args=("emb_dim", width),
        )
        st.button(
            f"n_heads {heads:,}",
            key="scaling_take_heads",
            on_click=change_field,
            args=("n_heads", heads),
        )
