"""A chart in a real browser: it is changed in place, fits its column, and fills the screen."""

from collections.abc import Callable

import pytest

from tests.browser.streamlit_page import StreamlitPage

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]
_FIRST = "document.querySelector('.js-plotly-plot')"
_NUMBERS_IN_CELLS = """() => [...document.querySelectorAll('.js-plotly-plot')].flatMap((plot) => {
  const { xaxis, annotations } = plot._fullLayout;
  const cell = Math.abs(xaxis.l2p(1) - xaxis.l2p(0));
  return annotations.filter(({ name }) => name === 'cell').map(({ _index }) => {
    const text = plot.querySelector(`.annotation[data-index="${_index}"] text`);
    const size = parseFloat(getComputedStyle(text).fontSize);
    const seen = text.checkVisibility({ visibilityProperty: true });
    return [size, seen, cell - text.getBoundingClientRect().width];
  });
})"""


def open_shortcuts(open_page: Open) -> StreamlitPage:
    app = open_page("/shortcuts?config=gpt-nano")
    app.page.locator(".chart .main-svg").first.wait_for()
    return app


def test_a_control_changes_the_values_and_leaves_the_picture_in_place(open_page: Open) -> None:
    app = open_shortcuts(open_page)
    app.page.evaluate(f"window.before = [{_FIRST}, {_FIRST}.querySelector('svg')]")
    values = app.page.evaluate(f"{_FIRST}.data.at(-1).y.length")
    with app.rerun():
        app.page.get_by_test_id("stMain").get_by_test_id("stNumberInputStepUp").first.click()
    app.page.wait_for_function(f"{_FIRST}.layout.xaxis.title.text.includes('layer 5')")
    assert app.page.evaluate(
        f"before[0] === {_FIRST} && before[1] === {_FIRST}.querySelector('svg')"
    )
    assert values == app.page.evaluate(f"{_FIRST}.data.at(-1).y.length")  # the bracket's four ends
    shown = app.page.locator(".chart").first.get_attribute("aria-label")
    assert shown is not None
    assert "times larger with shortcuts" in shown


def test_a_chart_follows_the_width_of_its_column(open_page: Open) -> None:
    app = open_shortcuts(open_page)
    for width in (1280, 390, 900):
        app.page.set_viewport_size({"width": width, "height": 844})
        app.page.wait_for_function(
            f"{_FIRST}.querySelector('.main-svg').width.baseVal.value === {_FIRST}.clientWidth"
        )
        assert app.page.get_by_test_id("stMain").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_chart_fills_the_screen_by_keyboard_and_goes_back(open_page: Open) -> None:
    app = open_shortcuts(open_page)
    drawn = f"{_FIRST}.querySelector('.main-svg').height.baseVal.value"
    usual = app.page.evaluate(drawn)
    button = app.page.get_by_role("button", name="Show this chart on the whole screen").first
    button.focus()
    assert button.evaluate("e => getComputedStyle(e).opacity") == "1"
    button.press("Enter")
    app.page.wait_for_function(f"document.fullscreenElement && {drawn} > {usual} * 1.5")
    app.page.keyboard.press("Enter")
    app.page.wait_for_function(f"!document.fullscreenElement && {drawn} === {usual}")


def test_a_fetch_that_failed_is_tried_again_with_the_next_figure(
    open_page: Open, server: str
) -> None:
    app = open_page("/?config=gpt-nano")
    app.page.route("**/plotly-cartesian-*", lambda route: route.abort())
    app.page.goto(f"{server}/shortcuts?config=gpt-nano")
    app.page.locator(".chart").first.wait_for(state="attached")
    app.page.wait_for_function("() => window.gxPlotly === undefined")
    app.page.unroute("**/plotly-cartesian-*")
    app.page.get_by_test_id("stMain").get_by_test_id("stNumberInputStepUp").first.click()
    app.page.locator(".chart .main-svg").first.wait_for()
    assert any("plotly" in complaint for complaint in app.complaints)
    app.complaints.clear()


