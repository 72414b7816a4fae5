"""Plotly's script as the charts' component fetches it: the build for Cartesian axes, kept here.

Streamlit brings plotly's whole build, three times as large, and starts a chart anew for each change.
"""

import gzip
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FILE = Path(__file__).with_name("plotly-cartesian.min.js")
_FOR_A_YEAR = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def library_version() -> str:
    """Return the version that the script's first lines state."""
    with _FILE.open(encoding="utf-8") as file:
        return next(line.split(" v")[1].strip() for line in file if " v" in line)


def library_address() -> str:
    """Return where the script is, from the app's root; a new version has a new address."""
    return f"plotly-cartesian-{library_version()}.min.js"


@lru_cache(maxsize=1)
def _compressed() -> bytes:
    return gzip.compress(_FILE.read_bytes())


def _library(request: Request) -> Response:
    headers = {"cache-control": _FOR_A_YEAR, "vary": "accept-encoding"}
    content = _FILE.read_bytes()
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["content-encoding"] = _compressed(), "gzip"
    return Response(content, headers=headers, media_type="text/javascript")


def library_route() -> Route:
    """Return the route that answers with the script."""
    return Route(f"/{library_address()}", _library)
