"""The address that a room types in."""

import socket

import pytest

from explorer.ui.join import join_address, network_address


def test_an_app_that_listens_on_this_machine_only_has_no_address_to_join() -> None:
    assert join_address("127.0.0.1", 8501) is None
    assert join_address("localhost", 8501) is None
    assert join_address("::1", 8501) is None


def test_a_host_that_was_named_is_the_address() -> None:
    assert join_address("10.1.2.3", 8502) == "http://10.1.2.3:8502"
    assert join_address("fd00::7", 8502) == "http://[fd00::7]:8502"


def test_open_to_all_means_the_machine_s_own_address() -> None:
    own = network_address()
    expected = None if own is None else f"http://{own}:8501"
    assert join_address("0.0.0.0", 8501) == expected


def test_the_machine_s_own_address_can_be_listened_on() -> None:
    own = network_address()
    if own is None:
        pytest.skip("this machine is on no network")
    assert not own.startswith("127.")
    with socket.socket() as listener:
        listener.bind((own, 0))
