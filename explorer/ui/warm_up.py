"""Imports that are done while nobody waits for them."""

import sys
import threading
import time
from functools import lru_cache
from importlib import import_module

_PAINT_SECONDS = 1.0


def let_the_browser_paint() -> None:
    """Before this process imports torch, give the first browser time to fetch its files from it.

    The import would hold the interpreter that serves them, and the picture would come after it.
    """
    if "torch" not in sys.modules:
        time.sleep(_PAINT_SECONDS)


@lru_cache(maxsize=1)
def import_torch_in_background() -> None:
    """Import torch, once and off the script's thread, so that the next page finds it there."""
    timer = threading.Timer(_PAINT_SECONDS, import_module, args=("torch",))
    timer.daemon = True
    timer.start()
