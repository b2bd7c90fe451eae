"""A container's streams: two outputs in frames that may be cut anywhere, read all the time, within bounds."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

from plumbline.adapters.container import attached
from plumbline.adapters.container.attached import Attached
from plumbline.adapters.process.messages import ChannelError, SilenceError
from plumbline.adapters.waiting import wait_until

OUT, ERROR = 1, 2


def frame(kind: int, content: bytes) -> bytes:
    return struct.pack(">BxxxI", kind, len(content)) + content


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, Attached]]:
    """The engine's end of a connection, and the streams at the other."""
    engine, other = socket.socketpair()
    engine.settimeout(5)
    streams = Attached(other, lambda: "ended with exit code 7")
    with engine:
        yield engine, streams
        streams.stop()
        streams.stop()


Ends = tuple[socket.socket, Attached]


def test_lines_and_errors_are_told_apart_wherever_the_frames_are_cut(ends: Ends):
    engine, streams = ends
    sent = frame(OUT, b"one\ntw") + frame(ERROR, b"oh\x1b") + frame(OUT, b"") + frame(OUT, b"o\n")
    for number in range(len(sent)):
        engine.sendall(sent[number : number + 1])
    assert streams.exchange(b"ask\n", 5_000) == b"one"
    assert streams.exchange(b"again\n", 5_000) == b"two"
    assert streams.last_words() == "oh\\x1b"
    received = b""
    while len(received) < 10:
        received += engine.recv(100)
    assert received == b"ask\nagain\n"


def test_silence_half_a_line_and_the_end_are_three_errors(ends: Ends):
    engine, streams = ends
    with pytest.raises(SilenceError, match="did not answer"):
        streams.exchange(b"?\n", 10)
    engine.sendall(frame(OUT, b"half"))
    assert wait_until(lambda: streams._unread == 4, 5)
    with pytest.raises(ChannelError, match="only beginning with «half»"):
        streams.exchange(b"?\n", 10)
    engine.close()
    with pytest.raises(
        ChannelError, match="ended with exit code 7 in the middle of a line beginning with «half»"
    ):
        streams.exchange(b"?\n", 5_000)


def test_who_does_not_read_is_given_up_in_time(ends: Ends):
    _, streams = ends
    with pytest.raises(ChannelError, match="did not read the request"):
        streams.exchange(bytes(1 << 24), 100)


def test_what_nothing_asked_for_is_kept_within_bounds(ends: Ends, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(attached, "MOST_UNREAD", 100_000)
    engine, streams = ends
    for _ in range(100):
        engine.sendall(frame(OUT, b"line\n" * 10_000))
    assert wait_until(lambda: streams._unread == 100 * 50_000, 5)
    assert len(streams._lines._received) <= 150_000
    with pytest.raises(ChannelError, match="sent more than 100000 bytes that nothing asked for"):
        streams.exchange(b"?\n", 5_000)


def test_of_the_errors_the_end_is_kept(ends: Ends):
    engine, streams = ends
    engine.sendall(frame(ERROR, b"begin" + b"x" * attached.TAIL) + frame(OUT, b"\n"))
    assert streams.exchange(b"?\n", 5_000) == b""
    assert streams.last_words() == "x" * attached.TAIL
