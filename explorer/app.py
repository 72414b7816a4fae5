"""The app's entry: theme, sidebar, and the list of pages. Streamlit runs it for every viewer."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # `streamlit run explorer/app.py` adds only explorer/
    sys.path.insert(0, str(ROOT))

import streamlit as st  # noqa: E402

from explorer.ui import lesson, presenter, show  # noqa: E402
from explorer.ui.frame import apply_style  # noqa: E402
from explorer.ui.link import publish_page_controls, read_address  # noqa: E402
from explorer.ui.sidebar import presenting, sidebar  # noqa: E402
from explorer.ui.take_home import take_home  # noqa: E402
from explorer.ui.warm_up import import_torch_in_background  # noqa: E402
from explorer.ui.work import BATON  # noqa: E402

PAGES = {
    "overview": "Overview",
    "placeholder": "From placeholder to GPT",
    "layernorm": "LayerNorm",
    "gelu": "GELU and feed-forward",
    "shortcuts": "Shortcuts",
    "block": "Transformer block",
    "scaling": "Scaling",
    "generate": "Generate",
}


def run() -> None:
    """Draw everything, for one viewer."""
    dropped = read_address()
    st.set_page_config(
        page_title="GPT Explorer",
        page_icon=str(Path(__file__).with_name("icon.svg")),
        layout="wide",
        initial_sidebar_state="collapsed" if presenting() else "auto",
    )
    pages = {
        name: st.Page(ROOT / "pages" / f"{name}.py", title=title, default=name == "overview")
        for name, title in PAGES.items()
    }
    page = st.navigation([*pages.values()])
    name = page.url_path or "overview"
    refused = lesson.arrive(name, pages)
    sidebar(name, lesson.link_part(), (*refused, *dropped))
    lesson.lessons_button()
    apply_style()
    lesson.bar(name)
    show.forget_tables()
    page.run()
    take_home(name)
    presenter.presenter_key()  # at the end, where it takes no room above the picture
    lesson.one_step_back()
    publish_page_controls()
    import_torch_in_background()


with BATON.held():
    run()
