"""The components' own files, as they are handed to a browser."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st


def component_file(name: str) -> str:
    """Return the text of a file of this folder, `chart/chart.js` for example."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@lru_cache
def component(name: str, isolate_styles: bool = True) -> Any:
    """Return what mounts the component whose HTML, CSS and JavaScript lie in this folder.

    Args:
        name: Of the component and, with its three endings, of its files; one may be missing.
        isolate_styles: Whether it stands in a shadow of the page, which the page's style can't reach.
    """
    files: dict[str, Any] = {
        kind: component_file(f"{name}.{kind}")
        for kind in ("html", "css", "js")
        if (Path(__file__).parent / f"{name}.{kind}").exists()
    }
    return st.components.v2.component(name, **files, isolate_styles=isolate_styles)
