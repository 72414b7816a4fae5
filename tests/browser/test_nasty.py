"""The nasty corpus in a real browser: nothing runs, nothing is fetched, nothing is read as markup."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from tests.browser.streamlit_page import StreamlitPage
from tests.nasty import MARKDOWN, MARKUP, UNICODE
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]

INTERPRETED = (
    "[data-testid=stMain] .stHtml img, [data-testid=stMain] script, [data-testid=stMain] iframe, "
    "[data-testid=stMain] form, .katex, [data-testid=stMarkdownContainer] a, "
    "[data-testid=stMarkdownContainer] img, [data-testid=stMain] [onerror], [data-testid=stMain] b b"
)
# Everything at once is a prompt like any other, and one page load instead of a hundred.
SAMPLES = {
    "markup": " ".join(MARKUP[:26]),
    "markdown": "\n".join(MARKDOWN[:34]),
    "unicode": " ".join(UNICODE[:12]),
}
PAGES_WITH_FIELDS = {
    "generate": "generate_tokens=2&generate_standing=true&generate_copies=true",
    "block": "block_view=tokens",
    "placeholder": "",
    "overview": "",
}


@pytest.mark.parametrize("page", mostly_thorough(PAGES_WITH_FIELDS, [*PAGES_WITH_FIELDS][:2]))
def test_nothing_in_a_prompt_runs_or_is_fetched_or_becomes_markup(
    page: str, open_page: Open
) -> None:
    path = "/" if page == "overview" else f"/{page}"
    app = open_page(f"{path}?config=gpt-nano&{PAGES_WITH_FIELDS[page]}")
    dialogs: list[str] = []
    app.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    before = app.page.locator(INTERPRETED).count()
    icons = app.page.get_by_test_id("stMain").get_by_test_id("stIconMaterial").count()
    for text in SAMPLES.values():
        app.type_prompt(text)
        assert app.page.get_by_label("Prompt").input_value() == text
        assert app.page.locator(INTERPRETED).count() == before
        main = app.page.get_by_test_id("stMain")
        assert main.get_by_test_id("stIconMaterial").count() == icons
    assert not dialogs
    assert "alert" not in app.page.title()


def test_a_link_that_asks_for_the_impossible_opens_and_going_back_does_too(
    open_page: Open,
) -> None:
    app = open_page(
        "/?config=gpt-nano&seed=inf&emb_dim=1e309&projector=%ED%A0%80&prompt=%00%1b[31m"
    )
    assert any("“seed”" in sentence for sentence in app.problems())
    assert "inf" not in app.page.url
    assert app.page.get_by_label("Seed", exact=True).input_value() == "123"
    with app.rerun():
        app.page.get_by_role("link", name="Generate").click()
    with app.rerun():
        app.page.go_back()
    assert app.page.get_by_label("Seed", exact=True).input_value() == "123"


def test_nothing_of_one_viewer_is_visible_to_another(browser: Browser, server: str) -> None:
    secret = "zqx-secret-of-one"
    with browser.new_context() as one, browser.new_context() as two:
        first, second = (StreamlitPage(context.new_page(), server) for context in (one, two))
        first.goto("/generate?config=gpt-nano")
        second.goto("/generate?config=gpt-nano")
        first.type_prompt(secret)
        second.type_prompt("Tea")
        second.page.reload()
        second.page.locator(".chips .text").first.wait_for()
        assert secret not in second.page.content()
        assert "zqx" not in second.text()
        assert second.page.get_by_label("Prompt").input_value() == "Tea"
        assert first.page.get_by_label("Prompt").input_value() == secret
        assert not first.complaints + second.complaints
