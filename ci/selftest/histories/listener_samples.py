"""Samples of asynchronous event queues: right ones that look wrong, and wrong ones.

Region r feeds the queue q, which runs on the members A to D, and region alone feeds it, too. In parallel
samples r is partitioned: the primary of x is A, and its copy lies on B; the primary of y is C, and its copy
lies on D.
"""

from __future__ import annotations

from typing import Self

import msgspec

from plumbline.ci.selftest.histories.history_builder import HOME, HistoryBuilder, Sample
from plumbline.reference.history.listener_calls import QUEUE, SUCCESS, QueueCall, QueuedChange, SeenCall
from plumbline.reference.history.moments import (
    Armed,
    Gate,
    NotParked,
    Parked,
    QueueAsked,
    QueueRead,
    Released,
)
from plumbline.reference.history.operations import (
    EventKind,
    OperationKind,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    RegionPolicy,
)

X, Y, THREE = "A B", "C D", "A B C"
"""The holders of the keys, the primary first; of x with two copies."""

_KINDS = {OperationKind.DESTROY: EventKind.DESTROY, OperationKind.INVALIDATE: EventKind.INVALIDATE}


class ListenerBuilder(HistoryBuilder):
    """A history with the calls of the listeners of an asynchronous event queue."""

    def __init__(self, *, parallel: bool = False, sites: bool = False, x: str = X, queues: str = "q") -> None:
        """Args: whether r is partitioned, or two sites are there; holders of x; queues of region r."""
        policy = RegionPolicy.PARTITION if parallel else RegionPolicy.REPLICATE
        fed = tuple(queues.split())
        region = RegionAttributes(
            name="r",
            policy=policy,
            redundancy=len(x.split()) - 1 if parallel else 0,
            queues=fed,
            senders=("out", "back") if sites else (),
        )
        alone = RegionAttributes(name="alone", queues=("q",))
        super().__init__(alone=not sites, regions=(region,) if parallel else (region, alone))
        listened = (
            QueueAttributes(id=name, site=1, parallel=parallel) for name in dict.fromkeys(("q", *fed))
        )
        self._queues = (*self._queues, *listened)
        self._calls: list[SeenCall] = []
        if parallel:
            self.located("x", *x.split()).located("y", *Y.split())

    def offered(
        self, member: str, *events: int | QueuedChange, answer: str = SUCCESS, queue: str = "q"
    ) -> Self:
        """The listener on a member receives these operations in a batch, and answers."""
        changes = tuple(one if isinstance(one, QueuedChange) else self._change(one) for one in events)
        call = QueueCall(member=member, queue=queue, events=changes, answer=answer)
        self._calls.append(SeenCall(call, 0, len(self._timeline)))
        return self

    def puts(self, *calls: str) -> Self:
        """Members put keys one after the other, "A x", and those that hold them receive that."""
        for one in calls:
            member, key, *holders = one.split()
            self.put(member, key, " ".join(holders) or None)
        return self

    def stands(self, member: str, op_id: int, callback: str = QUEUE) -> Self:
        """An operation stands in a listener, with its batch."""
        self._timeline += [Armed(Gate(member, op_id, callback)), Parked(Gate(member, op_id, callback))]
        return self

    def missed(self, member: str, op_id: int, callback: str = QUEUE) -> Self:
        """An operation has not come to a listener in all its time."""
        self._timeline += [Armed(Gate(member, op_id, callback)), NotParked(Gate(member, op_id, callback))]
        return self

    def goes_on(self, member: str, op_id: int, callback: str = QUEUE) -> Self:
        """It goes on."""
        self._timeline.append(Released(Gate(member, op_id, callback)))
        return self

    def holds(self, **held: str) -> Self:
        """Members are looked at: each holds the events of these operations, parted by blanks."""
        for member, numbers in held.items():
            tokens = tuple(f"v{number}" for number in numbers.split())
            self._numbers += 1
            sight = QueueSight(depth=len(tokens), role=QueueRole.PRIMARY, tokens=tokens)
            self._timeline += [
                QueueAsked(self._numbers, member, "q"),
                QueueRead(self._numbers, member, "q", sight),
            ]
        return self

    def sample(self, violates: str = "", looks_like: str = "") -> Sample:
        """The sample, with the ids of rules, parted by blanks."""
        plain = super().sample(violates, looks_like)
        history = msgspec.structs.replace(plain.history, calls=tuple(self._calls))
        return msgspec.structs.replace(plain, history=history)

    def _change(self, op_id: int) -> QueuedChange:
        one = self._operations[op_id - 1]
        kind = _KINDS.get(one.kind, EventKind.UPDATE)
        return QueuedChange(region=one.region, key=one.key, kind=kind, token=one.token)


