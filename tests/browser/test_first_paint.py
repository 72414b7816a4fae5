"""The picture is in the page before Streamlit has started, where it will be, and then makes way."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.thorough import mostly_thorough

# Streamlit's scripts are held back until the test lets them through.
_SCRIPTS = "**/static/js/*.js"
_PLACE = """(place) => [...place.querySelectorAll('h1, .claim, .st-key-overview_picture')]
  .concat([...place.querySelectorAll('*')].flatMap((e) => e.shadowRoot
    ? [...e.shadowRoot.querySelectorAll('.overview, .model, .transport')] : []))
  .filter((e) => !e.matches('.st-key-overview_picture'))
  .map((e) => { const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh profile, in which nothing has been fetched before."""
    with browser.new_context() as context:
        yield context.new_page()


SIZES = [(1280, 800), (1000, 700), (390, 844)]
SEEN = [(*size, theme) for size in SIZES for theme in ("light", "dark")]


@pytest.mark.parametrize(
    ("width", "height", "theme"), mostly_thorough(SEEN, [SEEN[0], SEEN[3], SEEN[4]])
)
def test_it_is_drawn_where_the_picture_will_be(
    page: Page, server: str, width: int, height: int, theme: str
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.route(_SCRIPTS, lambda route: None)
    page.goto(f"{server}/?overview_stop=softmax", wait_until="commit")
    page.locator("#first-paint .op[data-stop=softmax][aria-pressed=true]").wait_for()
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(200)
    before = page.locator("#first-paint").evaluate(_PLACE)
    ground = page.locator("#first-paint").evaluate("(e) => getComputedStyle(e).backgroundColor")

    page.unroute(_SCRIPTS)  # lets go of those that were held, too
    page.locator("#first-paint").wait_for(state="detached")
    page.locator(".op[data-stop=softmax][aria-pressed=true]").wait_for()
    page.wait_for_timeout(500)
    after = page.locator(".stMain").evaluate(_PLACE)
    assert len(before) == len(after) == 5
    for was, now in zip(before, after, strict=True):
        assert was[:2] == pytest.approx(now[:2], abs=2)
    assert page.locator(".stApp").evaluate("(e) => getComputedStyle(e).backgroundColor") == ground


_CHART = """(place) => ['h1', '.claim', '.key', '.chart']
  .map((css) => place.querySelector(css).getBoundingClientRect())
  .map((b) => [b.x, b.y, b.width])"""

_BARS = """(bars) => bars.map((bar) => bar.getBoundingClientRect()).filter((b) => b.width > 3)
  .map((b) => [Math.round(b.y), b.x, b.width, b.height])"""


def shares(texts: list[str]) -> list[str]:
    return sorted(text for text in texts if text != "0.0 %")  # plotly draws nothing for none


@pytest.mark.parametrize(
    ("width", "height", "theme"), mostly_thorough(SEEN, [SEEN[0], SEEN[3], SEEN[4]])
)
def test_scaling_s_bars_are_drawn_where_they_will_be(
    page: Page, server: str, width: int, height: int, theme: str
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.route(_SCRIPTS, lambda route: None)
    page.goto(f"{server}/scaling", wait_until="commit")
    page.locator("#first-paint .chart .first-bars").wait_for()
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(200)
    before = page.locator("#first-paint").evaluate(_CHART)
    bars = shares(page.locator("#first-paint .bartext").all_text_contents())
    places = page.locator("#first-paint .cut i").evaluate_all(_BARS)

    page.unroute(_SCRIPTS)
    page.locator("#first-paint").wait_for(state="detached")
    page.wait_for_timeout(500)
    after = page.locator(".stMain").evaluate(_CHART)
    for was, now in zip(before, after, strict=True):
        assert was == pytest.approx(now, abs=2)
    assert shares(page.locator(".stMain .bartext").all_text_contents()) == bars
    drawn = sorted(page.locator(".stMain .barlayer .point path").evaluate_all(_BARS))
    for was, now in zip(sorted(places), drawn, strict=True):
        assert was == pytest.approx(now, abs=2.5)


def test_a_prompt_of_markup_is_text_there_too(page: Page, server: str) -> None:
    page.route(_SCRIPTS, lambda route: None)
    page.goto(
        f"{server}/?prompt=%3C/script%3E%3Cimg src=x onerror=alert(1)%3E", wait_until="commit"
    )
    page.locator("#first-paint .op").first.wait_for()
    assert page.locator("img").count() == 0
    assert page.locator("#first-paint .token").first.text_content() == "</"


@pytest.mark.parametrize(
    "path",
    mostly_thorough(["/block", "/?config=custom", "/?seed=-1", "/?projector=true"], ["/block"]),
)
def test_no_other_page_has_one(page: Page, server: str, path: str) -> None:
    page.route(_SCRIPTS, lambda route: None)
    page.goto(f"{server}{path}", wait_until="commit")
    page.locator("#root").wait_for(state="attached")
    assert page.locator("#first-paint").count() == 0


def test_leaving_the_page_early_takes_it_away(page: Page, server: str) -> None:
    page.route("**/BidiComponent*.js", lambda route: None)  # the picture itself never comes
    page.goto(server, wait_until="commit")
    page.locator("#first-paint .op").first.wait_for()
    page.get_by_test_id("stSidebarNav").get_by_text("Scaling").click()
    page.locator("#first-paint").wait_for(state="detached")
    page.wait_for_url("**/scaling")
