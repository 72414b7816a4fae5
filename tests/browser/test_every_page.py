"""What holds on each page in a real browser."""

from collections.abc import Callable

import pytest

from tests.browser.streamlit_page import StreamlitPage
from tests.pages.conftest import PAGES
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
SMALL = "config=gpt-nano"


def address(page: str) -> str:
    return f"/{'' if page == 'overview' else page}?{SMALL}"


MODES = [("light", False), ("dark", False), ("light", True), ("dark", True)]
IN_MODES = [(page, *mode) for page in PAGES for mode in MODES]


@pytest.mark.parametrize(
    ("page", "theme", "projector"),
    mostly_thorough(IN_MODES, [(page, *MODES[i % 4]) for i, page in enumerate(PAGES)]),
)
def test_axe_finds_nothing_serious_of_our_making(
    page: str, theme: str, projector: bool, open_page: Open
) -> None:
    app = open_page(address(page) + "&projector=true" * projector, theme=theme)
    assert not app.serious_axe_findings()


@pytest.mark.parametrize("page", mostly_thorough(PAGES, PAGES[::2]))
def test_nothing_overflows_on_a_phone(page: str, open_page: Open) -> None:
    app = open_page(address(page), width=390, height=844)
    main = app.page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert app.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("page", mostly_thorough(PAGES, ["overview", "scaling"]))
def test_the_page_s_address_survives_a_reload(page: str, open_page: Open) -> None:
    app = open_page(f"{address(page)}&seed=7&prompt=Tea")
    before = app.page.locator(".notice").all_inner_texts()
    app.goto(app.page.url.removeprefix(app.base))
    assert app.page.locator(".notice").all_inner_texts() == before
    assert app.page.get_by_label("Prompt").input_value() == "Tea"
    assert app.page.get_by_label("Seed", exact=True).input_value() == "7"


def test_a_prompt_of_html_runs_nothing_and_is_shown_as_typed(open_page: Open) -> None:
    app = open_page("/generate?config=gpt-nano")
    app.type_prompt("<img src=x onerror=\"document.title='owned'\"> $x$ **b**")
    assert app.page.title() != "owned"
    assert app.page.locator(".chips .text").first.inner_text() == "<"
    assert app.page.locator(".stHtml img").count() == 0


def test_a_long_prompt_stays_out_of_the_address_and_a_huge_one_changes_nothing(
    open_page: Open,
) -> None:
    app = open_page("/block?config=gpt-nano&seed=7")
    app.type_prompt("word " * 500)
    assert "prompt" not in app.page.url
    assert any("stays out of the address" in sentence for sentence in app.problems())
    app.type_prompt("Tea")
    assert "prompt=Tea" in app.page.url
    app.type_prompt("a" * 1_000_000)
    assert app.page.get_by_label("Prompt").input_value() == "Tea"
    assert any("at most 100,000 characters" in sentence for sentence in app.problems())
    assert "seed=7" in app.page.url
    assert "prompt=Tea" in app.page.url


def test_going_back_shows_the_page_before_with_the_same_model_and_prompt(open_page: Open) -> None:
    app = open_page("/?config=gpt-nano&prompt=Tea")
    with app.rerun():
        app.page.get_by_role("link", name="Generate").click()
    app.page.locator(".chips .text").first.wait_for()
    with app.rerun():
        app.page.go_back()
    app.page.get_by_role("heading", name="Overview").wait_for()
    assert app.page.get_by_label("Prompt").input_value() == "Tea"
    assert "D48" in (app.page.locator(".key").text_content() or "")


def test_axe_would_find_a_picture_without_words(open_page: Open) -> None:
    app = open_page("/?config=gpt-nano")
    app.page.evaluate("document.body.append(document.createElement('img'))")
    assert any("image-alt" in finding for finding in app.serious_axe_findings())


@pytest.mark.thorough
def test_changing_the_model_while_it_computes_ends_at_the_new_one(open_page: Open) -> None:
    app = open_page("/block?config=gpt-mini&seed=11")
    app.page.get_by_label("Seed", exact=True).fill("12")
    app.page.get_by_label("Seed", exact=True).press("Enter")
    app.page.get_by_label("Seed", exact=True).fill("13")
    with app.rerun():
        app.page.get_by_label("Seed", exact=True).press("Enter")
    app.page.wait_for_function("() => location.search.includes('seed=13')")
    assert app.page.locator(".notice").first.is_visible()


def test_the_glossary_opens_over_any_page(open_page: Open) -> None:
    app = open_page("/block?config=gpt-nano")
    with app.rerun():
        app.page.get_by_role("button", name="Glossary").click()
    assert app.page.get_by_role("dialog").get_by_text("Residual stream").first.is_visible()


def test_table_and_csv_say_what_the_chart_shows(open_page: Open) -> None:
    app = open_page("/block?config=gpt-nano")
    with app.rerun():
        app.page.get_by_text("Table, CSV and text version").first.click()
    with app.page.expect_download() as download:
        app.page.get_by_role("button", name="Download CSV").first.click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("block,point,mean")
    assert len(lines) == 1 + 3 * 5
