"""A Streamlit page in Playwright's hands: waits for finished script runs, and keeps what went wrong."""

import contextlib
import re
import time
from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Request
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_READY = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.dataset.testScriptState === 'notRunning'
    && app.dataset.testConnectionState === 'CONNECTED'
    && document.querySelector('[data-testid=stMain] .link-part')  // the last thing a run writes
    && !document.querySelector('[data-stale=true], [data-testid=stSkeleton], #first-paint')
}"""
# A page's address has a path, and Streamlit's client first asks for its own files below that path.
_STREAMLIT_PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")
_FINISHED_EARLY_FOR_RERUN = 2
_SETTLE_MS = 150


class StreamlitPage:
    """A browser page that shows the app.

    Attributes:
        page: Playwright's page.
        complaints: Console errors, uncaught exceptions, and requests that left the machine.
    """

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.complaints: list[str] = []
        self._finished = 0
        page.on("websocket", lambda ws: ws.on("framereceived", self._on_frame))
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("request", self._on_request)

    def _on_frame(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            message = ForwardMsg.FromString(frame)
            if (
                message.WhichOneof("type") == "script_finished"
                and message.script_finished != _FINISHED_EARLY_FOR_RERUN
            ):
                self._finished += 1

    def _on_console(self, message: ConsoleMessage) -> None:
        url = message.location.get("url", "") if message.location else ""
        if message.type == "error" and not _STREAMLIT_PROBE.search(url):
            self.complaints.append(f"console: {message.text} ({url})")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.complaints.append(f"request left the machine: {request.url}")

    def goto(self, path: str) -> "StreamlitPage":
        """Open a path of the app and wait until its script has finished."""
        before = self._finished
        self.page.goto(self.base + path)
        self._wait(before, 60)
        return self

    @contextlib.contextmanager
    def rerun(self, timeout: float = 60) -> Iterator[None]:
        """Do what makes the script run, and wait until it has."""
        before = self._finished
        yield
        self._wait(before, timeout)

    def _wait(self, before: int, timeout: float) -> None:
        end = time.monotonic() + timeout
        while self._finished <= before:
            assert time.monotonic() < end, "the script run did not finish"
            self.page.wait_for_timeout(20)
        settled = -1
        while settled != self._finished:  # a run may start another: a link's defaults leave the URL
            settled = self._finished
            self.page.wait_for_function(_READY, timeout=timeout * 1000)
            self.page.wait_for_timeout(_SETTLE_MS)
        box = self.page.get_by_test_id("stException")
        assert box.count() == 0, box.first.inner_text()

    def type_prompt(self, prompt: str) -> None:
        """Put a prompt into the sidebar and apply it."""
        field = self.page.get_by_label("Prompt")
        with self.rerun():
            field.fill(prompt)
            field.press("Control+Enter")

    def choose_config(self, name: str) -> None:
        """Choose a configuration in the sidebar."""
        self.page.get_by_test_id("stSidebar").get_by_role("combobox").first.click()
        with self.rerun():
            self.page.get_by_role("option", name=name, exact=True).click()

    def text(self) -> str:
        """Return all text of the main column."""
        return self.page.get_by_test_id("stMain").inner_text()

    def problems(self) -> list[str]:
        """Return the sentences about what was refused or dropped."""
        return self.page.locator(".problem").all_inner_texts()

    def serious_axe_findings(self) -> list[str]:
        """Run axe-core and return its serious and critical findings, but for Streamlit's own.

        Streamlit's own are those in `STREAMLIT_AXE`, by rule and the element it complains of.
        """
        found = Axe().run(self.page).response["violations"]
        return [
            f"{violation['id']}: {node['html'][:160]}"
            for violation in found
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
            if not any(
                rule == violation["id"] and mark in node["html"] for rule, mark in STREAMLIT_AXE
            )
        ]


STREAMLIT_AXE: tuple[tuple[str, str], ...] = ()
