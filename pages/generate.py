"""Generate: greedy steps, one token at a time."""

import streamlit as st

from explorer import measure
from explorer.draw.numbers import number
from explorer.ui import controls, frame, generation, show
from explorer.ui.link import page_fragment
from explorer.ui.predict import predict
from explorer.ui.state import screen
from explorer.ui.stepper import greedy_steps_so_far, stepper
from gptcore.generate import cached_steps, plain_steps

now = screen()
head = frame.begin(
    "Generate",
    "Each step crops the sequence, runs the model without gradients, keeps the last position's "
    "scores, and appends the largest.",
)
predict(head, "generate", now.config)


@page_fragment
def stepping() -> None:
    """Step through the run; the browser moves, and Python computes what it asks for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_tokens = controls.whole("generate_tokens", "Tokens")
        controls.whole("generate_top_k", "Top k")
        controls.choice("generate_scale", "Bars", segmented=True)
    with show.refusals():
        steps = greedy_steps_so_far(now, n_tokens)
        stepper(now, steps, n_tokens)
        show.caption(
            "Bars are the probabilities of being next, likeliest first; the dotted line is an even "
            f"share, 1/V = {number(100 / now.config.vocab_size, 4)} %; a dot in a token is a space. "
            "Keys: Right, Left, Home, and Space to play."
        )
        generation.chapters_tokens(now, steps, n_tokens)
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
show.code(plain_steps, cached_steps, measure.greedy_run)
