"""Every control of the registry: changed, copied in a link, and shown by whoever opens that."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui.controls import CONTROLS, EVERYWHERE, Control
from explorer.ui.weights import MODELS_VARIABLE
from tests.pages.conftest import PAGES, Open, html
from tests.pages.test_every_page import VALUE_WIDGETS
from tests.pages.test_lessons import TITLES
from tests.thorough import mostly_thorough
from tests.ways_to_change import (
    WITH_CHECKPOINTS,
    address_for,
    damaged_values,
    other_value,
    pages_of,
)

LINKED = {key: control for key, control in CONTROLS.items() if control.linked}
HELD_BY_A_COMPONENT = {"overview_stop", "overview_block", "generate_step"}
"""The browser changes them; here the session is given what their callbacks would."""
SWITCHED_BY_AN_EXPANDER = {
    "gelu_positions",
    "scaling_halves",
    "scaling_variants",
    "generate_standing",
    "generate_positions",
    "generate_cache",
    "generate_cropping",
    "generate_comparison",
    "generate_copies",
}

_OF_THE_SESSION = ("restored", "run", *("steps", "texts", "notices", "reach"))
"""Numbers of runs, and how many of the greedy steps are computed so far, which all viewers share."""


def link(app: AppTest) -> str:
    """Return what "Copy link" would copy: the sidebar's part and the newest of the page's."""
    (copied,) = [e for e in app.get("bidi_component") if e.proto.component_name == "copy_link"]
    parts = re.findall(r'data-version="(\d+)" data-query="([^"]*)"', html(app))
    newest = max(parts, key=lambda part: int(part[0]))[1].replace("&amp;", "&")
    return f"{json.loads(copied.proto.json)['query']}&{newest}"


def shown(app: AppTest) -> dict[str, Any]:
    """Return what a person sees: the text, what the controls hold, and each picture's data."""
    texts = [re.sub(r'<div class="link-part".*?</div>', "", line) for line in html(app).split("\n")]
    return {
        "texts": [text for text in texts if text],
        "markdown": [element.value for element in app.markdown],
        "code": [element.value for element in app.code],
        "components": [_told(e.proto.json) for e in app.get("bidi_component")],
        "controls": {w.key: w.value for kind in VALUE_WIDGETS for w in app.get(kind)},
        "open": [(e.label, e.proto.expanded) for e in app.expander],
    }


def _told(data: str) -> object:
    """Return what a component is told, without what differs between two sessions on one screen."""
    told = json.loads(data) if data else None
    if isinstance(told, dict):
        told = {key: value for key, value in told.items() if key not in _OF_THE_SESSION}
    return told


def change(app: AppTest, control: Control) -> None:
    """Change a control as its widget does; one that no widget holds has to be known above."""
    value, key = other_value(control), control.key
    if key in HELD_BY_A_COMPONENT | SWITCHED_BY_AN_EXPANDER:
        app.session_state[key] = value
        app.run()
    elif key == "scaling_pins":
        app.button(key="scaling_pin").click().run()
    elif key == "lesson_step":
        app.button(key="lesson_next").click().run()
    else:
        found = {w.key: w for kind in VALUE_WIDGETS for w in app.get(kind)}
        assert key in found, f"nothing on {control.page} changes {key}"
        found[key].set_value(value).run()
    assert not app.exception, app.exception[0].stack_trace


@pytest.mark.parametrize("key", [key for key in LINKED if key != "lesson"])
def test_a_changed_control_is_in_the_link_and_the_link_shows_the_same(
    key: str, open_app: Open, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    control = CONTROLS[key]
    if key in WITH_CHECKPOINTS:
        models: Path = request.getfixturevalue("models")
        monkeypatch.setenv(MODELS_VARIABLE, str(models))
    app = open_app(pages_of(control), **address_for(control))
    before = link(app)
    change(app, control)
    copied = link(app)
    assert parse_qs(copied).get(key) == [control.write(other_value(control))]
    assert copied != before
    page = next(name for name, title in TITLES.items() if title == app.title[0].value)
    other = open_app(page, **dict(parse_qsl(copied, keep_blank_values=True)))
    assert 'class="problem"' not in html(other)
    here, there = shown(app), shown(other)
    if "weights" in parse_qs(copied):  # then a preset decides nothing; its field is switched off
        here["controls"].pop("config")
        there["controls"].pop("config")
    for what in here:
        assert there[what] == here[what], what


DAMAGED = [
    (key, kind) for key, control in LINKED.items() for kind in ("doubled", *damaged_values(control))
]
SIDEBARS = [(key, kind) for key, kind in DAMAGED if CONTROLS[key].page == EVERYWHERE]


def damaged(key: str, kind: str) -> list[str]:
    control = CONTROLS[key]
    if kind == "doubled":
        return [control.write(control.default), control.write(other_value(control))]
    return [damaged_values(control)[kind]]


def _read_address() -> None:
    """Be the script of an app that only reads its address."""
    import streamlit as st

    from explorer.ui.link import read_address

    for sentence in read_address():
        st.text(sentence)


PAGES_OWN = [one for one in DAMAGED if one not in SIDEBARS]


@pytest.mark.parametrize(("key", "kind"), mostly_thorough(PAGES_OWN, PAGES_OWN[::4]))
def test_a_damaged_part_is_dropped_in_one_sentence_and_leaves_the_default(
    key: str, kind: str
) -> None:
    app = AppTest.from_function(_read_address)
    app.query_params[key] = damaged(key, kind)
    app.run()
    (said,) = [text.value for text in app.text]
    assert f"“{key}”" in said
    assert said.endswith("dropped.")
    assert len(said) < 400
    assert key not in app.session_state


@pytest.mark.parametrize(("key", "kind"), SIDEBARS)
def test_a_damaged_part_for_the_sidebar_shows_the_default_and_says_so(
    key: str, kind: str, open_app: Open
) -> None:
    query: dict[str, Any] = {"config": "custom"} | {key: damaged(key, kind)}
    app = open_app("scaling", **query)
    said = re.findall(r'class="problem"[^>]*>([^<]*)<', html(app))
    assert len(said) == 1, said
    assert key in said[0]
    held = {w.key: w.value for widgets in VALUE_WIDGETS for w in app.get(widgets)}
    if key in held:
        assert held[key] == CONTROLS[key].default


@pytest.mark.parametrize("page", PAGES)
def test_a_link_without_any_part_shows_the_defaults_and_says_nothing(
    page: str, open_app: Open
) -> None:
    app = open_app(page)
    assert 'class="problem"' not in html(app)
    written = dict(parse_qsl(link(app), keep_blank_values=True))
    for key, control in LINKED.items():
        if control.page == page:
            assert written[key] == control.write(control.default), key
