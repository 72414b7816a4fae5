"""The concept pages in a real browser: two controls each, hostile prompts, no sideways scrolling."""

from collections.abc import Callable

import pytest

from tests.browser.streamlit_page import StreamlitPage
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
CONCEPTS = ("layernorm", "gelu", "shortcuts")


def notices(app: StreamlitPage) -> list[str]:
    return app.page.locator(".notice").all_inner_texts()


def press(app: StreamlitPage, label: str) -> None:
    """Press one button of a row of buttons."""
    with app.rerun():
        app.page.get_by_test_id("stButtonGroup").get_by_text(label, exact=True).click()


def test_the_lab_answers_to_depth_and_activation_and_the_link_carries_both(open_page: Open) -> None:
    app = open_page("/shortcuts?config=gpt-nano")
    assert "1,099 times larger" in notices(app)[0]
    field = app.page.get_by_label("Layers")
    field.fill("20")
    with app.rerun():
        field.press("Enter")
    at_depth_20 = notices(app)[0]
    assert "1,099" not in at_depth_20
    press(app, "tanh")
    assert notices(app)[0] != at_depth_20
    app.page.get_by_role("button", name="Copy link").click()
    app.page.get_by_text("Copied.").wait_for()
    link = app.page.get_by_label("Link to this screen").input_value()
    assert "shortcuts_layers=20" in link
    assert "shortcuts_activation=tanh" in link
    assert notices(open_page(link.removeprefix(app.base)))[0] == notices(app)[0]


def test_the_blocks_answer_to_their_part(open_page: Open) -> None:
    app = open_page("/shortcuts?config=gpt-nano&shortcuts_blocks=true")
    before = notices(app)[1]
    press(app, "feed-forward")
    assert notices(app)[1] != before
    assert notices(app)[0].startswith("Notice. Layer 0's gradient is 1,099 times larger")


def test_layer_norm_answers_to_norm_and_axis(open_page: Open) -> None:
    app = open_page("/layernorm?config=gpt-nano")
    before = app.page.locator(".figures").first.inner_text()
    app.page.get_by_label("Which LayerNorm").click()
    with app.rerun():
        app.page.get_by_role("option", name="the book's example").click()
    assert "0.132\t0.019" in app.page.locator(".figures").first.inner_text()
    assert app.page.locator(".figures").first.inner_text() != before
    press(app, "batch")
    assert "beside the batch's 2" in notices(app)[0]


def test_gelu_answers_to_x_and_block(open_page: Open) -> None:
    app = open_page("/gelu?config=gpt-nano")
    assert "At x = 1.00" in app.text()
    slider = app.page.get_by_role("slider").first
    with app.rerun():
        slider.press("ArrowLeft")
    assert "At x = 0.95" in app.text()
    with app.rerun():
        app.page.get_by_test_id("stMain").get_by_test_id("stNumberInputStepUp").click()
    assert "In block 1" in notices(app)[1]


@pytest.mark.parametrize("page", mostly_thorough(CONCEPTS, CONCEPTS[:1]))
def test_html_and_emoji_in_the_prompt_stay_text(page: str, open_page: Open) -> None:
    app = open_page(f"/{page}?config=gpt-nano")
    app.type_prompt("<img src=x onerror=\"document.title='owned'\"> 🤖👩‍👩‍👧‍👦 $x$ **b**")
    assert app.page.title() != "owned"
    assert not app.problems()
    assert app.page.locator(".stHtml img").count() == 0


@pytest.mark.parametrize("page", CONCEPTS)
@pytest.mark.parametrize("projector", mostly_thorough(["false", "true"], ["true"]))
def test_claim_controls_and_picture_fit_without_scrolling(
    page: str, projector: str, open_page: Open
) -> None:
    app = open_page(f"/{page}?config=gpt-nano&projector={projector}")
    picture = app.page.locator(".chart").first.bounding_box()
    assert picture is not None
    assert picture["y"] + picture["height"] <= 800


def test_every_chart_has_words_for_those_who_cannot_see_it(open_page: Open) -> None:
    for page in CONCEPTS:
        app = open_page(f"/{page}?config=gpt-nano")
        for chart in app.page.locator(".chart").all():
            assert "largest" in (chart.get_attribute("aria-label") or "")
