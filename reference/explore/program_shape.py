"""Shapes: of which size and kind programs are, and what of a system they need. Knows no program."""

from __future__ import annotations

from itertools import permutations

import msgspec

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import (
    Client,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    TombstoneSettings,
)

REGION = "r"
KEY = "x"

TICK_MS = 60_000
"""By so much the clock goes on when it ticks; tombstones that were there before are collected."""

TICK = "the clock ticks"

MANY = 3
"""So many kinds of operations are not told one by one."""


class ProgramShape(msgspec.Struct, frozen=True, kw_only=True):
    """Programs of one size.

    Attributes:
        sites: the members of each site, the lowest id first.
        links: from which site to which there is a gateway sender, by their numbers; empty for each to each.
            Where it is named, events travel on to sites that they were not sent to.
        operations: how many are called.
        callers: the members that call them; empty for all members.
        kinds: what may be called.
        keys: on which keys.
        regions: in which regions; empty for one replicated region. Gateway senders are attached to the first.
            The first member of a site is primary of what is partitioned, and the next hold its copies.
        there: whether the first key is there in every region when the program begins.
        faults: for each fault what may break; it is followed by its mending where there is one, and where
            there are several, they happen in every order.
        doomed: the members that may die; empty for all members.
        after: behind how many calls, all of them returned, each of these happens; the other calls come behind
            it. Empty where it may happen at any time.
        ties: whether the clock may stand from one call to the next, so that their timestamps are equal; of
            one call a site at a time.
        behind: whether the clock of a site may show less than that of one that was called before.
        apart_ms: by how much clocks differ then, and go on from one call to the next.
        skewed: whether clocks of sites disagree, by any time: who is called first need not be the earlier;
            what is called on top of another site's update is the later all the same.
        committed: what each operation of a transaction may be, called behind all others; empty for no
            transaction. Within one site only.
        transacted: so many operations it has.
        endings: how it may end.
        clients: who calls, too, registered for all keys.
        resolver: what the conflict resolver of every member answers; "" for none.
        tombstones: how long tombstones are kept and when they are collected; None where that is not asked
            for, but if the clock ticks they expire from one tick to the next, and are collected alone.
        tick_ms: by so much the clock goes on when it ticks.
        batches: the batch size of each sender, and how long an event waits for its batch where the clock
            ticks, in milliseconds; of the last for all others.
        again: whether an update is delivered once more to some other member.
        rejoins: who gives up its copy of the first region and takes it again; empty for none.
        takes: who gives up its copy of the first region, and takes it again while all else happens; empty for
            none.
        registers: whether the clients begin unregistered, and register while all else happens.
        listens: the asynchronous event queues of the first region.
        answers: what the listeners of each member answer to their first calls; then that they succeeded.
        recovers: how a member that has died runs again: with empty memory, or with what its disk holds, on
            which queues are kept then; None where it stays dead.
    """

    sites: tuple[tuple[str, ...], ...]
    operations: int
    kinds: tuple[OperationKind, ...]
    callers: tuple[str, ...] = ()
    keys: tuple[str, ...] = (KEY,)
    regions: tuple[RegionAttributes, ...] = ()
    there: bool = False
    faults: tuple[tuple[FaultKind, ...], ...] = ()
    doomed: tuple[str, ...] = ()
    after: tuple[int, ...] = ()
    ties: bool = False
    behind: bool = False
    apart_ms: int = 1
    skewed: bool = False
    links: tuple[tuple[int, int], ...] = ()
    committed: tuple[OperationKind, ...] = ()
    transacted: int = 1
    endings: tuple[OperationKind, ...] = (OperationKind.TX_COMMIT,)
    clients: tuple[Client, ...] = ()
    resolver: str = ""
    tombstones: TombstoneSettings | None = None
    tick_ms: int = TICK_MS
    batches: tuple[tuple[int, int], ...] = ((1, 10),)
    again: bool = False
    rejoins: str = ""
    takes: str = ""
    registers: bool = False
    listens: tuple[QueueAttributes, ...] = ()
    answers: tuple[str, ...] = ()
    recovers: FaultKind | None = None

    @property
    def linked(self) -> tuple[tuple[int, int], ...]:
        """From which site to which there is a gateway sender."""
        return self.links or tuple(permutations(range(1, len(self.sites) + 1), 2))

    @property
    def connected(self) -> bool:
        """Whether what any site writes may come to each, by way of others if need be."""
        reached = set(self.linked)
        for between in range(1, len(self.sites) + 1):
            reached |= {(a, d) for a, b in reached for c, d in reached if b == c == between}
        return set(permutations(range(1, len(self.sites) + 1), 2)) <= reached

    @property
    def ordered(self) -> bool:
        """Whether the order of calls tells more than that of their steps does: which timestamp is earlier."""
        return len(self.sites) > 1 and not self.skewed

    @property
    def members(self) -> tuple[str, ...]:
        """All members of all sites."""
        return tuple(member for site in self.sites for member in site)

    @property
    def holders(self) -> tuple[str, ...]:
        """All members and clients that may call operations and hold entries."""
        return (*self.members, *(client.name for client in self.clients))

    @property
    def hosted(self) -> tuple[RegionAttributes, ...]:
        """The regions, as they are without gateway senders."""
        return self.regions or (RegionAttributes(name=REGION),)

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """The entries that there may be: region and key."""
        return tuple((region.name, key) for region in self.hosted for key in self.keys)

    @property
    def alike(self) -> bool:
        """Whether the members of a site, and its entries, differ in nothing but their names and ids."""
        uneven = any(one.policies or one.policy is RegionPolicy.PARTITION for one in self.hosted)
        named = self.clients or self.callers or self.doomed or self.rejoins or self.takes or self.again
        queued = self.listens or self.recovers
        apart = self.tombstones is not None and self.tombstones.thresholds
        return not (uneven or named or queued or apart)

    @property
    def logged(self) -> bool:
        """Whether it matters what logs have shown on the way, and in which order."""
        kept = any(client.redundancy or client.durable_id is not None for client in self.clients)
        return bool(self.listens or self.recovers or kept)

    @property
    def plain(self) -> bool:
        """Whether all is one replicated entry without other holders, so that each observation is known.

        Listeners may show the changes of a commit later, so no single step shows whether they do so rightly.
        """
        only = {one.policy for one in self.hosted} == {RegionPolicy.REPLICATE}
        lesser = any(one.policies for one in self.hosted)
        others = self.clients or self.committed or self.again or self.rejoins or self.takes or self.resolver
        return only and not lesser and not others and len(self.places) == 1 and not self.wholly

    @property
    def waits(self) -> bool:
        """Whether time stands but for the ticks of the clock, and batches wait for it."""
        return _batched(self) and any(FaultKind.TIME_LEAP in kinds for kinds in self.faults)

    @property
    def wholly(self) -> bool:
        """Whether something may be called that is done to a whole region, or by a region itself."""
        return not WHOLLY.isdisjoint(self.kinds)

    def __str__(self) -> str:
        sites = " | ".join("".join(site) for site in self.sites)
        sites += "".join(f" + {_client(client)}" for client in self.clients)
        by = f" by {'/'.join(self.callers)}" if self.callers else ""
        kinds = "/".join(self.kinds) if len(self.kinds) < MANY else "any"
        ticks = sum(FaultKind.TIME_LEAP in kinds for kinds in self.faults)
        broken = len(self.faults) - ticks
        extra = (
            "".join(f", {_words(region)}" for region in self.regions)
            + (f", {len(self.keys)} keys" if len(self.keys) > 1 else "")
            + (", key there" if self.there else "")
            + (f", {broken} fault" if broken else "")
            + (f" of {'/'.join(self.doomed)}" if self.doomed else "")
            + (", ticks" if ticks == 1 else f", ticks {ticks} times" if ticks else "")
            + (f" after {'/'.join(map(str, self.after))}" if self.after else "")
            + (", ties" if self.ties else "")
            + (", clocks behind" if self.behind else "")
            + (f" by {self.apart_ms} ms" if self.apart_ms > 1 else "")
            + (", clocks skewed" if self.skewed else "")
            + (", by " + " ".join(f"{one}>{other}" for one, other in self.links) if self.links else "")
            + (f", {_ended(self.endings)}" if self.committed else "")
            + (f" of {self.transacted}" if self.transacted > 1 else "")
            + (f", a resolver: {self.resolver}" if self.resolver else "")
            + (f", tombstones {_kept(self.tombstones)}" if self.tombstones is not None else "")
            + (", batches of " + "/".join(str(size) for size, _ in self.batches) if _batched(self) else "")
            + (", delivered again" if self.again else "")
            + (f", {self.rejoins} joins again" if self.rejoins else "")
            + (f", {self.takes} takes a copy meanwhile" if self.takes else "")
            + (", registering" if self.registers else "")
            + "".join(f", {_queue(queue)}" for queue in self.listens)
            + (f" answering {'/'.join(self.answers)}" if self.answers else "")
            + (f", {self.recovers}" if self.recovers else "")
        )
        return f"{sites}: {self.operations} {kinds}{by}{extra}"


