"""Trained weights in a real browser: chosen in the sidebar, and against random ones."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import serve
from tests.browser.streamlit_page import StreamlitPage
from tests.browser.test_block import drawn, notice

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
WHAT_IF = "/block?config=gpt-nano&block_view=what_if"
TWO_RUNS = "/generate?config=gpt-nano&generate_comparison=true"


@pytest.fixture(scope="module")
def server(models: Path) -> Iterator[str]:
    """The app with an operator's folder of checkpoints, for this module's `open_page`."""
    with serve("--models", str(models)) as base:
        yield base


def choose(app: StreamlitPage, label: str, option: str) -> None:
    box = app.page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.fill(option)  # a long list is only partly there until it is narrowed down
    with app.rerun():
        app.page.get_by_role("option", name=option, exact=True).click()


def copied_link(app: StreamlitPage) -> str:
    app.page.get_by_role("button", name="Copy link").click()
    return str(app.page.get_by_label("Link to this screen").input_value())


def test_a_checkpoint_chosen_in_the_sidebar_is_in_the_address_and_on_every_page(
    open_page: Open,
) -> None:
    app = drawn(open_page("/block?config=gpt-nano"))
    before = notice(app)
    sidebar = app.page.get_by_test_id("stSidebar")
    choose(app, "Weights", "tiny-gpt2")
    assert notice(app) != before
    assert "weights=tiny-gpt2" in app.page.url
    assert sidebar.locator(".facts b").all_inner_texts() == ["24", "2", "2", "32"]
    assert sidebar.get_by_label("Seed", exact=True).is_disabled()
    with app.rerun():
        app.page.get_by_role("link", name="Generate").click()
    app.page.locator(".stepper").first.wait_for()
    weights = sidebar.get_by_role("combobox", name="Weights", exact=True)
    assert weights.input_value() == "tiny-gpt2"
    app.goto(app.page.url.removeprefix(app.base))
    assert sidebar.locator(".facts b").first.inner_text() == "24"
    choose(app, "Weights", "random (seed)")
    assert sidebar.get_by_label("Seed", exact=True).is_enabled()
    assert "weights=" not in app.page.url


def test_a_broken_checkpoint_gets_a_sentence_and_the_picture_stays(open_page: Open) -> None:
    app = drawn(open_page("/block?config=gpt-nano"))
    before = notice(app)
    choose(app, "Weights", "cut-short")
    (said,) = app.problems()
    assert said == (
        "cut-short/model.safetensors is damaged or no safetensors file. "
        "The page still shows gpt-nano."
    )
    assert notice(drawn(app)) == before


def test_random_against_trained_blocks_are_chosen_copied_and_opened_again(
    open_page: Open,
) -> None:
    app = drawn(open_page(WHAT_IF))
    choose(app, "Changed", "random against trained")
    choose(app, "Weights of B", "tiny-gpt2")
    said = notice(drawn(app))
    assert said.startswith("Notice. With the weights of tiny-gpt2, the standard deviation")
    assert "times smaller" in said or "times larger" in said
    assert app.page.locator(".chart").count() == 2
    assert "the same shapes, the configuration of tiny-gpt2" in app.text()
    assert not app.problems()
    for chart in app.page.locator(".chart").all():
        box = chart.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800
    link = copied_link(app)
    assert "block_change=weights&block_b_weights=tiny-gpt2" in link
    again = drawn(open_page(link.removeprefix(app.base)))
    assert notice(again) == said
    choose(again, "Weights", "tiny-gpt2")  # now A is the checkpoint, and B is drawn
    assert "With random weights of seed 123" in notice(drawn(again))
    seed = again.page.get_by_label("Seed of B")
    with again.rerun():
        seed.fill("5")
        seed.press("Enter")
    assert "With random weights of seed 5" in notice(drawn(again))


@pytest.mark.thorough
def test_random_against_trained_runs_are_chosen_copied_and_opened_again(open_page: Open) -> None:
    app = open_page(TWO_RUNS)
    choose(app, "Weights of B", "tiny-gpt2")
    row = app.page.get_by_role("list", name="B, the weights of tiny-gpt2").locator(".text")
    row.first.wait_for()
    tokens = row.all_inner_texts()
    assert len(tokens) == 10
    first = app.page.get_by_role("list", name="A, random weights of seed 123").locator(".text")
    assert first.all_inner_texts() != tokens
    assert app.page.get_by_label("Seed of B").count() == 0
    assert "the mean over 10 steps" in app.text()
    link = copied_link(app)
    assert "generate_b_weights=tiny-gpt2" in link
    again = open_page(link.removeprefix(app.base))
    row = again.page.get_by_role("list", name="B, the weights of tiny-gpt2").locator(".text")
    row.first.wait_for()
    assert row.all_inner_texts() == tokens


@pytest.mark.parametrize(
    "address",
    [
        f"{WHAT_IF}&block_change=weights&block_b_weights=gone",
        f"{TWO_RUNS}&generate_b_weights=gone",
    ],
    ids=["block", "generate"],
)
def test_a_link_to_weights_of_b_that_are_not_offered_says_so(address: str, open_page: Open) -> None:
    app = open_page(address)
    assert any("The weights “gone” are not offered here" in said for said in app.problems())


@pytest.mark.parametrize(
    "address",
    [
        f"{WHAT_IF}&block_change=weights&block_b_weights=tiny-gpt2",
        f"{TWO_RUNS}&generate_b_weights=tiny-gpt2",
    ],
    ids=["block", "generate"],
)
@pytest.mark.thorough
def test_both_what_ifs_fit_a_phone_and_trouble_no_axe(address: str, open_page: Open) -> None:
    app = open_page(address, width=390, height=844)
    main = app.page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert not app.serious_axe_findings()