def _change(token: str | None, key: str = "x", kind: str = "update") -> QueuedChange:
    return QueuedChange(region="r", key=key, kind=EventKind(kind), token=token)


def _two(second: str = "A y") -> ListenerBuilder:
    """A puts x, and behind that another put."""
    return ListenerBuilder().puts("A x", second)


def _at_once() -> ListenerBuilder:
    """Two members put x at the same time."""
    t = ListenerBuilder()
    one, two = t.call("put", "A", "x"), t.call("put", "B", "x")
    t.shown(one).shown(two).ends(one).ends(two)
    return t


def _parallel(*calls: str, x: str = X) -> ListenerBuilder:
    """Members put keys of the partitioned region: x on A and B, y on C and D."""
    t = ListenerBuilder(parallel=True, x=x)
    return t.puts(*(f"{one} {x if one.endswith('x') else Y}" for one in calls))


def _paused(*calls: str, at: str = "A", x: str = X) -> ListenerBuilder:
    """The same, while the queue is paused on a member."""
    t = ListenerBuilder(parallel=True, x=x)
    t.fault("pause", at, "q")
    return t.puts(*(f"{one} {x if one.endswith('x') else Y}" for one in calls))


def _killed(t: ListenerBuilder) -> ListenerBuilder:
    """A dies, and all comes to rest; B is primary of x."""
    t.fault("crash", "A").settle()
    return t.located("x", "B")


def _held_by_copy(at: str, key: str = "x", x: str = X) -> ListenerBuilder:
    """A put stands in the region listener of a copy."""
    t = ListenerBuilder(parallel=True, x=x)
    t.gate(at, 1)
    t.call("put", "C" if key == "x" else "A", key)
    t.shown(1, x if key == "x" else Y).parked(at, 1)
    return t


def _called_again() -> ListenerBuilder:
    """A put stands in a copy's listener when A dies: it is called again on B, and queued once more there."""
    t = _held_by_copy("B")
    t.fault("crash", "A").released("B", 1).ends(1).settle()
    return t.located("x", "B").offered("B", 1, 1).settle()


def _stood(*, parallel: bool = False, sites: bool = False) -> ListenerBuilder:
    """The listener of q on A stands with the first put, and another put is called, which all receive."""
    t = ListenerBuilder(parallel=parallel, sites=sites, queues="p" if not (parallel or sites) else "q")
    home, key, region = (HOME, "k", "alone") if sites else (None, "x", "r" if parallel else "alone")
    first = "a1" if sites else "A"
    one = t.call("put", first, key, region=region)
    t.shown(one, X if parallel else home).ends(one).offered(first, one).stands(first, one)
    two = t.call("put", "a2" if sites else "B", "y")
    t.shown(two, Y if parallel else home).ends(two)
    return t


def _let_go(t: ListenerBuilder, at: str, came: str) -> ListenerBuilder:
    """What stands goes on. Behind that, or before, the second put comes."""
    queue = "q" if at in {"C", "a1"} else "p"
    if came == "late":
        t.missed(at, 2)
    t.offered(at, 2, queue=queue)
    if came == "at once":
        t.stands(at, 2).goes_on(at, 2)
    t.goes_on("A", 1)
    t.settle()
    return t


def _across(came: str) -> ListenerBuilder:
    """The same of a put that crosses to another site."""
    t = _stood(sites=True)
    if came == "late":
        t.missed("b1", 2, "listener")
    t.shown(2, "b1 b2")
    if came == "at once":
        t.stands("b1", 2, "listener").goes_on("b1", 2, "listener")
    t.goes_on("a1", 1).offered("a1", 2).settle()
    return t


