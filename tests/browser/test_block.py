"""The block page in a real browser: by mouse, by keyboard, on a phone, with any prompt."""

from collections.abc import Callable

import pytest

from tests.browser.streamlit_page import StreamlitPage
from tests.pages.test_block import VIEWS
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
_DRAWN = """() => {
  const charts = document.querySelectorAll('.chart');
  return charts.length && [...charts].every(chart => chart.querySelector('.main-svg'));
}"""


def address(view: str, rest: str = "") -> str:
    return f"/block?config=gpt-nano&block_view={view}{rest}"


def drawn(app: StreamlitPage) -> StreamlitPage:
    app.page.wait_for_function(_DRAWN)
    return app


def notice(app: StreamlitPage) -> str:
    return str(app.page.locator(".notice").first.inner_text())


@pytest.mark.parametrize("view", mostly_thorough(VIEWS, VIEWS[::4]))
def test_claim_controls_and_picture_fit_one_screen(view: str, open_page: Open) -> None:
    app = drawn(open_page(address(view)))
    for chart in app.page.locator(".chart").all()[:2]:
        box = chart.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800
    assert not app.problems()


@pytest.mark.parametrize("view", mostly_thorough(VIEWS, VIEWS[1::4]))
def test_no_view_overflows_a_phone_or_troubles_axe(view: str, open_page: Open) -> None:
    app = drawn(open_page(address(view), width=390, height=844))
    main = app.page.get_by_test_id("stMain")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert not app.serious_axe_findings()


def test_a_click_on_a_thumbnail_enlarges_that_head_and_the_link_says_so(open_page: Open) -> None:
    app = drawn(open_page(address("attention")))
    chart = app.page.locator(".chart").first
    box = chart.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    with app.rerun():
        app.page.mouse.click(box["x"] + box["width"] * 0.83, box["y"] + box["height"] * 0.5)
    assert "Block 1, head 2 has" in notice(app)
    assert app.page.get_by_label("Head", exact=True).input_value() == "2"
    parts = app.page.locator(".link-part").evaluate_all("e => e.map(part => ({...part.dataset}))")
    newest = max(parts, key=lambda part: int(part["version"]))
    assert "block_block=1&block_head=2" in newest["query"]


@pytest.mark.thorough
def test_a_click_on_a_cell_picks_that_token_and_block(open_page: Open) -> None:
    app = drawn(open_page(address("tokens")))
    chart = app.page.locator(".chart").first
    box = chart.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    with app.rerun():
        app.page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.625)
    assert "“·I” (position 2) in block 1" in notice(app)


def test_everything_that_can_be_clicked_can_be_done_by_keyboard(open_page: Open) -> None:
    app = drawn(open_page(address("tokens")))
    before = notice(app)
    field = app.page.get_by_test_id("stMain").get_by_label("Token", exact=True)
    field.focus()
    with app.rerun():
        field.press("ArrowUp")
    assert "(position 1)" in notice(app) != before
    with app.rerun():
        app.page.get_by_role("radio", name="Attention").or_(
            app.page.get_by_role("button", name="Attention")
        ).first.press("Enter")
    assert "has an entropy of" in notice(app)


def test_html_in_the_prompt_and_in_the_new_text_stays_text(open_page: Open) -> None:
    app = open_page(address("causality"))
    app.type_prompt("<img src=x onerror=\"document.title='owned'\"> <b>&amp;</b>")
    field = app.page.get_by_label("New text there")
    with app.rerun():
        field.fill("<script>document.title='owned'</script>")
        field.press("Enter")
    assert "became “<" in notice(app)
    for view in ("By token", "Attention"):
        with app.rerun():
            app.page.get_by_test_id("stMain").get_by_text(view, exact=True).click()
        drawn(app)
    assert app.page.title() != "owned"
    assert app.page.locator(".chart img").count() == 0
    ticks = app.page.locator(".ytick text").all_text_contents()
    assert any("<" in tick for tick in ticks)


@pytest.mark.thorough
def test_emoji_and_right_to_left_prompts_are_drawn(open_page: Open) -> None:
    app = drawn(open_page(address("attention", "&prompt=%F0%9F%A4%96%20%D7%A9%D7%9C%D7%95%D7%9D")))
    assert "has an entropy of" in notice(app)
    assert not app.problems()


def test_a_whole_context_of_tokens_is_pooled_and_drawn(open_page: Open) -> None:
    app = drawn(open_page("/block?config=custom&emb_dim=48&n_heads=3&n_layers=2"))
    app.type_prompt("word " * 1100)
    assert any("the pages use the last 1,024" in problem for problem in app.problems())
    for view, words in (
        ("By token", "(position 0)"),
        ("Attention", "has an entropy of"),
        ("Causality", "at position 1 became"),
    ):
        with app.rerun():
            app.page.get_by_test_id("stMain").get_by_text(view, exact=True).click()
        assert words in notice(drawn(app))
    with app.rerun():
        app.page.get_by_test_id("stMain").get_by_text("Attention", exact=True).click()
    assert "1,024 tokens are pooled to 64 groups of 16" in app.text()
