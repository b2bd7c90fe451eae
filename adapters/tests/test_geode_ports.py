"""Ports for locators and receivers of Apache Geode."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from plumbline.adapters.geode.ports import free_ports

OUTGOING = Path("/proc/sys/net/ipv4/ip_local_port_range")
USUAL = 32_768
"""The lowest port that Linux takes for outgoing connections, unless it is configured otherwise."""


def test_ports_are_all_different_and_free():
    free = free_ports(50)
    assert len(set(free)) == 50
    for port in free:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def test_no_port_is_one_that_an_outgoing_connection_may_take():
    least = int(OUTGOING.read_text().split()[0]) if OUTGOING.exists() else USUAL
    if least < USUAL:
        pytest.skip(f"this machine is set up otherwise: outgoing connections take ports from {least} on")
    assert max(free_ports(50)) < least


def test_where_no_port_is_free_it_says_so(monkeypatch: pytest.MonkeyPatch):
    def bind(*_: object) -> None:
        raise OSError("Address already in use")

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(OSError, match="only 0 are free"):
        free_ports(1)
