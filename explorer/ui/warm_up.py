"""Imports that are done while nobody waits for them."""

import gc
import sys
import threading
import time
from functools import lru_cache
from importlib import import_module

from streamlit.delta_generator_singletons import context_dg_stack

from explorer.ui.index_page import drawn_for
from explorer.ui.work import BATON

_PAINT_SECONDS = 1.0


def settle_streamlit() -> None:
    """Make what Streamlit makes when it is first used, before several threads use it at once.

    Where an element goes is kept in a context variable that Streamlit 1.67 creates on demand and
    without a lock. Of two first runs at the same moment one lost its place on the page, and ended in
    an error box: about one in ten cold starts with thirty viewers.
    """
    context_dg_stack.get()


def import_for_the_first_page() -> None:
    """Draw the first paint, and import what every page needs while the browser starts.

    pandas comes first and whole: plotly takes a half-imported one for a finished one.
    """
    drawn_for("overview", "")
    _import_for_good("pandas", "explorer.ui.show")


def _import_for_good(*names: str) -> None:
    """Import modules, and spare Python's garbage collector the look at what will always be there.

    A quarter of a million objects belong to torch, pandas and Streamlit; to go through them takes
    longer than most pages.
    """
    for name in names:
        import_module(name)
    gc.freeze()


def let_the_browser_paint() -> None:
    """Before this process imports torch, give the first browser time to fetch its files from it.

    The import would hold the interpreter that serves them, and the picture would come after it.
    """
    if "torch" not in sys.modules:
        with BATON.put_down():
            time.sleep(_PAINT_SECONDS)
            import_module("torch")


@lru_cache(maxsize=1)
def import_torch_in_background() -> None:
    """Import torch, once and off the script's thread, so that the next page finds it there."""
    timer = threading.Timer(_PAINT_SECONDS, _import_for_good, args=("torch",))
    timer.daemon = True
    timer.start()
