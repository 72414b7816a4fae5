"""The page that looks into the transformer block: every view, and what each control changes."""

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui import cache
from explorer.ui.controls import CONTROLS, Choice
from tests.pages.conftest import Open, figures, html, notice

VIEWS = CONTROLS["block_view"].options if isinstance(CONTROLS["block_view"], Choice) else ()
PROMPTS = {
    "one token": "a",
    "64 tokens": "word " * 64,
    "emoji": "🤖👩‍👩‍👧‍👦 ok",
    "right to left": "שלום עולם",
    "HTML": "<b>bold</b><img src=x onerror=alert(1)>",
}


def open_view(open_app: Open, view: str, **query: str) -> AppTest:
    return open_app("block", block_view=view, **query)


def choose(app: AppTest, key: str, value: str) -> AppTest:
    found = [group for group in app.get("button_group") if group.key == key]
    (found[0] if found else app.selectbox(key=key)).set_value(value).run()
    assert not app.exception
    return app


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_takes_every_prompt(view: str, prompt: str, open_app: Open) -> None:
    app = open_view(open_app, view, prompt=PROMPTS[prompt])
    if view == "norm_depth" and prompt == "one token":
        assert "at least 2 tokens" in html(app)
        return
    assert "problem" not in html(app).split("</style>")[-1] or prompt == "64 tokens"
    assert figures(app)
    assert "Notice." in html(app)
    assert "<img" not in html(app)
    assert "<b>bold" not in html(app)


@pytest.mark.parametrize("view", VIEWS)
def test_every_widget_of_every_view_is_declared(view: str, open_app: Open) -> None:
    from tests.pages.test_every_page import VALUE_WIDGETS

    app = open_view(open_app, view, block_change="train")
    for kind in VALUE_WIDGETS:
        for widget in app.get(kind):
            assert widget.key in CONTROLS, f"{kind} {widget.label!r}"


def test_choosing_a_view_shows_it(open_app: Open) -> None:
    app = open_app("block")
    assert "The spread of the stream goes from" in notice(app)
    for view, words in (
        ("tokens", "its largest feature is number"),
        ("histograms", "Beyond ±3 standard deviations"),
        ("attention", "has an entropy of"),
        ("what_if", "With post-LN"),
        ("causality", "at position 1 became"),
        ("identity", "identities is 0"),
        ("norm_depth", "gradient over the last"),
    ):
        assert words in notice(choose(app, "block_view", view)), view


def test_by_depth_has_a_panel_a_statistic_and_defines_each(open_app: Open) -> None:
    app = open_app("block")
    assert len(figures(app)) == 7
    assert html(app).count("<li>") >= 6
    assert "√(mean of x²)" in html(app)


def test_block_token_statistic_and_point_each_change_what_is_said(open_app: Open) -> None:
    app = open_view(open_app, "tokens")
    said = {notice(app)}
    app.number_input(key="block_block").set_value(2).run()
    said.add(notice(app))
    app.number_input(key="block_position").set_value(3).run()
    said.add(notice(app))
    said.add(notice(choose(app, "block_statistic", "max")))
    said.add(notice(choose(app, "block_point", "resid_pre")))
    assert len(said) == 5


def test_block_head_and_step_each_change_the_attention_that_is_shown(open_app: Open) -> None:
    app = open_view(open_app, "attention")
    said = {notice(app)}
    app.number_input(key="block_block").set_value(2).run()
    said.add(notice(app))
    app.number_input(key="block_head").set_value(1).run()
    said.add(notice(app))
    assert len(said) == 3
    assert "each row sums to 1" in html(app)
    steps = set()
    for step in ("scores", "scaled", "masked", "weights", "ratio"):
        choose(app, "block_step", step)
        steps.add(figures(app)[1])
    assert len(steps) == 5


def test_switching_block_head_token_or_statistic_runs_no_model(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_view(open_app, "tokens", prompt="word " * 64, seed="91")

    def forbidden(*_: object) -> None:
        raise AssertionError("a model was asked for")

    monkeypatch.setattr(cache, "_model", forbidden)
    app.number_input(key="block_block").set_value(2).run()
    app.number_input(key="block_position").set_value(40).run()
    choose(app, "block_statistic", "rms")
    choose(app, "block_view", "attention")
    app.number_input(key="block_head").set_value(2).run()
    choose(app, "block_view", "histograms")
    choose(app, "block_view", "depth")
    assert not app.exception


@pytest.mark.parametrize(
    "change", ["post_ln", "no_shortcuts", "no_norm", "relu", "no_mask", "train", "gpt2_init"]
)
def test_every_change_is_compared_in_a_sentence(change: str, open_app: Open) -> None:
    app = open_view(open_app, "what_if", block_change=change)
    assert " instead of " in notice(app)
    assert "The reason:" in notice(app)
    assert len(figures(app)) == 2


def test_the_comparison_follows_statistic_place_and_dropout_seed(open_app: Open) -> None:
    app = open_view(open_app, "what_if", block_change="train")
    said = {notice(app)}
    app.number_input(key="block_dropout_seed").set_value(5).run()
    said.add(notice(app))
    said.add(notice(choose(app, "block_statistic", "max")))
    said.add(notice(choose(app, "block_compared", "ff_out")))
    assert len(said) == 4


def test_with_the_mask_nothing_before_the_change_moves_and_without_it_everything(
    open_app: Open,
) -> None:
    app = open_view(open_app, "causality", block_edited="2")
    assert "before it the largest change is 0, after it 0." in notice(app)
    app.toggle(key="block_mask").set_value(False).run()
    assert "before it the largest change is 0." in notice(app)
    assert "without the mask every position sees every other" in notice(app)


def test_the_new_text_is_text_and_an_empty_one_is_refused(open_app: Open) -> None:
    app = open_view(open_app, "causality", block_edited="0")
    app.text_input(key="block_replacement").set_value("<img src=x>").run()
    assert "became “&lt;" in notice(app)
    app.text_input(key="block_replacement").set_value("").run()
    assert "The new text is empty" in html(app)
    app.text_input(key="block_replacement").set_value("Hello").run()
    assert "the same token: nothing moves" in notice(app)


def test_each_depth_has_its_own_lines(open_app: Open) -> None:
    app = open_view(open_app, "norm_depth")
    shown = {figures(app)[1]}
    for depth in ("12", "48"):
        shown.add(figures(choose(app, "block_depth", depth))[1])
    assert len(shown) == 3


def test_a_block_that_the_next_model_lacks_is_clamped(open_app: Open) -> None:
    app = open_view(open_app, "attention", config="gpt-mini", block_block="5", block_head="5")
    app.selectbox(key="config").set_value("gpt-nano").run()
    assert not app.exception
    assert app.number_input(key="block_block").value == 2
    assert app.number_input(key="block_head").value == 2


def test_more_than_64_tokens_are_pooled_and_it_is_said(open_app: Open) -> None:
    app = open_view(open_app, "attention", config="gpt-mini", prompt="word " * 100)
    assert "101 tokens are pooled to 51 groups of 2 neighbours" in html(app)
