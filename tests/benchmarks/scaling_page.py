"""How fast the Scaling page answers in Chromium: `python -m tests.benchmarks.scaling_page`.

Each control is used many times on a warm server; a time runs from the key or click to the frame
after the script run that it started has arrived in full. Prints a table and ends with 1 where the
95th percentile of a control is above the limit.
"""

import statistics
import sys
import time
from collections.abc import Callable
from itertools import cycle

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, serve
from tests.browser.streamlit_page import StreamlitPage

LIMIT_MS = 300
REPEATS = 20

Action = Callable[[Page], None]


def slider(name: str) -> Action:
    keys = cycle(["ArrowRight", "ArrowLeft"])
    return lambda page: page.get_by_role("slider", name=name).press(next(keys))


def toggle(name: str) -> Action:
    main = "[data-testid=stMain]"
    return lambda page: page.locator(main).get_by_text(name, exact=True).click()


def buttons(*names: str) -> Action:
    turn = cycle(names)
    return lambda page: page.get_by_test_id("stMain").get_by_text(next(turn), exact=True).click()


def stepper(name: str) -> Action:
    keys = cycle(["ArrowUp", "ArrowDown"])
    return lambda page: page.get_by_label(name, exact=True).press(next(keys))


CONTROLS: dict[str, list[tuple[str, Action]]] = {
    "parameters": [
        ("n_layers", slider("n_layers")),
        ("context_length", slider("context_length")),
        ("vocab_size", slider("vocab_size (V)")),
        ("QKV bias", toggle("QKV bias")),
        ("Tied weights", toggle("Tied weights")),
        ("bars", buttons("One scale", "Share of each model")),
        ("view", buttons("163M vs 124M", "Parameters")),
    ],
    "memory": [
        ("purpose", buttons("Generating", "Training")),
        ("precision", buttons("float16 or bfloat16", "float32")),
        ("batch", stepper("Batch (B)")),
        ("fused kernels", toggle("Fused kernels")),
        ("a device's memory", stepper("1: memory, GB")),
    ],
    "compute": [
        ("tokens", stepper("Tokens, billions")),
        ("utilisation", stepper("Utilisation, %")),
    ],
    "growth": [("axes", buttons("linear", "log"))],
}


def answer_ms(app: StreamlitPage, act: Action) -> float:
    """Time one use: until the script it starts has finished and the browser has drawn a frame."""
    before = app._finished
    start = time.perf_counter()
    act(app.page)
    while app._finished <= before:
        app.page.wait_for_timeout(2)
    app.page.evaluate("() => new Promise(done => requestAnimationFrame(done))")
    elapsed = 1000 * (time.perf_counter() - start)
    app.page.wait_for_timeout(250)  # let everything settle before the next
    return elapsed


def main() -> int:
    """Measure every control and print the table."""
    broken = 0
    with serve() as base, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        print(f"{'view':<12}{'control':<20}{'median':>9}{'p95':>9}{'limit':>9}   (ms)")
        for view, controls in CONTROLS.items():
            app = StreamlitPage(chromium.new_page(viewport={"width": 1280, "height": 800}), base)
            app.goto(f"/scaling?scaling_view={view}")
            app.page.locator(".js-plotly-plot .main-svg").first.wait_for()
            for name, act in controls:
                for _ in range(4):
                    answer_ms(app, act)
                times = [answer_ms(app, act) for _ in range(REPEATS)]
                p95 = statistics.quantiles(times, n=20)[-1]
                broken += p95 > LIMIT_MS
                mark = "" if p95 <= LIMIT_MS else "  ✗"
                print(
                    f"{view:<12}{name:<20}{statistics.median(times):9.0f}{p95:9.0f}{LIMIT_MS:9}{mark}"
                )
            app.page.close()
        chromium.close()
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
