"""The picture's own files, as they are handed to a browser."""

from functools import lru_cache

from explorer.ui.components.files import component_file

PICTURE = "overview_picture"
"""The picture's name and key."""

SCRIPTS = (
    *("dom", "numbers", "colours", "layout", "marks"),
    *("embedding", "attention", "feed_forward", "blocks", "prediction", "picture"),
    *("heads", "figures", "inspector", "transport", "walk", "main"),
)
"""The picture's scripts. A component takes one string: they are put together in this order, and
what stands in one file is in reach of all."""


@lru_cache(maxsize=1)
def picture_files() -> dict[str, str]:
    """Return the picture's HTML, CSS and JavaScript, a module that exports what mounts it."""
    return {
        "html": component_file("overview/overview.html"),
        "css": component_file("overview/overview.css"),
        "js": "\n".join(component_file(f"overview/{name}.js") for name in SCRIPTS),
    }
