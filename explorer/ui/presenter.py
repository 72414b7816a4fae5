"""The presenter's view: one key hides what belongs to the browser's frame, and brings it back."""

import streamlit as st

from explorer.ui.components.files import component

_NAME = "presenter"


def presenter_key() -> None:
    """Listen for P: it hides sidebar, header and menus in this browser alone, on any page."""
    with st.container(key=_NAME):
        component(_NAME)(key=_NAME + "_key")
