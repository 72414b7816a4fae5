"""The live picture: selecting, walking, opening a block, and what a screen reader is told."""

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.streamlit_page import StreamlitPage
from tests.thorough import mostly_thorough

pytestmark = pytest.mark.browser
Open = Callable[..., StreamlitPage]

NANO = "/?config=gpt-nano"


def operation(app: StreamlitPage, stop: str) -> Locator:
    return app.page.locator(f".op[data-stop={stop}]")


def choose(app: StreamlitPage, stop: str) -> None:
    """Select by keyboard, wherever the marks of the operation are."""
    operation(app, stop).focus()
    app.page.keyboard.press("Enter")


def title(app: StreamlitPage) -> str:
    return app.page.locator(".inspector h2").inner_text()


def selected(app: StreamlitPage) -> list[str]:
    pressed = app.page.locator(".op[aria-pressed=true]")
    pressed.first.wait_for(state="attached")
    return [str(pressed.nth(i).get_attribute("data-stop")) for i in range(pressed.count())]


def place(app: StreamlitPage) -> dict[str, float] | None:
    return app.page.locator(".model").bounding_box()  # type: ignore[return-value]


def shapes(app: StreamlitPage, stop: str) -> tuple[str, str]:
    choose(app, stop)
    rows = app.page.locator(".inspector .row")
    into, out = (rows.nth(i).text_content() or "" for i in (0, 1))
    return into.removeprefix("in"), out.removeprefix("out")


def wait_for_values(app: StreamlitPage) -> None:
    app.page.locator(".model image").first.wait_for(state="attached")


def test_a_click_selects_a_box_and_the_picture_stays(open_page: Open) -> None:
    app = open_page(NANO)
    before = place(app)
    with app.rerun():
        operation(app, "ff_up").locator(".halo").click()
        assert title(app) == "Linear 48 → 192"
    assert selected(app) == ["ff_up"]
    assert place(app) == before
    inspector = app.page.locator(".inspector").inner_text()
    assert "9,408 parameters" in inspector
    assert "D × F + F = 48 × 192 + 192" in inspector
    assert "nn.Linear(cfg.emb_dim, cfg.hidden_dim)" in app.page.locator("pre .marked").inner_text()


def test_tab_and_enter_select_and_the_focus_outlives_the_rerun(open_page: Open) -> None:
    app = open_page(NANO)
    operation(app, "tokens").focus()
    for _ in range(2):
        app.page.keyboard.press("Tab")
    focused = app.page.locator(".op:focus")
    assert focused.get_attribute("data-stop") == "pos_emb"
    with app.rerun():
        app.page.keyboard.press("Enter")
    assert selected(app) == ["pos_emb"]
    assert focused.get_attribute("data-stop") == "pos_emb"
    assert focused.get_attribute("role") == "button"
    label = focused.get_attribute("aria-label")
    assert label == "Positional embedding: out T 4, D 48; 3,072 parameters"


def test_the_walk_goes_from_start_to_end_in_order_by_arrow_keys(open_page: Open) -> None:
    app = open_page(NANO)
    wait_for_values(app)
    order = [str(stop.get_attribute("data-stop")) for stop in app.page.locator(".model .op").all()]
    assert len(order) == 27
    operation(app, "tokens").focus()
    runs = app._finished
    seen, sentences = [], set()
    for _ in order:
        seen += selected(app)
        sentences.add(app.page.locator(".now .say").inner_text())
        app.page.keyboard.press("ArrowRight")
    assert seen == order
    assert len(sentences) > 20
    assert selected(app) == ["next"]
    assert app.page.locator(".op.ahead").count() == 0
    app.page.keyboard.press("ArrowLeft")
    assert selected(app) == ["probs"]
    assert operation(app, "next").evaluate("e => e.classList.contains('ahead')")
    app.page.keyboard.press("Home")
    assert selected(app) == ["tokens"]
    assert app.page.locator(".op.ahead").count() == 26
    app.page.keyboard.press("Escape")
    assert app.page.locator(".op.ahead").count() == 0
    app.page.wait_for_timeout(500)
    assert app._finished - runs <= 3  # told where it stopped, not step by step


def test_buttons_and_space_play_pause_step_back_and_reset(open_page: Open) -> None:
    app = open_page(NANO)
    keys = app.page.locator(".keys")
    keys.get_by_text("Step").click()
    assert selected(app) == ["tok_emb"]
    keys.get_by_text("Back").click()
    assert selected(app) == ["tokens"]
    operation(app, "tokens").focus()
    app.page.keyboard.press(" ")
    expect(keys.get_by_text("Pause")).to_be_visible()
    expect(operation(app, "pos_emb")).to_have_attribute("aria-pressed", "true", timeout=8000)
    app.page.keyboard.press(" ")
    expect(keys.get_by_text("Play")).to_be_visible()
    keys.get_by_text("Reset").click()
    assert selected(app) == ["tokens"]


