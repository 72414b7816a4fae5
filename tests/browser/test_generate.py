"""Stepping, playing and scrubbing through a greedy run, by button and by key."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.streamlit_page import StreamlitPage

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]


def open_complete(open_page: Open, query: str = "", **size: int) -> StreamlitPage:
    app = open_page(f"/generate?config=gpt-nano{query}", **size)
    app.page.get_by_text("all ").filter(has_text="computed").wait_for()
    return app


def said(app: StreamlitPage) -> str:
    return app.page.locator(".stepper output").inner_text()


def new_tokens(app: StreamlitPage) -> list[str]:
    return app.page.locator(".stepper .chips .new .text").all_inner_texts()


def winner(app: StreamlitPage) -> str:
    return app.page.locator(".stepper .winner").inner_text()


def button(app: StreamlitPage, name: str) -> Locator:
    return app.page.locator(".stepper").get_by_role("button", name=name)


def test_step_appends_the_winner_back_takes_it_off_and_reset_all(open_page: Open) -> None:
    app = open_complete(open_page)
    winners = []
    for n in range(1, 4):
        winners.append(winner(app))
        button(app, "Step").click()
        assert new_tokens(app) == winners
        assert said(app) == f"{n} of 10 tokens appended"
    button(app, "Back").click()
    assert new_tokens(app) == winners[:2]
    assert winner(app) == winners[2]
    button(app, "Reset").click()
    assert new_tokens(app) == []
    assert button(app, "Back").is_disabled()


def test_keys_step_play_and_pause_but_not_while_typing(open_page: Open) -> None:
    app = open_complete(open_page, "&generate_tokens=60")
    keyboard = app.page.keyboard
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        keyboard.press(key)
    assert said(app).startswith("1 of 60")
    keyboard.press("Home")
    assert said(app).startswith("0 of 60")
    keyboard.press(" ")
    app.page.wait_for_function(
        "() => parseInt(document.querySelector('.stepper output').textContent) >= 3"
    )
    assert button(app, "Pause").is_visible()
    keyboard.press(" ")
    stood = said(app)
    app.page.wait_for_timeout(700)
    assert said(app) == stood
    assert button(app, "Play").is_visible()
    app.page.get_by_label("Prompt").click()
    for key in ("ArrowRight", "Home", " "):
        keyboard.press(key)
    assert said(app) == stood


def test_it_plays_four_steps_a_second_without_asking_the_server(open_page: Open) -> None:
    app = open_complete(open_page, "&generate_tokens=12")
    runs = app._finished
    start = time.monotonic()
    app.page.keyboard.press(" ")
    app.page.wait_for_function(
        "() => parseInt(document.querySelector('.stepper output').textContent) === 11"
    )
    took = time.monotonic() - start
    assert app._finished == runs
    assert 2.3 < took < 4.5  # ten intervals of 250 ms on a busy machine


@pytest.mark.thorough
def test_any_step_can_be_scrubbed_to(open_page: Open) -> None:
    app = open_complete(open_page)
    slider = app.page.get_by_label("Tokens appended")
    slider.fill("7")
    assert said(app).startswith("7 of 10")
    assert len(new_tokens(app)) == 7
    slider.focus()
    app.page.keyboard.press("ArrowLeft")
    assert said(app).startswith("6 of 10")


def test_a_link_to_a_step_opens_there_and_the_copied_one_follows(open_page: Open) -> None:
    app = open_complete(open_page, "&generate_step=4")
    assert said(app).startswith("4 of 10")
    with app.rerun():
        app.page.keyboard.press("ArrowRight")
    app.page.get_by_role("button", name="Copy link").click()
    assert "generate_step=5" in app.page.get_by_label("Link to this screen").input_value()


def test_the_first_token_shows_before_the_last_is_computed_and_the_rest_can_be_stopped(
    open_page: Open,
) -> None:
    app = open_page("/scaling")
    # GPT-2 small takes long enough to be stopped; opened without waiting for the run to end.
    app.page.goto(f"{app.base}/generate?generate_tokens=200")
    done = app.page.locator(".stepper .done")
    done.filter(has_text="of 200 computed").wait_for(timeout=60_000)
    assert winner(app)
    button(app, "Stop computing").click()
    stopped_at = ""
    while stopped_at != done.inner_text():  # what was under way may still arrive
        stopped_at = done.inner_text()
        app.page.wait_for_timeout(3000)
    assert "of 200 computed" in stopped_at
    app.page.keyboard.press("ArrowRight")
    app.page.wait_for_timeout(1000)
    assert done.inner_text() == stopped_at
    button(app, "Compute the rest").click()
    app.page.wait_for_function(
        "before => document.querySelector('.stepper .done').textContent !== before",
        arg=stopped_at,
        timeout=60_000,
    )


@pytest.mark.thorough
def test_another_prompt_starts_another_run_at_the_same_step(open_page: Open) -> None:
    app = open_complete(open_page)
    app.page.keyboard.press("ArrowRight")
    before = winner(app)
    app.page.wait_for_timeout(400)
    app.type_prompt("Tea")
    app.page.get_by_text("all 10 computed").wait_for()
    assert app.page.locator(".stepper .chips .text").first.inner_text() == "Tea"
    assert said(app).startswith("1 of 10")
    assert winner(app) != before


@pytest.mark.parametrize(
    ("prompt", "first"),
    [
        ("a", "a"),
        ("<b>bold</b> **x** $y$", "<"),
        ("🤖 robot", "\\xf0\\x9f"),
    ],
)
def test_a_prompt_is_only_ever_text(open_page: Open, prompt: str, first: str) -> None:
    app = open_complete(open_page)
    app.type_prompt(prompt)
    chips = app.page.locator(".stepper .chips .text")
    assert chips.first.inner_text().startswith(first)
    assert app.page.locator(".stepper :is(strong, em, img, script)").count() == 0
    assert app.page.locator(".stepper b").all_inner_texts().count("bold") == 0


@pytest.mark.thorough
def test_past_the_context_tokens_fall_off_and_positions_restart(open_page: Open) -> None:
    app = open_complete(open_page, "&prompt=" + "word%20" * 62)
    crop = app.page.locator("[data-stage=crop]")
    assert "nothing falls off" in crop.inner_text()
    app.page.get_by_label("Tokens appended").fill("5")
    assert "fell off, so positions restart" in crop.inner_text()
    assert "fell off" in app.page.locator(".stepper .chips").inner_text()
    app.type_prompt("word " * 1500)
    expect(crop).to_contain_text("1,4")  # of about 1,500 tokens the last 64 stay


@pytest.mark.thorough
def test_the_log_scale_and_more_candidates_change_the_bars(open_page: Open) -> None:
    app = open_complete(open_page)
    rows = app.page.locator(".candidates tbody tr")
    assert rows.count() == 10
    assert "linear" in app.page.locator(".candidates .scale").inner_text()
    with app.rerun():
        app.page.get_by_role("radio", name="log").or_(
            app.page.get_by_role("button", name="log", exact=True)
        ).first.click()
    assert "log scale" in app.page.locator(".candidates .scale").inner_text()
    with app.rerun():
        app.page.get_by_label("Top k").fill("50")
        app.page.get_by_label("Top k").press("Enter")
    assert rows.count() == 50


def test_claim_controls_picture_and_keys_are_on_one_screen(open_page: Open) -> None:
    app = open_complete(open_page)
    for part in (".claim", ".stepper .chips", ".stepper .stages", ".stepper .transport"):
        box = app.page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800, part


@pytest.mark.thorough
def test_axe_finds_nothing_serious_with_every_part_open(open_page: Open) -> None:
    parts = ("standing", "positions", "cache", "cropping", "comparison", "copies")
    app = open_complete(open_page, "".join(f"&generate_{part}=true" for part in parts))
    assert not app.serious_axe_findings()
