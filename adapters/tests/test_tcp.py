"""Candidates that run already: sessions over TCP, with TLS or without, and what can go wrong there."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from plumbline.adapters.candidates import CandidateKind, find_candidate
from plumbline.adapters.errors import AdapterError, UnknownCandidateError, UnsupportedError
from plumbline.adapters.process import service, tcp_server
from plumbline.adapters.process.client import ReplyLimits
from plumbline.adapters.process.messages import LINE_LIMIT
from plumbline.adapters.process.tcp_server import TcpServer
from plumbline.adapters.protocol import Introduction
from plumbline.adapters.tests.small_adapter import SmallAdapter

CERTIFICATE = Path(__file__).with_name("loopback.pem")
"""A key and a certificate of their own for localhost: they protect nothing."""

SHORT = ReplyLimits(call_ms=300, deploy_ms=300, grace_ms=300)


@contextmanager
def serving(
    makes: Callable[[], SmallAdapter] = SmallAdapter, context: ssl.SSLContext | None = None, port: int = 0
) -> Iterator[int]:
    """The port of a service of adapters, while it runs."""
    with TcpServer(makes, port, context) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.port
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """The port of a service that answers the first request of each connection so, and then closes it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(65_536)
                        connection.sendall(answer)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def hello(port: int, host: str = "127.0.0.1", kind: str = "tcp", limits: ReplyLimits = SHORT) -> Introduction:
    with find_candidate(f"{kind}:{host}:{port}", limits=limits).open() as adapter:
        return adapter.hello()


def test_one_session_follows_another_each_with_an_adapter_of_its_own():
    made: list[SmallAdapter] = []

    def make() -> SmallAdapter:
        made.append(SmallAdapter())
        return made[-1]

    with serving(make) as port:
        for number in (1, 2, 3):
            assert hello(port) == SmallAdapter().hello()
            assert len(made) == number


def test_a_second_session_at_the_same_time_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tcp_server, "TURN_S", 0.05)
    with serving() as port, find_candidate(f"tcp:127.0.0.1:{port}").open() as first:
        first.hello()
        with pytest.raises(AdapterError, match="another suite is connected to this service"):
            hello(port)
        assert first.hello() == SmallAdapter().hello()


def test_another_suite_waits_until_this_one_has_ended():
    with serving() as port:
        hello(port)
        code = (
            "from plumbline.adapters.candidates import find_candidate\n"
            f"find_candidate('tcp:127.0.0.1:{port}').open().hello()"
        )
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert other.returncode == 1
        assert "another suite uses it now; wait until that has ended" in other.stderr
        (lock,) = Path(tempfile.gettempdir()).glob(f"plumbline-*-{port}.lock")
        service._end_turn(lock)
        again = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (again.returncode, again.stderr) == (0, "")
        assert not lock.exists()


def test_a_service_that_starts_again_is_found_again():
    with serving() as port:
        hello(port)
    done = threading.Event()

    def later() -> None:
        with serving(port=port):
            done.wait(10)

    thread = threading.Timer(0.2, later)
    thread.start()
    try:
        assert hello(port, limits=ReplyLimits(call_ms=10_000)) == SmallAdapter().hello()
    finally:
        done.set()
        thread.join()


def test_no_service_is_told_with_the_remedy():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(
        AdapterError, match=rf"127.0.0.1:{port}: no service listens there within 0.3 s; start it"
    ):
        hello(port)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "hello: the adapter closed the connection$"),
        (b'{"jsonrpc"', 'closed the connection in the middle of a line beginning with «{"jsonrpc"»'),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "said «HTTP/1.1 400 Bad Request"),
        (b"x" * (LINE_LIMIT + 1), "sent a line of more than 8388608 bytes"),
        (b"\x1b[31m\n", "said «"),
    ],
)
def test_what_is_no_answer_is_an_adapter_error(answer: bytes, words: str):
    with answering(answer) as port, pytest.raises(AdapterError, match=words):
        hello(port, limits=ReplyLimits(call_ms=5_000))


def test_a_service_that_does_not_answer_is_given_up():
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(AdapterError, match="hello: the adapter did not answer within its time limit"),
    ):
        hello(silent.getsockname()[1])


def test_an_adapter_that_cannot_be_made_says_why():
    def fails() -> SmallAdapter:
        raise RuntimeError("no licence")

    with (
        serving(fails) as port,
        pytest.raises(AdapterError, match="could not be made: RuntimeError: no licence"),
    ):
        hello(port)


def test_a_session_whose_connection_breaks_makes_room_for_the_next():
    with serving() as port:
        with socket.create_connection(("127.0.0.1", port)) as broken:
            broken.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {}}\n')
            assert json.loads(broken.makefile().readline())["id"] == 1
        assert hello(port) == SmallAdapter().hello()


@pytest.fixture
def tls() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    return context


def test_tls_is_spoken_with_a_service_whose_certificate_is_trusted(
    tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with serving(context=tls) as port:
        for host in ("localhost", "127.0.0.1"):
            assert hello(port, host, "tls") == SmallAdapter().hello()


def test_a_certificate_that_is_not_trusted_ends_the_connection(tls: ssl.SSLContext):
    with (
        serving(context=tls) as port,
        pytest.raises(AdapterError, match=r"certificate is not trusted.*SSL_CERT_FILE"),
    ):
        hello(port, kind="tls")


def test_a_service_without_tls_is_not_spoken_to_with_it():
    with answering(b"hello") as port, pytest.raises(AdapterError, match="cannot connect: "):
        hello(port, kind="tls")


@pytest.mark.parametrize("address", ["localhost:7000", "127.0.0.1:1", "127.9.9.9:65535", "[::1]:7000"])
def test_this_machine_has_several_addresses(address: str):
    assert find_candidate(f"tcp:{address}").kind is CandidateKind.TCP


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tcp:", "a host and a port from 1 to 65535 are needed"),
        ("tcp:localhost", "a host and a port from 1 to 65535 are needed"),
        ("tcp:localhost:0", "a host and a port from 1 to 65535 are needed"),
        ("tcp:localhost:65536", "a host and a port from 1 to 65535 are needed"),
        ("tcp:localhost:²", "a host and a port from 1 to 65535 are needed"),
        ("tcp:::1:7000", r"stands in brackets: `\[::1\]:7000`"),
        ("tcp:example.org:7000", "use `tls:example.org:7000`"),
        ("tcp:10.0.0.1:7000", "without TLS only this machine is spoken to"),
        ("tls:", "a host and a port from 1 to 65535 are needed"),
    ],
)
def test_what_is_no_address_is_refused_with_the_remedy(name: str, words: str):
    with pytest.raises(UnknownCandidateError, match=words):
        find_candidate(name)


def test_any_machine_is_spoken_to_with_tls():
    assert find_candidate("tls:example.org:7000").kind is CandidateKind.TLS


def test_what_the_service_lacks_is_unsupported():
    with (
        serving() as port,
        find_candidate(f"tcp:127.0.0.1:{port}").open() as adapter,
        pytest.raises(UnsupportedError),
    ):
        adapter.client_action("K", "ready", keepalive=False)


def test_an_address_reads_as_it_was_written():
    assert str(service.address_of("[::1]:7000", tls=False)) == "[::1]:7000"
    assert str(service.address_of("localhost:7000", tls=False)) == "localhost:7000"
