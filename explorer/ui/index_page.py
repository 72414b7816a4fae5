"""The page that a browser loads before anything runs: Streamlit's, with the Overview's first paint."""

from pathlib import Path

import anyio
import streamlit
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_INDEX = Path(streamlit.__file__).with_name("static") / "index.html"
_ADDRESSES = ("/", "/overview")
_MAX_QUERY = 8_000
_ROOT = '<div id="root">'


def drawn_for(query: str) -> str:
    """Return what `explorer.ui.first_paint` draws for an address, and import it if need be."""
    from explorer.ui.first_paint import first_paint  # not above: the server listens before that

    return first_paint(query)


class IndexPage:
    """ASGI middleware that answers for the Overview's page; all else is Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the first paint into the page where an address has one."""
        mine = scope["type"] == "http" and scope["method"] == "GET"
        if mine and scope["path"] in _ADDRESSES and len(scope["query_string"]) <= _MAX_QUERY:
            query = scope["query_string"].decode("latin-1")
            if drawn := await anyio.to_thread.run_sync(drawn_for, query):
                page = _INDEX.read_text(encoding="utf-8").replace(_ROOT, drawn + _ROOT, 1)
                answer = HTMLResponse(page, headers={"cache-control": "no-cache"})
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)
