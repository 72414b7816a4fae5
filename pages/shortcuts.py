"""Shortcuts: how much of the error reaches each layer, with and without additions."""

import streamlit as st

from explorer import measure
from explorer.draw.gradients import block_gradient_lines, layer_gradient_lines
from explorer.ui import cache, controls, frame, gradient_lab, show
from explorer.ui.link import page_fragment
from explorer.ui.predict import predict
from explorer.ui.state import screen
from gptcore import DeepNetwork, mean_abs_gradients

SHOWN = {
    "gradient": "gradient",
    "relative": "relative",
    "factor": "factor",
}

now = screen()
head = frame.begin(
    "Shortcuts",
    "A shortcut gives the gradient a second way back, and that way multiplies it by exactly 1.",
)
predict(head, "shortcuts", now.config)


@page_fragment
def lab() -> None:
    """Compare one small network's gradients without and with shortcuts, over many seeds."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        depth = controls.whole("shortcuts_layers", "Layers")
        width = controls.whole("shortcuts_width", "Width")
        n_seeds = controls.whole("shortcuts_seeds", "Seeds")
        activation = controls.choice(
            "shortcuts_activation",
            "Activation",
            gradient_lab.ACTIVATION_NAMES.__getitem__,
            segmented=True,
        )
        shown = controls.choice("shortcuts_show", "Show", SHOWN.__getitem__, segmented=True)
    with show.refusals():
        size = (depth, width, activation)
        chosen = cache.computed(measure.layer_gradients, *size, (now.seed,))
        seeds = cache.computed(measure.layer_gradients, *size, tuple(range(n_seeds)))
        drawn = cache.kept(
            layer_gradient_lines,
            cache.kept(gradient_lab.lab_frame, chosen, seeds, shown),
            gradient_lab.TITLES[shown],
            now.look,
            width=width,
            gain=cache.kept(gradient_lab.first_gain, chosen, shown),
        )
        picture, table = st.columns([2, 1])
        with picture:
            said = cache.kept(gradient_lab.lab_caption, seeds, shown, now.seed, width)
            show.chart(drawn, said)
        with table:
            gradient_lab.lab_table(chosen, shown, now.seed, drawn.height_px)
        show.notice(cache.kept(gradient_lab.lab_notice, chosen, seeds, shown), "grad")
        show.table_expander(drawn)
        with st.expander("What shortcuts do not do"):
            deep = cache.computed(measure.layer_gradients, 20, 3, "gelu", tuple(range(50)))
            show.caption(cache.kept(gradient_lab.starved_sentence, deep, "gelu"))
            chosen_above = cache.kept(gradient_lab.starved_sentence, seeds, activation)
            show.caption(f"As chosen above: {chosen_above}")
            show.caption(gradient_lab.EQUAL_SHAPES)


@page_fragment
def real_blocks() -> None:
    """Compare the gradients of this configuration's blocks, part by part."""
    st.subheader("On this model's blocks", anchor=False)
    if not controls.switch("shortcuts_blocks", gradient_lab.blocks_offer(now.config)):
        return
    part = controls.choice("shortcuts_part", "Part", segmented=True)
    with show.refusals():
        gradients = cache.measured(measure.block_gradients, now.model_id, now.token_ids)
        values = cache.kept(gradient_lab.blocks_frame, gradients, part)
        gain = cache.kept(gradient_lab.blocks_gain, values)
        drawn = cache.kept(block_gradient_lines, values, part, now.look, gain)
        picture, table = st.columns([2, 1])
        with picture:
            show.chart(
                drawn,
                "The next-token loss on this prompt, differentiated through the same weights with "
                "and without the two additions of every block; the mean is over all parameters of "
                f"the part. Losses: {gradient_lab.losses(gradients)}.",
            )
        with table:
            gradient_lab.blocks_table(values, part, drawn.height_px)
        show.notice(cache.kept(gradient_lab.blocks_notice, values), "grad")
        show.table_expander(drawn)


lab()
show.references("shortcuts")
real_blocks()
show.code(DeepNetwork, mean_abs_gradients, measure.layer_gradients, measure.block_gradients)
