"""A question's answers as buttons, and what is said once one is chosen."""

from collections.abc import Callable, Sequence

import streamlit as st

from explorer.ui.frame import text_html

_LETTERS = "ABCDEF"


def answer_buttons(
    name: str,
    answers: Sequence[str],
    chosen: int | None,
    on_answer: Callable[[int], None],
    *,
    in_a_row: bool = True,
) -> None:
    """Show answers as text beside buttons, whose own labels would be read as Markdown.

    Args:
        name: Starts the keys of the buttons: `{name}_answer_{index}`.
        answers: At most six.
        chosen: Which was chosen, if any.
        on_answer: Called with the index of the one chosen, before the script runs again.
        in_a_row: Side by side rather than one below the other.
    """
    with st.container(
        horizontal=in_a_row, gap="medium" if in_a_row else "xsmall", key=f"{name}-answers"
    ):
        for index, text in enumerate(answers):
            with st.container(
                horizontal=True,
                vertical_alignment="center",
                width="content" if in_a_row else "stretch",
                gap="xsmall",
            ):
                st.button(
                    _LETTERS[index],
                    key=f"{name}_answer_{index}",
                    type="primary" if index == chosen else "secondary",
                    on_click=on_answer,
                    args=(index,),
                )
                st.html(
                    text_html("lesson-answer", text), width="content" if in_a_row else "stretch"
                )


def verdict(chosen: int, right: int) -> str:
    """Say whether the answer was right, and which is."""
    return "✓ Right." if chosen == right else f"✗ Not so: it is {_LETTERS[right]}."
