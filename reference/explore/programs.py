"""Programs: what is called and what breaks in a small world, written down in every way that differs.

A program leaves open when things happen: only that calls come in the order of their ids, and so do faults.
Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, combinations, combinations_with_replacement, permutations, product

import msgspec

from plumbline.reference.explore.program_shape import TICK, TICK_MS, ProgramShape
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.join_moments import JoinBegun, JoinEnded
from plumbline.reference.history.moments import Joined, Left, Redelivered
from plumbline.reference.history.operations import (
    EXPIRES,
    OF_TRANSACTIONS,
    WHOLE_REGION,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.registration_moments import RegistrationBegun


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What is called and what breaks.

    Attributes:
        shape: its size.
        operations: in the order of the calls and of the clocks, which agree.
        faults: what breaks, is mended or happens otherwise from outside, in that order.
        times: what the clocks show at each call, at one site later with each; empty where each is later than
            the one before.
    """

    shape: ProgramShape
    operations: tuple[Operation, ...]
    faults: tuple[Happening, ...] = ()
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
        """A serial gateway sender for each link between sites, and the asynchronous event queues."""
        batches = self.shape.batches
        return *self.shape.listens, *(
            QueueAttributes(
                id=f"{site} to {remote}",
                site=site,
                remote_site=remote,
                batch_size=batches[min(at, len(batches) - 1)][0],
                batch_interval_ms=batches[min(at, len(batches) - 1)][1],
                persistent=self.shape.recovers is FaultKind.RECOVER,
            )
            for at, (site, remote) in enumerate(self.shape.linked)
        )

    @property
    def regions(self) -> tuple[RegionAttributes, ...]:
        """The regions, the first of which has all gateway senders and asynchronous event queues."""
        first, *others = self.shape.hosted
        senders = tuple(queue.id for queue in self.queues if queue.remote_site is not None)
        queues = tuple(queue.id for queue in self.shape.listens)
        return msgspec.structs.replace(first, senders=senders, queues=queues), *others

    @property
    def interests(self) -> tuple[Interest, ...]:
        """What the clients register for: all keys, for as long as servers know them."""
        return _interests(self.shape)

    @property
    def broken(self) -> tuple[Fault, ...]:
        """What breaks or is mended, and nothing else."""
        return tuple(one for one in self.faults if isinstance(one, Fault))

    @property
    def ticks(self) -> bool:
        """Whether the clock ticks meanwhile."""
        return any(fault.kind is FaultKind.TIME_LEAP for fault in self.broken)

    @property
    def tombstones(self) -> TombstoneSettings | None:
        """Where the clock ticks, a tombstone expires from one tick to the next, and is collected alone."""
        if self.shape.tombstones is not None:
            return self.shape.tombstones
        return TombstoneSettings(timeout_ms=TICK_MS // 2, threshold=1) if self.ticks else None

    def __str__(self) -> str:
        ends = {one.thread: one.kind for one in self.operations if one.kind in _ENDED}
        told = [
            f"{one.kind} by {one.member}" + _where(self.shape, one) + _ENDED.get(ends.get(one.thread), "")
            for one in self.operations
            if one.kind not in OF_TRANSACTIONS
        ]
        for at in range(1, len(self.times)):
            if self.times[at] == self.times[at - 1]:
                told[at] += " at the same time"
            elif self.times[at] < self.times[at - 1]:
                told[at] += " by a clock that is behind"
        return ", ".join(told) + "".join(f"; {words(fault)}" for fault in self.faults)


Happening = Fault | Redelivered | Left | Joined | JoinBegun | JoinEnded | RegistrationBegun
"""What comes from outside and is no call."""

_LIVES = {
    FaultKind.CLIENT_READY: (FaultKind.CLIENT_READY,),
    **{
        parting: (FaultKind.CLIENT_READY, parting, FaultKind.CLIENT_START, FaultKind.CLIENT_READY)
        for parting in (FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH)
    },
}
"""What happens in the life of a durable client, or in two of them."""

_REGISTRATIONS = 100
"""The number of the first registration; no operation has one so high."""

_ENDED: dict[OperationKind | None, str] = {
    OperationKind.TX_COMMIT: " committed",
    OperationKind.TX_ROLLBACK: " rolled back",
}


def _where(shape: ProgramShape, operation: Operation) -> str:
    """On which entry an operation is called, where there are several."""
    regions, keys = (len({place[at] for place in shape.places}) > 1 for at in (0, 1))
    named = (operation.region if regions else "", operation.key if keys else "")
    told = " ".join(one for one in named if one)
    return f" on {told}" if told else ""


def words(happening: Happening) -> str:
    """What happens from outside, in a few words."""
    match happening:
        case Redelivered(op_id, member):
            return f"{op_id} is delivered to {member} once more"
        case Left(member, region):
            return f"{member} gives up its copy of {region}"
        case Joined(member, region):
            return f"{member} takes a copy of {region}"
        case JoinBegun(member, region):
            return f"{member} begins to take a copy of {region}"
        case JoinEnded(member, region):
            return f"{member} has its copy of {region}"
        case RegistrationBegun(_, interest):
            return f"{interest.client} registers"
    if happening.kind is FaultKind.TIME_LEAP:
        return TICK
    what = happening.kind.replace("_", " ")
    whom = happening.member or happening.client or f"{happening.site} to {happening.remote_site}"
    return f"{what} {whom}"


def programs(shape: ProgramShape) -> Iterator[Program]:
    """Every program of the shape, but for those that differ from another in names only.

    Within one site the order of calls tells nothing that the interleaving of their steps does not tell, too,
    and of members that are alike only the order of the ids of those counts that write. Between sites the
    order of calls is that of the clocks, unless these are skewed; sites may change places where that changes
    no link, and no tie that goes to the higher site.
    """
    members = list(shape.members)
    calls = list(_calls(shape))
    ways = (
        product(calls, repeat=shape.operations)
        if shape.ordered
        else combinations_with_replacement(calls, shape.operations)
    )
    exchanges = list(_exchanges(shape))
    transactions = list(_transactions(shape))
    folded = len(shape.sites) == 1 and shape.alike
    for way, transaction in product(ways, transactions):
        if any(_exchanged(way, one, calls, ordered=shape.ordered) < _placed(way, calls) for one in exchanges):
            continue
        operations = *(_operation(number, *call) for number, call in enumerate(way, 1)), *transaction
        writers = {one.member for one in operations} | ({members[0]} if shape.there else set())
        if folded and writers != set(members[: len(writers)]):
            continue
        # Of those that write nothing one is like the other: the first of them breaks for all.
        bystanders = set(members[len(writers) + 1 :]) if folded else set()
        for faults in _happening(shape, operations, bystanders):
            for times in _times(shape, operations):
                yield Program(shape=shape, operations=operations, faults=faults, times=times)


Call = tuple[str, OperationKind, str, str]
"""A member or client, what it calls, in which region, and on which key."""


def _calls(shape: ProgramShape) -> Iterator[Call]:
    """Yields all calls of the shape; a region is destroyed or cleared without naming a key."""
    for member, kind in product(shape.callers or shape.holders, shape.kinds):
        keyless = kind in WHOLE_REGION
        yield from dict.fromkeys(
            (member, kind, region, "" if keyless else key) for region, key in shape.places
        )


def _exchanges(shape: ProgramShape) -> Iterator[dict[str, str]]:
    """For each way in which sites may change places: which member takes whose."""
    if shape.ties or shape.behind or len({len(site) for site in shape.sites}) > 1:
        return
    if not shape.alike or shape.resolver or len(shape.batches) > 1:
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
    moved = _placed(tuple((exchange[member], *what) for member, *what in way), calls)  # type: ignore[misc] # a call
    return moved if ordered else sorted(moved)


def _happening(
    shape: ProgramShape, operations: tuple[Operation, ...], bystanders: set[str]
) -> Iterator[tuple[Happening, ...]]:
    """What may happen from outside, in every order in which each is mended behind it."""
    every: list[list[tuple[Happening, ...]]] = [
        list(_faults(shape, kinds, bystanders)) for kinds in shape.faults
    ]
    if shape.again:
        called = [
            (one.op_id, member) for one in operations for member in shape.members if one.member != member
        ]
        every.append([(Redelivered(*one),) for one in called])
    if shape.rejoins:
        where = shape.rejoins, shape.hosted[0].name
        every.append([(Left(*where), Joined(*where))])
    if shape.takes:
        where = shape.takes, shape.hosted[0].name
        every.append([(Left(*where), JoinBegun(*where), JoinEnded(*where))])
    if shape.registers:
        every += [[(RegistrationBegun(*one),)] for one in enumerate(_interests(shape), _REGISTRATIONS)]
    for chosen in product(*every):
        dying = [one for happening in chosen for one in happening if _is_death(one)]
        if len(set(map(words, dying))) == len(dying):
            yield from dict.fromkeys(_merged(chosen))


def _interests(shape: ProgramShape) -> tuple[Interest, ...]:
    """What the clients register for: all keys, for as long as servers know them."""
    return tuple(
        Interest(client=client.name, region=region.name, durable=client.durable_id is not None)
        for client in shape.clients
        for region in shape.hosted
    )


def _is_death(happening: Happening) -> bool:
    return isinstance(happening, Fault) and happening.kind is FaultKind.CRASH


def _merged(several: tuple[tuple[Happening, ...], ...]) -> Iterator[tuple[Happening, ...]]:
    """Every order of these, each in its own order."""
    if not any(several):
        yield ()
    for at, (*one,) in enumerate(several):
        if one:
            left = (*several[:at], tuple(one[1:]), *several[at + 1 :])
            yield from ((one[0], *rest) for rest in _merged(left))


def _times(shape: ProgramShape, operations: tuple[Operation, ...]) -> Iterator[tuple[int, ...]]:
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


def first_puts(shape: ProgramShape) -> Iterator[Operation]:
    """What puts the first key into each region before the program begins, one behind the other."""
    for number, region in enumerate(shape.hosted if shape.there else ()):
        yield _operation(-number, shape.sites[0][0], OperationKind.PUT, region.name, shape.keys[0])


def _operation(number: int, member: str, kind: OperationKind, region: str, key: str) -> Operation:
    return Operation(
        op_id=number,
        thread=f"{member}{number}",
        member=member,
        region=region,
        kind=kind,
        key=key,
        token=None if kind in EXPIRES else f"v{number}",
    )


_TRANSACTS = "t"
"""What the name of a thread that transacts ends with."""


def _transactions(shape: ProgramShape) -> Iterator[tuple[Operation, ...]]:
    """Every transaction, begun, and ended, by a thread of its own; nothing where none is asked for."""
    if not shape.committed:
        yield ()
        return
    changes = list(product(shape.committed, shape.places))
    for member, way, end in product(shape.members, product(changes, repeat=shape.transacted), shape.endings):
        first = shape.operations + 1
        thread = f"{member}{first}{_TRANSACTS}"
        named = [
            (OperationKind.TX_BEGIN, (shape.hosted[0].name, "")),
            *way,
            (end, (shape.hosted[0].name, "")),
        ]
        yield tuple(
            msgspec.structs.replace(
                _operation(number, member, kind, *place),
                thread=thread,
                token=None if kind in OF_TRANSACTIONS else f"v{number}",
            )
            for number, (kind, place) in enumerate(named, first)
        )


def _faults(
    shape: ProgramShape, kinds: tuple[FaultKind, ...], bystanders: set[str]
) -> Iterator[tuple[Happening, ...]]:
    members = [member for member in shape.members if member not in bystanders]
    for kind in kinds:
        match kind:
            case FaultKind.CRASH:
                back = () if shape.recovers is None else (shape.recovers,)
                yield from (
                    tuple(Fault(kind=what, member=one) for what in (kind, *back))
                    for one in shape.doomed or members
                )
            case FaultKind.CLIENT_READY | FaultKind.CLIENT_DETACH | FaultKind.CLIENT_CRASH:
                yield from (
                    tuple(Fault(kind=what, client=client.name) for what in _LIVES[kind])
                    for client in shape.clients
                )
            case FaultKind.MOVE_PRIMARY:
                yield from (
                    (Fault(kind=kind, member=member, region=region, key=key),)
                    for member, (region, key) in product(members, shape.places)
                )
            case FaultKind.TIME_LEAP:
                yield (Fault(kind=kind, milliseconds=shape.tick_ms),)
            case FaultKind.RECEIVER_STOP:
                start = FaultKind.RECEIVER_START
                yield from ((Fault(kind=kind, member=m), Fault(kind=start, member=m)) for m in members)
            case _:
                for site, remote in shape.linked:
                    broken, mended = (
                        Fault(kind=one, site=site, remote_site=remote) for one in (kind, FaultKind.LINK_UP)
                    )
                    yield broken, mended
