"""Ports of 127.0.0.1 that nobody listens on."""

from __future__ import annotations

import contextlib
import socket


def free_ports(number: int) -> list[int]:
    """So many ports, all different, that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(number)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
