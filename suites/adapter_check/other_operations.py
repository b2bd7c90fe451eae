"""What is asked of an adapter about operations: on many keys, conditional, and those of a region itself.

Knows the plainest use of each.
"""

from __future__ import annotations

import msgspec

from plumbline.adapters.protocol import Begin, Contents, Finished, FinishRequest
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.bulk import BULK, singly
from plumbline.reference.history.operations import (
    BulkEntry,
    Content,
    HostPolicy,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Status,
)
from plumbline.reference.history.views import RegionViews
from plumbline.suites.adapter_check.examiner import ONE_SITE, REGION, Examiner, said_if

LESS_AT_B = RegionAttributes(name=REGION.name, policies=(HostPolicy("B", RegionPolicy.NORMAL),))


class OperationExaminer(Examiner):
    """Asks for operations besides the core's, where the adapter declares them."""

    def bulks(self) -> None:
        """Operations on many keys change each of them, and tell of each."""
        if not self._declares(Capability.BULK_OPERATIONS):
            return
        self._stage(ONE_SITE)
        puts = self._of_many("A", OperationKind.PUT_ALL, "k", "l")
        self._settle()
        self._told(("A", "B"), *puts, blamed="begin")
        for member in ("A", "B"):
            self._holds(member, tuple(Content(one.key, one.token) for one in puts), "begin")
        self._of_many("B", OperationKind.REMOVE_ALL, "k", "m")
        self._settle()
        for member in ("A", "B"):
            self._holds(member, (Content("l", puts[1].token),), "begin")

    def conditionals(self) -> None:
        """An operation with an expected value changes an entry that holds it, and no other."""
        if not self._declares(Capability.CONDITIONAL_OPERATIONS):
            return
        self._stage(ONE_SITE)
        put = self._put("A", "k")
        for kind, left in (("replace_if_equal", True), ("remove_if_equal", False)):
            for expected, changes in (("another", "false"), (put.token, "true")):
                called = self._operation("A", OperationKind(kind), "k")
                operation = msgspec.structs.replace(called, expected=expected)
                self._ends(operation, Status.OK, changes)
            self._settle()
            for member in ("A", "B"):
                self._holds(member, (Content("k", operation.token),) if left else (), "begin")
            put = operation

    def views(self) -> None:
        """Size, sets and queries show what a region holds."""
        named = {"views": Capability.REGION_VIEWS, "queries": Capability.QUERIES}
        declared = [name for name, capability in named.items() if self._declares(capability)]
        if not declared:
            return
        self._stage(ONE_SITE)
        put = self._put("A", "k")
        self._put("A", "l")
        self._ends(self._operation("B", OperationKind.DESTROY, "l"), Status.OK)
        self._settle()
        entry = Content("k", put.token)
        due = RegionViews(size=1, keys=("k",), values=(put.token,), entries=(entry,))
        complaint = "shows something else than it holds"
        for name in declared:
            self._ask(
                name, Contents(member="A", region=REGION.name), lambda told: said_if(told != due, complaint)
            )

    def local_actions(self) -> None:
        """What a region does itself stays on its member."""
        kinds = []
        if self._declares(Capability.LOCAL_EXPIRATION):
            kinds += [OperationKind.EXPIRE_LOCAL_INVALIDATE, OperationKind.EXPIRE_LOCAL_DESTROY]
        if self._declares(Capability.EVICTION):
            kinds.append(OperationKind.EVICT)
        for kind in kinds if self._declares(Capability.REGION_POLICIES) else ():
            self._stage(ONE_SITE, region=LESS_AT_B)
            put = self._put("B", "k")
            self._settle()
            acted = self._acts(kind)
            self._settle()
            invalid = (Content("k", None),) if kind is OperationKind.EXPIRE_LOCAL_INVALIDATE else ()
            self._holds("B", invalid if acted else (Content("k", put.token),), "begin")
            self._holds("A", (Content("k", put.token),), "begin")

    def _acts(self, kind: OperationKind) -> bool:
        """A region does something itself to the one entry of B; whether it says so, as it need not."""
        evicts = kind is OperationKind.EVICT
        called = self._operation("B", kind, "" if evicts else "k", None)
        right = Outcome(Status.OK, "k" if evicts else None)
        allowed = [(right.status, right.value), (Status.REFUSED, None), (Status.FAILED, None)]

        def complaint(told: Finished) -> str:
            if told.outcome is None:
                return f"{kind} has not returned within {self._limit_ms} ms"
            wrong = (told.outcome.status, told.outcome.value) not in allowed
            return said_if(wrong, f"{kind} ended with {told.outcome}, not with {right}, refused or failed")

        self._ask("begin", Begin(operation=called))
        request = FinishRequest(op_id=called.op_id, timeout_ms=self._limit_ms)
        told = self._ask("finish", request, complaint).outcome
        return told is not None and told.status is Status.OK

    def _of_many(self, member: str, kind: OperationKind, *keys: str) -> tuple[Operation, ...]:
        """An operation on many keys ends well, whether they are there or not: what it does to each."""
        blank = self._operation(member, kind, "")
        singles = [self._operation(member, BULK[kind], key) for key in keys]
        entries = tuple(BulkEntry(op_id=one.op_id, key=one.key, token=f"{one.token}") for one in singles)
        operation = msgspec.structs.replace(blank, entries=entries)
        self._ends(operation, Status.OK)
        return singly(operation)
