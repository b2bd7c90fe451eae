"""Programs: what is called and what breaks in a small world, written down in every way that differs.

A program leaves open when things happen: only that calls come in the order of their ids, and so do faults.
Knows no model.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import msgspec

from plumbline.reference.history import Fault, FaultKind
from plumbline.reference.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    Topology,
)

REGION = "r"
KEY = "x"

MANY = 3
"""So many kinds of operations are not told one by one."""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Programs of one size.

    Attributes:
        sites: the members of each site, the lowest id first; two sites send each other what they change.
        operations: how many are called, all on one key.
        kinds: what may be called.
        there: whether the key is there when the program begins.
        faults: how many faults happen, each followed by its mending where there is one.
        fault_kinds: what may break.
    """

    sites: tuple[tuple[str, ...], ...]
    operations: int
    kinds: tuple[OperationKind, ...]
    there: bool = False
    faults: int = 0
    fault_kinds: tuple[FaultKind, ...] = ()

    def __str__(self) -> str:
        sites = " | ".join("".join(site) for site in self.sites)
        kinds = "/".join(self.kinds) if len(self.kinds) < MANY else "any"
        extra = (", key there" if self.there else "") + (f", {self.faults} fault" if self.faults else "")
        return f"{sites}: {self.operations} {kinds}{extra}"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What is called and what breaks.

    Attributes:
        shape: its size.
        operations: in the order of the calls and of the clocks, which agree.
        faults: in the order in which they happen.
    """

    shape: Shape
    operations: tuple[Operation, ...]
    faults: tuple[Fault, ...] = ()

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

    def __str__(self) -> str:
        calls = ", ".join(f"{one.kind} by {one.member}" for one in self.operations)
        return calls + "".join(f"; {words(fault)}" for fault in self.faults)


def words(fault: Fault) -> str:
    """A fault in a few words."""
    what = fault.kind.replace("_", " ")
    return f"{what} {fault.member}" if fault.member else f"{what} {fault.site} to {fault.remote_site}"


def programs(shape: Shape) -> Iterator[Program]:
    """Every program of the shape, but for those that differ from another in names only.

    Within one site the order of calls tells nothing that the interleaving of their steps does not tell, too.
    Between sites it is the order of the clocks; two sites of one size may change places.
    """
    members = [member for site in shape.sites for member in site]
    calls = list(product(members, shape.kinds))
    ways = (
        combinations_with_replacement(calls, shape.operations)
        if len(shape.sites) == 1
        else product(calls, repeat=shape.operations)
    )
    alike = len(shape.sites) > 1 and len({len(site) for site in shape.sites}) == 1
    for way in ways:
        if alike and way[0][0] not in shape.sites[0]:
            continue
        operations = tuple(_operation(number, *call) for number, call in enumerate(way, 1))
        for faults in product(_faults(shape), repeat=shape.faults):
            happening = tuple(fault for some in faults for fault in some)
            yield Program(shape=shape, operations=operations, faults=happening)


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


def _faults(shape: Shape) -> Iterator[tuple[Fault, ...]]:
    members = [member for site in shape.sites for member in site]
    for kind in shape.fault_kinds:
        match kind:
            case FaultKind.CRASH:
                yield from ((Fault(kind=kind, member=member),) for member in members)
            case FaultKind.RECEIVER_STOP:
                start = FaultKind.RECEIVER_START
                yield from ((Fault(kind=kind, member=m), Fault(kind=start, member=m)) for m in members)
            case _:
                for site, remote in ((1, 2), (2, 1)):
                    broken, mended = (
                        Fault(kind=one, site=site, remote_site=remote) for one in (kind, FaultKind.LINK_UP)
                    )
                    yield broken, mended
