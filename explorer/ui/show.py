"""What pages show things with: charts, notices, chips, code, checks and refusals.

Text that a viewer typed, or that a model made, goes through `html.escape` or `st.text`; it is never
read as Markdown, LaTeX or HTML.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from explorer import measure
from explorer.draw.chart import Chart
from explorer.draw.numbers import number, significant
from explorer.ui import cache
from explorer.ui.components.chart.mount import mount_chart
from explorer.ui.frame import text_html

_MAX_CHIPS = 40
_MAX_KEPT = 40
_KEPT = "_shown_tables"
CODE = "code"
"""The key of the expander that holds the source."""


def _keep(name: str, frame: pd.DataFrame) -> None:
    """Keep the table of what is shown, the newest last, for who takes the page home."""
    kept = {key: one for key, one in shown_tables().items() if key != name}
    st.session_state[_KEPT] = dict([*kept.items(), (name, frame)][-_MAX_KEPT:])


def shown_tables() -> dict[str, pd.DataFrame]:
    """Return the tables of what this page has shown, by name, the newest last."""
    kept: dict[str, pd.DataFrame] = st.session_state.get(_KEPT, {})
    return kept


def forget_tables() -> None:
    """Forget them: another page begins."""
    st.session_state[_KEPT] = {}


def caption(text: str) -> None:
    """Say what a picture's axes are and what to look for."""
    st.html(text_html("caption", text))


def notice(text: str, role: str = "act") -> None:
    """State one observation with its number, beside a rule in the hue of what it is about."""
    st.html(text_html("notice", text, lead="Notice.", style=f"--gx-rule:var(--gx-{role})"))


def problem(text: str) -> None:
    """Say in one sentence what was refused and what is allowed; everything else stays."""
    st.html(text_html("problem", text, role="alert"))


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what a measure refuses into one sentence; the rest of the page is drawn."""
    try:
        yield
    except ValueError as error:
        problem(str(error))


def picture(drawn: Chart, pick: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Show a chart without a sentence, for one that stands among others.

    Args:
        drawn: The chart.
        pick: Called with the mark that was clicked, before the page runs again. There must be a
            control that does the same by keyboard.
    """
    _keep(drawn.name, drawn.frame)
    mount_chart(drawn, pick)


def chart(drawn: Chart, caption_text: str) -> None:
    """Show a chart with its sentence, and its table, CSV and text version one click away."""
    picture(drawn)
    caption(caption_text)


def table(name: str, frame: pd.DataFrame, alt: str) -> None:
    """Show a table with its text version and a CSV download.

    Args:
        name: Names the download, in lower case with dashes.
        frame: The table.
        alt: What it shows, in one or two sentences.
    """
    _keep(name, frame)
    six_digits = st.column_config.NumberColumn(format="%.6g")
    config = dict.fromkeys(frame.select_dtypes("float"), six_digits)
    st.text(alt)
    st.dataframe(frame, hide_index=True, alt=alt, column_config=config)
    st.download_button(
        "Download CSV",
        lambda: frame.to_csv(index=False).encode(),  # made when it is asked for
        f"{name}.csv",
        "text/csv",
        key=f"csv-{name}",
        on_click="ignore",
    )


def table_expander(drawn: Chart, label: str = "Table, CSV and text version") -> None:
    """Show what was drawn as a sentence and a table that can be downloaded; made when opened."""
    table_when_opened(drawn.name, drawn.name, drawn.frame, lambda: drawn.alt, label)


def table_when_opened(
    place: str, name: str, frame: pd.DataFrame, alt: Callable[[], str], label: str
) -> None:
    """Do the same for a table of any kind.

    Args:
        place: Names the expander, which stays open while what is in it changes.
        name: As `table` takes it.
        frame: The table.
        alt: Says what it shows, when it is opened.
        label: Of the expander.
    """
    _keep(name, frame)
    box = st.expander(label, key=f"table-{place}", on_change="rerun")
    with box:
        if box.open:
            table(name, frame, alt())


@lru_cache
def _source(item: Callable[..., object] | type) -> str:
    return inspect.getsource(item)


def code(*objects: Callable[..., object] | type) -> None:
    """Show the real source of what computed this page, one click away.

    It is sent when it is asked for: a browser takes half a second to start the highlighter, and the
    picture would come after it.
    """
    place = st.expander("The code that computed this", key=CODE, on_change="rerun")
    with place:
        for item in objects if place.open else ():
            st.caption(f"{item.__module__}.{item.__qualname__}")
            st.code(_source(item), language="python")


