"""Lessons, without a browser: every step of the one that is shipped, and what a step leaves alone."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explorer import measure
from explorer.lessons.file import Step, read_lesson
from explorer.lessons.offered import SHIPPED
from explorer.ui.controls import CONTROLS
from explorer.ui.options import LESSONS_VARIABLE
from tests.pages.conftest import Open, html

CHAPTER4 = read_lesson((SHIPPED / "chapter4.toml").read_bytes(), CONTROLS)
TITLES = {
    "overview": "Overview",
    "placeholder": "From placeholder to GPT",
    "layernorm": "LayerNorm",
    "gelu": "GELU and feed-forward",
    "shortcuts": "Shortcuts",
    "block": "Transformer block",
    "scaling": "Scaling",
    "generate": "Generate",
}
NASTY = "<img src=x onerror=alert(1)> **bold** $x$ :material/home: http://a.b"
FIGURE = re.compile(r"−?\d[\d,]*(?:\.\d+)?(?:e-\d+)?")


def held(app: AppTest, key: str) -> object:
    try:
        return app.session_state[key]
    except KeyError:
        return CONTROLS[key].default


def holds_what_it_says(app: AppTest, step: Step) -> None:
    assert not app.exception, app.exception[0].stack_trace
    assert app.title[0].value == TITLES[step.page]
    for key, control in CONTROLS.items():
        if control.page == step.page and control.linked:
            assert held(app, key) == step.controls.get(key, control.default), key
    assert not re.search('class="problem"', html(app))


@pytest.mark.golden
def test_each_step_of_the_shipped_lesson_shows_its_page_and_controls(open_app: Open) -> None:
    app = open_app("placeholder", config="gpt2-small", lesson="chapter4")
    for number, step in enumerate(CHAPTER4.steps, 1):
        assert f"Step {number} of {len(CHAPTER4.steps)}." in html(app)
        assert unescape(html(app)).count(step.text) == 1
        holds_what_it_says(app, step)
        figures_are_recomputed(app, step)
        if number < len(CHAPTER4.steps):
            app.button(key="lesson_next").click().run()
    assert app.button(key="lesson_next").disabled


def figures(text: str) -> Iterator[str]:
    """Every number of a text that could be one of the chapter's: not "2" or "−1"."""
    for found in FIGURE.findall(text):
        if len(found.strip("−")) > 2:
            yield found.rstrip(",")


def figures_are_recomputed(app: AppTest, step: Step) -> None:
    said = [step.text]
    if step.question:
        said += [step.question.ask, *step.question.answers, step.question.because]
    shown = html(app).split('class="claim"')[1]
    shown += "".join(component.proto.json for component in app.get("bidi_component"))
    recomputed = [
        (value, row.tolerance * (abs(value) if row.relative else 1))
        for page in TITLES
        if page != "generate"
        for row in measure.check_references(page).itertuples()
        for value in row.computed
    ]
    for figure in figures(" ".join(said)):
        number = float(figure.replace(",", "").replace("−", "-"))
        half = 0.5 * 10.0 ** -len(figure.partition(".")[2])
        computed = any(abs(number - value) <= half + tolerance for value, tolerance in recomputed)
        assert figure in shown or computed, figure


@pytest.mark.golden
def test_the_last_step_has_the_chapters_ten_tokens() -> None:
    from explorer.ui import cache

    last = CHAPTER4.steps[-1]
    assert last.controls == {"generate_step": len(measure.references.REFERENCE_TOKENS)}
    frame = cache.measured(measure.reference_tokens, cache.DEFAULT_MODEL)
    assert frame["holds"].all()


MINE = f"""
title = "Mine {NASTY}"
[[step]]
page = "gelu"
text = "One {NASTY}"
set.gelu_x = 2
set.config = "gpt-nano"
set.seed = 7
set.prompt = "Tea"
[[step]]
page = "gelu"
text = "Two"
hide = ["sidebar", "controls"]
set.config = "gpt-nano"
[step.question]
ask = "Which?"
answers = ["{NASTY}", "that"]
right = 2
because = "Because {NASTY}"
[[step]]
page = "block"
text = "Three"
set.config = "custom"
set.emb_dim = 48
set.n_heads = 4
set.n_layers = 2
set.weights = "trained"
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The operator's folder with one lesson, and one that has a mistake."""
    (tmp_path / "mine.toml").write_text(MINE, encoding="utf-8")
    (tmp_path / "wrong.toml").write_text('title = "Wrong"\n[[step]]\npage = "gleu"\n')
    monkeypatch.setenv(LESSONS_VARIABLE, str(tmp_path))
    return tmp_path


def at_step(app: AppTest) -> str:
    found = re.search(r"Step (\d+) of \d+", html(app))
    return found[1] if found else ""


def next_step(app: AppTest) -> None:
    app.button(key="lesson_next").click().run()
    assert not app.exception, app.exception[0].stack_trace


