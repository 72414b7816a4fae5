"""The app without a browser: each page runs, and a widget changes what is shown."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
PAGES = sorted(page.stem for page in (ROOT / "pages").glob("*.py"))
Open = Callable[..., AppTest]


@pytest.fixture
def open_app() -> Open:
    """Open a page with query parameters; the small model unless told otherwise."""

    def open_one(page: str = "overview", **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=120)
        for key, value in ({"config": "gpt-nano"} | query).items():
            app.query_params[key] = value
        app.switch_page(str(ROOT / "pages" / f"{page}.py"))
        app.run()
        assert not app.exception, app.exception[0].stack_trace
        return app

    return open_one


def html(app: AppTest) -> str:
    """Return everything that a page wrote with `st.html`, one element a line."""
    return "\n".join(element.proto.body for element in app.get("html"))


def figures(app: AppTest) -> list[str]:
    """Return every chart's figure, as JSON."""
    charts = [e for e in app.get("bidi_component") if e.proto.component_name == "chart"]
    return [str(json.loads(chart.proto.json)["figure"]) for chart in charts]


def notice(app: AppTest) -> str:
    """Return the first notice of a page."""
    return html(app).split("Notice.</b> ")[1].split("</p>")[0]