def error_text(text: str) -> None:
    """Show what a program printed, as it printed it."""
    st.html(f'<pre class="printed" tabindex="0">{escape(text)}</pre>')


def chips(token_ids: Sequence[int], first_position: int = 0, n_new: int = 0) -> None:
    """Show tokens as chips with visible spaces, position and ID; the last `n_new` are marked.

    Long sequences are folded in the middle.
    """
    n = len(token_ids)
    shown = list(range(n))
    if n > _MAX_CHIPS:
        shown = [*range(_MAX_CHIPS // 2), -1, *range(n - _MAX_CHIPS // 2, n)]
    parts = []
    for index in shown:
        if index < 0:
            parts.append(f'<li class="gap">… {n - _MAX_CHIPS:,} more …</li>')
            continue
        kind = ' class="new"' if index >= n - n_new else ""
        text = escape(measure.token_text(token_ids[index]))
        parts.append(
            f'<li{kind}><span class="text">{text}</span>'
            f'<span class="id">{first_position + index} · {token_ids[index]}</span></li>'
        )
    st.html(f'<ul class="chips" aria-label="Tokens">{"".join(parts)}</ul>')


def _figure(value: float) -> str:
    """Write a figure as the book prints it: six decimals, unless three or fewer say it all."""
    if not value % 1:
        return number(value)
    if abs(value) < 0.01:
        return significant(value, 6)
    text = number(value, 6)
    return text.rstrip("0") if text.endswith("000") else text


def _figures(values: Sequence[float]) -> str:
    return "  ".join(map(_figure, values))


def references(page: str) -> None:
    """Show the chapter's figures that belong to a page, recomputed here, and tick or cross each."""
    reference_rows(cache.kept(measure.check_references, page))


def reference_rows(frame: pd.DataFrame) -> None:
    """Show a comparison with the book: each figure, what it is now, how close it must be, ✓ or ✗."""
    st.html(cache.kept(_references_html, frame))


def _references_html(frame: pd.DataFrame) -> str:
    import torch  # here and not above: a page is painted before torch is there

    cells = []
    for row in frame.itertuples():
        mark = "✓" if row.holds else f"✗ (book: {_figures(row.book)})"
        share = f" ± {number(100 * row.tolerance)} %" if row.relative else f" ± {row.tolerance:g}"
        within = share if row.tolerance else ""
        cells.append(
            f"<span>{escape(str(row.figure))} <b>{escape(_figures(row.computed))} {mark}</b>"
            f'<span class="tolerance">{within}</span></span>'
        )
    return (
        f'<div class="checks"><span class="what">Matches the book</span>{"".join(cells)}'
        f'<span class="with">recomputed here, torch {torch.__version__}</span></div>'
    )


def key(entries: Mapping[str, str]) -> None:
    """Name the hues of a picture whose parts have no room for their names.

    Args:
        entries: Each name with the CSS variable that holds its hue.
    """
    st.html(key_html(entries))


def key_html(entries: Mapping[str, str]) -> str:
    """Return the HTML of what `key` shows."""
    names = "".join(
        f'<li style="--hue:var({variable})">{escape(name)}</li>'
        for name, variable in entries.items()
    )
    return f'<ul class="key" aria-label="What the hues mean">{names}</ul>'


def figures_table(frame: pd.DataFrame, label: str) -> None:
    """Show a small table whose numbers are written out already: the first column names the row."""
    first, *rest = map(str, frame.columns)
    head = "".join(f'<th scope="col" class="num">{escape(name)}</th>' for name in rest)
    body = "".join(
        f'<tr><th scope="row">{escape(str(row[0]))}</th>'
        + "".join(f'<td class="num">{escape(str(cell))}</td>' for cell in row[1:])
        + "</tr>"
        for row in frame.itertuples(index=False)
    )
    st.html(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="path figures"><thead><tr><th scope="col">{escape(first)}</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def shape_html(shape: str) -> str:
    """Write a shape such as "B1 T4 D768" with each letter in its axis's hue."""
    return "".join(
        f'<span class="ax" style="color:var(--gx-axis-{axis[0]})"><b>{axis[0]}</b>{axis[1:]}</span>'
        for axis in shape.split()
    )
