"""Launch to first picture in Chromium, against an empty Streamlit page in the same run.

Run `python tests/benchmarks/first_picture.py` from the repository's root.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.conftest import CHROMIUM_FLAGS, ROOT, chromium_path, free_port

ROUNDS = 7
LIMIT = 1.25
EMPTY_APP = "import streamlit as st\nst.title('Empty')\n"
EMPTY_LAUNCHER = (
    "import streamlit as st\nst.App('empty.py').run(config={{'server.port': {port}}})\n"
)


def launch_to_sight(browser: Browser, command: list[str], cwd: Path, port: int, what: str) -> float:
    """Return the seconds from starting the server to seeing `what` in a fresh browser context."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    start = time.perf_counter()
    with subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            while True:
                try:
                    page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
                    break
                except Exception:  # noqa: BLE001 (not listening yet)
                    time.sleep(0.02)
            page.locator(what).first.wait_for(state="visible", timeout=60_000)
            return time.perf_counter() - start
        finally:
            server.terminate()
            context.close()


def main() -> int:
    """Time both in turn, print the medians, and return 1 if the limit is broken."""
    ours: list[float] = []
    empty: list[float] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        (Path(folder) / "empty.py").write_text(EMPTY_APP)
        shutil.copytree(ROOT / ".streamlit", Path(folder) / ".streamlit")
        for _ in range(ROUNDS):
            port = free_port()
            (Path(folder) / "launch.py").write_text(EMPTY_LAUNCHER.format(port=port))
            empty.append(
                launch_to_sight(browser, [sys.executable, "launch.py"], Path(folder), port, "h1")
            )
            port = free_port()
            command = [sys.executable, "-m", "explorer", "--port", str(port)]
            ours.append(launch_to_sight(browser, command, ROOT, port, ".op .halo"))
        browser.close()
    ratio = statistics.median(o / e for o, e in zip(ours, empty, strict=True))
    print(f"empty Streamlit page      {statistics.median(empty):.2f} s")
    print(f"Overview, first picture   {statistics.median(ours):.2f} s")
    print(f"ratio                     {ratio:.2f}   limit {LIMIT}")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
