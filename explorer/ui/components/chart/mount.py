"""Puts a chart on the page."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st

from explorer.draw.chart import Chart
from explorer.ui import cache
from explorer.ui.components.chart.library import library_address
from explorer.ui.components.files import component_file

CHART = "chart"
"""The component's name."""


def chart_files() -> dict[str, str]:
    """Return the component's HTML, CSS and JavaScript, a module that exports what mounts it."""
    files = {kind: component_file(f"{CHART}/{CHART}.{kind}") for kind in ("html", "css", "js")}
    return files | {"js": f"const LIBRARY = {json.dumps(library_address())};\n{files['js']}"}


def chart_data(drawn: Chart) -> dict[str, Any]:
    """Return what the browser is told of a chart."""
    return {"name": drawn.name, "figure": drawn.drawing.to_json(), "alt": drawn.alt}


@lru_cache(maxsize=1)
def _component() -> Any:
    files = chart_files()
    return st.components.v2.component(
        CHART, html=files["html"], css=files["css"], js=files["js"], isolate_styles=False
    )


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
        data=cache.kept(chart_data, drawn) | {"picks": pick is not None},
        on_picked_change=picked,
    )
