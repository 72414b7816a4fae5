"""LayerNorm: one token, normalised one operation at a time."""

import streamlit as st

from explorer import measure
from explorer.draw.norms import norm_spread_lines, variance_divisor_line
from explorer.draw.stages import stage_histograms
from explorer.ui import cache, controls, frame, norm_lab, show
from explorer.ui.link import page_fragment
from explorer.ui.predict import predict
from explorer.ui.state import screen
from gptcore import LayerNorm

now = screen()
head = frame.begin(
    "LayerNorm",
    "LayerNorm brings every token to mean 0 and variance 1, using nothing but that token's own "
    "features.",
)
predict(head, "layernorm", now.config)


@page_fragment
def stages_of_one_token() -> None:
    """Take one token through a norm, as it is or changed."""
    with st.container(horizontal=True, gap="small"):
        norm = norm_lab.norm_choice(now)
        places = norm_lab.places(now, norm)
        token = controls.position("layernorm_token", "Token", places, width=96)
        change = norm_lab.change_controls(now, norm)
    with show.refusals():
        told = norm_lab.normalise(now, norm, token, change)
        drawn = cache.kept(
            stage_histograms,
            told.histogram,
            told.moments,
            norm_lab.STAGES,
            f"value of a feature (bars count the {len(told.stages):,} features of this token)",
            now.look,
            name="layernorm-stages",
        )
        picture, table = st.columns([2, 1])
        with picture:
            show.chart(drawn, "All four pictures have one scale; the line is 0.")
        with table:
            norm_lab.stage_table(told.moments, now.look)
        show.notice(told.notice, "norm")
        show.table_expander(drawn)


stages_of_one_token()
show.references("layernorm")
with (
    st.expander(f"All {len(measure.norm_names(now.config))} norms of the model: spread"),
    show.refusals(),
):
    measured = cache.measured(measure.norm_spread, now.model_id, now.token_ids)
    spread = cache.kept(norm_spread_lines, measured, now.look)
    show.chart(
        spread,
        "Two norms a block and the final one: 2N + 1. The height is the standard deviation of a "
        "token's features, averaged over the prompt's tokens.",
    )
    show.notice(cache.kept(norm_lab.spread_notice, spread.frame), "norm")
    show.table_expander(spread, "Table of the spread")
with st.expander("Dividing by n or by n − 1"):
    divisors = cache.kept(variance_divisor_line, cache.kept(measure.variance_divisors), now.look)
    show.chart(
        divisors,
        "The same squared deviations, divided by n and by n − 1: the unbiased variance is larger by "
        "1 / (n − 1).",
    )
    said = cache.kept(norm_lab.divisor_notice, divisors.frame, now.config.emb_dim)
    show.notice(said, "norm")
    show.table_expander(divisors, "Table of the variances")
with st.expander("Why not over the batch"):
    st.markdown(norm_lab.WHY_NOT_BATCH)
show.code(LayerNorm, measure.norm_stages)
