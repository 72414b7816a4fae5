"""What a person comes for: type a prompt, change the configuration, step tokens, hand the link on."""

from collections.abc import Callable

import pytest

from tests.browser.streamlit_page import StreamlitPage

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]


def test_the_default_screen_generates_the_chapters_tokens(open_page: Open) -> None:
    app = open_page("/generate")
    for token in ("·Feature", "iman", "·Bye"):
        assert token in app.page.locator(".notice").first.inner_text()
        with app.rerun():
            app.page.get_by_role("button", name="Step").click()
    assert app.page.locator(".chips .new .text").all_inner_texts() == ["·Feature", "iman", "·Bye"]


def test_prompt_config_and_steps_are_what_a_copied_link_opens(open_page: Open) -> None:
    app = open_page("/")
    app.choose_config("gpt-nano")
    app.type_prompt("Tea & <b>two</b> $x$")
    assert app.page.locator(".chips .token").first.text_content() == "Tea"
    assert "D48" in (app.page.locator(".key").text_content() or "")
    with app.rerun():
        app.page.get_by_role("link", name="Generate").click()
    app.page.get_by_text("all 10 computed").wait_for()  # from here on only a key makes it run
    for _ in range(2):
        with app.rerun():
            app.page.keyboard.press("ArrowRight")
    made = app.page.locator(".chips .text").all_inner_texts()
    app.page.get_by_role("button", name="Copy link").click()
    app.page.get_by_text("Copied.").wait_for()
    link = app.page.evaluate("navigator.clipboard.readText()")
    assert link == app.page.get_by_label("Link to this screen").input_value()

    fresh = open_page(link.removeprefix(app.base))
    assert fresh.page.locator(".chips .text").all_inner_texts() == made
    assert len(fresh.page.locator(".chips .new").all()) == 2
    assert fresh.page.get_by_label("Prompt").input_value() == "Tea & <b>two</b> $x$"
    assert not fresh.problems()
