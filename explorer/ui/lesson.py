"""A lesson on screen: the bar above a page, how its steps are reached, and where lessons come from.

A step is an address, `?lesson=NAME&lesson_step=N`: whoever opens it sees that step. What else is in
the address wins over the step, so that a link holds what a viewer has changed since.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from explorer.lessons.file import MAX_BYTES, Lesson, LessonError, Question, Step, read_lesson
from explorer.lessons.offered import UPLOADED, list_lessons
from explorer.ui import show
from explorer.ui.answers import answer_buttons, verdict
from explorer.ui.components.files import component
from explorer.ui.controls import CONTROLS, LESSON, SIDEBAR, Value, current, restore
from explorer.ui.frame import text_html
from explorer.ui.options import LESSONS_VARIABLE
from explorer.ui.sidebar import choose
from explorer.ui.weights import RANDOM, offered_checkpoints

_PLACE, _GOING, _ASKED = "_lesson_place", "_lesson_going", "_lesson_asked"
_ANSWERS, _OWN = "_lesson_answers", "_lesson_uploaded"
_ROOMS_OWN = ("projector", "lesson", "lesson_step")  # no step's to set
_SETTABLE = {
    key: control for key, control in CONTROLS.items() if control.linked and key not in _ROOMS_OWN
}


@dataclass(frozen=True)
class Place:
    """Where a viewer is in a lesson; `number` counts steps from 1."""

    name: str
    lesson: Lesson
    number: int

    @property
    def step(self) -> Step:
        """The step there."""
        return self.lesson.steps[self.number - 1]

    @property
    def address(self) -> dict[str, str]:
        """The part of an address that names this step."""
        return {"lesson": self.name, "lesson_step": str(self.number)}


def _offered() -> dict[str, Path]:
    folder = os.environ.get(LESSONS_VARIABLE)
    return list_lessons(Path(folder) if folder else None)


@lru_cache(maxsize=64)
def _read_file(path: Path, changed_ns: int, size: int) -> Lesson:
    if size > MAX_BYTES:
        raise LessonError(1, f"a lesson has at most {MAX_BYTES:,} bytes; this has {size:,}")
    return read_lesson(path.read_bytes(), _SETTABLE)


def _lesson_in(path: Path) -> Lesson:
    """Read an offered file; again only if it has changed.

    Raises:
        ValueError: If it is no lesson, or can't be read; says why.
    """
    try:
        found = path.stat()
        return _read_file(path, found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise ValueError(f"Its file can't be read ({error.strerror}).") from None


def _named(name: str) -> Lesson:
    """Return a lesson by its name in an address.

    Raises:
        ValueError: If there is none, or its file has a mistake; says so in a sentence.
    """
    own: Lesson | None = st.session_state.get(_OWN)
    if name == UPLOADED and own is not None:
        return own
    if name == UPLOADED:
        raise ValueError(
            "The link's lesson was uploaded in another session; open its file here under Lessons."
        )
    path = _offered().get(name)
    if path is None:
        raise ValueError(f"The lesson “{name[:40]}” is not offered here.")
    try:
        return _lesson_in(path)
    except ValueError as error:
        raise ValueError(f"The lesson “{name}” can't be used. {error}") from None


def arrive(page: str, pages: Mapping[str, Page]) -> tuple[str, ...]:
    """Go to the step that a button or the address asks for, if it asks for another than before.

    Call it before the sidebar is drawn; it may start the run again on the step's page.

    Args:
        page: The current page's name.
        pages: Every page by name.

    Returns:
        Sentences about what was refused.
    """
    going: Place | None = st.session_state.get(_GOING)
    if going is not None:
        if going.step.page != page:
            st.switch_page(pages[going.step.page], query_params=going.address)
        del st.session_state[_GOING]
        if any(st.query_params.get(key) != value for key, value in going.address.items()):
            st.query_params.update(going.address)
        st.session_state[_ASKED] = going.address
        return _show(going, {})
    asked = {control.key: st.query_params.get(control.key) for control in LESSON}
    if asked["lesson"] is None or asked == st.session_state.get(_ASKED):
        return ()
    st.session_state[_ASKED] = asked
    return _open(asked["lesson"], asked["lesson_step"])


def _open(name: str, number: str | None) -> tuple[str, ...]:
    """Open the step that the address names, under what else the address says."""
    if name == CONTROLS["lesson"].default:
        return ()
    try:
        lesson = _named(name)
    except ValueError as error:
        return (str(error),)
    step = _from_address("lesson_step", number)
    wanted = int(CONTROLS["lesson_step"].default if step is None else step)
    n_steps = len(lesson.steps)
    refused: tuple[str, ...] = ()
    if wanted > n_steps:
        refused = (f"The lesson has {n_steps} steps and the link asked for step {wanted}.",)
    said = {key: _from_address(key, st.query_params.get(key)) for key in CONTROLS}
    given = {key: value for key, value in said.items() if value is not None}
    return refused + _show(Place(name, lesson, min(wanted, n_steps)), given)


def _from_address(key: str, text: str | None) -> Value | None:
    """Read a control's value; None if there is none, or none that it can hold."""
    try:
        return None if text is None else CONTROLS[key].parse(text)
    except ValueError:
        return None


