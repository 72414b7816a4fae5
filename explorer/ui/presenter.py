"""The presenter's view: one key hides what belongs to the browser's frame, and brings it back."""

from pathlib import Path

import streamlit as st

_NAME = "presenter"
_SCRIPT = Path(__file__).parent / "components" / f"{_NAME}.js"


def presenter_key() -> None:
    """Listen for P: it hides sidebar, header and menus in this browser alone, on any page."""
    with st.container(key=_NAME):
        st.components.v2.component(_NAME, js=_SCRIPT.read_text(encoding="utf-8"))(
            key=_NAME + "_key"
        )
