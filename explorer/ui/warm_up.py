"""Imports that are done while nobody waits for them."""

import threading
from functools import lru_cache
from importlib import import_module

from gptcore.tokenizer import encode


def import_for_the_first_page() -> None:
    """Import what every page needs and read the tokenizer, while the browser loads its own files.

    pandas comes first and whole: plotly takes a half-imported one for a finished one.
    """
    for name in ("pandas", "explorer.ui.show", "explorer.ui.sidebar"):
        import_module(name)
    encode("")


@lru_cache(maxsize=1)
def import_torch_in_background() -> None:
    """Import torch, once and off the script's thread, so that the next page finds it there."""
    threading.Thread(target=import_module, args=("torch",), daemon=True).start()