def test_a_frame_around_what_is_picked_moves_alone(open_page: Open) -> None:
    app = open_page("/block?config=gpt-nano&block_view=attention")
    frames = app.page.locator(".chart").first.locator(".shapelayer path")
    frames.first.wait_for()
    before = [str(frame.get_attribute("d")) for frame in frames.all()]
    cells = (
        app.page.locator(".chart")
        .first.locator(".heatmaplayer image")
        .first.evaluate_handle("e => e")
    )
    with app.rerun():
        app.page.get_by_test_id("stMain").get_by_label("Head", exact=True).press("ArrowUp")
    app.page.wait_for_timeout(300)
    after = [str(frame.get_attribute("d")) for frame in frames.all()]
    assert len(after) == len(before) == 2
    assert not set(after) & set(before)
    assert cells.evaluate("e => e.isConnected")


@pytest.mark.parametrize(
    "address",
    [
        "/scaling?scaling_view=growth&scaling_second=n_layers",
        "/block?config=custom&n_layers=12&emb_dim=48&n_heads=4&block_view=tokens",
        "/block?config=gpt-nano&block_view=attention&block_step=scores&prompt=1 2 3 4 5 6 7 8",
    ],
)
def test_numbers_in_cells_fit_them_or_leave(address: str, open_page: Open) -> None:
    app = open_page(address, width=390, height=844)
    for width in (390, 200, 1280):
        app.page.set_viewport_size({"width": width, "height": 844})
        app.page.wait_for_function(f"{_FIRST}?._fullLayout?.width === {_FIRST}.clientWidth")
        numbers = app.page.evaluate(_NUMBERS_IN_CELLS)
        assert len(numbers) > 20
        smallest, readable = min(size for size, _, _ in numbers), width > 200
        assert smallest >= 10
        assert all(seen == readable for _, seen, _ in numbers)
        assert not readable or all(spare > 1 for _, _, spare in numbers)
    assert smallest == app.page.evaluate(f"{_FIRST}.layout.font.size")


def test_a_view_that_is_shown_again_takes_up_its_drawings_and_they_can_be_clicked(
    open_page: Open,
) -> None:
    app = open_page("/block?config=gpt-nano&block_view=attention")
    main = app.page.get_by_test_id("stMain")
    app.page.locator(".chart .main-svg").first.wait_for()
    app.page.evaluate(f"window.before = {_FIRST}.querySelector('.main-svg')")
    for view in ("By depth", "Attention"):
        with app.rerun():
            main.get_by_role("radio", name=view, exact=True).click()
        app.page.locator(".chart .main-svg").first.wait_for()
    assert app.page.evaluate(f"before === {_FIRST}.querySelector('.main-svg')")
    box = app.page.locator(".chart .nsewdrag").first.bounding_box()
    assert box is not None
    with app.rerun():
        app.page.mouse.click(box["x"] + box["width"] * 0.83, box["y"] + box["height"] * 0.5)
    assert main.get_by_label("Head", exact=True).input_value() == "2"


def test_of_charts_that_have_left_only_so_many_are_kept(open_page: Open) -> None:
    app = open_page("/block?config=gpt-nano")
    app.page.evaluate("window.seen = new Set()")
    note = "() => document.querySelectorAll('.js-plotly-plot').forEach((plot) => seen.add(plot))"
    app.page.locator(".chart .main-svg").nth(6).wait_for()
    app.page.evaluate(note)
    views = ["By token", "Histograms", "Attention", "What if", "Causality", "Pre- or post-LN"]
    for view in views:
        with app.rerun():
            app.page.get_by_test_id("stMain").get_by_role("radio", name=view, exact=True).click()
        app.page.locator(".chart .main-svg").first.wait_for()
        app.page.evaluate(note)
    held = "[...seen].filter((plot) => !plot.isConnected && plot._fullLayout).length"
    assert app.page.evaluate("seen.size") > 17
    assert 0 < app.page.evaluate(held) <= 16