def _without_effect_elsewhere() -> ListenerBuilder:
    """A put, its invalidation, which no listener of the queue receives, and a destroy without a token."""
    t = ListenerBuilder()
    t.put("A", "x").do("invalidate", "B", "x").put("A", "y").do("destroy", "B", "y")
    t.offered("A", 1, 3).offered("A", _change(None, "y", "destroy"))
    return t


def _growing() -> ListenerBuilder:
    """A batch fails three times, and comes with more behind it."""
    t = (
        _two()
        .offered("A", 1, answer="false")
        .offered("A", 1, 2, answer="part")
        .offered("A", 1, 2, answer="throw")
    )
    return t.puts("B z").offered("A", 1, 2, 3)


def _taken_over() -> ListenerBuilder:
    """A dies behind two calls: B repeats what may not have left the queue, and what failed."""
    t = _two().offered("A", 1).offered("A", 2, answer="false")
    t.fault("crash", "A").settle()
    return t.offered("B", 1, 2)


RIGHT: dict[str, Sample] = {
    "a batch that fails comes with more behind it": _growing()
    .rests()
    .sample(looks_like="AEQ-RETRY-01 AEQ-RETRY-02 AEQ-RETRY-04 ARCH-THREAD-01"),
    "another member repeats what its predecessor had dealt with": _taken_over()
    .rests()
    .sample(looks_like="AEQ-RETRY-03"),
    "listeners receive what gateways distribute": _without_effect_elsewhere()
    .rests()
    .sample(looks_like="AEQ-OPS-01"),
    "what is put at the same time comes in either order": _at_once()
    .offered("A", 2, 1)
    .rests()
    .sample(looks_like="ARCH-SHARED-01 AEQ-DISPATCH-01"),
    "another queue goes on while a listener stands": _let_go(_stood(), "A", "at once")
    .rests()
    .sample(looks_like="ARCH-THREAD-02"),
    "another member goes on while a listener stands": _let_go(_stood(parallel=True), "C", "at once")
    .rests()
    .sample(looks_like="ARCH-THREAD-02"),
    "a sender goes on while a listener stands": _across("at once")
    .rests()
    .sample(looks_like="ARCH-THREAD-02"),
    "keys have no order between them": _parallel("A x", "A y", "B x")
    .offered("C", 2)
    .offered("A", 1, 3)
    .rests()
    .sample(looks_like="PAR-ORDER-01 PAR-ACTIVE-01"),
    "the heir dispatches what it holds": _killed(
        _parallel("C x", "D x", "C y").offered("C", 3).offered("A", 1, answer="false")
    )
    .offered("B", 1, 2)
    .rests()
    .sample(looks_like="PAR-FAILOVER-01 REM-PARALLEL-04"),
    "the heir takes up what stood": _killed(_parallel("C x").offered("A", 1).stands("A", 1))
    .offered("B", 1)
    .rests()
    .sample(looks_like="REM-PARALLEL-05"),
    "what the dead primary had dealt with need not come again": _killed(_parallel("C x").offered("A", 1))
    .rests()
    .sample(looks_like="REM-PARALLEL-05"),
    "a call that is tried again on the heir comes twice in a batch": _called_again()
    .rests()
    .sample(looks_like="AEQ-DISPATCH-01"),
    "what a copy has received may be dispatched": _held_by_copy("B")
    .released("B", 1)
    .ends(1)
    .offered("A", 1)
    .rests()
    .sample(looks_like="PAR-REDUND-01"),
    "events wait where their keys lie": _paused("B x", "A x", "D y")
    .offered("C", 3)
    .settle()
    .holds(A="1 2", B="1 2", C="", D="")
    .rests()
    .sample(looks_like="REM-PARALLEL-02 SHQ-TYPE-02 PAR-COLOC-01"),
    "events wait before any is dispatched": _paused("B x")
    .settle()
    .holds(A="1", B="1", D="")
    .rests()
    .sample(looks_like="PAR-REDUND-02"),
    "a copy may learn late what has left": _parallel("B x")
    .offered("A", 1)
    .settle()
    .holds(B="1", A="")
    .waited()
    .holds(B="")
    .rests()
    .sample(looks_like="REM-PARALLEL-03"),
}
"""By name, samples that violate nothing."""

