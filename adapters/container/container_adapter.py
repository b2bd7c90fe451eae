"""An adapter in a container: started from an image with little more than its standard streams, and removed.

Knows the life of one container. What it may use and who owns it is the engine's part.
"""

from __future__ import annotations

import signal
import socket
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from docker.errors import NotFound
from requests.exceptions import ReadTimeout

from plumbline.adapters.container.attached import Attached
from plumbline.adapters.container.engine import (
    ENGINE_ERRORS,
    UNPRIVILEGED,
    Engine,
    Image,
    explained,
    labels,
    told,
    user_of,
)
from plumbline.adapters.container.image_name import MIB, ImageName
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.client import RemoteAdapter
from plumbline.adapters.process.messages import ChannelError, shorten
from plumbline.adapters.process.service import CONNECT_MS, Service, ServiceAddress
from plumbline.adapters.waiting import wait_until

_STATUS_S = 2
_LOOK_S = 0.1
_LOCAL = "127.0.0.1"


class Container:
    """A running container whose standard streams, or a port of it, carry one message a line.

    Nothing of it outlives it: `end` removes it, with its volumes and its network.
    """

    def __init__(
        self,
        engine: Engine,
        image: Image,
        name: ImageName,
        environment: Mapping[str, str] | None = None,
        network: str = "none",
    ) -> None:
        """Start it; raises AdapterError.

        Args:
            engine: where it runs.
            image: what it is started from.
            name: what is set for it.
            environment: variables put to those of the image.
            network: the id of a network that it is put into, unless it has a port.
        """
        self._engine = engine
        api = engine.client.api
        what = f"image {name.image}"
        if name.port is not None:
            network = _private_network(engine, what)
        user = user_of(name, image)
        home = {"HOME": "/tmp"} if user == UNPRIVILEGED else {}  # noqa: S108 - the container's own
        self._id = ""
        try:
            with told(what):
                ports = {} if name.port is None else {name.port: (_LOCAL, None)}
                made = api.create_container(
                    image.key,
                    command=list(name.command) or None,
                    stdin_open=name.port is None,
                    user=user,
                    environment={**home, **(environment or {})},
                    labels=labels(),
                    ports=list(ports) or None,
                    host_config=api.create_host_config(
                        network_mode=network, port_bindings=ports or None, **engine.host_settings(name.limits)
                    ),
                )
                self._id = made["Id"]
                stream = _attached(api, self._id, reads=name.port is None)
        except BaseException:
            engine.remove(self._id, "" if name.port is None else network)
            raise
        removal = partial(engine.remove, self._id, "" if name.port is None else network)
        # A caller that forgets to end it, or is interrupted on the way, leaves no container behind either.
        self._orphaned = weakref.finalize(self, removal)
        why = partial(fate, api, self._id, name.limits.memory)
        self._streams = Attached(stream, why, answers=name.port is None)
        self._service: Service | None = None
        try:
            with told(what):
                api.start(self._id)
            if name.port is not None:
                self._service = self._connected(name.port, why)
        except AdapterError as error:
            self.end(0)
            raise AdapterError(str(error), self.last_words()) from None
        except BaseException:
            self.end(0)
            raise

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the next one, without its line feed; raises ChannelError."""
        if self._service is None:
            return self._streams.exchange(line, limit_ms)
        return self._service.exchange(line, limit_ms)

    def last_words(self) -> str:
        """The end of what it has printed for people, control characters escaped."""
        return self._streams.last_words()

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        """Remove the container and all that belongs to it; never raises, may be called twice.

        Args:
            patience_ms: how long it may take to end by itself.
            asked: it has been asked to close, so let it end by itself once its input has ended.
        """
        if self._service is not None:
            self._service.end(patience_ms)
        if asked and self._orphaned.alive and self._service is None:
            self._streams.end_input()
            self._streams.wait(patience_ms / 1000)
        self._orphaned()
        self._streams.wait(_STATUS_S)
        self._streams.stop()

    def _connected(self, port: int, why: Callable[[], str]) -> Service:
        """A connection to its port, once something listens there; raises AdapterError."""
        with told(f"port {port}"):
            known = self._engine.client.api.inspect_container(self._id)["NetworkSettings"]["Ports"]
        published = (known.get(f"{port}/tcp") or [{}])[0].get("HostPort", "")
        if not published:
            raise AdapterError(f"port {port}: the engine has not published it: the container {why()}")
        ready = wait_until(
            lambda: self._streams.ended or _answers(int(published)), CONNECT_MS / 1000, _LOOK_S
        )
        if self._streams.ended:
            raise AdapterError(f"port {port}: the container {why()}")
        if not ready:
            raise AdapterError(
                f"port {port}: nothing in the container listens there, on 0.0.0.0, within "
                f"{CONNECT_MS / 1000:g} s"
            )
        try:
            return Service(ServiceAddress(_LOCAL, int(published)))
        except ChannelError as error:
            raise AdapterError(f"port {port}: {error}") from None


class ContainerAdapter(RemoteAdapter):
    """A candidate's image that speaks the protocol on its standard input and output, or on a port."""


def _attached(api: Any, container: str, *, reads: bool) -> socket.socket:
    """The connection that carries a container's streams; before it is started, so that nothing is missed."""
    wanted = {"stdin": int(reads), "stdout": 1, "stderr": 1, "stream": 1}
    made = api.attach_socket(container, params=wanted)
    # A reader of plain connections wraps the socket; those with TLS are sockets themselves.
    stream: socket.socket = getattr(made, "_sock", made)
    return stream


def _private_network(engine: Engine, what: str) -> str:
    """A network for one container: a port of it can be published, and nothing leads out."""
    with told(what):
        made = engine.client.api.create_network(
            f"plumbline-{time.time_ns():x}",
            driver="bridge",
            labels=labels(),
            options={"com.docker.network.bridge.enable_ip_masquerade": "false"},
        )
    return str(made["Id"])


def _answers(port: int) -> bool:
    """Whether something behind a published port holds a connection: the engine's proxy accepts any."""
    with suppress(OSError), socket.create_connection((_LOCAL, port), 1) as probe:
        probe.settimeout(_LOOK_S)
        try:
            return probe.recv(1) != b""
        except TimeoutError:
            return True
    return False


def fate(api: Any, container: str, memory: int) -> str:
    """Why a container's streams have ended."""
    try:
        with suppress(ReadTimeout):
            api.wait(container, timeout=_STATUS_S)
        state = api.inspect_container(container)["State"]
    except NotFound:
        return "was removed while it was in use"
    except ENGINE_ERRORS as error:
        return f"is out of reach: {explained(error)}"
    if state["OOMKilled"]:
        return (
            f"was killed for using more memory than its limit of {memory // MIB} MiB (exit code "
            f"{state['ExitCode']}); `?memory=` sets another"
        )
    if state["Running"]:
        return "closed its standard output"
    code = int(state["ExitCode"])
    if code - 128 in set(signal.Signals):
        return f"was killed by {signal.Signals(code - 128).name} (exit code {code})"
    words = f": {shorten(state['Error'])}" if state["Error"] else ""
    return f"ended with exit code {code}{words}"
