"""What the Overview says in words beside its picture."""

import streamlit as st

from gptcore.config import GPTConfig

TITLE = "Overview"
CLAIM = "A GPT is one stream of vectors, one per token, that every block reads from and adds to."


def start_here() -> None:
    """Say where to begin."""
    with st.expander("Start here"):
        st.markdown(
            "1. Press *Play*, or *Step* through the path: one operation at a time, with a sentence "
            "each. Arrow keys walk, Space plays, Escape shows the whole picture again.\n"
            "2. Select any box, by mouse or with Tab and Enter: what it does, its numbers and its "
            "code stand beside the picture.\n"
            "3. Change the prompt in the sidebar: T changes, and no parameter does.\n"
            "4. Choose *custom* as configuration and change one field: see which shapes and counts "
            "follow.\n"
            "5. Open another block with *Open* above the picture: the same build, other numbers.\n"
            "6. Go to *Transformer block* to see what the numbers in the stream do from block to "
            "block, and to *Generate* to take one step at a time. From untrained weights, "
            "nonsense is the correct result.\n\n"
            "The path in five steps: text becomes token IDs; IDs and positions become vectors; "
            "every block adds to the vectors, twice; the last norm and the head turn them into "
            "scores; the largest score is the next token."
        )


def field_meanings(cfg: GPTConfig) -> None:
    """Say what each field of the configuration means."""
    with st.expander("What each field of the configuration means"):
        st.markdown(
            f"- `vocab_size` {cfg.vocab_size:,}: tokens that can be read and predicted; one matrix "
            "turns each vector into that many scores.\n"
            f"- `context_length` {cfg.context_length:,}: positions with a learned embedding of "
            "their own (not sinusoidal); the (T, D) table is added to every sequence of the batch. "
            "Without it, attention could not tell the order of tokens.\n"
            f"- `emb_dim` {cfg.emb_dim:,}: numbers per token, from the embeddings to the head.\n"
            f"- `n_heads` {cfg.n_heads}: attentions side by side, each on {cfg.head_dim} features; "
            "their number changes no parameter count.\n"
            f"- `n_layers` {cfg.n_layers}: blocks, each with weights of its own.\n"
            f"- `drop_rate` {cfg.drop_rate:g}: share of values zeroed in training; in eval mode, "
            "as here, none.\n"
            f"- `qkv_bias` {cfg.qkv_bias}: whether query, key and value have a bias.\n"
            f"- `tie_weights` {cfg.tie_weights}: whether the output head is the token embedding's "
            "own matrix.\n\n"
            "Logits are scores, not probabilities; training feeds them straight to cross-entropy."
        )
