"""A server that dies: the browser says so, and is back at the same screen when the server is."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ROOT, free_port, wait_until_it_listens
from tests.browser.streamlit_page import StreamlitPage

pytestmark = pytest.mark.browser


@contextmanager
def running(port: int) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", "--port", str(port)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_it_listens(f"http://127.0.0.1:{port}", process)
        yield process
    finally:
        process.kill()
        process.wait(20)


def test_a_killed_server_is_missed_and_the_same_screen_is_back_with_it(browser: Browser) -> None:
    port = free_port()
    with browser.new_context() as context:
        app = StreamlitPage(context.new_page(), f"http://127.0.0.1:{port}")
        main = app.page.get_by_test_id("stApp")
        with running(port) as server:
            app.goto("/generate?config=gpt-nano&seed=7&prompt=Tea+for&generate_tokens=4")
            said, chips = app.page.locator(".notice").first.inner_text(), ".chips .text"
            before = app.page.locator(chips).all_inner_texts()
            address = app.page.url
            server.send_signal(signal.SIGKILL)
            server.wait(20)
            expect(main).not_to_have_attribute("data-test-connection-state", "CONNECTED")
            expect(app.page.get_by_test_id("stStatusWidget")).to_be_visible()
        with running(port):
            expect(main).to_have_attribute(
                "data-test-connection-state", "CONNECTED", timeout=30_000
            )
            deadline = time.monotonic() + 30
            while app.page.locator(chips).all_inner_texts() != before:
                assert time.monotonic() < deadline, "another screen came back"
                app.page.wait_for_timeout(100)
            expect(app.page.locator(".notice").first).to_have_text(said)
            assert app.page.url == address
            assert app.page.get_by_label("Prompt").input_value() == "Tea for"
            assert app.page.get_by_label("Seed", exact=True).input_value() == "7"
            assert app.page.get_by_test_id("stException").count() == 0
