"""Samples with rows of a candidate's inside: one way of three events through a sender, kept and broken.

The primary a1 of `out` queues three events, sends two of them and then the third, each batch is answered,
a1 removes, a2 follows by a removal message. Every sample changes one thing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.trace.schema import TraceKind

_OUT: dict[str, Any] = {"queue": "out"}


def _begun() -> HistoryBuilder:
    """Three puts, queued on both members of site 1."""
    t = HistoryBuilder()
    for number in (1, 2, 3):
        t.do("put", "a1", "k")
        for member in ("a1", "a2"):
            t.inner(TraceKind.ENQ, member=member, eid=f"e{number}", queue_pos=number, **_OUT)
    return t


def _batch(t: HistoryBuilder, batch: int, numbers: Sequence[int], size: int | None = None) -> HistoryBuilder:
    """Events are taken into a batch and sent."""
    for number in numbers:
        t.inner(TraceKind.PEEK, member="a1", eid=f"e{number}", queue_pos=number, batch=batch, **_OUT)
    many = len(numbers) if size is None else size
    t.inner(TraceKind.DISPATCH_BEGIN, member="a1", batch=batch, conn="c", batch_size=many, **_OUT)
    for place, number in enumerate(numbers):
        event = {"eid": f"e{number}", "batch": batch, "batch_pos": place, "conn": "c", **_OUT}
        t.inner(TraceKind.SEND, member="a1", region="r", key="k", op="put", value=f"v{number}", **event)
    return t


def _received(t: HistoryBuilder, batch: int, numbers: Sequence[int], value: str = "v") -> HistoryBuilder:
    """The receiver applies them, in the order of the numbers; their places in the batch rise with them."""
    for number in numbers:
        event = {
            "eid": f"e{number}",
            "batch": batch,
            "batch_pos": number - min(numbers),
            "conn": "c",
            "site": 2,
        }
        entry = {"region": "r", "key": "k", "op": "put", "value": f"{value}{number}"}
        stamps = {"vts": 10 + number, "dsid": 1, "stored_vts": 9 + number, "stored_dsid": 1}
        t.inner(TraceKind.WAN_RECV, member="b1", **event)
        t.inner(TraceKind.WAN_APPLY, member="b1", **event, **entry, **stamps)
    return t


def _answered(t: HistoryBuilder, batch: int, removed: Sequence[int]) -> HistoryBuilder:
    t.inner(TraceKind.ACK_SEND, member="b1", batch=batch, conn="c", site=2)
    t.inner(TraceKind.ACK_RECV, member="a1", batch=batch, conn="c", **_OUT)
    return _removed(t, removed)


def _removed(
    t: HistoryBuilder, numbers: Sequence[int], member: str = "a1", cause: str = "ack"
) -> HistoryBuilder:
    for number in numbers:
        t.inner(TraceKind.RM, member=member, eid=f"e{number}", queue_pos=number, cause=cause, **_OUT)
    return t


def _told(t: HistoryBuilder, first: int, last: int, removed: Sequence[int]) -> HistoryBuilder:
    """a2 is told what range was dispatched, and removes."""
    t.inner(TraceKind.BRM_SEND, member="a1", range_from=first, range_to=last, **_OUT)
    t.inner(TraceKind.BRM_APPLY, member="a2", range_from=first, range_to=last, **_OUT)
    return _removed(t, removed, "a2", "removal_message")


def _two_sent() -> HistoryBuilder:
    return _answered(_received(_batch(_begun(), 0, (1, 2)), 0, (1, 2)), 0, (1, 2))


def _sent_on(member: str, t: HistoryBuilder, number: int) -> HistoryBuilder:
    return t.inner(TraceKind.SEND, member=member, eid=f"e{number}", batch=0, conn="d", **_OUT)


def _taken_over(t: HistoryBuilder) -> HistoryBuilder:
    return t.fault("crash", "a1").look("a2", 1, "primary")


def _judged(kind: TraceKind, time: int, site: int, stored: tuple[int, int] | None) -> HistoryBuilder:
    """One event of a site, with a time of its own, meets what another one left."""
    t = HistoryBuilder().inner(TraceKind.WAN_RECV, member="b1", site=2, eid="e1", vts=time, dsid=site)
    there = {} if stored is None else {"stored_vts": stored[0], "stored_dsid": stored[1]}
    event = {"eid": "e1", "region": "r", "key": "k", "vts": time, "dsid": site}
    return t.inner(kind, member="b1", site=2, **event, **there)


_APPLY, _DISCARD = TraceKind.WAN_APPLY, TraceKind.WAN_DISCARD

INSIDE_RIGHT: dict[str, Sample] = {
    "three events through a sender": _told(
        _answered(_received(_batch(_two_sent(), 1, (3,)), 1, (3,)), 1, (3,)), 1, 3, (1, 2, 3)
    )
    .rests()
    .sample(),
    "a batch grows to hold a transaction": _batch(_begun(), 0, (1, 2, 3), 101)
    .inner(TraceKind.TX_BEGIN, member="a1", tx_id="t")
    .sample(looks_like="GWQ-BATCH-01"),
    "a new primary sends what it had not removed": _sent_on(
        "a2", _taken_over(_told(_two_sent(), 1, 1, (1,))), 2
    ).sample(),
    "a repetition is left out": _judged(_DISCARD, 5, 1, (5, 1))
    .inner(TraceKind.WAN_RECV, member="b1", site=2, eid="e1", vts=5, dsid=1)
    .sample(),
    "later of another site": _judged(_APPLY, 6, 3, (5, 1)).sample(),
    "earlier of another site": _judged(_DISCARD, 4, 3, (5, 1)).sample(),
    "higher of two": _judged(_APPLY, 5, 3, (5, 1)).sample(),
    "lower of two": _judged(_DISCARD, 5, 1, (5, 3)).sample(),
    "first of a key": _judged(_APPLY, 5, 3, None).sample(),
}
INSIDE_WRONG: dict[str, Sample] = {
    "removed when read": _removed(_begun(), (1,)).sample("GWQ-PROC-02"),
    "removed when sent": _removed(_batch(_begun(), 0, (1, 2)), (1,)).sample("GWQ-PROC-02"),
    "one event too many": _batch(_begun(), 0, (1, 2, 3), 101).sample("GWQ-BATCH-01"),
    "an empty batch": _batch(_begun(), 0, ()).sample("GWQ-BATCH-01"),
    "newest first": _batch(_begun(), 0, (3,)).sample("GWQ-BATCH-06"),
    "the second goes first": _answered(_batch(_begun(), 0, (1, 2)), 0, (2, 1)).sample("SHQ-FIFO-01"),
    "one more than was dispatched": _told(_two_sent(), 1, 3, (1, 2, 3)).sample("REM-SERIAL-03"),
    "one less than was dispatched": _told(_two_sent(), 1, 2, (1,)).settle().sample("REM-SERIAL-03"),
    "one outside the range": _told(_two_sent(), 1, 1, (1, 2)).sample("REM-SERIAL-03"),
    "from the very first": _sent_on("a2", _taken_over(_told(_two_sent(), 1, 2, (1, 2))), 1).sample(
        "SER-FAILOVER-03"
    ),
    "second before first": _received(_batch(_begun(), 0, (1, 2)), 0, (2, 1)).sample("RCV-APPLY-01"),
    "another value": _received(_batch(_begun(), 0, (1, 2)), 0, (1, 2), "w").sample("RCV-APPLY-01"),
    "second of a millisecond refused": _judged(_DISCARD, 5, 1, (5, 1)).sample("WANC-SAME-01"),
    "later refused": _judged(_DISCARD, 6, 3, (5, 1)).sample("WANC-TS-01"),
    "earlier applied": _judged(_APPLY, 4, 3, (5, 1)).sample("WANC-TS-02"),
    "higher refused": _judged(_DISCARD, 5, 3, (5, 1)).sample("WANC-TIE-01"),
    "lower applied": _judged(_APPLY, 5, 1, (5, 3)).sample("WANC-TIE-02"),
    "unknown key refused": _judged(_DISCARD, 5, 3, None).sample("WANC-NEW-01"),
}
