"""The field's terms, reachable from every page."""

import tomllib
from functools import lru_cache
from pathlib import Path

import streamlit as st


@lru_cache(maxsize=1)
def terms() -> dict[str, str]:
    """Return each term with its meaning, in alphabetical order."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@st.dialog("Glossary", width="large")
def _show_glossary() -> None:
    for term, meaning in terms().items():
        st.markdown(f"**{term}** {meaning}")


def glossary_button() -> None:
    """Show a button that opens the glossary over the page."""
    if st.button("Glossary", key="glossary", type="tertiary"):
        _show_glossary()
