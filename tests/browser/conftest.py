"""Real Chromium against the real app, started as the README starts it."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, sync_playwright

from tests.browser.streamlit_page import StreamlitPage

ROOT = Path(__file__).parents[2]
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_path() -> str | None:
    """Return the Chromium on the path; without one, Playwright uses its own."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium from the path, or else Playwright's own."""
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(
                executable_path=chromium_path(), args=CHROMIUM_FLAGS
            )
        except Error as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(f"no Chromium here: {error.message.splitlines()[0]}")
        yield chromium
        chromium.close()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def serve(*options: str) -> Iterator[str]:
    """Start the app on a free port as `python -m explorer` does, and end it at the end."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", "--port", str(port), *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_it_listens(base, process)
        yield base
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """One app for all browser tests."""
    with serve() as base:
        yield base


def wait_until_it_listens(base: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{base}/_stcore/health", timeout=5):
                return
        except OSError:
            assert process.poll() is None, "the app ended before it listened"
            assert time.monotonic() < deadline, "the app does not listen"
            time.sleep(0.1)


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """One browser profile, so that Streamlit's own files are loaded and compiled once."""
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        yield context


@pytest.fixture
def open_page(window: BrowserContext, server: str) -> Iterator[Callable[..., StreamlitPage]]:
    """Open pages, each a session of its own; afterwards every console must be clean."""
    opened: list[StreamlitPage] = []

    def open_one(
        path: str = "/", *, width: int = 1280, height: int = 800, theme: str = "light"
    ) -> StreamlitPage:
        page = window.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        opened.append(StreamlitPage(page, server))
        return opened[-1].goto(path)

    yield open_one
    complaints = [complaint for page in opened for complaint in page.complaints]
    for page in opened:
        page.page.close()
    assert not complaints
