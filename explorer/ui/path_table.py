"""The tensor's path as a table whose shapes wear the colours of their axes."""

from html import escape

import streamlit as st

from explorer.measure import Operation
from explorer.ui.show import shape_html


def path_table(path: list[Operation]) -> None:
    """Show `explorer.measure.tensor_path`, one row an operation, parts set apart."""
    rows = []
    part = None
    for row in path:
        first = row.part != part
        part = row.part
        count = f"{row.parameters:,}" if row.parameters else "—"
        shape_in = shape_html(row.shape_in) or "text"
        rows.append(
            f'<tr class="{"first" if first else ""}" style="--hue:var({_hue(row.role)})">'
            f'<td class="part">{escape(part) if first else ""}</td>'
            f'<td class="op">{escape(row.operation)}</td>'
            f"<td>{shape_in}</td><td>{shape_html(row.shape_out)}</td>"
            f'<td class="num">{count}</td><td class="muted">{escape(row.formula)}</td></tr>'
        )
    head = "".join(
        f"<th{' class=num' if name == 'parameters' else ''}>{name}</th>"
        for name in ("part", "operation", "shape in", "shape out", "parameters", "formula")
    )
    st.html(
        '<div class="scroll" tabindex="0" role="region" aria-label="The tensor\'s path">'
        f'<table class="path"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _hue(role: str) -> str:
    """Return the variable of a role, or of an axis letter."""
    return f"--gx-axis-{role}" if len(role) == 1 else f"--gx-{role}"
