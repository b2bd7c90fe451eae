"""What a client asks its servers, as far as answers are held: registrations, and gets of one key.

Knows how Geode's messages begin; knows nothing of the proxies that they pass.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from plumbline.adapters.geode.listener import GeodeExample
from plumbline.adapters.geode.registering import BegunRegistrations
from plumbline.reference.history.moments import ANSWER, Gate
from plumbline.reference.history.operations import Operation

_HEADER = struct.Struct(">iiiib")
"""A message's type, its length, the number of its parts, the transaction's number, flags."""

_PART = struct.Struct(">ib")
"""A part's length, and what it is."""

_GET = 0
_REGISTERS = frozenset({20, 24})
"""REGISTER_INTEREST and REGISTER_INTEREST_LIST; the same in all versions."""


class _Get(NamedTuple):
    """A get that is to be held: at which gate, and whether its call has ended."""

    gate: Gate
    has_ended: Callable[[], bool]


class HeldAnswers:
    """Which answers to clients are held.

    Args:
        registrations: those of the example.
    """

    def __init__(self, registrations: BegunRegistrations) -> None:
        self._registrations = registrations
        self.begin_example(GeodeExample())

    def begin_example(self, stage: GeodeExample) -> None:
        """Hold no answer any more; calls stand at gates of this stage from here on."""
        self._stage = stage
        self._gates: set[Gate] = set()
        self._gets: dict[tuple[str, str, str], list[_Get]] = {}

    def arm(self, gate: Gate) -> None:
        """Hold the answer to this get."""
        self._gates.add(gate)

    def begun(self, operation: Operation, path: str, has_ended: Callable[[], bool]) -> None:
        """A client is about to call an operation on a region of this path."""
        gate = Gate(operation.member, operation.op_id, ANSWER)
        if gate in self._gates:
            place = (operation.member, path, operation.key)
            self._gets.setdefault(place, []).append(_Get(gate, has_ended))

    def asked(self, client: str, server: str, data: bytes) -> Callable[[], None] | None:
        """What the answer waits for to what a client asks a server, if for anything."""
        if len(data) < _HEADER.size:
            return None
        kind = _HEADER.unpack_from(data)[0]
        if kind in _REGISTERS:
            return self._registrations.asked(client, server)
        if kind != _GET or not self._gets:
            return None
        path, key, *_ = (*_parts(data), "", "")
        gets = [get for get in self._gets.pop((client, path, key), []) if not get.has_ended()]
        if not gets:
            return None
        if gets[1:]:
            self._gets[client, path, key] = gets[1:]
        return partial(self._stage.stand_at, gets[0].gate, key)


def _parts(data: bytes) -> list[str]:
    """The parts of a message as text, as far as they are there."""
    found, start = [], _HEADER.size
    for _ in range(max(0, min(_HEADER.unpack_from(data)[2], 3))):
        if start + _PART.size > len(data):
            break
        length = _PART.unpack_from(data, start)[0]
        start += _PART.size
        found.append(data[start : start + length].decode(errors="replace"))
        start += length
    return found
