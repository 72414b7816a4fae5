"""Generate: greedy steps, one token at a time."""

import streamlit as st

from explorer import measure
from explorer.draw.chart import number
from explorer.draw.prediction import next_token_bars
from explorer.ui import cache, controls, frame, show
from explorer.ui.link import page_fragment
from explorer.ui.state import screen

now = screen()
frame.begin(
    "Generate",
    "Each step runs the whole model, keeps the last position's scores and appends the largest.",
)


def move(by: int) -> None:
    """Go a number of steps forward or back."""
    st.session_state["generate_step"] = int(controls.current("generate_step")) + by


@page_fragment
def stepper() -> None:
    """Step through the generation; every step that was computed is kept."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        limit = controls.whole("generate_tokens", "Tokens", help="How many steps to take at most.")
        step = controls.whole("generate_step", "Step", high=limit)
        st.button("Reset", on_click=move, args=(-step,), shortcut="Home", disabled=step == 0)
        st.button("Back", on_click=move, args=(-1,), shortcut="Left", disabled=step == 0)
        st.button(
            "Step",
            on_click=move,
            args=(1,),
            shortcut="Right",
            type="primary",
            disabled=step == limit,
        )
    with show.refusals():
        ids = now.token_ids
        for _ in range(step):
            ids += (cache.measured(measure.next_token, now.model_id, ids).token_id,)
        coming = cache.measured(measure.next_token, now.model_id, ids)
        show.chips(ids, n_new=step)
        drawn = next_token_bars(coming.candidates, now.config.vocab_size, now.look)
        show.chart(
            drawn,
            f"The ten likeliest of {now.config.vocab_size:,} tokens after the last chip; the bar in "
            "the stream's hue is the one that Step appends. A dot is a space.",
        )
        winner = coming.candidates.iloc[0]
        times = winner["probability"] * now.config.vocab_size
        show.notice(
            f"The winner, “{winner['token']}”, has {number(100 * winner['probability'], 4)} %, "
            f"{number(times, 1)} times an even share; the entropy is {number(coming.entropy)} nats "
            f"of at most {number(coming.uniform_entropy)}. Nothing has been learned, so nonsense is "
            "the correct result."
        )
        show.table_expander(drawn)


stepper()
if st.button("Recompute the chapter's ten tokens", key="generate_check"):
    with show.refusals():
        show.reference_rows(cache.measured(measure.reference_tokens, cache.DEFAULT_MODEL))
show.code(measure.next_token)
