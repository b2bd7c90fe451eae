"""Ports of 127.0.0.1 that are free."""

from __future__ import annotations

import contextlib
import random
import socket

_FROM, _UNTIL = 20_000, 32_000
"""Below where systems take the ports of outgoing connections from: such a port is gone before a JVM is up."""

_TRIES = 1_000


def free_ports(number: int) -> list[int]:
    """So many ports, all different, that were free a moment ago.

    Raises OSError if hardly any is free.
    """
    found: list[int] = []
    with contextlib.ExitStack() as stack:
        for port in random.SystemRandom().sample(range(_FROM, _UNTIL), _TRIES):
            if len(found) == number:
                break
            probe = stack.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                found.append(port)
    if len(found) < number:
        raise OSError(f"of {_TRIES} ports of 127.0.0.1 only {len(found)} are free")
    return found
