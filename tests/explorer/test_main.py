"""Starting, and what keeps it from starting: one sentence and an exit code."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import explorer.__main__ as entry
from explorer.measure import installation
from explorer.measure.installation import Finding, installation_findings
from gptcore import tokenizer
from tests.browser.conftest import free_port

ROOT = Path(__file__).parents[2]


def start(*options: str, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "explorer", *options],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_help_names_every_option() -> None:
    done = start("--help")
    assert done.returncode == 0
    for option in ("--port", "--host", "--models", "--lessons", "--memory", "--preload", "--check"):
        assert option in done.stdout


def test_a_port_in_use_is_one_sentence_and_an_exit_code() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = start("--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert done.stderr.startswith("GPT Explorer can't start: port")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--port", "0"),
        ("--port", "x"),
        ("--models", "/nowhere"),
        ("--lessons", "/nowhere"),
        ("--memory", "-1"),
    ],
)
def test_an_impossible_option_is_refused(options: tuple[str, str]) -> None:
    done = start(*options)
    assert done.returncode == 2
    assert options[0] in done.stderr


def test_a_damaged_tokenizer_file_is_named_with_both_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "ranks"
    damaged.write_bytes(b"damaged")
    monkeypatch.setattr(entry, "read_ranks", lambda: tokenizer.read_ranks(damaged))
    reason = entry._reason_not_to_start("127.0.0.1", 8501)
    assert reason is not None
    assert "expected SHA-256 306cd27f" in reason
    assert "found" in reason


def test_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "torch is not installed" in (entry._reason_not_to_start("127.0.0.1", 8501) or "")


@pytest.mark.golden
def test_this_installation_is_the_one_that_gives_the_chapters_figures() -> None:
    wrong = [finding for finding in installation_findings() if not finding.holds]
    assert not wrong


def test_another_version_of_a_package_is_crossed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = tmp_path / "requirements.txt"
    pins.write_text("torch==1.0.0\nno-such-package==1\n")
    monkeypatch.setattr(installation, "REQUIREMENTS", pins)
    torch_line, missing = installation._packages()
    assert not torch_line.holds
    assert missing == Finding("no-such-package", "missing; 1 is needed", False)


def test_the_check_fails_as_a_whole_if_one_line_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = [Finding("a", "fine", True), Finding("b", "wrong", False)]
    monkeypatch.setattr(installation, "installation_findings", lambda: iter(findings))
    assert entry._check() == 1
    assert capsys.readouterr().out == "✓ a: fine\n✗ b: wrong\n"


@contextlib.contextmanager
def copy_of_the_app() -> Iterator[Path]:
    """A copy that another user can read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in ("explorer", "gptcore", "pages", ".streamlit"):
            shutil.copytree(ROOT / part, folder / part)
        yield folder


def one_sentence(done: "subprocess.CompletedProcess[str]") -> str:
    """Return what a start that failed said, which must be one line."""
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


FIRST_USE = """
import threading, time
import explorer.__main__ as entry
from streamlit.delta_generator_singletons import context_dg_stack as stack
make, there, seen = stack._default, threading.Barrier(8), []
stack._default = lambda: (time.sleep(0.05), make())[1]
def use():
    there.wait()
    seen.append(stack._ensure_context_var())
def run(**_):
    users = [threading.Thread(target=use) for _ in range(8)]
    for user in users: user.start()
    for user in users: user.join()
    print(len(seen), len({id(one) for one in seen}))
entry.app.run = run
entry.main()
"""


def test_first_runs_at_the_same_moment_share_what_streamlit_makes_on_demand() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FIRST_USE, "--port", str(free_port())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.stdout.split() == ["8", "1"], ran.stderr[-2000:]


def test_a_damaged_or_missing_tokenizer_ends_the_start_in_a_sentence() -> None:
    with copy_of_the_app() as folder:
        ranks = folder / "gptcore" / "data" / "r50k_base.tiktoken"
        ranks.write_bytes(ranks.read_bytes()[:-1])
        assert "is damaged: expected SHA-256" in one_sentence(start(cwd=folder))
        ranks.unlink()
        assert "can't be read (No such file" in one_sentence(start(cwd=folder))


def started_with(patch: str) -> "subprocess.CompletedProcess[str]":
    """Start where something is not as it should be, which a line of Python brings about."""
    code = f"{patch}; import runpy; runpy.run_module('explorer', run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", code, "--port", str(free_port())],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_without_torch_the_start_ends_in_a_sentence() -> None:
    done = started_with(
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest)"
    )
    assert "torch is not installed" in one_sentence(done)


def test_with_too_little_memory_the_start_ends_in_a_sentence_with_the_figures() -> None:
    done = started_with(
        "import psutil; real = psutil.virtual_memory(); "
        "psutil.virtual_memory = lambda: real._replace(available=100 * 2**20)"
    )
    assert "100.00 MiB of memory is free, and 400.00 MiB is needed" in one_sentence(done)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_ends_it_in_a_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "explorer", "--port", str(free_port())],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert "No space left on device" in one_sentence(done)


def get(url: str) -> int:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return int(answer.status)


@contextlib.contextmanager
def serving(*options: str, **how: object) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "explorer", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **how,  # type: ignore[call-overload]
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=20)


def wait_until_healthy(port: int, process: "subprocess.Popen[str]", host: str) -> None:
    deadline = time.monotonic() + 40
    while True:
        with contextlib.suppress(OSError):
            assert get(f"http://{host}:{port}/_stcore/health") == 200
            return
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_it_runs_where_nothing_can_be_written() -> None:
    port = free_port()
    with copy_of_the_app() as folder:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        how: dict[str, object] = {
            "cwd": folder,
            "env": {**os.environ, "HOME": "/nonexistent", "TMPDIR": "/nonexistent"},
        }
        nobody = how | {"user": 65534, "group": 65534}
        if os.name == "posix" and os.getuid() == 0:  # to whom everything is writable
            tried = [sys.executable, "-c", "import torch, streamlit"]
            with contextlib.suppress(OSError):
                if not subprocess.run(tried, check=False, **nobody).returncode:  # type: ignore[call-overload]
                    how = nobody
        with serving("--port", str(port), **how) as process:
            wait_until_healthy(port, process, "127.0.0.1")
        for path in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
            path.chmod(0o755)


def own_address() -> str | None:
    """Return this machine's address on its network, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def test_by_default_only_this_machine_is_answered_and_host_says_what_it_opens() -> None:
    address = own_address()
    if address is None or address.startswith("127."):
        pytest.skip("this machine has no address but its own loopback")
    port = free_port()
    with serving("--port", str(port), cwd=ROOT) as process:
        wait_until_healthy(port, process, "127.0.0.1")
        with pytest.raises(OSError, match="refused"):
            get(f"http://{address}:{port}/_stcore/health")
    with serving("--port", str(port), "--host", "0.0.0.0", cwd=ROOT) as process:
        wait_until_healthy(port, process, address)
        assert process.stdout is not None
        assert process.stdout.readline() == (
            f"Open to everyone who can reach 0.0.0.0:{port}; there is no login.\n"
        )
