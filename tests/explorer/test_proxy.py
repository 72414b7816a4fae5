"""The README's nginx configuration, as it stands there, before two replicas of the app."""

import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.browser.conftest import ROOT, free_port
from tests.explorer.test_server import html_of, sentences_of, stream

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


def configuration(folder: Path, port: int, replicas: list[int]) -> str:
    """Return the README's configuration with these ports, and what nginx needs around it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```nginx\n(.*?)^```", readme, flags=re.S | re.M)
    for written, used in (("8501", replicas[0]), ("8502", replicas[1]), ("listen 80;", None)):
        assert written in block
        block = block.replace(written, f"listen 127.0.0.1:{port};" if used is None else str(used))
    temporary = "".join(
        f"{kind}_temp_path {folder / kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return (
        f"pid {folder / 'pid'}; error_log {folder / 'log'}; daemon off; worker_processes 1;"
        f"events {{}} http {{ access_log off; {temporary} {block} }}"
    )


def serves(pid: int) -> bool:
    """Return whether somebody is connected to this process."""
    return any(
        one.status == psutil.CONN_ESTABLISHED for one in psutil.Process(pid).net_connections()
    )


def wait_for(base: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{base}/_stcore/health", timeout=5):
                return
        except OSError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)


@contextmanager
def started(*command: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


def test_when_one_replica_ends_its_viewers_land_on_the_other_with_the_same_screen(
    tmp_path: Path,
) -> None:
    ports = [free_port(), free_port()]
    proxy = free_port()
    base = f"http://127.0.0.1:{proxy}"
    query = "config=gpt-nano&seed=7&prompt=Tea"
    (tmp_path / "nginx.conf").write_text(configuration(tmp_path, proxy, ports))
    with ExitStack() as stack:
        replicas = [
            stack.enter_context(started(sys.executable, "-m", "explorer", "--port", str(port)))
            for port in ports
        ]
        for port, replica in zip(ports, replicas, strict=True):
            wait_for(f"http://127.0.0.1:{port}", replica)
        assert NGINX is not None
        command = (NGINX, "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path))
        wait_for(base, stack.enter_context(started(*command)))

        assert 'class="claim"' in sentences_of(base, query)
        by_cookie = {"Cookie": "viewer=one"}
        with connect(
            stream(base),
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(base),
            additional_headers=by_cookie,
        ) as wire:
            before = html_of(wire, query).split()
            used = [replica for replica in replicas if serves(replica.pid)]
            assert len(used) == 1
            used[0].kill()
            used[0].wait(20)
            with suppress(ConnectionClosed):
                while wire.recv(20):
                    pass
        with connect(
            stream(base),
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(base),
            additional_headers=by_cookie,
        ) as wire:
            assert html_of(wire, query).split() == before
        with urllib.request.urlopen(f"{base}/generate?{query}", timeout=20) as page:
            assert "viewer=" in page.headers["set-cookie"]
        with (
            pytest.raises(InvalidStatus) as refused,
            connect(stream(base), origin=Origin("http://evil.example")),
        ):
            pytest.fail("connected")
        assert refused.value.response.status_code == 403
