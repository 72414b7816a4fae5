"""Every page for everyone: by keyboard alone, and as whoever gets the link sees it."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.streamlit_page import StreamlitPage
from tests.pages.conftest import PAGES
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
MOST_TABS = 150

# Finds every part of the page that holds something to operate, and notes where the focus has been.
_FIND_PARTS = """() => {
  const operable = ['button', 'input:not([type=hidden])', 'textarea', 'select', 'summary',
    '[role=slider]', '[tabindex="0"]'].join();
  const kinds = '.stMain :is([data-testid=stElementContainer], [data-testid=stExpander])';
  const inside = (part) => [part, ...part.querySelectorAll('*')].flatMap(
    (e) => [e, ...(e.shadowRoot?.querySelectorAll('*') ?? [])]);
  const works = (e) => e.matches(operable) && !e.disabled && e.tabIndex >= 0
    && e.checkVisibility({ visibilityProperty: true });
  window.partsToReach = [...document.querySelectorAll(kinds)].filter((p) => inside(p).some(works));
  window.partsReached = new Set();
  return window.partsToReach.length;
}"""
_NOTE_FOCUS = """() => {
  for (const p of window.partsToReach)
    if (p.contains(document.activeElement)) window.partsReached.add(p);
}"""
_MISSED = """() => window.partsToReach.filter((p) => !window.partsReached.has(p))
  .map((p) => p.className.match(/st-key-[\\w-]+/)?.[0] ?? p.innerText.slice(0, 60))"""
_ALL_COMPUTED = "!/\\d+ of \\d+ computed/.test(document.querySelector('.stMain').innerText)"
_FIGURES = """() => [...document.querySelectorAll('.js-plotly-plot')].map((plot) => JSON.stringify(
  plot.data.map((trace) => [trace.type, trace.x, trace.y, trace.z])))"""


@pytest.fixture
def fresh_profile(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has never seen the app."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        yield context


@pytest.mark.parametrize("page", mostly_thorough(PAGES, PAGES[::2]))
def test_tab_reaches_everything_that_can_be_operated(page: str, open_page: Open) -> None:
    app = open_page(f"/{'' if page == 'overview' else page}?config=gpt-nano")
    assert app.page.evaluate(_FIND_PARTS) > 3
    app.page.locator(".stMain").evaluate("e => { e.tabIndex = -1; e.focus(); }")
    for _ in range(MOST_TABS):
        app.page.keyboard.press("Tab")
        app.page.evaluate(_NOTE_FOCUS)
        if not app.page.evaluate(_MISSED):
            break
    assert not app.page.evaluate(_MISSED)


@pytest.mark.parametrize("page", mostly_thorough(PAGES, ["block", "generate"]))
def test_a_copied_link_shows_the_same_page_in_a_browser_of_its_own(
    page: str, open_page: Open, fresh_profile: BrowserContext
) -> None:
    app = open_page(f"/{'' if page == 'overview' else page}?config=gpt-nano&seed=7&prompt=One tea")
    app.page.get_by_role("button", name="Copy link").click()
    link = app.page.get_by_label("Link to this screen").input_value()
    assert "seed=7" in link
    theirs = StreamlitPage(fresh_profile.new_page(), app.base).goto(link.removeprefix(app.base))
    assert not theirs.problems()
    for one in (app, theirs):
        one.page.wait_for_function(_ALL_COMPUTED)
    assert theirs.text() == app.text()
    assert theirs.page.evaluate(_FIGURES) == app.page.evaluate(_FIGURES)
    assert not theirs.complaints