WRONG: dict[str, Sample] = {
    "a listener receives an invalidation": ListenerBuilder()
    .puts("A x")
    .do("invalidate", "A", "x")
    .offered("A", 1, 2)
    .rests()
    .sample("AEQ-OPS-01"),
    "a listener receives a destroy that nobody called": ListenerBuilder()
    .puts("A x")
    .offered("A", 1, _change(None, kind="destroy"))
    .rests()
    .sample("AEQ-OPS-01"),
    "a put does not come to the listener": _two().offered("A", 2).rests().sample("AEQ-OPS-01"),
    "an event brings the value of the next": _at_once().offered("A", 2, 2).rests().sample("AEQ-DISPATCH-01"),
    "an event brings no value": _at_once().offered("A", _change(None), 2).rests().sample("AEQ-DISPATCH-01"),
    "an event comes before it is called": ListenerBuilder()
    .offered("A", _change("v1"))
    .settle()
    .puts("A x")
    .rests()
    .sample("AEQ-DISPATCH-01"),
    "a batch that failed is gone": _two()
    .offered("A", 1)
    .offered("A", 2, answer="false")
    .rests()
    .sample("AEQ-RETRY-01"),
    "a batch at which the listener threw is gone": _two()
    .offered("A", 1, answer="throw")
    .offered("A", 2)
    .rests()
    .sample("AEQ-RETRY-01 AEQ-RETRY-02"),
    "a batch that failed comes again the other way round": _two()
    .offered("A", 1, 2, answer="false")
    .offered("A", 2, 1)
    .rests()
    .sample("AEQ-RETRY-02"),
    "the next batch comes before the one that failed": _two()
    .offered("A", 1, answer="throw")
    .offered("A", 2)
    .offered("A", 1)
    .rests()
    .sample("AEQ-RETRY-02"),
    "what succeeded comes again": _two().offered("A", 1).offered("A", 1, 2).rests().sample("AEQ-RETRY-03"),
    "what succeeded comes to another member": _two()
    .offered("A", 1, 2)
    .offered("B", 2)
    .rests()
    .sample("AEQ-RETRY-03"),
    "what was processed in part is gone": _two()
    .offered("A", 1, 2, answer="part")
    .rests()
    .sample("AEQ-RETRY-04"),
    "the first event of a batch in part is gone": _two()
    .offered("A", 1, 2, answer="part")
    .offered("A", 2)
    .rests()
    .sample("AEQ-RETRY-04 AEQ-RETRY-02"),
    "an exception ends the processor": ListenerBuilder()
    .puts("A x")
    .offered("A", 1, answer="throw")
    .offered("A", 1)
    .puts("B y")
    .rests()
    .sample("ARCH-THREAD-01"),
    "a failure ends the processor": ListenerBuilder()
    .puts("A x")
    .offered("A", 1, answer="false")
    .offered("A", 1)
    .puts("A y", "A z")
    .offered("A", 2)
    .rests()
    .sample("ARCH-THREAD-01"),
    "one thread's events come the other way round": _two()
    .offered("A", 2, 1)
    .rests()
    .sample("ARCH-SHARED-01"),
    "one key's events come the other way round": _two("B x")
    .offered("A", 2)
    .offered("A", 1)
    .rests()
    .sample("ARCH-SHARED-01"),
    "what crosses does not come to the listener": ListenerBuilder(sites=True)
    .puts("a1 k")
    .rests()
    .sample("ARCH-SHARED-01 AEQ-OPS-01"),
    "another queue waits while a listener stands": _let_go(_stood(), "A", "late")
    .rests()
    .sample("ARCH-THREAD-02"),
    "another member waits while a listener stands": _let_go(_stood(parallel=True), "C", "late")
    .rests()
    .sample("ARCH-THREAD-02"),
    "a sender waits while a listener stands": _across("late").rests().sample("ARCH-THREAD-02"),
    "a copy dispatches": _parallel("C x").offered("B", 1).rests().sample("PAR-ACTIVE-01"),
    "a member without the key dispatches": _parallel("A y").offered("A", 1).rests().sample("PAR-ACTIVE-01"),
    "a key's events come the other way round": _parallel("A x", "B x")
    .offered("A", 2, 1)
    .rests()
    .sample("PAR-ORDER-01"),
    "a later batch brings a key's older event": _parallel("C y", "D y")
    .offered("C", 2)
    .offered("C", 1)
    .rests()
    .sample("PAR-ORDER-01"),
    "what a copy has yet to receive is dispatched": _held_by_copy("B")
    .offered("A", 1)
    .released("B", 1)
    .ends(1)
    .rests()
    .sample("PAR-REDUND-01"),
    "what the second copy has yet to receive is dispatched": _held_by_copy("C", x=THREE)
    .offered("A", 1)
    .released("C", 1)
    .ends(1)
    .rests()
    .sample("PAR-REDUND-01"),
    "a copy lacks what waits": _paused("B x").settle().holds(A="1", B="").rests().sample("PAR-REDUND-02"),
    "the primary lacks what waits": _paused("C y", "D y", at="C")
    .settle()
    .holds(C="2", D="1 2")
    .rests()
    .sample("PAR-REDUND-02"),
    "an event lies on a member more": _paused("B x")
    .settle()
    .holds(A="1", B="1", D="1")
    .rests()
    .sample("SHQ-TYPE-02"),
    "an event lies on a member more than its copies": _paused("A y", at="C")
    .settle()
    .holds(A="1", C="1", D="1")
    .rests()
    .sample("SHQ-TYPE-02"),
    "a copy lies elsewhere": _paused("B x")
    .settle()
    .holds(A="1", B="", C="1")
    .rests()
    .sample("PAR-COLOC-01 SHQ-TYPE-02 PAR-REDUND-02"),
    "a primary's events lie elsewhere": _paused("B y", at="C")
    .settle()
    .holds(A="1", C="", D="1")
    .rests()
    .sample("PAR-COLOC-01 SHQ-TYPE-02 PAR-REDUND-02"),
    "a removal empties other buckets": _paused("C x", "D y")
    .offered("C", 2)
    .settle()
    .holds(A="1", B="")
    .rests()
    .sample("REM-PARALLEL-02"),
    "a removal empties the second copy": _paused("B x", "A x", "D y", x=THREE)
    .offered("C", 3)
    .settle()
    .holds(A="1 2", B="1 2", C="2")
    .rests()
    .sample("REM-PARALLEL-02"),
    "a copy never learns what has left": _parallel("B x")
    .offered("A", 1)
    .settle()
    .waited()
    .holds(B="1")
    .rests()
    .sample("REM-PARALLEL-03"),
    "a copy never learns of the last event": _parallel("C y", "C y")
    .offered("C", 1, 2)
    .settle()
    .waited()
    .holds(D="2")
    .rests()
    .sample("REM-PARALLEL-03"),
    "the heir begins with nothing": _killed(_parallel("B x", "C x")).rests().sample("PAR-FAILOVER-01"),
    "the heir begins with the newest": _killed(_parallel("B x", "C x"))
    .offered("B", 2, 1)
    .rests()
    .sample("PAR-FAILOVER-01"),
    "what failed is gone from the copy": _killed(_parallel("B x").offered("A", 1, answer="false"))
    .rests()
    .sample("REM-PARALLEL-04"),
    "what failed twice is gone from the copy": _killed(
        _parallel("B x").offered("A", 1, answer="throw").offered("A", 1, answer="part")
    )
    .rests()
    .sample("REM-PARALLEL-04"),
    "what stood is gone": _killed(_parallel("C x").offered("A", 1).stands("A", 1))
    .rests()
    .sample("REM-PARALLEL-05 REM-PARALLEL-04"),
    "a batch of two that stood is gone": _killed(_parallel("B x", "B x").offered("A", 1, 2).stands("A", 2))
    .rests()
    .sample("REM-PARALLEL-05 REM-PARALLEL-04"),
}
"""By name, samples with the requirements that they violate."""
