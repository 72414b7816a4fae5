"""Puts a chart on the page."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.draw.chart import Chart
from explorer.ui.components.chart.library import library_address

CHART = "chart"
"""The component's name."""


@lru_cache(maxsize=1)
def _component() -> Any:
    html, css, js = (
        Path(__file__).with_name(f"{CHART}.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    )
    js = f"const LIBRARY = {json.dumps(library_address())};\n{js}"
    return st.components.v2.component(CHART, html=html, css=css, js=js, isolate_styles=False)


def mount_chart(drawn: Chart, pick: Callable[[dict[str, Any]], None] | None) -> None:
    """Show a chart; one with the same name that is there already is changed in place.

    Args:
        drawn: The chart.
        pick: Called with the mark that was clicked, before the page runs again.
    """
    key = f"{CHART}-{drawn.name}"

    def picked() -> None:
        if pick is not None:
            pick(st.session_state[key].picked)

    _component()(
        key=key,
        data={
            "name": drawn.name,
            "figure": drawn.drawing.to_json(),
            "alt": drawn.alt,
            "picks": pick is not None,
        },
        on_picked_change=picked,
    )
