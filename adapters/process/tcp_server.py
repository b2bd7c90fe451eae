"""The adapter's side of the protocol over TCP: one session after the other, each with an adapter of its own.

Knows connections, not what is asked over them.
"""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, cast

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.process.server import refuse_once, serve_session

HOST = "127.0.0.1"

TURN_S = 5.0
"""For so long a connection waits for the session before it to end."""


class TcpServer(socketserver.ThreadingTCPServer):
    """Listens on a port of this machine; `serve_forever` serves until `shutdown`.

    A connection is a session: it ends with `close`, or when the connection ends. A second one that comes
    meanwhile waits for a moment, and is then refused by an error in answer to its first request.

    Attributes:
        port: where it listens.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(
        self,
        open_adapter: Callable[[], Adapter],
        port: int = 0,
        context: ssl.SSLContext | None = None,
        host: str = HOST,
    ) -> None:
        """Listen.

        Args:
            open_adapter: makes the adapter of a session.
            port: any free one if 0.
            context: with the certificate to show, where TLS is spoken.
            host: the address to listen on; in a container `0.0.0.0`, since its port is reached from outside.

        Raises:
            OSError: the port is in use, or may not be used.
        """
        self.open_adapter = open_adapter
        self.context = context
        self.turn = threading.Lock()
        super().__init__((host, port), _Session)
        self.port = int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a connection that breaks ends its session, and the next one begins anew."""


class _Session(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    server: TcpServer

    def setup(self) -> None:
        if self.server.context is not None:
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self) -> None:
        """Serve one session, if it is its turn."""
        source, sink = cast("BinaryIO", self.rfile), cast("BinaryIO", self.wfile)
        if not self.server.turn.acquire(timeout=TURN_S):
            refuse_once("another suite is connected to this service", source, sink)
            return
        try:
            with suppress(ConnectionError):  # a suite that has gone is the end of the session
                serve_session(self.server.open_adapter, source, sink)
        finally:
            self.server.turn.release()
