"""A candidate that answers each request at once and does nothing: what it costs is the way there and back.

    python -m plumbline.ci.selftest.benchmarks.echo [tcp]

With `tcp` it prints the port of 127.0.0.1 on which it serves one session. Knows of a request its id alone.
"""

from __future__ import annotations

import re
import socket
import sys
from typing import BinaryIO

from plumbline.adapters.process.tcp_server import HOST

_ID = re.compile(rb'"id":(\d+)')


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer each line until there are no more."""
    for line in requests:
        found = _ID.search(line)
        if found is None:
            raise ValueError(f"a request without id: {line!r}")
        answers.write(b'{"jsonrpc":"2.0","id":' + found[1] + b',"result":{}}\n')
        answers.flush()


def main(arguments: list[str]) -> None:
    """Serve one session, over standard input and output or over TCP."""
    if arguments != ["tcp"]:
        serve(sys.stdin.buffer, sys.stdout.buffer)
        return
    with socket.create_server((HOST, 0)) as listening:
        sys.stdout.write(f"{listening.getsockname()[1]}\n")
        sys.stdout.flush()
        connection, _ = listening.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection.makefile("rb") as requests, connection.makefile("wb") as answers:
            serve(requests, answers)


if __name__ == "__main__":
    main(sys.argv[1:])
