"""Generate: greedy steps, one token at a time."""

import streamlit as st

from explorer import measure
from explorer.ui import cache, controls, frame, generation, show
from explorer.ui.link import page_fragment
from explorer.ui.state import screen
from explorer.ui.stepper import greedy_steps_so_far, is_the_chapters_run, stepper
from gptcore import generate_greedy

now = screen()
frame.begin(
    "Generate",
    "Each step crops the sequence, runs the model without gradients, keeps the last position's "
    "scores, and appends the largest.",
)


@page_fragment
def stepping() -> None:
    """Step through the run; the browser moves, and Python computes what it asks for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_tokens = controls.whole(
            "generate_tokens", "Tokens", help="How many to append, up to 200."
        )
        controls.whole("generate_top_k", "Top k, 5 to 50")
        controls.choice("generate_scale", "Bars", segmented=True)
    with show.refusals():
        steps = greedy_steps_so_far(now, n_tokens)
        stepper(now, steps, n_tokens)
        show.caption(
            "Bars are the probabilities of being next, likeliest first; the dotted line is an even "
            "share, 1/V; a dot in a token is a space. Keys: Left, Right, Space to play, Home."
        )
        if is_the_chapters_run(now, steps):
            ids = tuple(step.token_id for step in steps)
            show.reference_rows(measure.compared_tokens(ids))
        generation.this_step(now, steps)
        generation.copies(now, steps, n_tokens)


stepping()
generation.every_position(now)
generation.kv_cache(now)
generation.past_the_context(now)
generation.two_runs(now)
with st.expander("What training would change"):
    st.markdown(
        "The loop stays as it is; only the weights change. Training feeds the logits of *every* "
        "position to cross-entropy with the token that really follows, and moves the weights by the "
        "gradients. Generating needs none: the forward pass runs without them, keeps nothing for a "
        "way back, and leaves the model as it was."
    )
show.code(generate_greedy, measure.greedy_run)
if st.button("Recompute the chapter's ten tokens", key="generate_check"):
    with show.refusals():
        show.reference_rows(cache.measured(measure.reference_tokens, cache.DEFAULT_MODEL))
