"""The address is the state: reading one that a visitor comes with, and writing one to give away."""

from collections.abc import Callable
from functools import wraps
from html import escape
from typing import ParamSpec
from urllib.parse import urlencode

import streamlit as st

from explorer.ui.components.files import component
from explorer.ui.controls import (
    CONTROLS,
    EVERYWHERE,
    MAX_PROMPT_IN_ADDRESS,
    Value,
    current,
)
from explorer.ui.work import BATON

P = ParamSpec("P")

_CHECKED = "_address_checked"
_DROPPED = "_address_dropped"
_PAGE = "_page"
_VERSION = "_link_version"
_NAME = "copy_link"
_STREAMLIT_OWN = ("embed", "embed_options")


def _value_in_address(key: str) -> Value:
    """Return what the address holds for a control.

    Raises:
        ValueError: If there is no such control, or it can't hold it; a sentence.
    """
    if key not in CONTROLS or not CONTROLS[key].linked:
        raise ValueError(f"The link's part “{key[:40]}” is unknown and was dropped.")
    values = st.query_params.get_all(key)
    if len(values) > 1:
        raise ValueError(f"The link gives “{key}” {len(values)} times; it was dropped.")
    try:
        return CONTROLS[key].parse(values[0])
    except ValueError as error:
        raise ValueError(f"The link's part “{key}” must be {error}; it was dropped.") from error


def read_address() -> tuple[str, ...]:
    """In a session's first run, take page controls from the address and judge all of it.

    The sidebar's controls read their own parameters, and would take the last of two and round a
    fraction: what they can't hold is taken out of the address, and the run starts again without it.
    Call it first in every run.

    Returns:
        One sentence a part that was dropped, in the first run that gets past here; then empty.
    """
    if _CHECKED in st.session_state:
        return tuple(st.session_state.pop(_DROPPED, ()))
    st.session_state[_CHECKED] = True
    dropped = {}
    for key in st.query_params:
        if key in _STREAMLIT_OWN:
            continue
        try:
            value = _value_in_address(key)
        except ValueError as error:
            dropped[key] = str(error)
        else:
            if CONTROLS[key].page != EVERYWHERE:
                st.session_state[key] = value
    sentences = [*dropped.values()]
    if len(sentences) > 3:
        sentences[3:] = [f"{len(sentences) - 3} more parts of the link were dropped."]
    bound = [key for key in dropped if key in CONTROLS and CONTROLS[key].page == EVERYWHERE]
    if bound:
        for key in bound:
            del st.query_params[key]
        st.session_state[_DROPPED] = sentences
        st.rerun()
    return tuple(sentences)


def sidebar_query(held: dict[str, Value]) -> str:
    """Return the part of a link that the sidebar's controls make; a long prompt stays out."""
    fits = {
        key: value
        for key, value in held.items()
        if key != "prompt" or len(str(value)) <= MAX_PROMPT_IN_ADDRESS
    }
    return _query(fits)


def _query(held: dict[str, Value]) -> str:
    return urlencode({key: CONTROLS[key].write(value) for key, value in held.items()})


def page_query(page: str) -> str:
    """Return the part of a link that a page's own controls make."""
    return _query({key: current(key) for key, c in CONTROLS.items() if c.page == page and c.linked})


def publish_page_controls() -> None:
    """Leave the page's own part of a link in the document, where "Copy link" finds the newest.

    The button is in the sidebar, which a fragment's run doesn't reach.
    """
    page = st.session_state[_PAGE]
    version = st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1
    query = page_query(page)
    st.html(f'<div class="link-part" data-version="{version}" data-query="{escape(query)}"></div>')


def page_fragment(body: Callable[P, None]) -> Callable[P, None]:
    """Make a part of a page run on its own when its controls change, and keep the link true."""

    @st.fragment
    @wraps(body)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with BATON.held() as alone:
            body(*args, **kwargs)
            if alone:  # a whole page publishes once, at its end
                publish_page_controls()

    return run


def copy_link(page: str, held: dict[str, Value]) -> None:
    """Show a button that copies the address of this screen, and the address to select.

    Args:
        page: The current page's name.
        held: What the sidebar's controls hold.
    """
    st.session_state[_PAGE] = page
    component(_NAME)(key=_NAME, data={"query": sidebar_query(held)})
