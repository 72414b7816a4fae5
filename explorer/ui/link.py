"""The address is the state: reading one that a visitor comes with, and writing one to give away."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from explorer.ui.controls import (
    CONTROLS,
    EVERYWHERE,
    MAX_PROMPT_IN_ADDRESS,
    Value,
    current,
)

_CHECKED = "_address_checked"
_STREAMLIT_OWN = ("embed", "embed_options")


def read_address() -> tuple[str, ...]:
    """In a session's first run, take page controls from the address and judge all of it.

    The sidebar's controls read their own parameters; what they can't hold falls back to the
    default.

    Returns:
        One sentence a part that was dropped; empty in later runs.
    """
    if _CHECKED in st.session_state:
        return ()
    st.session_state[_CHECKED] = True
    dropped = []
    for key in st.query_params:
        if key in _STREAMLIT_OWN:
            continue
        values = st.query_params.get_all(key)
        if key not in CONTROLS:
            dropped.append(f"The link's part “{key[:40]}” is unknown and was dropped.")
        elif len(values) > 1:
            dropped.append(f"The link gives “{key}” {len(values)} times; it was dropped.")
        else:
            try:
                value = CONTROLS[key].parse(values[0])
            except ValueError as error:
                dropped.append(f"The link's part “{key}” must be {error}; it was dropped.")
            else:
                if CONTROLS[key].page != EVERYWHERE:
                    st.session_state[key] = value
    if len(dropped) > 3:
        return (*dropped[:3], f"{len(dropped) - 3} more parts of the link were dropped.")
    return tuple(dropped)


def screen_query(page: str, sidebar: dict[str, Value]) -> str:
    """Return the query that brings anyone to this screen.

    Args:
        page: The page whose own controls belong in it.
        sidebar: What the sidebar's controls hold.
    """
    held: dict[str, Value] = dict(sidebar)
    for key, control in CONTROLS.items():
        if control.page == page:
            held[key] = current(key)
    if len(str(held["prompt"])) > MAX_PROMPT_IN_ADDRESS:
        del held["prompt"]
    return urlencode({key: CONTROLS[key].write(value) for key, value in held.items()})


_FILES = Path(__file__).parent / "components"
_NAME = "copy_link"


def copy_link(query: str) -> None:
    """Show a button that copies this page's address with `query`, and the address to select."""
    html, css, js = ((_FILES / f"{_NAME}.{kind}").read_text() for kind in ("html", "css", "js"))
    mount = st.components.v2.component(_NAME, html=html, css=css, js=js)
    mount(key=_NAME, data={"query": query})
