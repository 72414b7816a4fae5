"""Start the app: `python -m explorer`, from the repository's root."""

import argparse
import contextlib
import importlib.util
import os
import socket
import sys
import threading
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from explorer.measure.memory import available_bytes, in_words
from explorer.ui.cache import preload_default_model
from explorer.ui.components.chart.library import library_route
from explorer.ui.index_page import IndexPage
from explorer.ui.options import LESSONS_VARIABLE, MEMORY_VARIABLE, MODELS_VARIABLE
from explorer.ui.sending import sending_at_once
from explorer.ui.warm_up import import_for_the_first_page, settle_streamlit
from gptcore.counting import MIB
from gptcore.tokenizer import TokenizerFileError, read_ranks

DEFAULT_PORT = 8501
LOCAL = "127.0.0.1"
# The server's own thread serves a page's many small files while others import or compute; at
# Python's 5 ms each of its steps would wait that long for the interpreter.
_SWITCH_SECONDS = 0.0005

_NEEDED_BYTES = 400 * MIB  # torch, pages and figures, before any model

app = st.App(
    Path(__file__).with_name("app.py"),
    lifespan=sending_at_once,
    routes=[library_route()],
    middleware=[Middleware(IndexPage)],
)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m explorer", description="GPT Explorer")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="port to listen on (default: %(default)s)"
    )
    parser.add_argument(
        "--host",
        default=LOCAL,
        help="address to listen on (default: %(default)s, this machine only; "
        "0.0.0.0 opens it to everyone on the network)",
    )
    parser.add_argument(
        "--models",
        type=Path,
        metavar="DIR",
        help="folder whose subfolders are GPT-2 checkpoints to offer (config.json and safetensors)",
    )
    parser.add_argument(
        "--lessons", type=Path, metavar="DIR", help="folder whose .toml files are lessons to offer"
    )
    parser.add_argument(
        "--memory",
        type=float,
        metavar="GIB",
        help="memory that models may use, in GiB (default: 70 %% of what is free)",
    )
    parser.add_argument(
        "--preload", action="store_true", help="build the default model before anyone asks for it"
    )
    parser.add_argument(
        "--check", action="store_true", help="verify this installation, and end: ✓ or ✗ a line"
    )
    options = parser.parse_args()
    for name in ("models", "lessons"):
        folder = getattr(options, name)
        if folder is not None and not folder.is_dir():
            parser.error(f"--{name}: {folder} is not a folder")
    if options.memory is not None and not 0 < options.memory < float("inf"):
        parser.error(f"--memory must be above 0; got {options.memory}")
    if not 0 < options.port < 2**16:
        parser.error(f"--port must be from 1 to 65,535; got {options.port}")
    return options


def _check() -> int:
    """Print a line for everything that was checked; return the exit code."""
    from explorer.measure.installation import installation_findings  # it imports torch

    wrong = 0
    for finding in installation_findings():
        print("✓" if finding.holds else "✗", f"{finding.what}: {finding.found}", flush=True)
        wrong += not finding.holds
    return int(wrong > 0)


def _reason_not_to_start(host: str, port: int) -> str | None:
    """Return in one sentence why the app can't run here, or None."""
    if importlib.util.find_spec("torch") is None:
        return "torch is not installed; `pip install -r requirements.txt` installs it."
    try:
        read_ranks()
    except TokenizerFileError as error:
        return f"{error}."
    if (free := available_bytes()) < _NEEDED_BYTES:
        return (
            f"{in_words(free)} of memory is free, and {in_words(_NEEDED_BYTES)} is needed before "
            "any model is built."
        )
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            return f"port {port} of {host} can't be listened on ({error.strerror}); try --port."
    return None


def _silence() -> None:
    """Let nothing more go to the standard output, which could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> int:
    """Read the options and serve until stopped; return the exit code."""
    options = _options()
    try:
        code = _check() if options.check else _serve(options)
        sys.stdout.flush()
    except OSError as error:  # the disk that the output goes to is full
        _silence()
        print(f"GPT Explorer had to end: {error.strerror or error}.", file=sys.stderr)
        return 1
    return code


def _serve(options: argparse.Namespace) -> int:
    if reason := _reason_not_to_start(options.host, options.port):
        print(f"GPT Explorer can't start: {reason}", file=sys.stderr)
        return 1
    if options.models is not None:
        os.environ[MODELS_VARIABLE] = str(options.models.resolve())
    if options.lessons is not None:
        os.environ[LESSONS_VARIABLE] = str(options.lessons.resolve())
    if options.memory is not None:
        os.environ[MEMORY_VARIABLE] = str(int(options.memory * 2**30))
    if options.host != LOCAL:
        print(
            f"Open to everyone who can reach {options.host}:{options.port}; there is no login.",
            flush=True,
        )
    sys.setswitchinterval(_SWITCH_SECONDS)
    settle_streamlit()
    threading.Thread(target=import_for_the_first_page, daemon=True).start()
    if options.preload:
        preload_default_model()
    with contextlib.suppress(KeyboardInterrupt):
        app.run(config={"server.port": options.port, "server.address": options.host})
    return 0


if __name__ == "__main__":
    sys.exit(main())
