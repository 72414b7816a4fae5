"""The page that a browser loads before anything runs: Streamlit's, with what must not wait for it.

The pages that only count get their first paint. All get a hint to fetch what draws charts: on the
Overview for later, and elsewhere while Streamlit's own scripts are on their way.
"""

import re
from functools import lru_cache
from pathlib import Path

import anyio
import streamlit
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from explorer.ui.components.chart.library import library_address

_INDEX = Path(streamlit.__file__).with_name("static") / "index.html"
_PAINTED = {"/": "overview", "/overview": "overview", "/scaling": "scaling"}
_PAGE = re.compile(r"/[a-z]*")
_MAX_QUERY = 8_000
_ROOT = '<div id="root">'
_HEAD = "<head>"


def drawn_for(page: str, query: str) -> str:
    """Return what `explorer.ui.first_paint` draws for an address, and import it if need be."""
    from explorer.ui.first_paint import first_paint  # not above: the server listens before that

    return first_paint(page, query)


@lru_cache(maxsize=2)
def _page_that_fetches(when: str) -> str:
    priority = "high" if when == "preload" else "low"
    hint = (
        f'<link rel="{when}" as="script" fetchpriority="{priority}" href="./{library_address()}">'
    )
    return _INDEX.read_text(encoding="utf-8").replace(_HEAD, _HEAD + hint, 1)


async def _page_for(path: str, query: bytes) -> str:
    """Return the page of an address, with its first paint where it has one."""
    name = _PAINTED.get(path)
    page = _page_that_fetches("prefetch" if name == "overview" else "preload")
    if name is None or len(query) > _MAX_QUERY:
        return page
    drawn = await anyio.to_thread.run_sync(drawn_for, name, query.decode("latin-1"))
    return page.replace(_ROOT, drawn + _ROOT, 1)


class IndexPage:
    """ASGI middleware that answers for the pages themselves; all else is Streamlit's own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a page that has more in it than Streamlit's."""
        if scope["type"] == "http" and scope["method"] == "GET" and _PAGE.fullmatch(scope["path"]):
            page = await _page_for(scope["path"], scope["query_string"])
            await HTMLResponse(page, headers={"cache-control": "no-cache"})(scope, receive, send)
            return
        await self._app(scope, receive, send)
