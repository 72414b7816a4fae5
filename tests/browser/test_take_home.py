"""What is taken home of each page: pictures, tables, a script, and a file that opens offline."""

import re
import struct
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.streamlit_page import StreamlitPage
from tests.pages.conftest import PAGES
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
NASTY = "</script><img src=x onerror=alert(1)>"
MAX_BYTES = 6 * 2**20


def opened(open_page: Open, page: str, query: str = "", **how: object) -> StreamlitPage:
    """Open a page of the small model, with a prompt of HTML, and its panel."""
    path = "" if page == "overview" else page
    app = open_page(
        f"/{path}?config=gpt-nano&prompt=%3C%2Fscript%3E%3Cimg+src%3Dx+onerror%3Dalert%281%29%3E{query}",
        **how,
    )
    with app.rerun():
        app.page.get_by_text("Take this page home").click()
    app.page.get_by_role("button", name="as SVG").first.wait_for()
    return app


def saved(app: StreamlitPage, button: str, folder: Path) -> Path:
    """Press the first button of that name and keep what it downloads."""
    with app.page.expect_download() as download:
        app.page.get_by_role("button", name=button).first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def offline(browser: Browser, file: Path, width: int = 1280) -> tuple[Page, list[str]]:
    """Open a file with no network; collect every request but its own, and every complaint."""
    page = browser.new_context(offline=True, viewport={"width": width, "height": 800}).new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((file.as_uri(), "data:")) else wrong.append(asked.url)
        ),
    )
    page.goto(file.as_uri())
    page.wait_for_timeout(300)
    return page, wrong


@pytest.mark.parametrize("page", mostly_thorough(PAGES, ["overview", "gelu"]))
def test_every_page_gives_picture_table_script_and_a_file_that_opens_offline(
    page: str, open_page: Open, browser: Browser, tmp_path: Path
) -> None:
    app = opened(open_page, page)
    drawn = ElementTree.parse(saved(app, "as SVG", tmp_path)).getroot()
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    assert drawn.findtext("{http://www.w3.org/2000/svg}title")
    assert len([*drawn.iter()]) > 30
    png = saved(app, "as PNG", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == (
        2 * int(drawn.attrib["width"]),
        2 * int(drawn.attrib["height"]),
    )
    assert len(saved(app, "as CSV", tmp_path).read_text().splitlines()) > 2
    assert saved(app, "Download the script", tmp_path).name == f"{page}.py"

    file = saved(app, "This page as one HTML file", tmp_path)
    assert file.name == f"{page}.html"
    assert file.stat().st_size <= MAX_BYTES
    home, wrong = offline(browser, file)
    text = home.locator("body").inner_text()
    assert home.title() == home.locator("h1").inner_text()
    assert NASTY in text
    assert "gpt-nano" in text
    assert "seed 123" in text
    for notice in app.page.locator(".stHtml .notice").all_inner_texts():
        assert notice.split("Notice.")[-1].strip() in text
    charts = app.page.locator(".chart").filter(visible=True).count()
    assert home.locator("figure > svg").count() == charts
    assert home.locator("details table").count() >= max(1, charts)
    assert home.locator("img").count() == 0
    assert home.evaluate("document.documentElement.scrollWidth") <= 1280
    home.set_viewport_size({"width": 390, "height": 800})
    home.wait_for_timeout(200)
    assert home.evaluate("document.documentElement.scrollWidth") <= 390
    assert not wrong
    home.context.close()


def test_the_overview_at_home_walks_as_it_does_here(
    open_page: Open, browser: Browser, tmp_path: Path
) -> None:
    app = opened(open_page, "overview")
    file = saved(app, "This page as one HTML file", tmp_path)
    home, wrong = offline(browser, file)
    assert "1/27" in home.locator(".now").inner_text()
    home.get_by_role("button", name="Step").click()
    assert "2/27" in home.locator(".now").inner_text()
    home.locator(".op[data-stop=norm2]").press("Enter")
    assert "LayerNorm 2" in home.locator(".inspector h2").inner_text()
    assert not wrong
    home.context.close()


@pytest.mark.thorough
def test_the_steps_at_home_are_the_ones_on_screen(
    open_page: Open, browser: Browser, tmp_path: Path
) -> None:
    app = opened(open_page, "generate", "&generate_step=2")
    winner = app.page.locator(".stepper .winner").inner_text()
    home, _ = offline(browser, saved(app, "This page as one HTML file", tmp_path))
    assert home.locator(".stepper .winner").inner_text() == winner
    words = "".join(ElementTree.parse(saved(app, "as SVG", tmp_path)).getroot().itertext())
    assert winner in words
    home.context.close()


@pytest.mark.thorough
def test_what_is_offered_follows_the_page(open_page: Open) -> None:
    app = opened(open_page, "block")
    listed = app.page.locator(".list .name")
    assert "block std" in listed.all_inner_texts()
    with app.rerun():
        app.page.get_by_role("radio", name="Attention").click()
    app.page.get_by_role("button", name=re.compile("head.* as SVG")).first.wait_for()
    assert "block std" not in listed.all_inner_texts()


@pytest.mark.thorough
def test_the_script_follows_a_control_of_another_part_of_the_page(open_page: Open) -> None:
    app = opened(open_page, "shortcuts")
    field = app.page.get_by_label("Layers")
    field.fill("7")
    field.press("Enter")
    app.page.get_by_text("layers = 7").wait_for()


@pytest.mark.parametrize("theme", mostly_thorough(["light", "dark"], ["dark"]))
def test_the_open_panel_is_usable_by_all(theme: str, open_page: Open) -> None:
    app = opened(open_page, "block", theme=theme)
    assert not app.serious_axe_findings()


def test_the_open_panel_fits_a_phone(open_page: Open) -> None:
    app = opened(open_page, "block", width=390, height=844)
    main = app.page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
