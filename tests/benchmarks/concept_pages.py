"""Click to finished on the concept pages in Chromium, and fifty deep networks at once.

Run `python tests/benchmarks/concept_pages.py` from the repository's root on a quiet machine. Clicks
are made at the default configuration on a warm page; 95 of 100 must be answered within the limit.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))

from explorer.measure.gradient_lab import layer_gradients
from tests.browser.conftest import (
    CHROMIUM_FLAGS,
    ROOT,
    _wait_until_it_listens,
    chromium_path,
    free_port,
)
from tests.browser.streamlit_page import StreamlitPage

CLICK_LIMIT_S = 0.3
SEEDS_LIMIT_S = 3.0
CLICKS = 30
WARM_CLICKS = 4
Click = Callable[[Page, int], None]


def _button(*labels: str) -> Click:
    def click(page: Page, turn: int) -> None:
        label = labels[turn % len(labels)]
        page.get_by_test_id("stButtonGroup").get_by_text(label, exact=True).click()

    return click


def _slider(index: int) -> Click:
    def press(page: Page, turn: int) -> None:
        slider = page.get_by_test_id("stMain").get_by_role("slider").nth(index)
        slider.press("ArrowLeft" if turn % 2 else "ArrowRight")

    return press


def _stepper(index: int) -> Click:
    def press(page: Page, turn: int) -> None:
        kind = "stNumberInputStepDown" if turn % 2 else "stNumberInputStepUp"
        page.get_by_test_id("stMain").get_by_test_id(kind).nth(index).click()

    return press


CONTROLS: dict[str, tuple[str, Click]] = {
    "Shortcuts: layers": ("/shortcuts", _stepper(0)),
    "Shortcuts: width": ("/shortcuts", _stepper(1)),
    "Shortcuts: activation": ("/shortcuts", _button("tanh", "GELU")),
    "Shortcuts: show": ("/shortcuts", _button("relative", "gradient")),
    "Shortcuts: part": ("/shortcuts?shortcuts_blocks=true", _button("norms", "attention")),
    "LayerNorm: over": ("/layernorm", _button("batch", "features")),
    "LayerNorm: variance": ("/layernorm", _button("÷ (n − 1)", "÷ n")),
    "LayerNorm: ε": ("/layernorm", _slider(0)),
    "LayerNorm: γ": ("/layernorm", _slider(1)),
    "GELU: x": ("/gelu", _slider(0)),
    "GELU: block": ("/gelu", _stepper(0)),
    "GELU: threshold": ("/gelu", _slider(1)),
}


def click_seconds(app: StreamlitPage, click: Click) -> list[float]:
    """Time from each click to the end of the script run that answers it."""
    seconds = []
    for turn in range(WARM_CLICKS + CLICKS):
        before = app._finished
        start = time.perf_counter()
        click(app.page, turn)
        while app._finished <= before:
            app.page.wait_for_timeout(2)
        seconds.append(time.perf_counter() - start)
        app.page.wait_for_timeout(150)
    return seconds[WARM_CLICKS:]


def report(name: str, p50: float, p95: float, limit: float) -> bool:
    """Print one row, and return whether it holds."""
    holds = p95 <= limit
    verdict = "holds" if holds else "BROKEN"
    print(f"{name:36} {p50:7.3f}s {p95:7.3f}s {limit:7.3f}s   {verdict}", flush=True)
    return holds


def main() -> int:
    """Print what was measured beside its limit, and return 1 if one is broken."""
    print(f"{'':36} {'p50':>8} {'p95':>8} {'limit':>8}   (for seeds: median, worst)")
    hold = []
    for width in (3, 64):
        layer_gradients(5, width, "gelu", (0,))
        runs = []
        for _ in range(3):
            start = time.perf_counter()
            layer_gradients(40, width, "gelu", tuple(range(50)))
            runs.append(time.perf_counter() - start)
        name = f"50 seeds, 40 layers of width {width}"
        hold.append(report(name, float(np.median(runs)), max(runs), SEEDS_LIMIT_S))
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with (
        subprocess.Popen(
            [sys.executable, "-m", "explorer", "--port", str(port)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as server,
        sync_playwright() as playwright,
    ):
        try:
            _wait_until_it_listens(base, server)
            browser = playwright.chromium.launch(
                executable_path=chromium_path(), args=CHROMIUM_FLAGS
            )
            for name, (path, click) in CONTROLS.items():
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                seconds = click_seconds(StreamlitPage(page, base).goto(path), click)
                p50, p95 = np.percentile(seconds, [50, 95])
                hold.append(report(name, float(p50), float(p95), CLICK_LIMIT_S))
                page.close()
            browser.close()
        finally:
            server.terminate()
    return int(not all(hold))


if __name__ == "__main__":
    sys.exit(main())
