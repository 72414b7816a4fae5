"""How a roomful of viewers is served; exit code 1 if a limit is broken.

Viewers speak the browser's own protocol over the websocket, in another process than the server, and
think for a second before each click. A click is another page or another prompt; its time runs from
the click to the end of the script's run. Prompts are those that a class shares, unless said otherwise.

    python tests/benchmarks/load.py            # 1, 10, 30 and 100 viewers; 1,000 views
    python tests/benchmarks/load.py --quick    # 3 viewers, to see that it works
"""

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[2]))

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.browser.conftest import free_port

ROOT = Path(__file__).parents[2]
PAGES = ("", "placeholder", "layernorm", "gelu", "shortcuts", "block", "scaling", "generate")
PROMPTS = ("Hello, I am", "Every effort moves you", "The cat sat on the", "To be or not to be")
THINK_SECONDS = 1.0
N_CLICKS = 6
FINISHED_EARLY_FOR_RERUN = 2
SIDEBAR = ("Configuration", "Seed", "Prompt", "Projector mode")

LIMITS = {
    "small model, 30 viewers: click to finished, p95 (s)": 0.5,
    "GPT-2 small, 30 viewers, shared prompts: click to finished, p95 (s)": 1.0,
    "GPT-2 small, 30 viewers, all prompts different: first token, last viewer (s)": 3.0,
    "GPT-2 small, 30 viewers, 64 different tokens each: first computed block, last viewer (s)": 3.0,
    "30 first loads at once: last page finished (s)": 3.0,
    "30 first loads at once, every page opened before: last page finished (s)": 3.0,
    "after 30 viewers changed their minds every 300 ms: a newcomer's page (s)": 3.0,
    "the 1,000th view against the first (ratio)": 1.5,
    "memory after 1,000 views above that after 100 (MiB)": 200.0,
    "errors": 0.0,
}
"""Broken above these. 1, 10 and 100 viewers are reported, not judged."""

Fill = Callable[[WidgetState], None]


def filled(kind: str, element: object) -> Fill | None:
    """Return how a browser would send a widget as it was sent."""
    new = getattr(element, "set_value", False)

    def value(default: str = "default") -> object:
        return getattr(element, "value" if new else default)

    if kind == "slider" and element.options:  # type: ignore[attr-defined]
        stops = [element.options[int(index)] for index in element.default]  # type: ignore[attr-defined]
        names = [*element.raw_value] if new else stops  # type: ignore[attr-defined]
        return lambda w: w.string_array_value.data.extend(names)
    if kind == "slider":
        numbers = list(value())  # type: ignore[call-overload]
        return lambda w: w.double_array_value.data.extend(numbers)
    if kind == "number_input":
        number = value()
        return lambda w: setattr(w, "double_value", number)
    if kind in ("text_area", "text_input"):
        text = value()
        return lambda w: setattr(w, "string_value", text)
    if kind == "selectbox":
        options = element.options  # type: ignore[attr-defined]
        chosen = element.raw_value if new else options[element.default]  # type: ignore[attr-defined]
        return lambda w: setattr(w, "string_value", chosen)
    if kind == "checkbox":
        on = value()
        return lambda w: setattr(w, "bool_value", on)
    return None


