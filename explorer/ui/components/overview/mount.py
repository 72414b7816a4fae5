"""Puts the picture on the page, and then the values of this pass into it.

The picture is painted from the configuration at once. A second component without a face hands it
the values of this pass and the source code when they are there, so that nothing waits for torch.
"""

from functools import lru_cache
from typing import Any

import streamlit as st

from explorer import measure
from explorer.ui import cache, controls, show
from explorer.ui.components.files import component_file
from explorer.ui.components.overview.files import PICTURE, picture_files
from explorer.ui.components.overview.payload import identity, live_data, picture_data
from explorer.ui.state import Screen
from explorer.ui.warm_up import let_the_browser_paint

_FEED = "overview_feed"


@lru_cache(maxsize=1)
def _components() -> tuple[Any, Any]:
    """Return what mounts the picture, and what mounts its feed."""
    files = picture_files()
    picture = st.components.v2.component(
        PICTURE, html=files["html"], css=files["css"], js=files["js"]
    )
    return picture, st.components.v2.component(_FEED, js=component_file("overview/feed.js"))


def _keep_selected() -> None:
    """Keep the operation that the viewer selected, for the link and for the next visit."""
    control = controls.CONTROLS["overview_stop"]
    st.session_state[control.key] = control.parse(str(st.session_state[PICTURE].selected))


def _keep_opened() -> None:
    """Keep the block that the viewer opened."""
    control = controls.CONTROLS["overview_block"]
    st.session_state[control.key] = control.parse(str(st.session_state[PICTURE].opened))


def open_block(now: Screen) -> int:
    """Return the block that is open, which this configuration must have."""
    block = min(int(controls.current("overview_block")), now.config.n_layers - 1)
    st.session_state["overview_block"] = block
    return block


def paint_picture(now: Screen) -> None:
    """Show the model as one picture, from the configuration and the prompt alone."""
    picture, _ = _components()
    picture(
        key=PICTURE,
        data={
            **picture_data(now, open_block(now), str(controls.current("overview_stop"))),
            "restored": controls.restored(),
        },
        on_selected_change=_keep_selected,
        on_opened_change=_keep_opened,
    )


def fill_picture(now: Screen) -> None:
    """Compute the values of this pass, with progress, and hand them to the picture with the code.

    A model that can't be run is refused in one sentence, here and in the picture; the code comes.
    """
    _, feed = _components()
    block = open_block(now)
    live, refused = None, ""
    let_the_browser_paint()
    try:
        glances = cache.measured(measure.gpt_glances, now.model_id, now.token_ids, block)
        live = live_data(glances, now, block)
    except ValueError as error:
        refused = str(error)
        show.problem(refused)
    from explorer.ui.components.overview.sources import source_excerpts  # not above: it needs torch

    feed(
        key=_FEED,
        data={
            "of": identity(now, block),
            "live": live,
            "refused": refused,
            "code": source_excerpts(),
        },
    )