def _show(place: Place, given: Mapping[str, Value]) -> tuple[str, ...]:
    """Make all controls hold what a step says, or what the address gave in place of it."""
    refused: tuple[str, ...] = ()
    held = dict(place.step.controls)
    weights = str(held.get("weights", RANDOM))
    if weights != RANDOM and weights not in offered_checkpoints():
        del held["weights"]
        refused = (f"The weights “{weights[:40]}” are not offered here; they are random instead.",)
    held |= given
    projector = given.get("projector", current("projector"))
    defaults = {control.key: control.default for control in SIDEBAR}
    choose(defaults | held | {"projector": projector})
    restore(place.step.page, held)
    st.session_state[_PLACE] = place
    return refused


def _go(place: Place) -> None:
    st.session_state[_GOING] = place


def _end() -> None:
    st.session_state[_PLACE] = st.session_state[_ASKED] = None
    for control in LESSON:
        st.query_params.pop(control.key, None)


def _answer(place: Place, index: int) -> None:
    answers = st.session_state.get(_ANSWERS, {})
    st.session_state[_ANSWERS] = answers | {(place.name, place.number): index}


def one_step_back() -> None:
    """Keep the browser's Back at one step of a lesson, also where a step is on another page."""
    with st.container(key="lesson-history"):
        component("lesson_history")(key="lesson_history")


def link_part() -> dict[str, Value]:
    """Return the open lesson's part of a link; none for an uploaded one, which only we can see."""
    place: Place | None = st.session_state.get(_PLACE)
    if place is None or place.name == UPLOADED:
        return {}
    return {"lesson": place.name, "lesson_step": place.number}


def bar(page: str) -> None:
    """Show the open lesson's step above the page: its sentence, its question, and the way on."""
    place: Place | None = st.session_state.get(_PLACE)
    if place is None:
        return
    step, n_steps = place.step, len(place.lesson.steps)
    with st.container(key="lesson-bar", gap=None):
        with st.container(horizontal=True, vertical_alignment="top", key="lesson-row"):
            st.html(
                text_html(
                    "lesson-text",
                    step.text,
                    lead=f"Step {place.number} of {n_steps}.",
                    role="status",
                    title=place.lesson.title,
                ),
                width="stretch",
            )
            with st.container(horizontal=True, width="content", gap="xsmall", key="lesson-keys"):
                _button("Previous", place, place.number - 1, "PageUp")
                _button("Next", place, place.number + 1, "PageDown")
                st.button("Again", key="lesson_again", on_click=_go, args=(place,))
                st.button("End", key="lesson_end", on_click=_end)
        if step.question is not None:
            _question(place, step.question)
        if place.name == UPLOADED:
            show.caption("This lesson was uploaded: links to its steps work in this session only.")
        if step.page != page:
            show.caption("This is another page than the step's; “Again” goes back to it.")
    _hide(step.hide, page)


def _button(label: str, place: Place, number: int, key: str) -> None:
    there = 1 <= number <= len(place.lesson.steps)
    st.button(
        label,
        key=f"lesson_{label.lower()}",
        shortcut=key,
        disabled=not there,
        on_click=_go,
        args=(Place(place.name, place.lesson, number),),
    )


def _question(place: Place, question: Question) -> None:
    """Ask, and say what is right once an answer is chosen."""
    answered = st.session_state.get(_ANSWERS, {}).get((place.name, place.number))
    st.html(text_html("lesson-ask", question.ask))
    answer_buttons("lesson", question.answers, answered, partial(_answer, place))
    if answered is not None:
        lead = verdict(answered, question.right)
        st.html(text_html("lesson-because", question.because, lead=lead, role="status"))


def _hide(what: frozenset[str], page: str) -> None:
    """Hide the sidebar, or the fields of this page; a panel that opens is not a field."""
    hidden = []
    if "sidebar" in what:
        hidden += ['[data-testid="stSidebar"]', '[data-testid="stExpandSidebarButton"]']
    if "controls" in what:
        hidden += [
            f".stMain .st-key-{control.key}:not(:has(details))"
            for control in CONTROLS.values()
            if control.page == page
        ]
    if hidden:
        st.html(f"<style>{','.join(hidden)}{{display:none !important}}</style>")


def lessons_button() -> None:
    """Show a button in the sidebar that opens the list of lessons over the page."""
    if st.sidebar.button("Lessons", key="lessons", type="tertiary"):
        _lessons()


@st.dialog("Lessons", width="large")
def _lessons() -> None:
    """Offer the lessons there are, and to open a file."""
    for name, path in _offered().items():
        try:
            _offer(name, _lesson_in(path))
        except ValueError as error:
            show.problem(f"{path.name} can't be used. {error}")
    given = st.file_uploader(
        "Or open a file of your own", type="toml", max_upload_size=1, key="lesson_file"
    )
    if given is None:
        return
    try:
        lesson = read_lesson(given.getvalue(), _SETTABLE)
    except LessonError as error:
        show.problem(f"{given.name[:60]} can't be used. {error}")
    else:
        st.session_state[_OWN] = lesson
        _offer(UPLOADED, lesson)


def _offer(name: str, lesson: Lesson) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        n_steps = f"{len(lesson.steps)} steps"
        st.html(
            f'<p class="lesson-text"><b>{escape(lesson.title)}</b> {n_steps}</p>', width="stretch"
        )
        first = Place(name, lesson, 1)
        if st.button("Start", key=f"lesson_start_{name}", on_click=_go, args=(first,)):
            st.rerun()  # the dialog runs on its own
