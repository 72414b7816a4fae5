"""Every page in Chromium against an empty Streamlit app: first picture, page switch, and a click.

Run `python -m tests.benchmarks.whole_app` on a calm machine. Both servers are warm. A first picture
is timed from navigation in a fresh browser profile to the frame that holds it; a page switch from
the click in the sidebar to the new page's picture; a click, of one control of each page, to the frame
after the script run that answers it. Exit code 1 if a limit is broken.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.benchmarks.clicks import CONTROLS, LIMIT_MS, answers_ms, stopwatch_page
from tests.benchmarks.overview_paint import _EMPTY, painted_ms, served
from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, free_port
from tests.browser.streamlit_page import StreamlitPage
from tests.pages.conftest import PAGES

VISITS, SWITCHES, CLICKS = 7, 4, 40
COUNTS_ONLY = ("overview", "scaling")
MAX_FIRST_PICTURE, MAX_SWITCH_MS = 1.15, 500
PICTURE = {"overview": ".op .halo", "generate": ".stepper .bar"}
FIRST = PICTURE | {"scaling": ".first-bars"}
CHART = ".js-plotly-plot .main-svg"
_WATCH_SWITCH = """(css) => {
  const title = () => document.querySelector("[data-testid=stMain] h1")?.textContent;
  const find = (root) => root.querySelector(css)
    ?? [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
  const [before, main] = [title(), document.querySelector("[data-testid=stMain]")];
  window.switched = new Promise((done) => addEventListener("click", ({ timeStamp }) => {
    const look = () => {
      const picture = title() !== before && find(main);
      if (picture && !picture.closest("[data-stale=true]")) done(performance.now() - timeStamp);
      else requestAnimationFrame(look);
    };
    look();
  }, { capture: true, once: true }));
}"""


def switch_ms(app: StreamlitPage, name: str) -> float:
    """Time a click in the sidebar until the frame that holds the page's picture."""
    app.page.evaluate(_WATCH_SWITCH, PICTURE.get(name, CHART))
    with app.rerun():
        link = f'a[href$="/{"" if name == "overview" else name}"]'
        app.page.get_by_test_id("stSidebarNav").locator(link).click()
        return float(app.page.evaluate("switched"))


def first_pictures(browser: Browser, empty: str, base: str) -> bool:
    """Print every page's first picture beside the empty page; return whether the limits hold."""
    hold = True
    pages = {"empty": (empty, ".stMarkdown p")} | {
        name: (f"{base}/{'' if name == 'overview' else name}", FIRST.get(name, CHART))
        for name in PAGES
    }
    times: dict[str, list[float]] = {name: [] for name in pages}
    for visit in range(VISITS + 1):
        for name, (address, css) in pages.items():
            taken = painted_ms(browser, address, css, False)
            times[name] += [taken] if visit else []  # the first visit warms the server
    blank = statistics.median(times["empty"])
    print(f"{'first picture':<28}{blank:7.0f} ms for the empty page")
    for name in PAGES:
        ratio = statistics.median(times[name]) / blank
        limited = name in COUNTS_ONLY
        hold &= ratio <= MAX_FIRST_PICTURE or not limited
        limit = f"   limit {MAX_FIRST_PICTURE}" if limited else ""
        print(f"  {name:<26}{statistics.median(times[name]):7.0f} ms {ratio:6.2f} ×{limit}")
    return hold


def switches_and_clicks(app: StreamlitPage) -> bool:
    """Print how fast pages follow one another and answer; return whether the limits hold."""
    switched: dict[str, list[float]] = {name: [] for name in PAGES}
    for lap in range(SWITCHES + 1):
        for name in (*PAGES[1:], PAGES[0]):
            taken = switch_ms(app, name)
            switched[name] += [taken] if lap else []
    hold = True
    print(f"{'page switch, and a click':<28}{'switch':>10}{'click':>10}{'p95':>10}")
    for name in PAGES:
        switch = statistics.median(switched[name])
        line = f"  {name:<26}{switch:7.0f} ms"
        hold &= switch <= MAX_SWITCH_MS
        address = next((each for each in CONTROLS if each.split("?")[0] == name), None)
        if address:  # a selection on the Overview has a benchmark of its own
            app.goto(f"/{address}")
            clicks = answers_ms(app.page, next(iter(CONTROLS[address].values())), CLICKS)
            p95 = statistics.quantiles(clicks, n=20)[-1]
            hold &= p95 <= LIMIT_MS
            line += f"{statistics.median(clicks):7.0f} ms{p95:7.0f} ms"
        print(line, flush=True)
    print(f"  limits: a switch {MAX_SWITCH_MS} ms, a click {LIMIT_MS} ms at p95")
    return hold


def main() -> int:
    """Measure everything and print it."""
    empty_port, port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "page.py").write_text("import streamlit as st\nst.write('empty')\n")
        Path(folder, "serve.py").write_text(_EMPTY.replace("PORT", str(empty_port)))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        ours = [sys.executable, "-m", "explorer", "--port", str(port), "--preload"]
        with (
            served([sys.executable, f"{folder}/serve.py"], empty_port) as empty,
            served(ours, port) as base,
        ):
            page = stopwatch_page(browser)
            app = StreamlitPage(page, base).goto("/")
            hold = switches_and_clicks(app)
            page.close()
            hold &= first_pictures(browser, empty, base)
    return int(not hold)


if __name__ == "__main__":
    raise SystemExit(main())