@pytest.mark.thorough
def test_the_slider_seeks_and_says_where_it_is(open_page: Open) -> None:
    app = open_page(NANO)
    slider = app.page.get_by_role("slider", name="Operation")
    slider.focus()
    app.page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "The next token"
    assert slider.get_attribute("aria-valuenow") == slider.get_attribute("aria-valuemax") == "27"
    box = slider.bounding_box()
    assert box is not None
    app.page.mouse.click(box["x"] + 10, box["y"] + 11)
    assert selected(app) == ["tokens"]


def test_heads_show_scores_then_the_mask_then_weights(open_page: Open) -> None:
    app = open_page(NANO + "&overview_stop=scores")
    wait_for_values(app)
    hatched = app.page.locator('.head[data-head="0"] rect[style*="hatch"]')
    assert hatched.count() == 0
    operation(app, "scores").focus()
    app.page.keyboard.press("ArrowRight")
    assert hatched.count() == 6  # 4 × 3 / 2 look ahead
    cells = app.page.locator(".inspector figure svg").text_content() or ""
    assert cells.count("−∞") == 6
    app.page.keyboard.press("ArrowRight")
    assert hatched.count() == 6
    assert "1.00" in (app.page.locator(".inspector figure svg").text_content() or "")
    app.page.get_by_role("button", name="Next head").click()
    assert "Head 1 of 3" in app.page.locator(".inspector").inner_text()


@pytest.mark.parametrize(
    ("prompt", "n"),
    mostly_thorough(
        [("Hello, I am", 4), ("Every effort moves you closer to it", 7)],
        [("Every effort moves you closer to it", 7)],
    ),
)
@pytest.mark.parametrize(
    ("config", "d", "h", "k", "f"),
    [
        ("config=gpt-nano", "48", "3", "16", "192"),
        ("config=gpt-mini", "192", "6", "32", "768"),
        (
            "config=custom&emb_dim=20&n_heads=20&n_layers=1&context_length=32",
            "20",
            "20",
            "1",
            "80",
        ),
    ],
)
def test_the_shapes_are_those_of_this_prompt_and_configuration(
    open_page: Open, prompt: str, n: int, config: str, d: str, h: str, k: str, f: str
) -> None:
    app = open_page(f"/?{config}&prompt={quote(prompt)}")
    stream, heads, square = f"B1T{n}D{d}", f"B1H{h}T{n}K{k}", f"B1H{h}T{n}T{n}"
    assert shapes(app, "tok_emb") == (f"B1T{n}", stream)
    assert shapes(app, "split") == (stream, heads)
    assert shapes(app, "scores") == (heads, square)
    assert shapes(app, "merge") == (heads, stream)
    assert shapes(app, "ff_up") == (stream, f"B1T{n}F{f}")
    assert shapes(app, "out_head") == (stream, f"B1T{n}V50,257")
    edges = [text.text_content() for text in app.page.locator(".model text").all()]
    for axes in (stream, f"B1T{n}F{f}", f"B1T{n}V50,257", f"D{d}→H{h}K{k}", f"T{n}T{n}"):
        assert axes in edges, axes
    for stop, axes in {
        "norm1": stream,
        "norm2": stream,
        "out_proj": stream,
        "ff_down": stream,
        "probs": "B1V50,257",
    }.items():
        written = app.page.locator(f".model .op[data-stop={stop}] text").all_text_contents()
        assert axes in written or axes.removeprefix("B1") in written, (stop, written)


def test_opening_a_block_and_selecting_are_in_the_copied_link(open_page: Open) -> None:
    app = open_page(NANO)
    wait_for_values(app)
    first = app.page.locator(".strip[data-tensor=q] image").get_attribute("href")
    with app.rerun():
        app.page.get_by_label("Open block").select_option("2")
    expect(app.page.locator(".model")).to_contain_text("Blocks 0–1")
    expect(app.page.locator(".strip[data-tensor=q] image")).not_to_have_attribute(
        "href", first or ""
    )
    with app.rerun():
        choose(app, "gelu")
    app.page.get_by_role("button", name="Copy link").click()
    app.page.get_by_text("Copied.").wait_for()
    link = app.page.evaluate("navigator.clipboard.readText()")
    assert "overview_stop=gelu" in link
    assert "overview_block=2" in link
    fresh = open_page(link.removeprefix(app.base))
    assert selected(fresh) == ["gelu"]
    assert "block 2" in fresh.page.locator(".inspector .where").inner_text()
    assert not fresh.problems()


@pytest.mark.thorough
def test_the_selection_stays_when_the_prompt_changes(open_page: Open) -> None:
    app = open_page(NANO)
    with app.rerun():
        choose(app, "mask")
    app.type_prompt("a b c d e f")
    assert selected(app) == ["mask"]
    assert "15 of 36" in app.page.locator(".now .say").inner_text()


