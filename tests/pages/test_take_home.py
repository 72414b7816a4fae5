"""Taking a page home, without a browser: it costs nothing closed, and the script is this page's."""

import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import PAGES, ROOT, Open
from tests.thorough import mostly_thorough

SCRIPT = "prints this page's numbers"


def opened(app: AppTest) -> AppTest:
    """Open the panel below the page, as a click does."""
    app.session_state["take_home_open"] = True
    return app.run()


def script(app: AppTest) -> str:
    """Return the script that the panel shows, the last code on the page."""
    shown: str = app.code[-1].value
    return shown


def ran(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("page", mostly_thorough(PAGES, PAGES[::3]))
def test_closed_it_makes_nothing_and_open_it_offers_a_script_that_runs(
    page: str, open_app: Open
) -> None:
    app = open_app(page, prompt="</script><img src=x onerror=alert(1)>")
    assert not any(button.key == "take_home_script" for button in app.get("download_button"))
    opened(app)
    assert not app.exception
    assert "gptcore" in script(app)
    assert "<img" not in script(app)
    assert ran(script(app))


def test_the_script_follows_the_controls_of_the_page(open_app: Open) -> None:
    app = opened(open_app("gelu"))
    assert "\nx = 1.0\n" in script(app)
    app.slider(key="gelu_x").set_value(-0.5).run()
    assert "\nx = -0.5\n" in script(app)
    assert ran(script(app))[0].startswith("gelu value -0.154286 ")


def test_the_script_of_a_half_built_model_has_its_batch_and_its_parts(open_app: Open) -> None:
    app = opened(
        open_app("placeholder", placeholder_attention="true", placeholder_first="Tea for two")
    )
    assert "real: list[str] = ['attention']" in script(app)


def test_the_scaling_script_counts_the_vocabulary_on_the_page(open_app: Open) -> None:
    app = opened(open_app("scaling", scaling_vocab_size="1024"))
    assert "vocab_size=1024," in script(app)
    assert f"parameters tok_emb {1024 * 48}" in ran(script(app))
