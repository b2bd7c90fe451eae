"""Programs: what is called and what breaks in a small world, written down in every way that differs.

A program leaves open when things happen: only that calls come in the order of their ids, and so do faults.
Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, combinations, combinations_with_replacement, permutations, product

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
        sites: the members of each site, the lowest id first.
        links: from which site to which there is a gateway sender, by their numbers; empty for each to each.
            Where it is named, events travel on to sites that they were not sent to.
        operations: how many are called, all on one key.
        kinds: what may be called.
        there: whether the key is there when the program begins.
        faults: for each fault what may break; it is followed by its mending where there is one, and where
            there are several, they happen in every order.
        ties: whether the clock may stand from one call to the next, so that their timestamps are equal; of
            one call a site at a time.
        behind: whether the clock of a site may show less than that of one that was called before.
        skewed: whether clocks of sites disagree, by any time: who is called first need not be the earlier;
            what is called on top of another site's update is the later all the same.
        committed: what a transaction of one more operation may do to the key, called behind all others; empty
            for no transaction. Within one site only.
    """

    sites: tuple[tuple[str, ...], ...]
    operations: int
    kinds: tuple[OperationKind, ...]
    there: bool = False
    faults: tuple[tuple[FaultKind, ...], ...] = ()
    ties: bool = False
    behind: bool = False
    skewed: bool = False
    links: tuple[tuple[int, int], ...] = ()
    committed: tuple[OperationKind, ...] = ()

    @property
    def linked(self) -> tuple[tuple[int, int], ...]:
        """From which site to which there is a gateway sender."""
        return self.links or tuple(permutations(range(1, len(self.sites) + 1), 2))

    @property
    def ordered(self) -> bool:
        """Whether the order of calls tells more than that of their steps does: which timestamp is earlier."""
        return len(self.sites) > 1 and not self.skewed

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
            + (", clocks behind" if self.behind else "")
            + (", clocks skewed" if self.skewed else "")
            + (", by " + " ".join(f"{one}>{other}" for one, other in self.links) if self.links else "")
            + (", a commit" if self.committed else "")
        )
        return f"{sites}: {self.operations} {kinds}{extra}"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What is called and what breaks.

    Attributes:
        shape: its size.
        operations: in the order of the calls and of the clocks, which agree.
        faults: in the order in which they happen.
        times: what the clocks show at each call, at one site later with each; empty where each is later than
            the one before.
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
        """A serial gateway sender for each link between sites."""
        return tuple(
            QueueAttributes(id=f"{site} to {remote}", site=site, remote_site=remote, batch_size=1)
            for site, remote in self.shape.linked
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
            elif self.times[at] < self.times[at - 1]:
                told[at] += " by a clock that is behind"
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
    that of the clocks, unless these are skewed; sites may change places where that changes no link, and no
    tie that goes to the higher site.
    """
    members = [member for site in shape.sites for member in site]
    calls = list(product(members, shape.kinds))
    ways = (
        product(calls, repeat=shape.operations)
        if shape.ordered
        else combinations_with_replacement(calls, shape.operations)
    )
    exchanges = list(_exchanges(shape))
    commits = [_transaction(shape.operations + 1, *one) for one in product(members, shape.committed)]
    for way, commit in product(ways, commits or [()]):
        if any(_exchanged(way, one, calls, ordered=shape.ordered) < _placed(way, calls) for one in exchanges):
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


Call = tuple[str, OperationKind]
"""A member, and what it is called."""


def _exchanges(shape: Shape) -> Iterator[dict[str, str]]:
    """For each way in which sites may change places: which member takes whose."""
    if shape.ties or shape.behind or len({len(site) for site in shape.sites}) > 1:
        return
    for places in permutations(range(1, len(shape.sites) + 1)):
        moved = {(places[one - 1], places[other - 1]) for one, other in shape.linked}
        if moved == set(shape.linked):
            sites = zip(shape.sites, places, strict=True)
            yield {one: shape.sites[at - 1][n] for site, at in sites for n, one in enumerate(site)}


def _placed(way: tuple[Call, ...], calls: list[Call]) -> list[int]:
    return [calls.index(call) for call in way]


def _exchanged(
    way: tuple[Call, ...], exchange: dict[str, str], calls: list[Call], *, ordered: bool
) -> list[int]:
    """The same calls once sites have changed places; where their order tells nothing, the lowest first."""
    moved = _placed(tuple((exchange[member], kind) for member, kind in way), calls)
    return moved if ordered else sorted(moved)


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
    if not (shape.ties or shape.behind):
        yield ()
        return
    home = {member: number for number, site in enumerate(shape.sites) for member in site}
    called_at = [home[one.member] for one in operations]
    ways = (1,) + (0,) * shape.ties + (-1,) * shape.behind
    for steps in product(ways, repeat=len(operations) - 1):
        shown = list(accumulate(steps, initial=0))
        times = tuple(time - min(shown) + 1 for time in shown)
        # Where each is later, nothing has to be told.
        if min(steps) < 1 and all(
            times[one] < times[other]
            for one, other in combinations(range(len(operations)), 2)
            if called_at[one] == called_at[other]
        ):
            yield times


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
                for site, remote in shape.linked:
                    broken, mended = (
                        Fault(kind=one, site=site, remote_site=remote) for one in (kind, FaultKind.LINK_UP)
                    )
                    yield broken, mended
