"""A lesson in a real browser: walked by key, answered, uploaded; and the presenter's view."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from explorer.lessons.file import read_lesson
from explorer.lessons.offered import SHIPPED
from explorer.ui.controls import CONTROLS
from tests.browser.streamlit_page import StreamlitPage
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
CHAPTER4 = read_lesson((SHIPPED / "chapter4.toml").read_bytes(), CONTROLS)
NASTY = "<img src=x onerror=\\\"document.title='owned'\\\"> **bold** $x$ :material/home:"
NASTY_SHOWN = NASTY.replace('\\"', '"')
MINE = f"""
title = "Mine {NASTY}"
[[step]]
page = "gelu"
text = "One {NASTY}"
set.config = "gpt-nano"
[step.question]
ask = "Which {NASTY}?"
answers = ["{NASTY}", "that"]
right = 2
because = "Because {NASTY}"
[[step]]
page = "block"
text = "Two"
hide = ["sidebar", "controls"]
set.config = "gpt-nano"
"""


def text_of(app: StreamlitPage) -> str:
    return app.page.locator(".lesson-text").first.inner_text()


def upload(app: StreamlitPage, source: str) -> None:
    with app.rerun():
        app.page.get_by_role("button", name="Lessons").click()
    with app.rerun():
        app.page.locator("input[type=file]").set_input_files(
            {"name": "mine.toml", "mimeType": "application/toml", "buffer": source.encode()}
        )


@pytest.mark.thorough
def test_the_whole_lesson_is_walked_by_key(open_page: Open) -> None:
    app = open_page("/")
    with app.rerun():
        app.page.get_by_role("button", name="Lessons").click()
    with app.rerun():
        app.page.get_by_role("button", name="Start").click()
    for number, step in enumerate(CHAPTER4.steps, 1):
        lead = f"Step {number} of {len(CHAPTER4.steps)}."
        expect(app.page.locator(".lesson-text")).to_have_text(f"{lead} {step.text}")
        path = "" if step.page == "overview" else step.page
        assert app.page.url.removeprefix(app.base).startswith(f"/{path}?")
        assert f"lesson=chapter4&lesson_step={number}" in app.page.url
        if number < len(CHAPTER4.steps):
            with app.rerun(120):
                app.page.keyboard.press("PageDown")
    expect(app.page.locator(".chips .new")).to_have_count(10)
    assert app.page.locator(".chips .new .text").last.inner_text() == "·analogous"
    with app.rerun():
        app.page.keyboard.press("PageUp")
    expect(app.page.locator(".chips .new")).to_have_count(1)


def test_a_link_to_step_7_opens_the_screen_that_the_walk_shows(open_page: Open) -> None:
    app = open_page("/placeholder?lesson=chapter4&lesson_step=6")
    with app.rerun():
        app.page.keyboard.press("PageDown")
    app.page.get_by_role("heading", name="From placeholder to GPT").wait_for()
    fresh = open_page(app.page.url.removeprefix(app.base))
    assert fresh.text() == app.text()
    assert fresh.page.url == app.page.url
    app.page.get_by_role("button", name="Copy link").click()
    link = app.page.get_by_label("Link to this screen").input_value()
    assert open_page(link.removeprefix(app.base)).text() == app.text()


def test_a_question_is_answered_by_its_buttons(open_page: Open) -> None:
    app = open_page("/gelu?lesson=chapter4&lesson_step=9")
    with app.rerun():
        app.page.get_by_role("button", name="C", exact=True).click()
    assert app.page.locator(".lesson-because").inner_text().startswith("✗ Not so: it is A.")
    with app.rerun():
        app.page.get_by_role("button", name="A", exact=True).press("Enter")
    assert app.page.locator(".lesson-because").inner_text().startswith("✓ Right.")


def test_an_uploaded_lesson_is_text_and_its_mistakes_are_named(open_page: Open) -> None:
    app = open_page("/?config=gpt-nano")
    upload(app, MINE.replace('page = "block"', 'page = "blok"'))
    said = app.page.get_by_role("dialog").locator(".problem").inner_text()
    assert said.startswith("mine.toml can't be used. Line 13: step 2 needs a page: one of")
    app.goto("/?config=gpt-nano")
    upload(app, MINE)
    with app.rerun():
        app.page.get_by_role("button", name="Start").last.click()
    assert text_of(app) == f"Step 1 of 2. One {NASTY_SHOWN}"
    assert app.page.locator(".lesson-answer").first.inner_text() == NASTY_SHOWN
    assert "links to its steps work in this session only" in app.text()
    assert app.page.title() != "owned"
    assert app.page.locator(".st-key-lesson-bar img").count() == 0
    with app.rerun():
        app.page.keyboard.press("PageDown")
    expect(app.page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(app.page.get_by_text("By depth", exact=True)).to_be_hidden()
    with app.rerun():
        app.page.get_by_role("button", name="End").click()
    expect(app.page.get_by_test_id("stSidebar")).to_be_visible()
    expect(app.page.get_by_text("By depth", exact=True)).to_be_visible()
    assert "lesson" not in app.page.url


@pytest.mark.thorough
def test_back_is_one_step_also_to_another_page(open_page: Open) -> None:
    def there(number: int, page: str) -> None:
        expect(app.page.locator(".lesson-text")).to_contain_text(f"Step {number} of")
        assert f"/{page}?" in app.page.url
        assert app.page.get_by_text("This is another page than the step's").count() == 0

    first, second, third = (CHAPTER4.steps[number - 1].page for number in (4, 5, 6))
    assert first != second == third
    app = open_page(f"/{first}?lesson=chapter4&lesson_step=4")
    for number in (5, 6):
        with app.rerun():
            app.page.get_by_role("button", name="Next").click()
        there(number, second)
    for number, page in ((5, second), (4, first)):
        with app.rerun():
            app.page.go_back()
        there(number, page)


def test_leaving_a_step_s_page_is_said_and_again_goes_back(open_page: Open) -> None:
    app = open_page("/gelu?lesson=chapter4&lesson_step=9")
    with app.rerun():
        app.page.get_by_role("link", name="Scaling").click()
    assert "another page than the step's" in app.text()
    with app.rerun():
        app.page.get_by_role("button", name="Again").click()
    app.page.get_by_role("heading", name="GELU and feed-forward").wait_for()
    assert "another page than the step's" not in app.text()


def test_page_down_while_typing_stays_in_the_field(open_page: Open) -> None:
    app = open_page("/gelu?lesson=chapter4&lesson_step=9")
    app.page.get_by_label("Prompt").press("PageDown")
    app.page.wait_for_timeout(500)
    assert text_of(app).startswith("Step 9")


@pytest.mark.parametrize("path", mostly_thorough(["/", "/generate", "/scaling"], ["/scaling"]))
def test_p_hides_the_frame_on_any_page_and_brings_it_back(path: str, open_page: Open) -> None:
    app = open_page(f"{path}?config=gpt-nano")
    frame = [app.page.get_by_test_id(name) for name in ("stSidebar", "stHeader")]
    app.page.keyboard.press("p")
    for part in frame:
        expect(part).to_be_hidden()
    app.page.keyboard.press("p")
    for part in frame:
        expect(part).to_be_visible()
    app.page.get_by_label("Prompt").press("p")
    expect(frame[0]).to_be_visible()


@pytest.mark.parametrize("theme", mostly_thorough(["light", "dark"], ["dark"]))
def test_axe_finds_nothing_serious_in_a_lesson(theme: str, open_page: Open) -> None:
    app = open_page("/layernorm?lesson=chapter4&lesson_step=2&config=gpt-nano", theme=theme)
    with app.rerun():
        app.page.get_by_role("button", name="B", exact=True).click()
    assert not app.serious_axe_findings()


def test_a_lesson_does_not_overflow_on_a_phone(open_page: Open) -> None:
    app = open_page("/gelu?lesson=chapter4&lesson_step=9&config=gpt-nano", width=390, height=844)
    main = app.page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    with app.rerun():
        app.page.get_by_role("button", name="Next").click()
    assert text_of(app).startswith("Step 10")
