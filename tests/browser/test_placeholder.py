"""Putting the model together in a real browser."""

from collections.abc import Callable

import pytest

from explorer.measure.parts import PART_NAMES
from tests.browser.streamlit_page import StreamlitPage

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]


def test_all_switches_in_turn_end_at_the_finished_model(open_page: Open) -> None:
    app = open_page("/placeholder?config=gpt-nano")
    apart = app.page.locator(".apart")
    for name in PART_NAMES.values():
        assert "✗" in apart.inner_text()
        with app.rerun():
            app.page.get_by_test_id("stMain").get_by_text(name, exact=True).first.click()
        assert "(2, 4, 50,257) ✓" in apart.inner_text()
    assert "equal to the finished model's ✓" in apart.inner_text()


def test_the_switches_are_in_the_copied_link(open_page: Open) -> None:
    app = open_page("/placeholder?config=gpt-nano")
    with app.rerun():
        app.page.get_by_test_id("stMain").get_by_text("Attention", exact=True).click()
    app.page.get_by_role("button", name="Copy link").click()
    link = app.page.get_by_label("Link to this screen").input_value()
    fresh = open_page(link.removeprefix(app.base))
    assert fresh.page.locator(".apart").inner_text() == app.page.locator(".apart").inner_text()
    assert fresh.page.locator(".notice").inner_text() == app.page.locator(".notice").inner_text()


def test_sentences_of_html_are_text(open_page: Open) -> None:
    app = open_page("/placeholder?config=gpt-nano")
    field = app.page.get_by_label("Sentence 0")
    with app.rerun():
        field.fill("<img src=x onerror=alert(1)> 🤖")
        field.press("Enter")
    assert "must have the same number" in app.problems()[0]
    assert app.page.locator(".stHtml img").count() == 0
