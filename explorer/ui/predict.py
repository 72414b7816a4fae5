"""Predict, then reveal: a page's questions behind one button, answered from the current configuration.

Which answer is right is computed in `explorer.measure.questions`; here are only words, and they are
filled with its figures.
"""

import string
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import measure
from explorer.draw.numbers import both_units, fixed, number, short, significant
from explorer.measure.asked import Figure, Offer, Question, Subject, Truth
from explorer.ui import cache, controls, show
from explorer.ui.answers import answer_buttons, verdict
from explorer.ui.frame import text_html
from explorer.ui.state import screen
from gptcore import GPTConfig

_ANSWERS, _PLACES = "_predictions", "_predict_places"
_WRITTEN: dict[str, Callable[[float], str]] = {
    "": number,
    "1": partial(number, digits=1),
    "2": partial(fixed, digits=2),
    "s": significant,
    "short": short,
    "bytes": both_units,
}
# While a question is open, what it asks about is hidden. A style sheet of its own, and no selector
# that looks for the question: such a one is matched anew at every change of every page.
_SHOWN = ", ".join(
    f".stMainBlockContainer {part}{inside}"
    for part in ('[class*="st-key-page-head"]', ".st-key-lesson-bar")
    for inside in ("", " *")
)
_HIDING = (
    "<style>.stMainBlockContainer, .stMainBlockContainer * { visibility: hidden !important; } "
    f"{_SHOWN} {{ visibility: visible !important; }}</style>"
)


class _Filler(string.Formatter):
    """Fills figures into words as the pages write them."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return value if isinstance(value, str) else _WRITTEN[format_spec](value)


@dataclass(frozen=True)
class Asked:
    """A question in words.

    Attributes:
        ask: The question.
        options: The names of its answers, in the order shown.
        answers: Their words.
    """

    ask: str
    options: tuple[str, ...]
    answers: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _fill(words: str, figures: Mapping[str, Figure]) -> str:
    return _Filler().vformat(words, (), figures)


def in_words(name: str, offer: Offer) -> Asked:
    """Word a question and its answers; of two that read alike, the right one or the first stays."""
    words = _words()[name]
    right = None if offer.truth is None else offer.truth.right
    by_text: dict[str, str] = {}
    for option in offer.options:
        text = _fill(words["answers"][option], offer.figures)
        if text not in by_text or option == right:
            by_text[text] = option
    return Asked(_fill(words["ask"], offer.figures), tuple(by_text.values()), tuple(by_text))


def reveal_in_words(name: str, offer: Offer, truth: Truth, chosen: str) -> tuple[str, str]:
    """Return the sentence of the truth, and the misconception behind a wrong answer, else "".

    Args:
        name: The question.
        offer: What it offered.
        truth: What is right.
        chosen: The name of the answer that was chosen.
    """
    words, figures = _words()[name], {**offer.figures, **truth.figures}
    said = words["truth"]
    sentence = said if isinstance(said, str) else said[truth.right]
    mistake = "" if chosen == truth.right else words["mistakes"][chosen]
    return _fill(sentence, figures), _fill(mistake, figures)


def _subject(cfg: GPTConfig) -> Subject:
    now = screen()
    layers, width, activation = (
        controls.current(f"shortcuts_{key}") for key in ("layers", "width", "activation")
    )
    network = (int(layers), int(width), str(activation))
    return Subject(cfg, now.token_ids, now.seed, network)


def _truth(question: Question, offer: Offer, subject: Subject) -> Truth:
    if offer.truth is not None:
        return offer.truth
    if question.find is None:
        raise TypeError("a question must offer its truth or say how to find it")
    if question.needs_model:
        return cache.measured(question.find, screen().model_id, *question.arguments(subject))
    return cache.computed(question.find, *question.arguments(subject))


def predict(place: DeltaGenerator, page: str, cfg: GPTConfig) -> None:
    """Offer a page's questions in the page's head; nothing is computed before they are opened.

    Args:
        place: The page's head.
        page: Its name.
        cfg: What the page shows.
    """
    with place, st.container(key="predict"):
        _questions(page, cfg)


@st.fragment
def _questions(page: str, cfg: GPTConfig) -> None:
    with controls.popover(f"{page}_predict", "Predict first") as is_open:
        if is_open:
            with st.container(gap="xsmall"):
                _ask(page, _subject(cfg))


def _ask(page: str, subject: Subject) -> None:
    """Show one question of the page, and its reveal once it is answered."""
    offers = {
        name: offer
        for name, question in measure.QUESTIONS.items()
        if question.page == page and (offer := question.offer(subject)) is not None
    }
    if not offers:
        show.caption("A model as small as this leaves nothing to ask here.")
        return
    place = st.session_state.get(_PLACES, {}).get(page, 0) % len(offers)
    name, offer = [*offers.items()][place]
    asked = in_words(name, offer)
    chosen = st.session_state.get(_ANSWERS, {}).get(name)
    index = asked.options.index(chosen) if chosen in asked.options else None
    hiding = _HIDING if index is None else ""
    st.html(text_html("predict-count", f"Question {place + 1} of {len(offers)}") + hiding)
    st.html(text_html("lesson-ask", asked.ask))

    def answer(number: int) -> None:
        answers = st.session_state.get(_ANSWERS, {})
        st.session_state[_ANSWERS] = answers | {name: asked.options[number]}

    answer_buttons("predict", asked.answers, index, answer, in_a_row=False)
    if index is not None:
        with show.refusals():
            _reveal(name, offer, asked, _truth(measure.QUESTIONS[name], offer, subject), index)
    if len(offers) > 1:
        st.button("Next question", key="predict_next", on_click=_next, args=(page, place + 1))


def _reveal(name: str, offer: Offer, asked: Asked, truth: Truth, chosen: int) -> None:
    sentence, mistake = reveal_in_words(name, offer, truth, asked.options[chosen])
    lead = verdict(chosen, asked.options.index(truth.right))
    st.html(text_html("lesson-because", sentence, lead=lead, role="status"))
    if mistake:
        st.html(text_html("lesson-because", mistake, lead="Why not:"))


def _next(page: str, place: int) -> None:
    st.session_state[_PLACES] = st.session_state.get(_PLACES, {}) | {page: place}
