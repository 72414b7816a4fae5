"""Predict first, without a browser: every question, every answer, and what changes the reveal."""

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from explorer.measure.asked import Offer, Subject, Truth
from explorer.measure.questions import QUESTIONS
from explorer.ui.predict import in_words, reveal_in_words
from gptcore import CONFIGS, GPTConfig
from tests.pages.conftest import PAGES, Open, html

TINY = GPTConfig(50257, 1, 1, 1, 1, 0.0, False)
TIED = {"config": "custom", "emb_dim": "48", "n_heads": "3", "n_layers": "1", "tie_weights": "true"}


def open_questions(app: AppTest, page: str) -> None:
    app.session_state[f"{page}_predict"] = True
    run(app)


def run(app: AppTest) -> None:
    app.run()
    assert not app.exception, app.exception[0].stack_trace


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception, app.exception[0].stack_trace


def letters(app: AppTest) -> list[str]:
    keys = [button.key for button in app.button if button.key]
    return sorted(key for key in keys if key.startswith("predict_answer_"))


def said(app: AppTest) -> list[str]:
    parts = unescape(html(app)).split('class="lesson-because"')[1:]
    return [part.split("</p>")[0] for part in parts]


@pytest.mark.parametrize("page", PAGES)
def test_each_question_is_answered_right_and_wrong(page: str, open_app: Open) -> None:
    app = open_app(page)
    assert not letters(app), "nothing is asked, or computed, before it is opened"
    open_questions(app, page)
    names = [name for name, question in QUESTIONS.items() if question.page == page]
    for number, _ in enumerate(names, 1):
        assert f"Question {number} of {len(names)}" in html(app)
        verdicts = []
        for key in letters(app):
            press(app, key)
            reveal = said(app)
            verdicts.append("✓ Right." in reveal[0])
            assert len(reveal) == (1 if verdicts[-1] else 2), "a wrong answer is told why"
            assert "{" not in "".join(reveal)
        assert verdicts.count(True) == 1
        if len(names) > 1:
            press(app, "predict_next")
    assert f"Question 1 of {len(names)}" in html(app)
    assert said(app), "what was answered stays answered"


def test_changing_the_configuration_recomputes_the_reveal(open_app: Open) -> None:
    app = open_app("scaling")
    open_questions(app, "scaling")
    press(app, "predict_next")
    press(app, "predict_answer_2")
    assert "✓ Right." in said(app)[0]
    assert f"{50_257 * 48:,}" in said(app)[0]
    app.selectbox(key="config").set_value("gpt-mini")
    run(app)
    assert f"{50_257 * 192:,}" in said(app)[0]
    app.toggle(key="scaling_tie_weights").set_value(True)
    run(app)
    assert "✗ Not so: it is B." in said(app)[0]
    assert "tied already" in said(app)[0]


def test_a_question_about_the_small_network_is_about_the_one_on_screen(open_app: Open) -> None:
    app = open_app("shortcuts", shortcuts_layers="3")
    open_questions(app, "shortcuts")
    assert "3 layers, 3 wide" in html(app)
    press(app, "predict_next")
    assert "3 layers: 2 of 3 → 3" in html(app)


def test_a_model_that_does_not_fit_is_refused_only_by_what_needs_it(open_app: Open) -> None:
    app = open_app("generate", config="gpt3-175b")
    open_questions(app, "generate")
    press(app, "predict_answer_0")
    assert "needs" in html(app).split('class="problem"')[1]
    press(app, "predict_next")
    press(app, "predict_answer_1")
    assert "✓ Right." in said(app)[0]


def test_a_tied_custom_model_saves_nothing_by_tying(open_app: Open) -> None:
    app = open_app("scaling", **TIED)
    open_questions(app, "scaling")
    press(app, "predict_next")
    press(app, "predict_answer_1")
    assert "✓ Right." in said(app)[0]


def test_a_page_that_has_nothing_to_ask_says_so(open_app: Open) -> None:
    smallest = dict.fromkeys(("emb_dim", "n_heads", "n_layers", "context_length"), "1")
    app = open_app("layernorm", config="custom", **smallest)
    open_questions(app, "layernorm")
    assert "leaves nothing to ask" in html(app)


@pytest.mark.parametrize("cfg", [*CONFIGS.values(), TINY])
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_answer_has_words_and_none_reads_like_another(name: str, cfg: GPTConfig) -> None:
    offer = QUESTIONS[name].offer(
        Subject(cfg, (5,) * min(4, cfg.context_length), 123, (2, 2, "gelu"))
    )
    if offer is None:
        return
    asked = in_words(name, offer)
    assert len(asked.answers) == len(set(asked.answers)) >= 2
    for text in (asked.ask, *asked.answers):
        assert text
        assert "{" not in text
    if offer.truth is None:
        return
    assert offer.truth.right in asked.options
    for chosen in asked.options:
        sentence, mistake = reveal_in_words(name, offer, offer.truth, chosen)
        assert sentence
        assert bool(mistake) == (chosen != offer.truth.right)


def test_of_two_answers_that_read_alike_the_right_one_stays() -> None:
    offer = Offer(
        ("features", "tokens", "one"), {"features": 4, "tokens": 1, "one": 1}, Truth("one")
    )
    assert in_words("norm_axis", offer).options == ("features", "one")
