"""GELU and feed-forward: the activation as a gate, and what it does to this prompt."""

import streamlit as st

from explorer import measure
from explorer.draw.activations import activation_gap_line, activation_lines
from explorer.draw.stages import stage_histograms
from explorer.ui import cache, controls, frame, gelu_lab, show
from explorer.ui.link import page_fragment
from explorer.ui.predict import predict
from explorer.ui.state import screen
from gptcore import GELU, FeedForward

now = screen()
head = frame.begin(
    "GELU and feed-forward",
    "GELU multiplies each value by a gate between 0 and 1; without such a bend, two linear layers "
    "are one.",
)
predict(head, "gelu", now.config)


@page_fragment
def curves() -> None:
    """Read one x off every curve."""
    x = controls.real("gelu_x", "x", step=0.05, slider=True, width=420)
    at = cache.kept(measure.activation_values, (x,))
    landmarks = measure.gelu_landmarks()
    drawn = [
        cache.kept(
            activation_lines,
            measure.activation_curves(),
            at,
            column,
            now.look,
            (landmarks["x"], landmarks["value"]) if column == "value" else None,
        )
        for column in ("value", "slope")
    ]
    left, right, numbers = st.columns([1, 1, 0.88])
    with left:
        show.chart(drawn[0], "What comes out of each activation for an input x.")
    with right:
        show.chart(drawn[1], "How fast it changes with x: what a gradient is multiplied by.")
    with numbers:
        gelu_lab.readout(at, x)
        show.caption(cache.kept(gelu_lab.gate_sentence, at))
    show.notice(gelu_lab.minimum_notice(landmarks), "ff")
    show.references("gelu")
    show.table_expander(drawn[0], "Table of values")
    show.table_expander(drawn[1], "Table of slopes")


@page_fragment
def on_this_prompt() -> None:
    """Follow the prompt through one block's feed-forward."""
    st.subheader("On this prompt", anchor=False)
    with st.container(horizontal=True):
        block = controls.whole("gelu_block", "Block", high=now.config.n_layers - 1)
        threshold = float(
            controls.choice("gelu_threshold", "Near zero means below", slider=True, width=260)
        )
    with show.refusals():
        activity = cache.measured(measure.feed_forward_activity, now.model_id, now.token_ids)
        moments = cache.kept(gelu_lab.of_block, activity.moments, block)
        near_zero = cache.kept(gelu_lab.near_zero_rows, activity.near_zero, block, threshold)
        drawn = cache.kept(
            stage_histograms,
            cache.kept(gelu_lab.of_block, activity.histogram, block),
            moments,
            gelu_lab.STAGES,
            "value (all tokens and features)",
            now.look,
            name="feed-forward-stages",
            percent=True,
        )
        picture, numbers = st.columns([2, 1])
        with picture:
            show.chart(drawn, "All pictures have one scale; bars are shares of their own stage.")
        with numbers:
            gelu_lab.moments_table(moments, now.look)
            gelu_lab.near_zero_table(near_zero, threshold)
        show.notice(cache.kept(gelu_lab.near_zero_notice, near_zero, block, threshold), "ff")
        show.table_expander(drawn, "Table of the stages")
        with controls.panel("gelu_positions", "Each position on its own") as is_open:
            if is_open:
                effect = cache.measured(measure.reversal_effect, now.model_id, now.token_ids, block)
                said = cache.kept(gelu_lab.reversal_notice, effect, block, len(now.token_ids))
                show.notice(said, "ff")


curves()
on_this_prompt()
case = cache.kept(measure.small_feed_forward)
with st.expander("Other widths than 4 D"):
    gelu_lab.width_table(now.config, len(now.token_ids))
    show.caption(
        "The output's shape stays: only what is between the layers, and its cost, changes."
    )
with st.expander("The gap between the tanh form and the exact form"):
    gap = cache.kept(activation_gap_line, cache.kept(measure.activation_gap), now.look)
    show.chart(
        gap, "GPT-2 uses the tanh form; the scale here is a thousand times finer than above."
    )
    show.table_expander(gap, "Table of the gap")
with st.expander("Two linear layers without an activation are one"):
    gelu_lab.collapse(case)
    show.notice(gelu_lab.collapse_notice(case), "ff")
with st.expander("Every number of a small case: (1, 2, 4) → (1, 2, 16) → (1, 2, 4)"):
    gelu_lab.small_case(case)
show.code(GELU, FeedForward, measure.feed_forward_activity)