WHOLLY = frozenset(
    {
        OperationKind.CLEAR,
        OperationKind.LOCAL_CLEAR,
        OperationKind.INVALIDATE_REGION,
        OperationKind.EXPIRE_DESTROY,
        OperationKind.EXPIRE_INVALIDATE,
    }
)
"""What is done to a whole region, or what a region does itself."""


def _words(region: RegionAttributes) -> str:
    lesser = "".join(f" but {one.policy} on {one.member}" for one in region.policies)
    copies = f" with {region.redundancy} copies" if region.redundancy else ""
    sent = "" if region.scope.value == "distributed_ack" else ", no ack"
    return f"{region.name} {region.policy}{lesser}{copies}{sent}"


def _client(client: Client) -> str:
    durable = "durable " if client.durable_id is not None else ""
    servers = f" of {'/'.join(client.servers)}" if len(client.servers) > 1 else ""
    copies = f" with {client.redundancy} copies" if client.redundancy else ""
    return f"{durable}{client.name}{servers}{copies}"


def _queue(queue: QueueAttributes) -> str:
    return f"{'parallel' if queue.parallel else 'serial'} listeners of {queue.batch_size}"


def _ended(endings: tuple[OperationKind, ...]) -> str:
    names = {OperationKind.TX_COMMIT: "a commit", OperationKind.TX_ROLLBACK: "a rollback"}
    return " or ".join(names[one] for one in endings)


def _kept(settings: TombstoneSettings) -> str:
    named = ((settings.timeout_ms, "ms"), (settings.other_timeout_ms, "ms elsewhere"))
    told = [f"{value} {what}" for value, what in named if value is not None]
    told += [f"{settings.threshold} at a time"] if settings.threshold is not None else []
    return " ".join(told + [f"{count} on {member}" for member, count in settings.thresholds])


def _batched(shape: ProgramShape) -> bool:
    return shape.batches != ((1, 10),)
