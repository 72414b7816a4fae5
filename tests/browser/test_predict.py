"""Predict first in a real browser: one question a page, and where the button stands."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.streamlit_page import StreamlitPage
from tests.browser.test_every_page import address
from tests.pages.conftest import PAGES
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]


def ask(app: StreamlitPage) -> Locator:
    """Open the questions and return their panel."""
    with app.rerun():
        app.page.get_by_role("button", name="Predict first").click()
    return app.page.get_by_test_id("stPopoverBody")


@pytest.mark.parametrize("page", mostly_thorough(PAGES, ["overview", "layernorm"]))
def test_a_page_hides_until_its_question_is_answered(page: str, open_page: Open) -> None:
    app = open_page(address(page))
    notice = app.page.locator(".notice").first
    expect(notice).to_be_visible()
    panel = ask(app)
    expect(notice).to_be_hidden()
    expect(app.page.locator(".claim")).to_be_visible()
    with app.rerun():
        panel.get_by_role("button", name="A", exact=True).press("Enter")
    expect(panel.locator(".lesson-because").first).to_contain_text(re.compile("Right|Not so"))
    expect(notice).to_be_visible()


@pytest.mark.parametrize("page", mostly_thorough(PAGES, ["shortcuts"]))
def test_the_button_takes_no_height_from_the_picture(page: str, open_page: Open) -> None:
    app = open_page(address(page))
    head = app.page.locator("[class*=st-key-page-head]")
    box = head.bounding_box()
    button = app.page.get_by_role("button", name="Predict first").bounding_box()
    assert box
    assert button
    assert button["y"] + button["height"] <= box["y"] + box["height"] + 8
    tall = "e => e.getBoundingClientRect().height"
    with_button = head.evaluate(tall)
    app.page.add_style_tag(content=".st-key-predict { display: none !important }")
    assert head.evaluate(tall) == with_button


@pytest.mark.parametrize("theme", mostly_thorough(["light", "dark"], ["dark"]))
def test_axe_finds_nothing_serious_in_a_question(theme: str, open_page: Open) -> None:
    app = open_page(address("layernorm"), theme=theme)
    panel = ask(app)
    assert not app.serious_axe_findings()
    with app.rerun():
        panel.get_by_role("button", name="B", exact=True).click()
    assert not app.serious_axe_findings()


@pytest.mark.parametrize("page", mostly_thorough(["overview", "scaling"], ["scaling"]))
def test_a_question_does_not_overflow_on_a_phone(page: str, open_page: Open) -> None:
    app = open_page(address(page), width=390, height=844)
    panel = ask(app)
    with app.rerun():
        panel.get_by_role("button", name="A", exact=True).click()
    assert app.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert panel.evaluate("e => e.scrollWidth <= e.clientWidth")
    box = panel.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
