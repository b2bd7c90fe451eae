"""Programs: what is called and what breaks in a small world, written down in every way that differs.

A program leaves open when things happen: only that calls come in the order of their ids, and so do faults.
Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, combinations_with_replacement, pairwise, product

import msgspec

from plumbline.reference.history import Fault, FaultKind
from plumbline.reference.operations import (
    OF_TRANSACTIONS,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    TombstoneSettings,
    Topology,
)

REGION = "r"
KEY = "x"

TICK_MS = 60_000
"""By so much the clock goes on when it ticks; tombstones that were there before are collected."""

TICK = "the clock ticks"

MANY = 3
"""So many kinds of operations are not told one by one."""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Programs of one size.

    Attributes:
        sites: the members of each site, the lowest id first; two sites send each other what they change.
        operations: how many are called, all on one key.
        kinds: what may be called.
        there: whether the key is there when the program begins.
        faults: for each fault what may break; it is followed by its mending where there is one, and where
            there are several, they happen in every order.
        ties: whether the clock may stand from one call to the next, so that their timestamps are equal; of
            one call a site at most: what is called twice in a site is dated by when it takes effect.
        committed: what a transaction of one more operation may do to the key, called behind all others; empty
            for no transaction. Within one site only.
    """

    sites: tuple[tuple[str, ...], ...]
    operations: int
    kinds: tuple[OperationKind, ...]
    there: bool = False
    faults: tuple[tuple[FaultKind, ...], ...] = ()
    ties: bool = False
    committed: tuple[OperationKind, ...] = ()

    def __str__(self) -> str:
        sites = " | ".join("".join(site) for site in self.sites)
        kinds = "/".join(self.kinds) if len(self.kinds) < MANY else "any"
        ticks = sum(FaultKind.TIME_LEAP in kinds for kinds in self.faults)
        broken = len(self.faults) - ticks
        extra = (
            (", key there" if self.there else "")
            + (f", {broken} fault" if broken else "")
            + (", ticks" if ticks else "")
            + (", ties" if self.ties else "")
            + (", a commit" if self.committed else "")
        )
        return f"{sites}: {self.operations} {kinds}{extra}"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What is called and what breaks.

    Attributes:
        shape: its size.
        operations: in the order of the calls and of the clocks, which agree.
        faults: in the order in which they happen.
        times: what the clocks show at each call; empty where each is later than the one before.
    """

    shape: Shape
    operations: tuple[Operation, ...]
    faults: tuple[Fault, ...] = ()
    times: tuple[int, ...] = ()

    @property
    def topology(self) -> Topology:
        """The sites and their members."""
        return Topology(
            sites=tuple(
                Site(number=number, members=members) for number, members in enumerate(self.shape.sites, 1)
            )
        )

    @property
    def queues(self) -> tuple[QueueAttributes, ...]:
        """A serial gateway sender from each of two sites to the other; none for one site."""
        return tuple(
            QueueAttributes(id=f"to {remote}", site=site, remote_site=remote, batch_size=1)
            for site, remote in ((1, 2), (2, 1))
            if len(self.shape.sites) > 1
        )

    @property
    def regions(self) -> tuple[RegionAttributes, ...]:
        """One replicated region."""
        senders = tuple(queue.id for queue in self.queues)
        policy = RegionPolicy.REPLICATE
        return (RegionAttributes(name=REGION, policy=policy, scope=Scope.ACK, senders=senders),)

    @property
    def ticks(self) -> bool:
        """Whether the clock ticks meanwhile."""
        return any(fault.kind is FaultKind.TIME_LEAP for fault in self.faults)

    @property
    def tombstones(self) -> TombstoneSettings | None:
        """Where the clock ticks, a tombstone expires from one tick to the next, and is collected alone."""
        return TombstoneSettings(timeout_ms=TICK_MS // 2, threshold=1) if self.ticks else None

    def __str__(self) -> str:
        told = [
            f"{one.kind} by {one.member}" + (" committed" if _is_committed(one) else "")
            for one in self.operations
            if one.kind not in OF_TRANSACTIONS
        ]
        for at in range(1, len(self.times)):
            if self.times[at] == self.times[at - 1]:
                told[at] += " at the same time"
        return ", ".join(told) + "".join(f"; {words(fault)}" for fault in self.faults)


def words(fault: Fault) -> str:
    """A fault in a few words."""
    if fault.kind is FaultKind.TIME_LEAP:
        return TICK
    what = fault.kind.replace("_", " ")
    return f"{what} {fault.member}" if fault.member else f"{what} {fault.site} to {fault.remote_site}"


def programs(shape: Shape) -> Iterator[Program]:
    """Every program of the shape, but for those that differ from another in names only.

    Within one site the order of calls tells nothing that the interleaving of their steps does not tell, too,
    and of members only the order of the ids of those counts that write. Between sites the order of calls is
    that of the clocks; two sites of one size may change places.
    """
    members = [member for site in shape.sites for member in site]
    calls = list(product(members, shape.kinds))
    ways = (
        combinations_with_replacement(calls, shape.operations)
        if len(shape.sites) == 1
        else product(calls, repeat=shape.operations)
    )
    alike = len(shape.sites) > 1 and len({len(site) for site in shape.sites}) == 1
    commits = [_transaction(shape.operations + 1, *one) for one in product(members, shape.committed)]
    for way, commit in product(ways, commits or [()]):
        if alike and way[0][0] not in shape.sites[0]:
            continue
        operations = *(_operation(number, *call) for number, call in enumerate(way, 1)), *commit
        writers = {one.member for one in operations} | ({members[0]} if shape.there else set())
        if len(shape.sites) == 1 and writers != set(members[: len(writers)]):
            continue
        # Of those that write nothing one is like the other: the first of them breaks for all.
        bystanders = set(members[len(writers) + 1 :]) if len(shape.sites) == 1 else set()
        for faults in _happening(shape, bystanders):
            for times in _times(shape, operations):
                yield Program(shape=shape, operations=operations, faults=faults, times=times)


def _happening(shape: Shape, bystanders: set[str]) -> Iterator[tuple[Fault, ...]]:
    """What may break, in every order in which each is mended behind it."""
    for chosen in product(*(list(_faults(shape, kinds, bystanders)) for kinds in shape.faults)):
        yield from dict.fromkeys(_merged(chosen))


def _merged(several: tuple[tuple[Fault, ...], ...]) -> Iterator[tuple[Fault, ...]]:
    """Every order of these, each in its own order."""
    if not any(several):
        yield ()
    for at, (*one,) in enumerate(several):
        if one:
            left = (*several[:at], tuple(one[1:]), *several[at + 1 :])
            yield from ((one[0], *rest) for rest in _merged(left))


def _times(shape: Shape, operations: tuple[Operation, ...]) -> Iterator[tuple[int, ...]]:
    """What the clocks may show at the calls; of calls in one site, one after the other, each is later."""
    if not shape.ties:
        yield ()
        return
    home = {member: number for number, site in enumerate(shape.sites) for member in site}
    pairs = pairwise(operations)
    steps = [(0, 1) if home[one.member] != home[other.member] else (1,) for one, other in pairs]
    for way in product(*steps):
        if 0 in way:  # where each is later, nothing has to be told
            yield tuple(accumulate(way, initial=1))


def first_put(shape: Shape) -> Operation:
    """What puts the key there before the program begins."""
    return _operation(0, shape.sites[0][0], OperationKind.PUT)


def _operation(number: int, member: str, kind: OperationKind) -> Operation:
    return Operation(
        op_id=number,
        thread=f"{member}{number}",
        member=member,
        region=REGION,
        kind=kind,
        key=KEY,
        token=f"v{number}",
    )


_TRANSACTS = "t"
"""What the name of a thread that transacts ends with."""


def _transaction(number: int, member: str, kind: OperationKind) -> tuple[Operation, ...]:
    """A transaction of one operation, begun, and committed, by a thread of its own."""
    thread = f"{member}{number}{_TRANSACTS}"
    begin, change, commit = (
        msgspec.structs.replace(_operation(at, member, what), thread=thread)
        for at, what in enumerate((OperationKind.TX_BEGIN, kind, OperationKind.TX_COMMIT), number)
    )
    return (
        msgspec.structs.replace(begin, key="", token=None),
        change,
        msgspec.structs.replace(commit, key="", token=None),
    )


def _is_committed(operation: Operation) -> bool:
    return operation.thread.endswith(_TRANSACTS)


def _faults(shape: Shape, kinds: tuple[FaultKind, ...], bystanders: set[str]) -> Iterator[tuple[Fault, ...]]:
    members = [member for site in shape.sites for member in site if member not in bystanders]
    for kind in kinds:
        match kind:
            case FaultKind.CRASH:
                yield from ((Fault(kind=kind, member=member),) for member in members)
            case FaultKind.TIME_LEAP:
                yield (Fault(kind=kind, milliseconds=TICK_MS),)
            case FaultKind.RECEIVER_STOP:
                start = FaultKind.RECEIVER_START
                yield from ((Fault(kind=kind, member=m), Fault(kind=start, member=m)) for m in members)
            case _:
                for site, remote in ((1, 2), (2, 1)):
                    broken, mended = (
                        Fault(kind=one, site=site, remote_site=remote) for one in (kind, FaultKind.LINK_UP)
                    )
                    yield broken, mended
