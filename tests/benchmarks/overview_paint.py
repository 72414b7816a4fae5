"""Measure the Overview in Chromium against its limits: first paint, and a selection.

Run it on a calm machine: `python -m tests.benchmarks.overview_paint`. First paint is the median
time from navigation to the picture's boxes, over fresh contexts, against the first text of an empty
Streamlit page served the same way, page by page in turn. The page brings this drawing along; when
the picture that answers has taken its place is stated beside it. Exit code 1 if a limit is broken.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, free_port, wait_until_it_listens

ROOT = Path(__file__).parents[2]
VISITS = 15
SELECTIONS = 40
MAX_PAINT_RATIO = 1.15
MAX_SELECTION_MS = 300

_EMPTY = """
from pathlib import Path
import streamlit as st
if __name__ == "__main__":
    st.App(Path(__file__).with_name("page.py")).run(config={"server.port": PORT})
"""
_WATCH = """([css, answering]) => new Promise((done) => {
  const find = (root) => root.querySelector(css)
    ?? [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
  const there = () => find(document) && !(answering && document.querySelector("#first-paint"));
  const drawn = () => setTimeout(() => done(performance.now())); /* after the frame that holds it */
  const look = () => requestAnimationFrame(there() ? drawn : look);
  look();
})"""


@contextmanager
def served(command: list[str], port: int) -> Iterator[str]:
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        base = f"http://127.0.0.1:{port}"
        wait_until_it_listens(base, process)
        yield base
    finally:
        process.terminate()
        process.wait(20)


def painted_ms(browser: Browser, address: str, css: str, answering: bool) -> float:
    """Return the time from navigation to the first frame with an element, which may have to answer."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(address, wait_until="commit")
    time_ms = float(page.evaluate(_WATCH, [css, answering]))
    context.close()
    return time_ms


def selection_ms(browser: Browser, base: str) -> list[float]:
    """Return, for each selection, the time from the key to the frame with the new inspector."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(base + "/?config=gpt2-small")
    page.locator(".model image").first.wait_for(state="attached", timeout=120_000)
    page.wait_for_timeout(2000)
    stops = page.locator(".model .op")
    times = []
    for i in range(SELECTIONS):
        times.append(
            stops.nth((i * 7) % stops.count()).evaluate(
                """(op) => new Promise((done) => {
                  const start = performance.now();
                  op.querySelector(".halo").dispatchEvent(new MouseEvent("click", { bubbles: true }));
                  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
                })"""
            )
        )
        page.wait_for_timeout(400)
    page.close()
    return times


def main() -> int:
    empty_port, port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "page.py").write_text("import streamlit as st\nst.write('empty')\n")
        Path(folder, "serve.py").write_text(_EMPTY.replace("PORT", str(empty_port)))
        browser = playwright.chromium.launch(
            executable_path=chromium_path(),
            args=CHROMIUM_FLAGS,
        )
        ours = [sys.executable, "-m", "explorer", "--port", str(port)]
        with (
            served([sys.executable, f"{folder}/serve.py"], empty_port) as empty,
            served(ours, port) as base,
        ):
            time.sleep(5)
            pages = {
                "empty": (empty, ".stMarkdown p", False),
                "overview": (base, ".op .halo", False),
                "answering": (base, ".op .halo", True),
            }
            for page in pages.values():
                painted_ms(browser, *page)
            times: dict[str, list[float]] = {name: [] for name in pages}
            for _ in range(VISITS):
                for name, page in pages.items():
                    times[name].append(painted_ms(browser, *page))
            selections = sorted(selection_ms(browser, base))
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["overview"] / medians["empty"]
    p95 = selections[int(0.95 * len(selections))]
    print(f"first paint, empty page     {medians['empty']:8.0f} ms")
    print(f"first paint, the picture    {medians['overview']:8.0f} ms")
    print(f"ratio                       {ratio:8.2f}      limit {MAX_PAINT_RATIO}")
    print(f"the picture that answers    {medians['answering']:8.0f} ms")
    print(f"a selection, p95            {p95:8.0f} ms   limit {MAX_SELECTION_MS} ms")
    return int(ratio > MAX_PAINT_RATIO or p95 > MAX_SELECTION_MS)


if __name__ == "__main__":
    raise SystemExit(main())