def test_html_and_emoji_in_a_prompt_are_only_ever_text(open_page: Open) -> None:
    app = open_page(NANO)
    app.type_prompt('<img src=x onerror="document.title=1">$x$ **b** 👋🏽 \u202etxet')
    wait_for_values(app)
    shown = app.page.locator(".chips").text_content() or ""
    assert "<" in shown
    assert app.page.locator(".overview img, .overview script").count() == 0
    assert app.page.title() != "1"
    choose(app, "tokens")
    table = app.page.locator(".inspector table").inner_text()
    assert "img" in table
    assert "\u202e" not in table


def test_a_long_prompt_folds_in_the_middle_and_its_strips_say_so(open_page: Open) -> None:
    app = open_page(NANO + "&prompt=" + quote("one two three four five " * 12))
    wait_for_values(app)
    assert re.search(r"… \d+ …", app.page.locator(".chips").text_content() or "")
    assert "16 of 6" in (app.page.locator(".model").text_content() or "")  # of 60 or so tokens


@pytest.mark.thorough
def test_many_heads_are_a_group_with_a_count(open_page: Open) -> None:
    app = open_page("/?config=custom&emb_dim=96&n_heads=96&n_layers=96&context_length=32&seed=1")
    assert "+85" in (app.page.locator(".model").text_content() or "")
    assert app.page.locator(".head").count() == 11
    assert "Blocks 1–95" in (app.page.locator(".model").text_content() or "")


def test_a_model_that_does_not_fit_is_painted_counted_and_explained(open_page: Open) -> None:
    app = open_page("/?config=gpt3-175b&overview_stop=qkv")
    inspector = app.page.locator(".inspector")
    expect(inspector).to_contain_text("453,021,696 parameters")
    expect(inspector).to_contain_text("needs")
    expect(inspector.locator("pre")).to_contain_text("self.W_query(x)")
    assert app.page.locator(".model image").count() == 0


@pytest.mark.thorough
def test_tied_weights_are_drawn_as_tied(open_page: Open) -> None:
    app = open_page("/?config=custom&emb_dim=12&n_heads=1&n_layers=1&tie_weights=true")
    texts = app.page.locator(".model").text_content() or ""
    assert "tied, adds 0" in texts
    assert operation(app, "out_head").locator("path[style*=dasharray]").count() == 1


@pytest.mark.parametrize(
    ("path", "width", "height"),
    [
        (NANO, 1280, 800),
        (NANO + "&overview_block=1", 1280, 800),
        (NANO + "&projector=true", 1280, 800),
        (NANO, 1920, 1080),
        (NANO, 390, 844),
    ],
)
def test_every_target_has_at_least_24_pixels_and_nothing_overflows_sideways(
    open_page: Open, path: str, width: int, height: int
) -> None:
    app = open_page(path, width=width, height=height)
    wait_for_values(app)
    small = app.page.locator(".op .halo, .overview button, .overview select, .scrub").evaluate_all(
        """all => all.map((e) => [e.closest("[data-stop]")?.dataset.stop ?? e.className,
             e.getBoundingClientRect().width, e.getBoundingClientRect().height])
           .filter(([, w, h]) => w > 0 && Math.min(w, h) < 23.9)"""
    )
    assert small == []
    wide = app.page.evaluate(
        "(s => s.scrollWidth - s.clientWidth)(document.querySelector('[data-testid=stMain]'))"
    )
    assert wide <= 0
    if width > 600:  # claim, controls and the whole picture without scrolling
        bottom = app.page.locator(".transport").bounding_box()
        assert bottom is not None
        assert bottom["y"] + bottom["height"] <= height


def test_on_a_phone_the_inspector_opens_above_the_walk(open_page: Open) -> None:
    app = open_page(NANO, width=390, height=844)
    wait_for_values(app)
    assert not app.page.locator(".inspector").is_visible()
    operation(app, "norm1").click()
    inspector, walk = (app.page.locator(css).bounding_box() for css in (".inspector", ".transport"))
    assert inspector is not None
    assert walk is not None
    assert title(app) == "LayerNorm 1"
    assert inspector["y"] + inspector["height"] <= walk["y"] + 1
    assert walk["y"] + walk["height"] <= 845
    app.page.locator(".keys").get_by_text("Details").click()
    assert not app.page.locator(".inspector").is_visible()


@pytest.mark.parametrize("theme", mostly_thorough(["light", "dark"], ["light"]))
def test_axe_finds_nothing_serious_in_the_picture(open_page: Open, theme: str) -> None:
    app = open_page(NANO + "&overview_stop=softmax", theme=theme)
    wait_for_values(app)
    app.page.get_by_text("The same path as text").click()
    assert app.serious_axe_findings() == []


def test_the_code_of_the_counts_comes_when_it_is_asked_for(open_page: Open) -> None:
    app = open_page(NANO)
    assert app.page.get_by_test_id("stCode").count() == 0
    with app.rerun():
        app.page.get_by_text("The code that computed this").click()
    expect(app.page.get_by_test_id("stCode").first).to_contain_text("class GPTConfig")
