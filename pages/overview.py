"""Overview: the whole model as one live picture, and the tensor's walk through it."""

import streamlit as st

from explorer import measure
from explorer.draw.numbers import number
from explorer.ui import frame, show
from explorer.ui.components.overview.mount import fill_picture, open_block, paint_picture
from explorer.ui.link import page_fragment
from explorer.ui.overview_text import CLAIM, TITLE, field_meanings, start_here
from explorer.ui.path_table import path_table
from explorer.ui.predict import predict
from explorer.ui.state import screen
from gptcore import GPTConfig, count_parameters

now = screen()
cfg = now.config
counts = count_parameters(cfg)
total, embeddings = sum(counts.values()), counts["tok_emb"] + counts["out_head"]

predict(frame.begin(TITLE, CLAIM, in_a_row=True), "overview", cfg)


@page_fragment
def picture_and_text() -> None:
    """Paint what needs only the configuration; the values of the pass come last."""
    paint_picture(now)
    show.caption(
        "From top to bottom: the way from text to the next token, with one block opened. Features "
        "run sideways and to scale, F four times as wide as D; a row of a strip is a token. Arrow "
        "keys walk, Space plays, Escape shows the whole picture again."
    )
    show.notice(
        f"{number(total)} parameters: {number(100 * counts['trf_blocks'] / total, 1)} % in the "
        f"{cfg.n_layers} blocks, {number(100 * embeddings / total, 1)} % in the token embedding "
        "and the output head. The shape after a block is the shape before it, which is why blocks "
        "stack.",
        "param",
    )
    start_here()
    field_meanings(cfg)
    with st.expander("The same path as text, with every shape and every count"):
        path_table(measure.tensor_path(cfg, len(now.token_ids), open_block(now)))
    show.code(GPTConfig, count_parameters, measure.tensor_path)
    fill_picture(now)


picture_and_text()
show.references("overview")
