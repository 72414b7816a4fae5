"""Aligned numbers beside a picture."""

from collections.abc import Sequence
from html import escape

import streamlit as st


def figure_table(
    heading: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    max_height_px: int | None = None,
    row_px: int | None = None,
    show_heading: bool = True,
) -> None:
    """Show a small table of numbers; the first column names the rows.

    Args:
        heading: What the table is about.
        columns: The columns' names.
        rows: Text only; nothing in it is interpreted.
        max_height_px: Above this the table scrolls.
        show_heading: Whether the heading is seen, or only told to those who can't see.
        row_px: Height of a row, to stand beside a row of a picture.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    height = f' style="height:{row_px}px"' if row_px else ""
    body = "".join(
        f'<tr{height}><th scope="row">{escape(name)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in rows
    )
    caption = f"<caption>{escape(heading)}</caption>" if show_heading else ""
    limit = f";max-height:{max_height_px}px;overflow-y:auto" if max_height_px else ""
    st.html(
        f'<div class="scroll" style="{limit}" tabindex="0" role="region" '
        f'aria-label="{escape(heading)}"><table class="figures">{caption}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