@pytest.mark.usefixtures("mine")
def test_a_step_takes_nothing_over_from_the_step_before(open_app: Open) -> None:
    app = open_app("gelu", lesson="mine")
    assert app.slider(key="gelu_x").value == 2.0
    assert app.number_input(key="seed").value == 7
    assert app.text_area(key="prompt").value == "Tea"
    app.number_input(key="gelu_block").set_value(2).run()
    app.toggle(key="projector").set_value(True).run()
    next_step(app)
    assert app.slider(key="gelu_x").value == 1.0
    assert app.number_input(key="gelu_block").value == 0
    assert app.number_input(key="seed").value == 123
    assert app.text_area(key="prompt").value == "Hello, I am"
    assert app.toggle(key="projector").value, "the room's own switch stays"
    app.button(key="lesson_previous").click().run()
    assert app.number_input(key="seed").value == 7


@pytest.mark.usefixtures("mine")
def test_custom_fields_and_weights_that_are_not_offered(open_app: Open) -> None:
    app = open_app("gelu", lesson="mine", lesson_step="2")
    next_step(app)
    assert app.title[0].value == "Transformer block"
    assert app.number_input(key="emb_dim").value == 48
    assert app.number_input(key="n_heads").value == 4
    assert "The weights “trained” are not offered here" in html(app)
    app.button(key="lesson_previous").click().run()
    assert app.selectbox(key="config").value == "gpt-nano"


@pytest.mark.usefixtures("mine")
def test_a_link_to_a_step_opens_it_and_what_else_it_says_wins(open_app: Open) -> None:
    app = open_app("gelu", lesson="mine", lesson_step="1", seed="9", gelu_x="3")
    assert at_step(app) == "1"
    assert app.number_input(key="seed").value == 9
    assert app.slider(key="gelu_x").value == 3.0
    assert app.text_area(key="prompt").value == "Tea"


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"lesson": "nowhere"}, "The lesson “nowhere” is not offered here."),
        ({"lesson": "wrong"}, "The lesson “wrong” can't be used. Line 3: step 1 needs a page"),
        ({"lesson": "uploaded"}, "uploaded in another session"),
        ({"lesson": "mine", "lesson_step": "4"}, "has 3 steps and the link asked for step 4"),
        ({"lesson": "mine", "lesson_step": "x"}, "“lesson_step” must be a whole number"),
        ({"lesson": "../mine"}, "The lesson “../mine” is not offered here."),
    ],
)
def test_a_link_to_what_is_not_there_is_a_sentence(
    query: dict[str, str], said: str, open_app: Open
) -> None:
    app = open_app("gelu", **query)
    assert said in unescape(html(app))
    assert app.title[0].value == TITLES["gelu"]
    app.run()
    assert said not in unescape(html(app))


@pytest.mark.usefixtures("mine")
def test_a_question_is_answered_once_right_and_once_wrong(open_app: Open) -> None:
    app = open_app("gelu", lesson="mine", lesson_step="2")
    assert 'class="lesson-because"' not in html(app)
    app.button(key="lesson_answer_0").click().run()
    assert "✗ Not so: it is B." in html(app)
    app.button(key="lesson_answer_1").click().run()
    assert "<b>✓ Right.</b> Because" in html(app)
    next_step(app)
    assert 'class="lesson-because"' not in html(app)


@pytest.mark.usefixtures("mine")
def test_a_lesson_s_text_is_never_read_as_markup(open_app: Open) -> None:
    app = open_app("gelu", lesson="mine", lesson_step="2")
    app.button(key="lesson_answer_0").click().run()
    app.button(key="lessons").click().run()
    assert "&lt;img src=x" in html(app)
    assert "<img" not in html(app)
    labels = [button.label for button in app.button]
    assert not any("img" in text for text in (*labels, *(mark.value for mark in app.markdown)))


@pytest.mark.usefixtures("mine")
def test_hidden_controls_are_hidden_and_come_back(open_app: Open) -> None:
    app = open_app("gelu", lesson="mine", lesson_step="2")
    hiding = next(line for line in html(app).splitlines() if "display:none !important}" in line)
    assert '[data-testid="stSidebar"]' in hiding
    assert ".st-key-gelu_x:" in hiding
    assert "block_view" not in hiding
    next_step(app)
    assert ".st-key-gelu_x:" not in html(app)


@pytest.mark.usefixtures("mine")
def test_the_list_names_a_file_s_mistake_and_starts_the_others(open_app: Open) -> None:
    app = open_app("overview")
    app.button(key="lessons").click().run()
    assert "wrong.toml can&#x27;t be used. Line 3: step 1 needs a page" in html(app)
    app.button(key="lesson_start_mine").click().run()
    assert not app.exception
    assert at_step(app) == "1"
    assert app.title[0].value == TITLES["gelu"]
    app.button(key="lesson_end").click().run()
    assert at_step(app) == ""