class Viewer:
    """One browser tab, as the server sees it."""

    def __init__(self, base: str, page: str = "", **parameters: str) -> None:
        self.base, self.page, self.page_hash = base, page, ""
        self.parameters = {"config": "gpt-nano", **parameters}
        self.widgets: dict[str, str] = {}
        self.state: dict[str, Fill] = {}
        self.errors: list[str] = []
        self.sign: float | None = None  # when something computed was first seen

    async def __aenter__(self) -> "Viewer":
        self.wire = await websockets.connect(
            self.base.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            origin=self.base,  # type: ignore[arg-type]
            max_size=None,
            open_timeout=60,
            ping_interval=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.wire.close()

    async def ask(self) -> None:
        """Send what a browser sends when its page is to be drawn."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string = urlencode(self.parameters)
        run.page_name, run.page_script_hash = self.page, self.page_hash
        for widget, fill in self.state.items():
            fill(run.widget_states.widgets.add(id=widget))
        await self.wire.send(message.SerializeToString())

    async def finished(self) -> None:
        """Take in what the server sends until its script has ended."""
        while True:
            message = ForwardMsg.FromString(await asyncio.wait_for(self.wire.recv(), 300))  # type: ignore[arg-type]
            kind = message.WhichOneof("type")
            if kind == "navigation":
                self.page_hash = message.navigation.page_script_hash
            elif kind == "delta":
                self._take(message.delta.new_element)
            elif kind == "script_finished" and message.script_finished != FINISHED_EARLY_FOR_RERUN:
                return

    def _take(self, element: object) -> None:
        kind = element.WhichOneof("type")  # type: ignore[attr-defined]
        if kind == "exception":
            self.errors.append(element.exception.message)  # type: ignore[attr-defined]
        if kind == "progress" and element.progress.value > 0 and self.sign is None:  # type: ignore[attr-defined]
            self.sign = time.perf_counter()
        one = getattr(element, kind) if kind else None
        label, widget = getattr(one, "label", ""), getattr(one, "id", "")
        if kind and label and widget and (fill := filled(kind, one)):
            self.widgets[label] = widget
            if widget not in self.state or getattr(one, "set_value", False):
                self.state[widget] = fill

    async def timed(self) -> float:
        """Ask for the page as it now is; return the seconds until it is finished."""
        start = time.perf_counter()
        await self.ask()
        await self.finished()
        return time.perf_counter() - start

    def turn_to(self, page: str) -> None:
        """Choose another page; its widgets start anew."""
        self.page, self.page_hash = page, ""
        kept = {self.widgets[label] for label in SIDEBAR if label in self.widgets}
        self.state = {widget: fill for widget, fill in self.state.items() if widget in kept}

    def type_prompt(self, prompt: str) -> None:
        """Type another prompt."""
        self.parameters["prompt"] = prompt
        self.state[self.widgets["Prompt"]] = lambda w: setattr(w, "string_value", prompt)

    def choose_seed(self, seed: int) -> None:
        """Choose another seed."""
        self.parameters["seed"] = str(seed)
        self.state[self.widgets["Seed"]] = lambda w: setattr(w, "double_value", float(seed))


@dataclass
class Server:
    """The running app, and the most memory it was seen to take."""

    base: str
    process: psutil.Process
    peak: int = 0
    errors: list[str] = field(default_factory=list)

    def rss(self) -> int:
        """Return the bytes it takes now."""
        return int(self.process.memory_info().rss)

    def watch(self) -> None:
        """Note the peak for as long as it lives."""
        while self.process.is_running():
            try:
                self.peak = max(self.peak, self.rss())
            except psutil.Error:
                return
            time.sleep(0.1)


@contextmanager
def server() -> Iterator[Server]:
    """Start the app as the README does."""
    port = free_port()
    command = [sys.executable, "-m", "explorer", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    running = Server(f"http://127.0.0.1:{port}", psutil.Process(process.pid))
    try:
        while True:
            try:
                with urlopen(f"{running.base}/_stcore/health", timeout=5):
                    break
            except OSError:
                assert process.poll() is None, "the app ended"
                time.sleep(0.05)
        threading.Thread(target=running.watch, daemon=True).start()
        yield running
    finally:
        process.terminate()
        process.wait(20)


def quantile(values: list[float], share: float) -> float:
    """Return the value below which this share of values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def mixed(at: Server, n: int, config: str) -> list[float]:
    """Let n viewers click through pages and prompts, and return every click's seconds."""
    took: list[float] = []

    async def one(index: int) -> None:
        chance = random.Random(index)
        await asyncio.sleep(chance.uniform(0, THINK_SECONDS))
        async with Viewer(at.base, PAGES[index % len(PAGES)], config=config) as viewer:
            await viewer.timed()
            for click in range(N_CLICKS):
                await asyncio.sleep(chance.uniform(0.5, 1.5) * THINK_SECONDS)
                if click % 2:
                    viewer.type_prompt(chance.choice(PROMPTS))
                else:
                    viewer.turn_to(chance.choice(PAGES))
                took.append(await viewer.timed())
            at.errors += viewer.errors

    await asyncio.gather(*map(one, range(n)))
    return took


async def at_once(at: Server, viewers: list[Viewer]) -> list[float]:
    """Open all at the same moment, and return each one's seconds to a finished page."""
    return [finished for _, finished in await signs_at_once(at, viewers)]


async def signs_at_once(at: Server, viewers: list[Viewer]) -> list[tuple[float, float]]:
    """Do that, and return each one's seconds to the first computed thing, and to a finished page."""
    async with AsyncExitStack() as stack:
        for viewer in viewers:
            await stack.enter_async_context(viewer)
        start = time.perf_counter()
        took = await asyncio.gather(*(viewer.timed() for viewer in viewers))
    at.errors += [error for viewer in viewers for error in viewer.errors]
    signs = [
        taken if v.sign is None else v.sign - start for v, taken in zip(viewers, took, strict=True)
    ]
    return list(zip(signs, took, strict=True))


async def minds_changed(at: Server, n: int) -> float:
    """Let n viewers choose another seed every 300 ms, leave, and return a newcomer's seconds."""

    async def one(index: int) -> None:
        async with Viewer(at.base, "block", config="gpt-mini") as viewer:
            await viewer.timed()
            for change in range(15):
                viewer.choose_seed(1_000 * index + change)
                await viewer.ask()
                await asyncio.sleep(0.3)
            at.errors += viewer.errors

    await asyncio.gather(*map(one, range(n)))
    async with Viewer(at.base, "block", config="gpt-nano", prompt="A newcomer") as viewer:
        return await viewer.timed()


async def many_views(at: Server, n: int) -> tuple[float, float]:
    """Open n pages one after the other; return last against first, and MiB gained since a tenth."""
    took, early = [], 0
    for view in range(n):
        async with Viewer(at.base, PAGES[view % len(PAGES)]) as viewer:
            took.append(await viewer.timed())
            at.errors += viewer.errors
        if view == n // 10:
            early = at.rss()
    # The first eight import and build; then every page is seen once a round.
    part = max(len(PAGES), n // 20 // len(PAGES) * len(PAGES))
    first, last = took[len(PAGES) : len(PAGES) + part], took[-part:]
    return statistics.median(last) / statistics.median(first), (at.rss() - early) / 2**20


def told(name: str, value: float) -> bool:
    """Print a figure, with its limit if it has one; return whether it holds."""
    limit = LIMITS.get(name)
    broken = limit is not None and value > limit
    stated = "" if limit is None else f"  limit {limit:g} {'BROKEN' if broken else 'ok'}"
    print(f"{name}: {value:.3g}{stated}", flush=True)
    return not broken


def main() -> int:
    """Run everything; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="3 viewers and 40 views")
    quick = parser.parse_args().quick
    room, views = (3, 40) if quick else (30, 1_000)
    print(f"{os.cpu_count()} cores", flush=True)
    holds, errors = [], 0

    def note(name: str, value: float) -> None:
        holds.append(told(name, value))

    with server() as at:
        viewers = [Viewer(at.base, PAGES[n % len(PAGES)]) for n in range(room)]
        note(
            "30 first loads at once: last page finished (s)", max(asyncio.run(at_once(at, viewers)))
        )
        viewers = [Viewer(at.base, PAGES[n % len(PAGES)]) for n in range(room)]
        label = "30 first loads at once, every page opened before: last page finished (s)"
        note(label, max(asyncio.run(at_once(at, viewers))))
        for n in (1, room) if quick else (1, 10, 30, 100):
            label = f"small model, {30 if n == room else n} viewers: click to finished"
            took = asyncio.run(mixed(at, n, "gpt-nano"))
            note(f"{label}, p50 (s)", statistics.median(took))
            note(f"{label}, p95 (s)", quantile(took, 0.95))
        note(
            "after 30 viewers changed their minds every 300 ms: a newcomer's page (s)",
            asyncio.run(minds_changed(at, room)),
        )
        note("small model: memory at the peak (MiB)", at.peak / 2**20)
        errors += len(at.errors)
        print(*set(at.errors), sep="\n", end="")
    with server() as at:
        before = at.rss()
        asyncio.run(at_once(at, [Viewer(at.base, "generate", config="gpt2-small")]))
        for n in (1, room) if quick else (1, 10, 30, 100):
            label = (
                f"GPT-2 small, {30 if n == room else n} viewers, shared prompts: click to finished"
            )
            took = asyncio.run(mixed(at, n, "gpt2-small"))
            note(f"{label}, p50 (s)", statistics.median(took))
            note(f"{label}, p95 (s)", quantile(took, 0.95))
        viewers = [
            Viewer(at.base, "generate", config="gpt2-small", prompt=f"Viewer {n} asks for {n * n}")
            for n in range(room)
        ]
        took = asyncio.run(at_once(at, viewers))
        label = "GPT-2 small, 30 viewers, all prompts different: first token"
        note(f"{label}, median viewer (s)", statistics.median(took))
        note(f"{label}, last viewer (s)", max(took))
        long = "and " * 57  # 63 or 64 tokens in all
        viewers = [
            Viewer(
                at.base, "generate", config="gpt2-small", prompt=f"Viewer {n} says {n * n} {long}"
            )
            for n in range(room)
        ]
        signs = asyncio.run(signs_at_once(at, viewers))
        label = "GPT-2 small, 30 viewers, 64 different tokens each: first"
        note(f"{label} computed block, last viewer (s)", max(sign for sign, _ in signs))
        note(f"{label} token, last viewer (s)", max(finished for _, finished in signs))
        note("GPT-2 small: memory before (MiB)", before / 2**20)
        note("GPT-2 small: memory after (MiB)", at.rss() / 2**20)
        note("GPT-2 small: memory at the peak (MiB)", at.peak / 2**20)
        errors += len(at.errors)
        print(*set(at.errors), sep="\n", end="")
    with server() as at:
        slower, gained = asyncio.run(many_views(at, views))
        note("the 1,000th view against the first (ratio)", slower)
        note("memory after 1,000 views above that after 100 (MiB)", gained)
        errors += len(at.errors)
    note("errors", errors)
    return int(not all(holds))


if __name__ == "__main__":
    sys.exit(main())
