"""How fast the Generate page answers; exit code 1 if a limit is broken.

Two parts: in Chromium, from a key press to the changed picture once the run is computed; and ten
viewers who start GPT-2 small on ten prompts at once, from asking to the first computed token (in one
process, by the same queue that the pages use, without browsers that would compete for the cores).

    python tests/benchmarks/generate_page.py
"""

import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page, sync_playwright

from explorer.measure.generation import Step, greedy_run
from explorer.ui import cache
from tests.browser.conftest import CHROMIUM_FLAGS, chromium_path, free_port

N_VIEWERS, N_PROMPT, N_TOKENS, N_PRESSES = 10, 64, 10, 200

# Resolves after the frame that follows the press has been laid out.
PRESS = """() => new Promise((resolve) => {
  const output = document.querySelector('.stepper output');
  const before = output.textContent, start = performance.now();
  document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  const look = () => output.textContent === before
    ? requestAnimationFrame(look)
    : requestAnimationFrame(() => resolve(performance.now() - start));
  look();
})"""


def presses(page: Page) -> list[float]:
    """Return the milliseconds from each of many key presses to the changed picture."""
    page.get_by_text(f"all {N_PRESSES} computed").wait_for(timeout=300_000)
    took = []
    for _ in range(N_PRESSES):
        took.append(float(page.evaluate(PRESS)))
        page.wait_for_timeout(50)
    return took


def in_chromium() -> list[float]:
    port = free_port()
    command = [sys.executable, "-m", "explorer", "--port", str(port)]
    server = subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.DEVNULL)
    try:
        time.sleep(6)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium_path(),
                args=CHROMIUM_FLAGS,
            )
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(
                f"http://127.0.0.1:{port}/generate?config=gpt-mini&generate_tokens={N_PRESSES}"
            )
            return presses(page)
    finally:
        server.terminate()
        server.wait(20)


def ten_viewers() -> list[float]:
    """Return each viewer's seconds until the first computed token, on a model that is there."""
    first: dict[int, float] = {}
    cache.streamed(greedy_run, cache.DEFAULT_MODEL, (1,), wanted=1, more=True)  # builds the model

    def view(viewer: int) -> None:
        prompt = tuple(range(100 * viewer + 1, 100 * viewer + 1 + N_PROMPT))
        start = time.perf_counter()
        steps: tuple[Step, ...] = ()
        while len(steps) < N_TOKENS:
            steps = cache.streamed(
                greedy_run, cache.DEFAULT_MODEL, prompt, wanted=N_TOKENS, more=True
            )
            first.setdefault(viewer, time.perf_counter() - start)

    threads = [threading.Thread(target=view, args=(n,)) for n in range(N_VIEWERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return list(first.values())


def main() -> int:
    """Measure both and compare with the limits."""
    pressed = in_chromium()
    p95 = statistics.quantiles(pressed, n=20)[-1]
    print(
        f"key to picture: median {statistics.median(pressed):.0f} ms, p95 {p95:.0f} ms, limit 300"
    )
    slowest = max(ten_viewers())
    print(f"{N_VIEWERS} viewers, {N_PROMPT} tokens: last first token {slowest:.2f} s, limit 2")
    return 1 if p95 > 300 or slowest > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
