"""The server on the wire: endless addresses, nasty paths, strangers' pages, and what they are refused."""

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.browser.conftest import ROOT, free_port, serve, wait_until_it_listens


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serve() as base:
        yield base


def stream(base: str) -> str:
    return base.replace("http", "ws", 1) + "/_stcore/stream"


def html_in(message: str | bytes) -> str:
    """Return the HTML that a message of the server adds to the page, if any."""
    return ForwardMsg.FromString(message).delta.new_element.html.body  # type: ignore[arg-type]


def html_of(wire: ClientConnection, query: str) -> str:
    """Ask for a page as the browser's client does, and return all HTML that is sent."""
    message = BackMsg()
    message.rerun_script.query_string = query
    wire.send(message.SerializeToString())
    written = []
    while True:
        answer = ForwardMsg.FromString(wire.recv(60))  # type: ignore[arg-type]
        kind = answer.WhichOneof("type")
        if kind == "delta":
            element = answer.delta.new_element
            assert element.WhichOneof("type") != "exception", query[:80]
            written.append(element.html.body)
        elif kind == "script_finished":
            return "\n".join(written)


def sentences_of(base: str, query: str) -> str:
    """Open a session on an address and return all HTML that it is sent."""
    with connect(
        stream(base), subprotocols=[Subprotocol("streamlit")], origin=Origin(base), max_size=None
    ) as wire:
        return html_of(wire, query)


@pytest.mark.parametrize(
    "query",
    [
        "&".join(f"p{n}=1" for n in range(10_000)),
        "&".join(["seed=1"] * 10_000),
        "config=gpt-nano&x=" + "a" * 200_000,
        "config=gpt-nano&prompt=" + quote("🤖" * 20_000),
        "a" * 200_000,
        "prompt=" + "a" * 1_000_000,
    ],
    ids=["10,000 names", "one 10,000 times", "200 KB", "200 KB of emoji", "one name", "1 MB"],
)
def test_an_endless_address_is_answered_with_a_page(query: str, server: str) -> None:
    small = query if "config=" in query else f"config=gpt-nano&{query}"
    written = sentences_of(server, small)
    assert 'class="claim"' in written
    # Streamlit ignores the whole of an address of more than 1,000 parts or so, and says nothing.
    assert 'class="problem"' in written or small.count("&") > 1_000 or len(small) > 500_000


@pytest.mark.parametrize(
    "target",
    [
        "/?x=" + "a" * 200_000,
        "/" + "a" * 200_000,
        "/%ED%A0%80",
        "/%00",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/../../etc/passwd",
        "/_stcore/../../etc/passwd",
        "/static/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/component/x/..%2f..%2fetc%2fpasswd",
        "/media/..%2f..%2fetc%2fpasswd",
        "//evil.example/x",
        "/\\evil.example",
    ],
    ids=lambda target: target[:24],
)
def test_a_nasty_path_gets_no_file_no_redirect_and_no_fault(target: str, server: str) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(server).port), timeout=20) as plain:
        plain.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        with suppress(ConnectionError):  # it may hang up on so long a line
            while part := plain.recv(65_536):
                answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    assert answer == b"" or 200 <= int(head.split()[1]) < 500
    assert b"root:" not in body
    assert b"Traceback" not in body
    assert b"evil.example" not in head
    with urllib.request.urlopen(f"{server}/_stcore/health", timeout=20) as health:
        assert health.status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
def test_another_sites_page_gets_no_connection(origin: str, server: str) -> None:
    with pytest.raises(InvalidStatus) as refused, connect(stream(server), origin=Origin(origin)):
        pytest.fail("connected")
    assert refused.value.response.status_code == 403


