"""A Java virtual machine with Geode's jars on its class path, reached over py4j.

It dies with this process, however that ends: its standard input is a pipe that only this process writes
to, and it halts when the pipe breaks. Knows nothing of caches and regions.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Any

from plumbline.adapters.errors import AdapterError, MissingToolError
from plumbline.adapters.geode.jars import Jars
from plumbline.adapters.waiting import wait_until
from plumbline.reference.distribution import how_to_install

try:
    from py4j import java_gateway, protocol
    from py4j.java_gateway import (
        CallbackServerParameters,
        GatewayClient,
        GatewayParameters,
        JavaGateway,
        JavaObject,
        find_jar_path,
    )
    from py4j.protocol import Py4JError, Py4JJavaError
except ModuleNotFoundError as error:
    raise MissingToolError(
        f"Apache Geode is driven by py4j, which is not installed: {how_to_install('geode')}"
    ) from error

LAST_WORDS_BYTES = 4_000
MOST_READ_BYTES = 4_000_000
LOOPBACK = "127.0.0.1"

# Geode reaches into these by reflection; without them it fails on Java 17.
_OPENED = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/java.util.concurrent.locks",
    "java.base/java.nio",
    "java.base/java.net",
    "java.base/java.io",
    "java.base/java.text",
    "java.base/java.time",
    "java.base/java.math",
    "java.base/sun.nio.ch",
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.util",
    "java.base/sun.security.x509",
    "java.management/com.sun.jmx.remote.security",
    "jdk.management/com.sun.management.internal",
)

_FLAGS = (
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Djava.net.preferIPv4Stack=true",
    "-Djava.awt.headless=true",
    # Where the jars bring no implementation of logging, only errors would be printed.
    "-Dorg.apache.logging.log4j.simplelog.level=WARN",
    # Geode's own hook would close the cache with all its neighbours when the machine is to halt.
    "-Dgemfire.disableShutdownHook=true",
    # How long a gateway sender sleeps (1,000 ms else) before it looks at a new connection for answers.
    "-Dgemfire.gateway-connection-retry-interval=100",
    # How long a member waits (2,000 ms else) before it tries again to reach another that has died.
    "-Dgemfire.RECONNECT_WAIT_TIME=50",
    # How long the coordinator waits (300 ms else) for more who join or leave.
    "-Dgemfire.member-request-collection-interval=20",
    # A client takes its servers in the order in which they are named.
    "-Dgemfire.bridge.disableShufflingOfEndpoints=true",
    # Times to live are whole seconds else.
    "-Dgemfire.EXPIRY_UNITS_MS=true",
)


BridgeError = Py4JError
"""All errors that py4j raises."""

JavaError = Py4JJavaError
"""What it raises when the call threw an exception in the JVM; `java_exception` is that."""


# py4j logs what a callback raises, with a traceback on the terminal of a user who has set up no logging.
logging.getLogger("py4j").addHandler(logging.NullHandler())


class GoneError(Exception):
    """The connection to the JVM broke: a call in it may have happened."""


class JvmClient(GatewayClient):  # type: ignore[misc]
    """A py4j client that never calls anything twice, and says so by GoneError when the JVM is gone.

    Used by one thread, it has one connection, and one thread of the JVM serves that: what the caller does
    one after the other, the same Java thread does.
    """

    def send_command(self, command: str, retry: bool = True, binary: bool = False) -> str:  # noqa: ARG002
        """Send one command of py4j's protocol; `retry` and `binary` are never asked for here."""
        try:
            connection = self._get_connection()
        except Exception as error:
            raise GoneError(f"no connection to the JVM: {error}") from error
        try:
            answer: str = connection.send_command(command)
        except Exception as error:
            connection.close(reset=True)
            raise GoneError(f"the connection to the JVM broke: {error}") from error
        self._give_back_connection(connection)
        return answer


