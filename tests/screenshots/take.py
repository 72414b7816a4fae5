"""Photograph every page in five modes: `python -m tests.screenshots.take [folder]`.

Starts the app itself. The README's picture is `overview-light.png` of such a run.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, serve
from tests.browser.streamlit_page import StreamlitPage
from tests.pages.conftest import PAGES

MODES = {
    "light": (1280, 800, "light", ""),
    "dark": (1280, 800, "dark", ""),
    "projector-light": (1280, 800, "light", "?projector=true"),
    "projector-dark": (1920, 1080, "dark", "?projector=true"),
    "phone": (390, 844, "light", ""),
}


def main(folder: Path) -> None:
    """Write `PAGE-MODE.png` for every page and mode."""
    folder.mkdir(parents=True, exist_ok=True)
    with serve() as base, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        for name in PAGES:
            for mode, (width, height, theme, query) in MODES.items():
                context = chromium.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=theme,  # type: ignore[arg-type]
                    reduced_motion="reduce",
                )
                app = StreamlitPage(context.new_page(), base)
                app.goto(f"/{'' if name == 'overview' else name}{query}")
                app.page.wait_for_timeout(1500)
                app.page.screenshot(path=folder / f"{name}-{mode}.png")
                context.close()
        chromium.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
