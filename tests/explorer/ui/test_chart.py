"""What the browser draws charts with."""

import gzip
import re
from pathlib import Path

import plotly.offline
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from explorer.ui.components.chart import library

ROOT = Path(__file__).parents[3]


def test_the_script_is_the_build_that_the_figures_are_made_for() -> None:
    assert library.library_version() == plotly.offline.get_plotlyjs_version()


def test_the_build_can_draw_every_trace_that_is_used() -> None:
    used = re.findall(r'"type": "(\w+)"', (ROOT / "explorer/draw/figure.py").read_text())
    script = (ROOT / "explorer/ui/components/chart/plotly-cartesian.min.js").read_text()
    assert used
    for trace in used:
        assert f'moduleType:"trace",name:"{trace}"' in script, trace


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_the_script_is_served_for_good_and_compressed_where_it_can_be(encoding: str) -> None:
    client = TestClient(Starlette(routes=[library.library_route()]))
    with client.stream(
        "GET", f"/{library.library_address()}", headers={"accept-encoding": encoding}
    ) as answer:
        raw = b"".join(answer.iter_raw())
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers.get("content-encoding", "identity") == encoding
    whole = gzip.decompress(raw) if encoding == "gzip" else raw
    assert b"window.Plotly" in whole
    assert encoding == "identity" or len(raw) < len(whole) / 2