def test_another_sites_page_may_not_read_an_answer(server: str) -> None:
    asked = urllib.request.Request(
        f"{server}/_stcore/health", headers={"Origin": "http://evil.example"}
    )
    with urllib.request.urlopen(asked, timeout=20) as answer:
        assert answer.headers["access-control-allow-origin"] in (None, server)


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE"])
def test_nothing_can_be_uploaded_by_who_has_no_session_here(method: str, server: str) -> None:
    url = f"{server}/_stcore/upload_file/{'0' * 36}/{'1' * 36}"
    asked = urllib.request.Request(url, data=b"x" * 2_000_000, method=method)
    with pytest.raises((HTTPError, ConnectionError, URLError)) as refused:
        urllib.request.urlopen(asked, timeout=20)
    if isinstance(refused.value, HTTPError):
        assert refused.value.code in (400, 403, 404, 405, 413)
        refused.value.close()


def test_a_message_of_endless_size_ends_its_connection_and_no_other(server: str) -> None:
    with (
        connect(
            stream(server), subprotocols=[Subprotocol("streamlit")], origin=Origin(server)
        ) as wire,
        suppress(ConnectionClosed),
    ):
        wire.send(b"\x00" * 60_000_000)
        while True:
            assert wire.recv(30)
    assert 'class="claim"' in sentences_of(server, "config=gpt-nano")


@pytest.mark.parametrize("message", [b"", b"\xff" * 100, b"<script>", b"\x0a\x03\xed\xa0\x80"])
def test_a_message_that_is_none_harms_no_other_viewer(message: bytes, server: str) -> None:
    with connect(
        stream(server), subprotocols=[Subprotocol("streamlit")], origin=Origin(server)
    ) as wire:
        wire.send(message)
    assert 'class="claim"' in sentences_of(server, "config=gpt-nano")


@contextmanager
def running(script: Path) -> Iterator[ClientConnection]:
    """Serve a script with the app's own settings, and connect to it as a browser does."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)],
        cwd=ROOT,  # where the app's own settings are
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_it_listens(base, process)
        with connect(
            stream(base), subprotocols=[Subprotocol("streamlit")], origin=Origin(base)
        ) as wire:
            yield wire
    finally:
        process.terminate()
        process.wait(20)


def asked(wire: ClientConnection) -> None:
    """Ask for a run, as a browser does for a page or after a click."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    wire.send(message.SerializeToString())


OVERLAP = """
import threading, time
import streamlit as st
inside = st.session_state.setdefault("inside", [])
inside.append(threading.get_ident())
try:
    st.html(f"<p>{len(inside)} inside</p>")
    time.sleep(0.3)
    st.html("<p>done</p>")
finally:
    inside.remove(threading.get_ident())
"""


def test_a_changed_mind_never_runs_beside_the_run_that_it_ends(tmp_path: Path) -> None:
    # Two threads over one session's widgets ended now and then in Streamlit's error box.
    script = tmp_path / "overlap.py"
    script.write_text(OVERLAP)
    written: list[str] = []
    with running(script) as wire:
        for _ in range(3):  # each in the middle of the run before it
            asked(wire)
            while not (written and written[-1].endswith("inside</p>")):
                written.append(html_in(wire.recv(20)))
            written.append("")
        while "<p>done</p>" not in written:
            written.append(html_in(wire.recv(20)))
    assert written.count("<p>1 inside</p>") == 3


SMALL_STEPS = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
import streamlit as st
from explorer.ui import cache
steps = cache.__dict__.setdefault("telltale", [])
st.html(f"<p>{{len(steps)}} steps</p>")
def small(on_step):
    for step in range(300):
        time.sleep(0.01)
        steps.append(step)
        on_step(step + 1, 300, "step")
    return 1
cache.computed(small)
"""


def test_many_small_steps_are_few_messages_and_can_be_abandoned_at_each(tmp_path: Path) -> None:
    script = tmp_path / "small_steps.py"
    script.write_text(SMALL_STEPS)
    bars, counts = 0, []
    with running(script) as wire:
        asked(wire)
        while len(counts) < 2:
            message = wire.recv(20)
            if html := html_in(message):
                counts.append(int(html.removeprefix("<p>").split()[0]))
            element = ForwardMsg.FromString(message).delta.new_element  # type: ignore[arg-type]
            if element.WhichOneof("type") == "progress":
                bars += 1
                if bars == 3:
                    asked(wire)
    assert counts[0] == 0
    assert 3 <= bars <= 5
    assert 10 < counts[1] < 100
