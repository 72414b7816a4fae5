"""How others open this app: its address on the network, large enough for the back of a room."""

import socket

import streamlit as st

from explorer.ui.frame import text_html

_ELSEWHERE = ("192.0.2.1", 9)  # RFC 5737's example network, where nothing is
_LOCAL = ("localhost", "127.", "::1")


def network_address() -> str | None:
    """Return this machine's address on its network, or None without one; nothing is sent.

    Connecting a UDP socket only asks the system which of its addresses it would send from.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(_ELSEWHERE)
            address = str(asked.getsockname()[0])
        except OSError:
            return None
    return None if address.startswith(("127.", "0.")) else address


def join_address(host: str, port: int) -> str | None:
    """Return what others type into their browser.

    Args:
        host: The address that the app listens on.
        port: Its port.

    Returns:
        An address with http:// and port; None where the app listens on this machine only, or the
        machine is on no network.
    """
    if host.startswith(_LOCAL):
        return None
    found = network_address() if host in ("", "0.0.0.0", "::") else host
    if found is None:
        return None
    return f"http://[{found}]:{port}" if ":" in found else f"http://{found}:{port}"


def _listens_on() -> tuple[str, int]:
    host = st.get_option("server.address")
    return "" if host is None else str(host), int(st.get_option("server.port"))


@st.dialog("Join", width="large")
def _show_address() -> None:
    host, port = _listens_on()
    if address := join_address(host, port):
        st.html(text_html("join", address))
        st.html(
            text_html(
                "caption",
                "Type this into a browser on the same network. There is no login; each visitor has "
                "a screen of their own, and “Copy link” hands this one on.",
            )
        )
    elif host.startswith(_LOCAL):
        st.html(
            text_html(
                "problem",
                f"The app listens on this machine only ({host}), so nobody else can open it. Start "
                "it with --host 0.0.0.0 to open it to everyone on the network.",
                role="status",
            )
        )
    else:
        st.html(
            text_html(
                "problem",
                "This machine is on no network, so there is no address to join.",
                role="status",
            )
        )


def join_button() -> None:
    """Show a button that shows the address to join over the page."""
    if st.button("Join", key="join", type="tertiary"):
        _show_address()
