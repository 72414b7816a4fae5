"""Answers leave the server at once.

A page is some hundred small files, and an answer to a click some ten small messages. Streamlit's
listening socket does not name its protocol, so that asyncio leaves Nagle's algorithm on: the second
half of each small answer waits until the browser has acknowledged the first, which takes up to 40 ms.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def sending_at_once(_: object) -> AsyncIterator[None]:
    """Turn Nagle's algorithm off for the server that this event loop is about to start."""
    loop: Any = asyncio.get_running_loop()
    create_server = loop.create_server

    async def create(*args: Any, sock: socket.socket | None = None, **options: Any) -> Any:
        if sock is not None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
        return await create_server(*args, sock=sock, **options)

    loop.create_server = create
    yield
