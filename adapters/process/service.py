"""A candidate that runs already, as a service: spoken to by lines over TCP, with TLS or without.

One connection is one session. Knows addresses, lines and time limits, not what the lines say.
"""

from __future__ import annotations

import atexit
import fcntl
import ipaddress
import os
import socket
import ssl
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.client import RemoteAdapter, ReplyLimits
from plumbline.adapters.process.line_buffer import CHUNK, LineBuffer
from plumbline.adapters.process.messages import ChannelError, SilenceError
from plumbline.adapters.waiting import wait_until

CONNECT_MS = 10_000
"""For so long a service may be away: who supervises it may be starting it again."""

_RETRY_S = 0.1
_PORTS = range(1, 2**16)


class ServiceAddress(msgspec.Struct, frozen=True):
    """Where a service listens.

    Attributes:
        host: a name or an address, without brackets.
        port: its number.
        tls: whether it is spoken to with TLS. Its certificate is verified against those that the system
            trusts, or those in the file that the variable SSL_CERT_FILE names.
    """

    host: str
    port: int
    tls: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def address_of(text: str, *, tls: bool) -> ServiceAddress:
    """The address that `HOST:PORT` or `[HOST]:PORT` names; raises ValueError with the reason.

    Without TLS the host is this machine: what the suite and a service say is neither secret nor signed.
    """
    host, _, port = text.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not bare or not port.isascii() or not port.isdigit() or int(port) not in _PORTS:
        raise ValueError("a host and a port from 1 to 65535 are needed: `HOST:PORT`")
    if ":" in bare and bare == host:
        raise ValueError(f"an address of IPv6 stands in brackets: `[{host}]:{port}`")
    if not tls and not _is_this_machine(bare):
        raise ValueError(
            f"without TLS only this machine is spoken to, and {bare} may be another one: use `tls:{text}`,"
            " or bring its port here by a tunnel"
        )
    return ServiceAddress(bare, int(port), tls)


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Service:
    """A connection to a service. Not thread-safe."""

    def __init__(self, address: ServiceAddress, connect_ms: int = CONNECT_MS) -> None:
        """Connect; raises ChannelError where no service accepts within the time."""
        self._address = address
        _take_turn(address)
        self._socket = _connected(address, connect_ms)
        self._lines = LineBuffer()

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the next one, without its line feed; raises ChannelError."""
        deadline = time.monotonic() + limit_ms / 1000
        try:
            self._within(deadline)
            with suppress(ConnectionError):  # it is closed; what it said last is still to be read
                self._socket.sendall(line)
        except TimeoutError:
            raise ChannelError("did not read the request within its time limit") from None
        while (answer := self._lines.take()) is None:
            self._lines.add(self._received(deadline))
        return answer

    def last_words(self) -> str:
        """Nothing: a service writes its own log."""
        return ""

    def end(self, patience_ms: int, *, asked: bool = False) -> None:  # noqa: ARG002 - a channel's signature
        """Close the connection, which ends the session; never raises, may be called twice."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _received(self, deadline: float) -> bytes:
        try:
            self._within(deadline)
            chunk = self._socket.recv(CHUNK)
        except TimeoutError:
            if beginning := self._lines.beginning():
                raise ChannelError(f"did not answer within its time limit, only {beginning}") from None
            raise SilenceError("did not answer within its time limit") from None
        except OSError as error:
            raise ChannelError(f"broke the connection: {error.strerror or error}") from None
        if not chunk:
            beginning = self._lines.beginning()
            raise ChannelError(
                "closed the connection" + (f" in the middle of a line {beginning}" if beginning else "")
            )
        return chunk

    def _within(self, deadline: float) -> None:
        """Have the next step end by the deadline; raises TimeoutError where that has passed."""
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._socket.settimeout(left_s)


class ServiceAdapter(RemoteAdapter):
    """A service that speaks the protocol over TCP.

    Raises:
        AdapterError: no service accepts the connection, or another suite uses it.
    """

    def __init__(self, address: ServiceAddress, limits: ReplyLimits | None = None) -> None:
        connect_ms = CONNECT_MS if limits is None else min(CONNECT_MS, limits.call_ms)
        try:
            channel = Service(address, connect_ms)
        except ChannelError as error:
            raise AdapterError(f"{address}: {error}") from None
        super().__init__(channel, limits)


def _connected(address: ServiceAddress, connect_ms: int) -> socket.socket:
    """A connection, once a service accepts it; raises ChannelError."""
    deadline = time.monotonic() + connect_ms / 1000
    made: list[socket.socket] = []

    def accepts() -> bool:
        with suppress(ConnectionRefusedError):
            left_s = max(_RETRY_S, deadline - time.monotonic())
            made.append(socket.create_connection((address.host, address.port), left_s))
        return bool(made)

    try:
        if not wait_until(accepts, connect_ms / 1000, _RETRY_S):
            raise ChannelError(f"no service listens there within {connect_ms / 1000:g} s; start it first")
        made[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not address.tls:
            return made[0]
        return ssl.create_default_context().wrap_socket(made[0], server_hostname=address.host)
    except OSError as error:  # those of TLS are of this kind
        for one in made:
            one.close()
        raise ChannelError(f"cannot connect: {_words(error)}") from None


def _words(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        remedy = "name a file of trusted ones by SSL_CERT_FILE"
        return f"its certificate is not trusted ({error.verify_message}); {remedy}"
    return error.strerror or str(error) or "it took too long"


_turns: dict[Path, IO[bytes]] = {}
"""Locks of the services that this process uses; they last until it ends."""


def _take_turn(address: ServiceAddress) -> None:
    """Have this process be the only one of its user's that uses the service; raises ChannelError."""
    name = f"plumbline-{os.getuid()}-{address.host.replace(':', '_')}-{address.port}.lock"
    path = Path(tempfile.gettempdir()) / name
    if path in _turns:
        return
    try:
        lock = _locked(path)
    except BlockingIOError:
        raise ChannelError(
            "another suite uses it now; wait until that has ended, and run pytest without -n"
        ) from None
    except OSError as error:
        raise ChannelError(f"cannot lock {path}: {error.strerror}") from None
    _turns[path] = lock
    atexit.register(_end_turn, path)


def _locked(path: Path) -> IO[bytes]:
    """The file, locked; raises OSError, and BlockingIOError where another process has locked it."""
    while True:
        lock = path.open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(lock.fileno())):
                    return lock
        except BaseException:
            lock.close()
            raise
        lock.close()  # it was removed by the process before; what has its name now is another file


def _end_turn(path: Path) -> None:
    """Remove a lock while it is held, then release it; may be called twice."""
    lock = _turns.pop(path, None)
    if lock is not None:
        with suppress(OSError):
            path.unlink()
        lock.close()
