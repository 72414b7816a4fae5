"""The page that a browser loads before anything runs: Streamlit's, with what must not wait for it.

The Overview gets its first paint; every other page, whose pictures are charts, a hint to fetch what
draws them while Streamlit's own scripts are on their way. On the Overview the hint is for later.
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
_OVERVIEW = ("/", "/overview")
_PAGE = re.compile(r"/[a-z]*")
_MAX_QUERY = 8_000
_ROOT = '<div id="root">'
_HEAD = "</head>"


def drawn_for(query: str) -> str:
    """Return what `explorer.ui.first_paint` draws for an address, and import it if need be."""
    from explorer.ui.first_paint import first_paint  # not above: the server listens before that

    return first_paint(query)


@lru_cache(maxsize=2)
def _page_that_fetches(when: str) -> str:
    hint = f'<link rel="{when}" as="script" href="./{library_address()}">'
    return _INDEX.read_text(encoding="utf-8").replace(_HEAD, hint + _HEAD, 1)


async def _page_for(path: str, query: bytes) -> str | None:
    """Return the page of an address; None where Streamlit's own will do."""
    if path not in _OVERVIEW:
        return _page_that_fetches("preload")
    if len(query) > _MAX_QUERY:
        return None
    drawn = await anyio.to_thread.run_sync(drawn_for, query.decode("latin-1"))
    return _page_that_fetches("prefetch").replace(_ROOT, drawn + _ROOT, 1) if drawn else None


class IndexPage:
    """ASGI middleware that answers for the pages themselves; all else is Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a page that has more in it than Streamlit's, where there is one."""
        if scope["type"] == "http" and scope["method"] == "GET" and _PAGE.fullmatch(scope["path"]):
            page = await _page_for(scope["path"], scope["query_string"])
            if page is not None:
                answer = HTMLResponse(page, headers={"cache-control": "no-cache"})
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)
