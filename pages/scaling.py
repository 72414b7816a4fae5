"""Scaling: what eight fields decide, from a toy to GPT-3, counted and never allocated."""

import streamlit as st

from explorer.ui import controls, frame, show
from explorer.ui.link import page_fragment
from explorer.ui.predict import predict
from explorer.ui.scaling import CLAIM, TITLE
from explorer.ui.scaling.compare import compare_view
from explorer.ui.scaling.compute import compute_view
from explorer.ui.scaling.fields import configuration
from explorer.ui.scaling.growth import growth_view
from explorer.ui.scaling.memory import memory_view
from explorer.ui.scaling.parameters import parameters_view
from explorer.ui.scaling.tying import tying_view

VIEWS = {
    "parameters": ("Parameters", parameters_view),
    "tying": ("163M vs 124M", tying_view),
    "memory": ("Memory", memory_view),
    "compute": ("Compute", compute_view),
    "growth": ("Growth", growth_view),
    "compare": ("Compare", compare_view),
}

head = frame.begin(TITLE, CLAIM)
cfg = configuration()
predict(head, "scaling", cfg)


@page_fragment
def views() -> None:
    """Show what was chosen of this configuration."""
    row = st.container(horizontal=True)
    with row:
        view = controls.choice(
            "scaling_view", "Show", lambda name: VIEWS[name][0], segmented=True, bare=True
        )
    VIEWS[view][1](cfg, row)


views()
show.references("scaling")
