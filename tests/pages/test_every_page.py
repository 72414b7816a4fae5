"""What holds on each page of the app."""

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui.controls import CONTROLS, Choice
from explorer.ui.show import CODE
from tests.pages.conftest import PAGES, Open, html

NASTY = {
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "markdown": "# x **bold** ![i](http://x/y.png) :material/home: $\\frac{1}{2}$",
    "emoji": "🤖👩‍👩‍👧‍👦",
    "right to left": "שלום \u202eabc",
    "control characters": "a\x00\x07\x1b[31mred",
    "one token": "a",
}


@pytest.mark.parametrize("page", PAGES)
def test_every_widget_that_holds_a_value_is_declared(page: str, open_app: Open) -> None:
    app = open_app(page, config="custom", emb_dim="48", n_heads="3", n_layers="2")
    for kind in VALUE_WIDGETS:
        for widget in app.get(kind):
            assert widget.key in CONTROLS, f"{kind} {widget.label!r}"


VALUE_WIDGETS = (
    "checkbox",
    "color_picker",
    "date_input",
    "multiselect",
    "number_input",
    "radio",
    "select_slider",
    "selectbox",
    "slider",
    "text_area",
    "text_input",
    "time_input",
    "toggle",
    "button_group",
    "segmented_control",
    "pills",
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_title_claim_and_the_code_that_runs(page: str, open_app: Open) -> None:
    app = open_app(page)
    assert app.title[0].value
    assert 'class="claim"' in html(app)
    app.session_state[CODE] = True  # where it is sent when it is asked for
    app.run()
    shown = [code.value for code in app.code]
    shown += [component.proto.json for component in app.get("bidi_component")]
    assert any("def " in source or "class " in source for source in shown)


@pytest.mark.parametrize("page", PAGES)
def test_the_chapters_figures_on_a_page_hold(page: str, open_app: Open) -> None:
    app = open_app(page)
    for button in app.button:
        if "Recompute" in button.label:
            button.click().run()
    checks = html(app).split('class="checks"')[1:]
    assert checks
    assert all("✓" in check and "✗" not in check for check in checks)


@pytest.mark.parametrize("kind", NASTY)
@pytest.mark.parametrize("page", PAGES)
def test_no_prompt_is_read_as_markup(page: str, kind: str, open_app: Open) -> None:
    app = open_app(page, prompt=NASTY[kind])
    written = html(app) + "".join(element.value for element in app.markdown)
    assert "<script" not in written
    assert "<img" not in written
    assert "\u202e" not in written
    assert "![i]" not in "".join(element.value for element in app.markdown)


@pytest.mark.parametrize("page", PAGES)
def test_a_prompt_longer_than_the_context_is_cropped_and_said_so(page: str, open_app: Open) -> None:
    app = open_app(page, prompt="word " * 100)
    assert "the pages use the last 64" in html(app)


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_prompt_keeps_the_page_and_gets_one_sentence(page: str, open_app: Open) -> None:
    app = open_app(page)
    app.text_area(key="prompt").set_value("").run()
    assert not app.exception
    assert html(app).count('class="problem"') == 1
    assert "The page still shows “Hello, I am”." in html(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_model_that_does_not_fit_is_refused_in_a_sentence(page: str, open_app: Open) -> None:
    app = open_app(page, config="gpt3-175b")
    assert not app.exception
    assert app.title


@pytest.mark.parametrize("page", PAGES)
def test_a_damaged_link_falls_back_and_names_what_was_dropped(page: str, open_app: Open) -> None:
    app = open_app(page, config="gpt5", seed="-1", projector="maybe")
    said = html(app)
    assert all(f"“{name}”" in said for name in ("config", "seed", "projector"))
    assert app.selectbox(key="config").value == "gpt2-small"
    assert app.number_input(key="seed").value == 123


def test_an_impossible_custom_field_names_its_rule_and_changes_nothing(open_app: Open) -> None:
    app = open_app("overview")
    app.selectbox(key="config").set_value("custom").run()
    assert app.number_input(key="emb_dim").value == 48
    app.number_input(key="n_heads").set_value(7).run()
    assert "emb_dim must be divisible by n_heads" in html(app)
    assert "D</b>48" in html(app)
    app.number_input(key="n_heads").set_value(4).run()
    assert 'class="problem"' not in html(app)
    assert "H</b>4" in html(app)


def test_projector_mode_enlarges_the_page(open_app: Open) -> None:
    app: AppTest = open_app("block")
    assert "font-size:clamp" not in html(app)
    app.toggle(key="projector").set_value(True).run()
    assert "font-size:clamp" in html(app)


@pytest.mark.parametrize("page", PAGES)
def test_the_narrowest_and_shortest_model_has_every_page(page: str, open_app: Open) -> None:
    smallest = {"emb_dim": "1", "n_heads": "1", "n_layers": "1", "context_length": "1"}
    view = CONTROLS.get(f"{page}_view")
    for name in view.options if isinstance(view, Choice) else ("",):
        open_app(page, config="custom", **smallest, **({view.key: name} if name and view else {}))