class Jvm:
    """One running JVM. It is starting when the constructor returns; `connect` waits for it."""

    def __init__(self, jars: Jars, directory: Path, options: Collection[str] = ()) -> None:
        self.directory = self._directory = directory
        directory.mkdir()
        class_path = os.pathsep.join(map(str, class_path_of(jars)))
        opens = [text for package in _OPENED for text in ("--add-opens", f"{package}=ALL-UNNAMED")]
        host = socket.gethostname()
        self._hosts.write_text(f"{LOOPBACK} localhost\n{_address_of(host)} {host}\n")
        names = f"-Djdk.net.hosts.file={self._hosts}"
        command = [find_java(), *_FLAGS, *options, names, *opens, "-cp", class_path, "py4j.GatewayServer"]
        with self._output.open("wb") as output, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [*command, "--die-on-broken-pipe", "--enable-auth", "0"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                cwd=directory,
                start_new_session=True,  # an interrupt typed at the terminal is for the harness to handle
            )
        self._gateway: JavaGateway | None = None
        self._main: JvmClient | None = None
        self._parameters: GatewayParameters | None = None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """How the process ended: negative after a signal, None while it runs."""
        return self._process.poll()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.exit_code is None

    def ended_within(self, limit_s: float) -> bool:
        """Whether the process ends within the time; its connections break a moment earlier."""
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    @property
    def gateway(self) -> JavaGateway:
        """The gateway for control calls, and for what listeners ask of their events."""
        if self._gateway is None:
            raise GoneError("not connected")
        return self._gateway

    def connect(self, limit_s: float) -> None:
        """Wait until the JVM listens, then connect, unless that has been done; raises AdapterError."""
        if self._gateway is not None:
            return
        if not wait_until(lambda: self._printed() is not None or not self.alive, limit_s):
            raise AdapterError(f"java did not start within {limit_s:.0f} s", self.last_words())
        printed = self._printed()
        if printed is None:
            raise AdapterError(f"java ended with code {self._process.returncode}", self.last_words())
        port, token = printed
        self._parameters = GatewayParameters(
            port=port, auth_token=token, auto_convert=True, enable_memory_management=False
        )
        # Spark, in the same process, has py4j tell Java's exceptions its own way, which needs Spark's JVM.
        java_gateway.get_return_value = protocol.get_return_value
        self._main = JvmClient(gateway_parameters=self._parameters)
        self._gateway = JavaGateway(
            gateway_client=self._main,
            gateway_parameters=self._parameters,
            # Without the token: py4j's Java side does not send it when it calls back.
            callback_server_parameters=CallbackServerParameters(
                port=0, daemonize=True, daemonize_connections=True, propagate_java_exceptions=True
            ),
        )
        server = self._gateway.java_gateway_server
        server.resetCallbackClient(
            server.getCallbackClient().getAddress(),
            self._gateway.get_callback_server().get_listening_port(),
        )

    def _printed(self) -> tuple[int, str] | None:
        """The port and the token that the JVM prints when it listens; None until then."""
        lines = self._output.read_bytes().split(b"\n")
        return (int(lines[0]), lines[1].decode()) if len(lines) > 2 else None

    def client(self) -> JvmClient:
        """A connection of its own, for one more thread."""
        client = JvmClient(gateway_parameters=self._parameters)
        # py4j's JavaGateway does this for the one client that it is given.
        client.gateway_property = self.gateway.gateway_property
        client.converters = protocol.INPUT_CONVERTER
        return client

    def name(self, name: str, address: str) -> None:
        """Have the name, which it has not asked for yet, stand for this address, in this JVM alone."""
        with self._hosts.open("a") as hosts:
            hosts.write(f"{address} {name}\n")

    def leave(self, limit_s: float) -> bool:
        """End the process in order, as a program does that has come to its end; whether it did in time."""
        with contextlib.suppress(GoneError, BridgeError):  # it is gone before it can answer
            self.gateway.jvm.java.lang.System.exit(0)
        return self.ended_within(limit_s) and self.exit_code == 0

    def kill(self) -> None:
        """End the process at once, without any chance to say goodbye to its neighbours."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Kill it, and end the threads that served its callbacks. May be called twice."""
        self.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._gateway is not None:
            gateway, self._gateway = self._gateway, None
            gateway.get_callback_server().shutdown()
        if self._main is not None:
            self._main.close()

    def last_words(self) -> str:
        """The tail of what it printed, for people."""
        output = self._output.read_bytes().split(b"\n", 2)[-1]  # without port and token
        text = output + self._errors.read_bytes()
        return text[-LAST_WORDS_BYTES:].decode(errors="replace").strip()

    @property
    def printed_bytes(self) -> tuple[int, int]:
        """How much it has printed so far, and how much to its error stream."""
        return self._output.stat().st_size, self._errors.stat().st_size

    def printed_since(self, start: tuple[int, int]) -> str:
        """What it has printed behind so many bytes, and behind it the same of its error stream."""
        found = []
        for path, begin in zip((self._output, self._errors), start, strict=True):
            with path.open("rb") as printed:
                printed.seek(begin)
                found.append(printed.read(MOST_READ_BYTES).decode(errors="replace"))
        return "\n".join(found)

    @property
    def _output(self) -> Path:
        return self._directory / "output"

    @property
    def _errors(self) -> Path:
        return self._directory / "errors"

    @property
    def _hosts(self) -> Path:
        return self._directory / "hosts"


def stack_words(java: Any, stack: Any) -> str:
    """A stack trace in words, in one piece; `java` is the view of its JVM."""
    carrier, words = java.java.lang.Throwable(), java.java.io.StringWriter()
    carrier.setStackTrace(stack)
    carrier.printStackTrace(java.java.io.PrintWriter(words))
    text: str = words.toString()
    return text


def any_at(java: Any, what: re.Pattern[str]) -> bool:
    """Whether a thread has what the expression finds on its stack; `java` is the view of its JVM."""
    stacks = plain(java.java.lang.Thread.getAllStackTraces()).values().toArray()
    return what.search(java.java.util.Arrays.deepToString(stacks)) is not None


def plain(proxy: Any, client: GatewayClient | None = None) -> Any:
    """The same Java object, over another connection if one is given, without the methods of a Python mapping.

    py4j dresses a region as a Python mapping, whose `get`, `pop`, `clear` or `update` then hide Java's.
    """
    return JavaObject(proxy._target_id, client or proxy._gateway_client)  # noqa: SLF001 - no public names


def _address_of(host: str) -> str:
    """What Geode, which asks for the name of the machine that it runs on, finds when it looks that up."""
    try:
        return socket.gethostbyname(host)
    except OSError:
        return LOOPBACK


def class_path_of(jars: Jars) -> tuple[Path, ...]:
    """All that a member's classes come from, in this order."""
    return (Path(find_jar_path()), *jars.paths)


def find_java() -> str:
    """The `java` that members run on; raises MissingToolError."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    found = found or shutil.which("java")
    if found is None:
        raise MissingToolError(
            "Apache Geode needs Java, and no java is on the PATH (nor in JAVA_HOME): install version 17"
            " (Debian, Ubuntu: apt-get install openjdk-17-jre-headless)"
        )
    return found
