"""What servers keep of a durable client that crashes, though nothing that it registered for is durable."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultBegun, FaultDone
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.search.search import Answer

FOUND = Path(__file__).with_name("a_crash_without_durable_interest.json")
"""A history of the system in Go: a client crashes with an event in its queue, comes back, and receives it."""


def leaving_by(kind: FaultKind) -> History:
    """The history, in which the client leaves by this."""
    history = msgspec.json.decode(FOUND.read_bytes(), type=History)

    def changed(fault: Fault) -> Fault:
        return msgspec.structs.replace(fault, kind=kind) if fault.kind is FaultKind.CLIENT_CRASH else fault

    timeline = tuple(
        msgspec.structs.replace(what, fault=changed(what.fault))
        if isinstance(what, FaultBegun | FaultDone)
        else what
        for what in history.timeline
    )
    return msgspec.structs.replace(history, timeline=timeline)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [(FaultKind.CLIENT_CRASH, Answer.EXPLAINED), (FaultKind.CLIENT_DETACH, Answer.REFUTED)],
)
def test_a_queue_may_outlast_a_crash_and_never_a_close(kind: FaultKind, answer: Answer):
    assert search(leaving_by(kind), rulebook_of(Dialect.GEODE)).answer is answer
