"""From placeholder to GPT: the shell first, then one part after the other."""

import streamlit as st

from explorer import measure
from explorer.draw.construction import construction_lines
from explorer.ui import cache, construction_site, controls, frame, show
from explorer.ui.link import page_fragment
from explorer.ui.predict import predict
from explorer.ui.state import screen
from gptcore import DummyGPTModel

now = screen()
head = frame.begin(
    "From placeholder to GPT",
    "Each part that becomes real changes the numbers and never the shapes; that is why parts stack.",
)
predict(head, "placeholder", now.config)


@page_fragment
def construction() -> None:
    """Switch parts from placeholder to real and see what changes and what doesn't."""
    with st.container(horizontal=True):
        sentences = [
            controls.words("placeholder_first", "Sentence 0"),
            controls.words("placeholder_second", "Sentence 1"),
        ]
    real, before = construction_site.switches()
    batch = construction_site.checked_batch(sentences, now.config.context_length)
    with show.refusals():
        built = cache.measured(measure.construction, now.model_id, batch, real)
        earlier = cache.measured(measure.construction, now.model_id, batch, before)
        drawn = cache.kept(construction_lines, built.stages, earlier.stages, now.look)
        picture, table = st.columns([3, 2], gap="medium")
        with picture:
            show.chart(
                drawn,
                "The stream from the embeddings through the blocks to the logits. Solid: with the "
                "parts that are real now; dashed: before the last switch.",
            )
        with table:
            construction_site.stage_table(built.stages)
        construction_site.two_questions(built, len(batch), len(batch[0]), now.config.vocab_size)
        said = cache.kept(construction_site.observation, built, earlier, switched=real != before)
        show.notice(said)
        show.table_expander(drawn)
    construction_site.what_goes_wrong(now.config, len(batch), len(batch[0]))
    show.code(DummyGPTModel, *construction_site.code_of(real))


construction()
show.references("placeholder")
