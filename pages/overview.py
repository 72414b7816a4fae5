"""Overview: the way of a tensor through the whole model, with this prompt's shapes."""

import streamlit as st

from explorer import measure
from explorer.draw.chart import number
from explorer.ui import frame, show
from explorer.ui.path_table import path_table
from explorer.ui.state import screen
from gptcore import GPTConfig, count_parameters

now = screen()
cfg = now.config
counts = count_parameters(cfg)
total, embeddings = sum(counts.values()), counts["tok_emb"] + counts["out_head"]

frame.begin(
    "Overview",
    "A GPT is one stream of vectors, one per token, that every block reads from and adds to.",
)
show.chips(now.token_ids)
path_table(measure.tensor_path(cfg, len(now.token_ids)), cfg.n_layers)
show.caption(
    "From top to bottom: every operation between the token IDs and the next token, with its shape "
    "before and after. B batch, T tokens, D width, H heads, K features per head, F hidden, "
    "V vocabulary."
)
show.notice(
    f"{number(total)} parameters: {number(100 * counts['trf_blocks'] / total, 1)} % in the "
    f"{cfg.n_layers} blocks, {number(100 * embeddings / total, 1)} % in the token embedding and "
    "the output head. The shape after a block is the shape before it, which is why blocks stack.",
    "param",
)
with st.expander("Start here"):
    st.markdown(
        "1. Read the path above from top to bottom; a coloured letter is an axis of the tensor.\n"
        "2. Change the prompt in the sidebar: T changes, and nothing else.\n"
        "3. Choose *custom* as configuration and change one field: see which shapes and counts "
        "follow.\n"
        "4. Go to *Transformer block* to see what the numbers in the stream do from block to "
        "block.\n"
        "5. Go to *Generate* and take one step at a time. The model is untrained, so nonsense is "
        "the correct result."
    )
with st.expander("What each field of the configuration means"):
    st.markdown(
        f"- `vocab_size` {cfg.vocab_size:,}: tokens that can be read and predicted; one matrix "
        "turns each vector into that many scores.\n"
        f"- `context_length` {cfg.context_length:,}: positions with a learned embedding of their "
        "own (not sinusoidal); the (T, D) table is added to every sequence of the batch. Without "
        "it, attention could not tell the order of tokens.\n"
        f"- `emb_dim` {cfg.emb_dim:,}: numbers per token, from the embeddings to the head.\n"
        f"- `n_heads` {cfg.n_heads}: attentions side by side, each on {cfg.head_dim} features; "
        "their number changes no parameter count.\n"
        f"- `n_layers` {cfg.n_layers}: blocks, each with weights of its own.\n"
        f"- `drop_rate` {cfg.drop_rate:g}: share of values zeroed in training; in eval mode, as "
        "here, none.\n"
        f"- `qkv_bias` {cfg.qkv_bias}: whether query, key and value have a bias.\n"
        f"- `tie_weights` {cfg.tie_weights}: whether the output head is the token embedding's own "
        "matrix.\n\n"
        "Logits are scores, not probabilities; training feeds them straight to cross-entropy."
    )
show.code(GPTConfig, count_parameters)
show.references("overview")
