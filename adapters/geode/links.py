"""Links: a TCP proxy before each gateway receiver, or between a client and a server, and what may pass it.

One thread runs the proxies of all links. Knows nothing of members and queues, and of what passes only how
the messages begin that carry a batch or a put.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any, TypeVar

from plumbline.adapters.errors import AdapterError

T = TypeVar("T")

Watch = Callable[[bytes], Callable[[], None] | None]
"""Shown what is asked; returns what its answer waits for, on a thread of its own, or None."""

# Receivers bind to this address, and tell senders a name instead of it. This name stands for another address
# at each site. There a proxy listens for events from that site, at the receiver's own port.
RECEIVER_ADDRESS = "127.0.0.1"
LINK_NAME = "plumbline-link"
MOST_LINKED = 8
"""So many sites can have links: further addresses belong to clients."""

ANSWER_LIMIT_S = 10.0
_CHUNK = 65_536

# How a message begins that carries a batch: its type, GATEWAY_RECEIVER_COMMAND, is the same in all versions.
_BATCH = struct.pack(">i", 104)

# The same of what a client puts.
_PUT = struct.pack(">i", 7)

# Closing a socket with this set breaks the connection instead of ending it.
_LINGER_NOT = struct.pack("ii", 1, 0)


def link_address(site: int) -> str:
    """Where receivers are reached by the senders of a site."""
    return f"127.0.0.{1 + site}"


class LinkState(StrEnum):
    """What a link does: pass everything, nothing at all, or everything but the answers to batches or puts."""

    UP = "up"
    DOWN = "down"
    DROP_ACKS = "drop_acks"


class Links:
    """All proxies, each known by a name of the caller's choice, and the thread that runs them."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="geode-links", daemon=True)
        self._thread.start()
        self._proxies: dict[str, _Proxy] = {}

    def open(self, name: str, port: int, address: str, watch: Watch | None = None) -> None:
        """Let who listens at that port be reached there, in the state that the proxy was in before.

        Of a client, everything that it asks is shown to `watch`.
        """
        proxy = self._proxies.setdefault(name, _Proxy(address, watch))
        proxy.port = port
        self._do(proxy.listen())

    def shut(self, name: str) -> None:
        """Break the receiver's connections, and make no more; the proxy's state stays."""
        if name in self._proxies:
            self._do(self._proxies[name].cut())

    def set(self, name: str, state: LinkState) -> None:
        """Change the state of a proxy that is open or, when it is `DOWN`, will be."""
        self._do(self._proxies[name].become(state))

    def state(self, name: str) -> LinkState:
        """The state of a proxy; that of one not known is up."""
        return self._proxies[name].state if name in self._proxies else LinkState.UP

    def passed(self) -> int:
        """How many bytes have come by in all, dropped ones included."""
        return sum(proxy.passed for proxy in tuple(self._proxies.values()))

    def close(self) -> None:
        """Break all connections and end the thread. May be called twice; never raises."""
        if self._loop.is_closed():
            return
        with contextlib.suppress(AdapterError):
            for proxy in self._proxies.values():
                self._do(proxy.cut())
            self._do(_end_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(ANSWER_LIMIT_S)
        if not self._thread.is_alive():
            self._loop.close()

    def _do(self, job: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(job, self._loop)
        try:
            return future.result(ANSWER_LIMIT_S)
        except TimeoutError:
            future.cancel()
            raise AdapterError(f"the proxies of links did not answer within {ANSWER_LIMIT_S:g} s") from None
        except OSError as error:
            raise AdapterError(
                f"a link's proxy cannot listen: {error}; are {link_address(1)} and what follows it addresses"
                " of this machine?"
            ) from error


class _Proxy:
    """One receiver's proxy, or one client's to a server; its methods run on the thread of the links."""

    def __init__(self, address: str, watch: Watch | None) -> None:
        self._address = address
        self._watch = watch
        self.port = 0
        self.state = LinkState.UP
        self.passed = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._wanted = False

    async def listen(self) -> None:
        self._wanted = True
        if self._server is None and self.state is not LinkState.DOWN:
            self._server = await asyncio.start_server(self._serve, self._address, self.port)

    async def cut(self) -> None:
        self._wanted = False
        self._break()

    async def become(self, state: LinkState) -> None:
        if state is self.state:
            return
        self.state = state
        # A client whose connection breaks takes its server for dead.
        if state is not LinkState.DROP_ACKS and self._watch is None:
            self._break()
        if self._wanted:
            await self.listen()

    def _break(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in self._writers:
            _abort(writer)
        self._writers.clear()

    async def _serve(self, from_sender: asyncio.StreamReader, to_sender: asyncio.StreamWriter) -> None:
        self._writers.add(to_sender)
        try:
            from_receiver, to_receiver = await asyncio.open_connection(RECEIVER_ADDRESS, self.port)
        except OSError:  # no receiver there: the sender's connection is refused
            self._drop(to_sender)
            return
        if to_sender not in self._writers:  # cut meanwhile
            _abort(to_receiver)
            return
        self._writers.add(to_receiver)
        connection = _Connection()
        try:
            await asyncio.gather(
                self._pass_batches(from_sender, to_receiver, connection),
                self._pass_answers(from_receiver, to_sender, connection),
            )
        except (OSError, EOFError):
            pass
        finally:
            self._drop(to_sender, to_receiver)

    async def _pass_batches(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, connection: _Connection
    ) -> None:
        while data := await source.read(_CHUNK):
            self.passed += len(data)
            # All that comes before it is answered at once, so a batch or a put begins what it is sent with.
            if self._watch is not None:
                connection.unanswered = data.startswith(_PUT)
                connection.waits = self._watch(data)
            else:
                connection.unanswered |= data.startswith(_BATCH)
            target.write(data)
            await target.drain()
        raise EOFError

    async def _pass_answers(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, connection: _Connection
    ) -> None:
        while data := await source.read(_CHUNK):
            self.passed += len(data)
            if self.state is LinkState.DROP_ACKS and connection.unanswered:
                continue
            if connection.waits is not None:
                waits, connection.waits = connection.waits, None
                await asyncio.to_thread(waits)
                if source.at_eof():  # who has answered is dead: the answer is lost
                    raise EOFError
            target.write(data)
            await target.drain()
        raise EOFError

    def _drop(self, *writers: asyncio.StreamWriter) -> None:
        for writer in writers:
            _abort(writer)
            self._writers.discard(writer)


class _Connection:
    """What is known of one connection.

    Attributes:
        unanswered: whether what comes back may be an answer that is to be lost.
        waits: what the next answer waits for, on a thread of its own.
    """

    def __init__(self) -> None:
        self.unanswered = False
        self.waits: Callable[[], None] | None = None


def _abort(writer: asyncio.StreamWriter) -> None:
    """Break a connection without the words of farewell that TCP has."""
    end = writer.get_extra_info("socket")
    if end is not None:
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
    writer.transport.abort()


async def _end_all() -> None:
    """Cancel what still runs, and wait for it."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
