"""Ports for locators and receivers of Apache Geode."""

from __future__ import annotations

import socket
from pathlib import Path

from plumbline.adapters.geode.ports import free_ports


def test_ports_are_all_different_and_free():
    ports = free_ports(50)
    assert len(set(ports)) == 50
    for port in ports:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def test_no_port_is_one_that_an_outgoing_connection_may_take():
    outgoing = Path("/proc/sys/net/ipv4/ip_local_port_range")
    least = int(outgoing.read_text().split()[0]) if outgoing.exists() else 32_768
    assert max(free_ports(50)) < least
