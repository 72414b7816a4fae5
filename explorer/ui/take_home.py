"""Taking a page home: its pictures, its tables, itself as one file, and its numbers as a script.

All of it is made when it is asked for. The browser gathers what it shows; Python adds what the
browser hasn't: the tables, the state, and for the Overview the picture's scripts and values.
"""

import platform
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from explorer import measure
from explorer.ui import show
from explorer.ui.components.files import component_file
from explorer.ui.controls import CONTROLS, Value, current
from explorer.ui.first_paint import font_files
from explorer.ui.frame import STYLE, heading, variables
from explorer.ui.link import page_query
from explorer.ui.norm_lab import OTHER_SENTENCES
from explorer.ui.state import Screen, screen
from gptcore.identity import Seed
from gptcore.tokenizer import encode

_KEY = "take_home"
_ASKED = "_take_home_asked"
_SCRIPTS = ("svg", "fonts", "page", "main")
_MAX_ROWS = 500
_PACKAGES = ("torch", "tiktoken", "streamlit", "plotly", "pandas")


@lru_cache(maxsize=1)
def _component() -> Any:
    return st.components.v2.component(
        _KEY,
        html=component_file("take_home/take_home.html"),
        css=component_file("take_home/take_home.css"),
        js="\n".join(component_file(f"take_home/{name}.js") for name in _SCRIPTS),
    )


def _held(page: str) -> dict[str, Value]:
    """Return what a page's own controls hold."""
    return {key: current(key) for key, control in CONTROLS.items() if control.page == page}


@st.fragment
def take_home(page: str) -> None:
    """Show, below a page and made when opened, what can be taken home of it.

    Args:
        page: The page's name.
    """
    with st.container(key="take-home"):
        place = st.expander("Take this page home", key="take_home_open", on_change="rerun")
        with place:
            if place.open:
                _offer(page, screen())


def _keep_question() -> None:
    st.session_state[_ASKED] = st.session_state[_KEY].asked


def _follow() -> None:
    """Run again, which is all that is wanted: a part of the page has changed."""


def _offer(page: str, now: Screen) -> None:
    show.caption(
        "Pictures as they are on screen now, SVG for print and PNG at twice the size; tables as CSV; "
        "the page with its state, figures and numbers as one file that opens offline."
    )
    tables = _tables(page, now)
    question = st.session_state.pop(_ASKED, None)
    _component()(
        key=_KEY,
        data={
            "page": page,
            "query": page_query(page),
            "tables": list(tables),
            "fonts": [[family, f"./static/media/{name}"] for family, name in font_files().items()],
            "answer": None if question is None else _answer(page, now, tables, question),
        },
        on_asked_change=_keep_question,
        on_stale_change=_follow,
    )
    show.caption(
        "The code for this: a script on gptcore and torch alone that prints this page's numbers for "
        "what is chosen now."
    )
    script = _script(page, now)
    st.download_button(
        "Download the script",
        lambda: script.encode(),
        f"{page}.py",
        "text/x-python",
        key="take_home_script",
        on_click="ignore",
    )
    st.code(script, language="python")


def _script(page: str, now: Screen) -> str:
    held = _held(page)
    cfg, sentences = now.config, OTHER_SENTENCES
    if page == "placeholder":
        from explorer.ui.construction_site import kept_batch  # not above: only this page needs it

        batch = kept_batch(cfg.context_length)
        return measure.page_script(page, cfg, now.weights, now.token_ids, held, batch)
    if page == "scaling":
        cfg = replace(cfg, vocab_size=int(held["scaling_vocab_size"]))
    others = tuple(tuple(encode(text)[: cfg.context_length]) for text in sentences)
    return measure.page_script(page, cfg, now.weights, now.token_ids, held, others, now.seed)


def _tables(page: str, now: Screen) -> dict[str, pd.DataFrame]:
    """Return the tables of what the page has shown since it was opened, by name."""
    tables = dict(show.shown_tables())
    if page == "overview":
        from explorer.ui.components.overview.mount import open_block

        path = measure.tensor_path(now.config, len(now.token_ids), open_block(now))
        tables["overview"] = pd.DataFrame(path)
    steps = [name for name in tables if name.startswith("step-")]
    if steps:
        tables["step"] = tables[steps[-1]]
    return tables


def _answer(
    page: str, now: Screen, tables: Mapping[str, pd.DataFrame], question: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what the browser asked for: a table as CSV, or all that a file of the page needs."""
    number, what = question["number"], str(question["what"])
    if what:
        found = tables.get(what)
        return {"number": number, "csv": "" if found is None else found.to_csv(index=False)}
    script = ""
    if page == "overview":
        from explorer.ui.components.overview.standalone import standalone_picture

        script = standalone_picture(now)
    title, claim = heading()
    return {
        "number": number,
        "title": title,
        "claim": claim,
        "facts": _facts(page, now),
        "tables": {name: _rows(frame) for name, frame in tables.items()},
        "always": [name for name in ("overview", "step") if name in tables],
        "css": "".join(
            (
                f":root{{{variables(now.look)}}}",
                STYLE,
                component_file("stepper.css"),
                component_file("take_home/standalone.css"),
            )
        ),
        "script": script,
    }


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _rows(frame: pd.DataFrame) -> dict[str, Any]:
    """Write a table as text, at most `_MAX_ROWS` rows of it."""
    return {
        "columns": [str(column) for column in frame.columns],
        "rows": [
            [_cell(value) for value in row]
            for row in frame.head(_MAX_ROWS).itertuples(index=False, name=None)
        ],
        "more": max(0, len(frame) - _MAX_ROWS),
    }


def _facts(page: str, now: Screen) -> list[tuple[str, str]]:
    """Say what the page was asked to show, and what computed it."""
    fields = " ".join(f"{name} {value}" for name, value in asdict(now.config).items())
    weights = (
        f"random, seed {now.weights.number}"
        if isinstance(now.weights, Seed)
        else f"checkpoint {Path(now.weights.folder).name}"
    )
    own = " · ".join(
        f"{control.key.removeprefix(f'{page}_').replace('_', ' ')} {control.write(current(key))}"
        for key, control in CONTROLS.items()
        if control.page == page and control.linked and current(key) != ""
    )
    versions = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return [
        ("Configuration", f"{now.config_name}: {fields}"),
        ("Weights", weights),
        ("Prompt", now.prompt),
        ("Token IDs", " ".join(map(str, now.token_ids))),
        ("This page's controls", own),
        ("Computed with", f"{versions}, Python {platform.python_version()}"),
    ]
