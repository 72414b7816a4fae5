"""From the back of a room: type, lines and contrast of every page in projector mode."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.ui.controls import CONTROLS, Choice
from tests.browser.streamlit_page import StreamlitPage
from tests.pages.conftest import PAGES
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
LEGIBLE = Path(__file__).with_name("legible.js").read_text()
LIMITS = {"text": 20, "chart": 18, "line": 3, "contrast": 7}
OPENED = {
    "gelu": "&gelu_positions=true",
    "shortcuts": "&shortcuts_blocks=true",
    "scaling": "&scaling_halves=true&scaling_variants=true",
    "generate": "&generate_positions=true&generate_cache=true&generate_cropping=true"
    "&generate_comparison=true&generate_standing=true",
}


def views(page: str) -> list[str]:
    """Return the addresses of all that a page can show: each of its views, or everything opened."""
    control = CONTROLS.get(f"{page}_view")
    if isinstance(control, Choice):
        return [f"{page}?{control.key}={view}{OPENED.get(page, '')}" for view in control.options]
    return [f"{'' if page == 'overview' else page}?{OPENED.get(page, '')}"]


SCREENS = [
    (address, "light" if index % 2 else "dark")
    for page in PAGES
    for index, address in enumerate(views(page), start=PAGES.index(page))
]


@pytest.mark.parametrize(("address", "theme"), mostly_thorough(SCREENS, SCREENS[::4]))
def test_text_and_lines_can_be_read_at_the_back(address: str, theme: str, open_page: Open) -> None:
    app = open_page(
        f"/{address}&config=gpt-nano&projector=true", width=1920, height=1080, theme=theme
    )
    main = app.page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert not app.page.evaluate(LEGIBLE, LIMITS)


def test_small_faint_and_cut_text_would_be_found(open_page: Open) -> None:
    app = open_page("/scaling?config=gpt-nano&projector=true", width=1920, height=1080)
    app.page.get_by_test_id("stMain").evaluate(
        """main => main.insertAdjacentHTML("beforeend",
          `<p style="font-size:12px;position:fixed;top:0">small</p>
           <p style="color:#888;position:fixed;top:0">faint</p>
           <div style="width:50px;overflow:hidden;position:fixed;top:0"><p style="width:900px">
             cut, because it goes on and on</p></div>
           <input value="a value as long as this" style="width:50px;position:fixed;top:0">`)"""
    )
    found = "\n".join(app.page.evaluate(LEGIBLE, LIMITS))
    assert "12.0 px: “small”" in found
    assert "contrast 3.54: “faint”" in found
    assert "cut sideways: “cut" in found
    assert "cut sideways: “a value as long as this”" in found
