"""Samples of transactions: right ones that look wrong, and wrong ones.

A and B are replicates, C is a normal member and D an empty one. The transaction is the thread `tx`'s.
"""

from __future__ import annotations

from typing import Self

from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.moments import Armed, Gate, NotParked, Parked
from plumbline.reference.history.operations import (
    HostPolicy,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Status,
)

_LESS = (HostPolicy("C", RegionPolicy.NORMAL), HostPolicy("D", RegionPolicy.EMPTY))
_ONE = (HostPolicy("B", RegionPolicy.PRELOADED), *_LESS)
_TO = "A B"


class _Tale(HistoryBuilder):
    """A tale of one site without clients, in which a thread transacts."""

    def __init__(self, policies: tuple[HostPolicy, ...] = _LESS) -> None:
        super().__init__(regions=(RegionAttributes(name="r", policies=policies),), alone=True)

    def inside(self, kind: str, member: str, key: str = "", status: Status = Status.OK) -> Self:
        """The transaction's thread calls something, which returns at once."""
        op_id = self.call(kind, member, key, thread="tx")
        return self.ends(op_id, status)

    def begun(self, member: str) -> Self:
        return self.inside("tx_begin", member)

    def committed(self, member: str, *shown: int, to: str = _TO) -> Self:
        """The transaction is committed, and these operations of it are told of."""
        op_id = self.call("tx_commit", member, "", thread="tx")
        for one in shown:
            self.shown(one, to)
        return self.ends(op_id)

    def writer(self, member: str, caller: str, *, reached: bool) -> Self:
        """A commit is to be held in a member's writer, and comes there or not."""
        number = len(self._operations) + 1
        gate = Gate(member, number, "writer")
        self._timeline.append(Armed(gate))
        op_id = self.call("tx_commit", caller, "", thread="tx")
        self._timeline.append(Parked(gate) if reached else NotParked(gate))
        return self.released(member, op_id).ends(op_id)


def _plain(key: str = "x") -> _Tale:
    """A key that all hold."""
    return _Tale().put("A", key)


def _touched(caller: str = "A") -> _Tale:
    """The key is put twice by an open transaction: operations 3 and 4."""
    return _plain().begun(caller).inside("put", caller, "x").inside("put", caller, "x")


def _contested() -> _Tale:
    """While A commits its put, operation 3, B puts the key as well, operation 5."""
    t = _plain().begun("A").inside("put", "A", "x")
    commit = t.call("tx_commit", "A", "", thread="tx")
    other = t.call("put", "B", "x")
    return t.shown(3, "A").shown(other, _TO).ends(commit).ends(other)


def _refused(kind: OperationKind, status: Status) -> _Tale:
    """A local operation in a transaction of C."""
    return _plain().begun("C").inside(kind.value, "C", "x", status)


RIGHT: dict[str, Sample] = {
    "the last of two puts is committed": _touched()
    .committed("A", 4)
    .settle()
    .read(C={}, D={})
    .sample(looks_like="TX-VER-01"),
    "a commit and a put at the same time": _contested()
    .settle()
    .read(C={}, D={})
    .sample(looks_like="TX-CONV-01"),
    "a commit is told of while it is called": _touched("B")
    .committed("B", 4)
    .settle()
    .read(C={}, D={})
    .sample(looks_like="TX-VER-02"),
    "what is rolled back shows nowhere": _touched()
    .inside("tx_rollback", "A")
    .settle()
    .read(C={}, D={})
    .sample(looks_like="TX-VER-02"),
    "a commit of an empty member stands at the replicate": _Tale(_ONE)
    .begun("D")
    .inside("put", "D", "x")
    .writer("A", "D", reached=True)
    .settle()
    .read(A={"x": "v2"}, B={}, C={}, D={})
    .sample(looks_like="TX-DELEG-01"),
    "a local destroy is refused": _refused(OperationKind.LOCAL_DESTROY, Status.REFUSED)
    .committed("C")
    .settle()
    .read(C={}, D={})
    .sample(looks_like="TX-LIMIT-01"),
    "a destroy stands in": _plain()
    .begun("C")
    .inside("destroy", "C", "x")
    .committed("C", 3)
    .settle()
    .read(C={}, D={})
    .sample(looks_like="TX-LIMIT-02"),
}

WRONG: dict[str, Sample] = {
    "a member keeps what was before a commit": _touched()
    .committed("A", 4)
    .settle()
    .read(B={"x": "v1"}, C={}, D={})
    .sample("TX-VER-01"),
    "nobody has what was committed": _touched().committed("A").settle().read(C={}, D={}).sample("TX-VER-01"),
    "told before the commit": _touched()
    .shown(4, "B")
    .committed("A", 4, to="A")
    .settle()
    .read(C={}, D={})
    .sample("TX-VER-02"),
    "told although it was rolled back": _touched()
    .shown(4, _TO)
    .inside("tx_rollback", "A")
    .settle()
    .read(C={}, D={})
    .sample("TX-VER-02"),
    "the commit of an empty member never comes to the replicate": _Tale(_ONE)
    .begun("D")
    .inside("put", "D", "x")
    .writer("A", "D", reached=False)
    .settle()
    .read(A={"x": "v2"}, B={}, C={}, D={})
    .sample("TX-DELEG-01"),
    "the commit of a normal member never comes to the replicate": _Tale(_ONE)
    .begun("C")
    .inside("put", "C", "x")
    .writer("A", "C", reached=False)
    .settle()
    .read(A={"x": "v2"}, B={}, C={}, D={})
    .sample("TX-DELEG-01"),
    "a local destroy is carried out": _refused(OperationKind.LOCAL_DESTROY, Status.OK)
    .committed("C", 3)
    .settle()
    .read(C={}, D={})
    .sample("TX-LIMIT-01"),
    "a local invalidate ends well": _refused(OperationKind.LOCAL_INVALIDATE, Status.OK)
    .committed("C")
    .settle()
    .read(C={}, D={})
    .sample("TX-LIMIT-01"),
    "a destroy is refused": _plain()
    .begun("D")
    .inside("destroy", "D", "x", Status.REFUSED)
    .committed("D")
    .settle()
    .read(C={}, D={})
    .sample("TX-LIMIT-02"),
    "a destroy that was committed is undone": _plain()
    .begun("C")
    .inside("destroy", "C", "x")
    .committed("C", 3)
    .settle()
    .read(A={"x": "v1"}, B={"x": "v1"}, C={}, D={})
    .sample("TX-LIMIT-02 TX-VER-01"),
    "a commit and a put end apart": _contested()
    .settle()
    .read(A={"x": "v3"}, C={}, D={})
    .sample("TX-CONV-01"),
    "a commit is lost at one member": _contested()
    .settle()
    .read(B={"x": "v1"}, C={}, D={})
    .sample("TX-CONV-01"),
}
