"""Start the app: `python -m explorer`, from the repository's root."""

import argparse
import contextlib
import threading
from pathlib import Path

import streamlit as st

from explorer.ui.warm_up import import_for_the_first_page

app = st.App(Path(__file__).with_name("app.py"))


def main() -> None:
    """Read the options and serve until stopped."""
    parser = argparse.ArgumentParser("python -m explorer", description="GPT Explorer")
    parser.add_argument("--port", type=int, help="port to listen on (default: 8501)")
    parser.add_argument(
        "--host", help="address to listen on (default: 127.0.0.1, this machine only)"
    )
    options = parser.parse_args()
    given = {"server.port": options.port, "server.address": options.host}
    threading.Thread(target=import_for_the_first_page, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        app.run(config={name: value for name, value in given.items() if value is not None})


if __name__ == "__main__":
    main()
