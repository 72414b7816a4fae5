"""Scaling in Chromium: sliders, the mending click, presets and pasting, and how it fits a screen."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gptcore import GPT_CONFIG_124M, count_parameters
from tests.browser.streamlit_page import StreamlitPage
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
VIEWS = ("parameters", "tying", "memory", "compute", "growth", "compare")


def drawn(app: StreamlitPage) -> None:
    app.page.locator(".js-plotly-plot .main-svg").first.wait_for()


def press(app: StreamlitPage, name: str) -> None:
    with app.rerun():
        app.page.get_by_test_id("stMain").get_by_role("button", name=name, exact=True).click()


def test_a_slider_breaks_a_rule_a_click_mends_it_and_the_address_follows(open_page: Open) -> None:
    app = open_page("/scaling?prompt=%3Cb%3EHi%3C%2Fb%3E+%F0%9F%A6%9C")
    with app.rerun():
        app.page.get_by_role("slider", name="emb_dim (D)").press("ArrowRight")
    assert "emb_dim must be divisible by n_heads" in app.problems()[0]
    press(app, "n_heads 16")
    assert not app.problems()
    for part in ("config=custom", "emb_dim=1024", "n_heads=16"):
        assert part in app.page.url
    wider = replace(GPT_CONFIG_124M, emb_dim=1024, n_heads=16)
    counted = f"Yours has {sum(count_parameters(wider).values()):,} parameters"
    assert counted in app.page.locator(".notice").first.inner_text()
    app.page.reload()
    app.page.locator(".notice", has_text=counted).wait_for()


@pytest.mark.thorough
def test_the_preset_inside_a_fragment_reaches_the_sidebar(open_page: Open) -> None:
    app = open_page("/scaling?scaling_view=compute")
    press(app, "GPT-3 on one V100")
    assert "config=gpt3-175b" in app.page.url
    assert "355.7 years on 1 device" in app.page.locator(".notice").nth(1).inner_text()
    assert app.page.get_by_label("Length (T)").input_value() == "2048"


def test_a_pasted_dict_sets_the_configuration_and_garbage_sets_nothing(open_page: Open) -> None:
    app = open_page("/scaling?config=gpt-nano&scaling_view=compare")
    app.page.get_by_text("Paste a configuration").click()
    field = app.page.get_by_label("The book's dict")
    with app.rerun():
        field.fill("<img src=x onerror=alert(1)> $x$")
        field.press("Control+Enter")
    press(app, "Use it")
    assert "That can't be used" in app.problems()[0]
    text = (
        '{"vocab_size": 1000, "context_length": 128, "emb_dim": 96, "n_heads": 4, "n_layers": 2,'
        ' "drop_rate": 0.0, "qkv_bias": true}'
    )
    with app.rerun():
        field.fill(text)
        field.press("Control+Enter")
    press(app, "Use it")
    assert not app.problems()
    assert "emb_dim=96" in app.page.url
    assert app.page.get_by_role("slider", name="vocab_size (V)").get_attribute(
        "aria-valuetext"
    ) == ("1,000")


def test_a_copied_link_opens_the_same_screen(open_page: Open) -> None:
    app = open_page("/scaling?config=gpt2-medium&scaling_view=growth")
    with app.rerun():
        app.page.get_by_text("linear", exact=True).click()
    app.page.get_by_role("button", name="Copy link").click()
    app.page.get_by_text("Copied.").wait_for()
    link = app.page.get_by_label("Link to this screen").input_value()
    assert "scaling_emb_dim" not in link
    assert len(link) < 2_000
    fresh = open_page(link.removeprefix(app.base))
    assert not fresh.problems()
    assert (
        fresh.page.locator(".notice").all_inner_texts()
        == app.page.locator(".notice").all_inner_texts()
    )
    drawn(fresh)
    assert "emb_dim, linear" in str(fresh.page.locator(".xtitle").first.text_content())


@pytest.mark.parametrize("view", mostly_thorough(VIEWS, VIEWS[::3]))
def test_claim_controls_and_picture_fit_the_first_screen_and_a_phone_has_no_sideways_scroll(
    open_page: Open, view: str
) -> None:
    app = open_page(f"/scaling?scaling_view={view}")
    drawn(app)
    box = app.page.locator(".js-plotly-plot").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
    app.page.set_viewport_size({"width": 390, "height": 844})
    app.page.wait_for_timeout(500)
    widths = app.page.evaluate(
        "() => [document.querySelector('[data-testid=stMain]').scrollWidth, innerWidth]"
    )
    assert widths[0] <= widths[1]


@pytest.mark.thorough
def test_axe_finds_nothing_serious_among_the_devices(open_page: Open) -> None:
    app = open_page("/scaling?scaling_view=memory", theme="dark")
    drawn(app)
    assert not app.serious_axe_findings()
