"""Transformer block: what the stream, attention and their wiring do, from one watched pass."""

import streamlit as st

from explorer import measure
from explorer.ui import (
    block_attention,
    block_changes,
    block_stream,
    block_what_if,
    controls,
    frame,
    show,
)
from explorer.ui.link import page_fragment
from explorer.ui.predict import predict
from explorer.ui.state import screen
from gptcore import TransformerBlock

VIEWS = {
    "depth": ("By depth", block_stream.by_depth, measure.block_stats),
    "tokens": ("By token", block_stream.by_token, measure.token_stats),
    "histograms": ("Histograms", block_stream.histograms, measure.block_histograms),
    "attention": ("Attention", block_attention.attention, measure.attention_map),
    "what_if": ("What if", block_what_if.what_if, measure.changed_pass),
    "causality": ("Causality", block_changes.causality, measure.moved_by_edit),
    "identity": ("Identities", block_stream.identities, measure.identity_gaps),
    "norm_depth": ("Pre- or post-LN", block_changes.norm_depth, measure.norm_depth_stats),
}

head = frame.begin(
    "Transformer block",
    "Every block reads a normalised copy of the stream and adds to the stream twice.",
)
predict(head, "block", screen().config)


@page_fragment
def chosen_view() -> None:
    """Show one view; only that one is computed."""
    name = controls.choice("block_view", "View", lambda view: VIEWS[view][0], segmented=True)
    _, view, source = VIEWS[name]
    with show.refusals():
        view()
    show.code(TransformerBlock, source)


chosen_view()
cfg = screen().config
with st.expander("What one block does, in order"):
    st.markdown(
        "Norm, operate, drop, add; twice. The first time the operation is attention, which mixes "
        "positions; the second time it is the feed-forward, which transforms every position on its "
        "own and never looks at another.\n\n"
        f"- {cfg.n_layers} blocks make 2 × {cfg.n_layers} additions to the stream, and "
        "the shape stays (B, T, D).\n"
        "- Later positions take in earlier ones, never the reverse: the causal mask sees to it, "
        "always. Dropout is something else: random, and only in training. It sits at three kinds "
        "of place: after the embeddings, on the attention weights, and on what a part gives out "
        f"before it is added; here with drop_rate {cfg.drop_rate:g}.\n"
        "- Pre-LN, as here, normalises the copy that a part reads. Post-LN, as in the first "
        "Transformer, normalises the stream itself after every addition."
    )
show.references("block")
