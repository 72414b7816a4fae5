"""The server's connections, as Streamlit opens them."""

import asyncio
import socket

from explorer.ui.sending import sending_at_once


def test_a_connection_to_a_socket_like_streamlit_s_sends_at_once() -> None:
    async def accepted_without_delay() -> bool:
        listener = socket.socket(family=socket.AF_INET)  # names no protocol
        listener.bind(("127.0.0.1", 0))
        accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        class Peer(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                peer = transport.get_extra_info("socket")
                accepted.set_result(peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                transport.close()

        async with sending_at_once(None):
            loop = asyncio.get_running_loop()
            server = await loop.create_server(Peer, sock=listener)
            _, writer = await asyncio.open_connection(*listener.getsockname())
            no_delay = await accepted
            writer.close()
            server.close()
        return bool(no_delay)

    assert asyncio.run(accepted_without_delay())
