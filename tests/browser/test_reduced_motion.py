"""Whoever asks for less motion sees every step, and nothing that moves."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.streamlit_page import StreamlitPage

pytestmark = pytest.mark.browser
# What moves in our own parts of the page, now and in the next half second.
_MOVING = """async () => {
  const own = ".op, .part, .stepper, .overview, .chart", drawn = ".pulse, .strip, .head, .chips li, circle";
  const roots = [document, ...[...document.querySelectorAll("*")].map((e) => e.shadowRoot).filter(Boolean)];
  const place = (e) => ["cx", "cy", "r", "transform"].map((name) => e.getAttribute(name)).join();
  const places = () => roots.flatMap((root) => [...root.querySelectorAll(drawn)]).map(place).join();
  const animated = () => roots.flatMap((root) => root.getAnimations?.() ?? [])
    .some((one) => one.playState === "running" && one.effect?.target?.closest(own));
  const end = performance.now() + 500;
  let before = null, moved = false;
  while (performance.now() < end) {
    const now = places();
    moved ||= animated() || (before !== null && now !== before);
    before = now;
    await new Promise(requestAnimationFrame);
  }
  return moved;
}"""
WALKS = {
    "/?config=gpt-nano&overview_stop=qkv": ('.transport button:has-text("Step")', ".model image"),
    "/generate?config=gpt-nano&generate_tokens=3": (".stepper [data-do=step]", ".stepper .bar"),
}


@pytest.fixture(params=["reduce", "no-preference"])
def moving(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[Page, bool]]:
    with browser.new_context(
        viewport={"width": 1280, "height": 800}, reduced_motion=request.param
    ) as context:
        yield context.new_page(), request.param == "no-preference"


@pytest.mark.parametrize("address", WALKS)
def test_a_step_moves_only_for_those_who_have_not_asked_for_less(
    address: str, moving: tuple[Page, bool], server: str
) -> None:
    page, moves = moving
    StreamlitPage(page, server).goto(address)
    step, ready = WALKS[address]
    page.locator(ready).first.wait_for(state="attached")
    page.wait_for_timeout(500)
    page.locator(step).first.click()
    assert page.evaluate(_MOVING) == moves
