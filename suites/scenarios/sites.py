"""The stage of two sites: what a scenario calls to do things to gateways, and to say what must be seen.

Site 1 has the members `here`, site 2 the members `there`; the region is fed into a gateway sender each way,
the region APART into none. Knows literal expectations; asks neither model nor rulebook.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.actions import Inject, Look, Read
from plumbline.reference.history.fault_kinds import Fault, FaultKind, fault_words
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    Scope,
    Site,
    Topology,
)
from plumbline.suites.harness.driver import Driver
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.stage import Stage

APART = "apart"
SECOND = "second"
TO_THERE = "to 2"
TO_HERE = "to 1"
BATCH_SIZE = 100
INTERVAL_MS = 10
LOST_AT_TAKEOVER = ("SER-FAILOVER-01", "GWQ-ACK-03")
"""What is broken where a new primary has neither kept nor sent what was in its copy of the queue."""

_UNDONE_BY = {
    FaultKind.LINK_DOWN: FaultKind.LINK_UP,
    FaultKind.REPLIES_LOST: FaultKind.LINK_UP,
    FaultKind.RECEIVER_STOP: FaultKind.RECEIVER_START,
    FaultKind.PAUSE: FaultKind.RESUME,
    FaultKind.HOLD_TIME: FaultKind.LET_RUN,
}


def topology(here: int) -> Topology:
    """Two sites, the first of two or three members."""
    return Topology((Site(1, ("A", "B", "E")[:here]), Site(2, ("C", "D"))))


def queues(
    batch_size: int,
    interval_ms: int = INTERVAL_MS,
    back: tuple[int, int] | None = None,
    *,
    dispatchers: int = 1,
    order_policy: str = "key",
    members: tuple[str, ...] = (),
    manual_start: bool = False,
    persistent: bool = False,
    keeps_failed: bool = False,
    memory_mb: int = 0,
    conflate: bool = False,
    refused: tuple[str, ...] = (),
    withheld: tuple[str, ...] = (),
    substituted: tuple[str, ...] = (),
    failing: tuple[str, ...] = (),
    groups: int = 0,
) -> tuple[QueueAttributes, ...]:
    """The gateway senders of both sites; other settings make other senders.

    Args:
        batch_size: most events of a batch.
        interval_ms: how long a batch waits for more.
        back: both for the sender of site 2, if they differ.
        dispatchers: so many has the sender of site 1.
        order_policy: what these keep in order.
        members: the members of site 1 that run its sender; all where none is named.
        manual_start: whether that is started only when its regions are there.
        persistent: whether its queue is kept on disk.
        keeps_failed: whether that keeps events that the other site fails to apply.
        memory_mb: the memory of its queue; 0 for what a queue has unless another is named.
        conflate: whether updates in it may make way for later ones.
        refused: the keys whose events its filter refuses.
        withheld: the keys whose events its filter withholds.
        substituted: the keys for whose values its substitution filter gives others.
        failing: the keys at whose events that fails.
        groups: the site whose sender never splits a transaction over two batches; 0 where none is asked to.
    """
    there = _sender(TO_THERE, 1, batch_size, interval_ms)
    if dispatchers > 1:
        several = f"{there.id} with {dispatchers} dispatchers by {order_policy}"
        there = msgspec.structs.replace(there, id=several, dispatchers=dispatchers, order_policy=order_policy)
    if members:
        there = msgspec.structs.replace(there, id=f"{there.id} on {' and '.join(members)}", members=members)
    if manual_start:
        there = msgspec.structs.replace(there, id=f"{there.id} started later", manual_start=True)
    if persistent:
        there = msgspec.structs.replace(there, id=f"{there.id} on disk", persistent=True)
    if keeps_failed:
        there = msgspec.structs.replace(there, id=f"{there.id} keeping failed", remove_on_exception=False)
    if memory_mb:
        there = msgspec.structs.replace(
            there, id=f"{there.id} in {memory_mb} MB", maximum_memory_mb=memory_mb
        )
    if conflate:
        there = msgspec.structs.replace(there, id=f"{there.id} conflating", conflate=True)
    there = substituting(filtering(there, refused, withheld), substituted, failing)
    return tuple(
        msgspec.structs.replace(sender, id=f"{sender.id} grouping", group_transactions=True)
        if sender.site == groups
        else sender
        for sender in (there, _sender(TO_HERE, 2, *(back or (batch_size, interval_ms))))
    )


def filtering(queue: QueueAttributes, refused: tuple[str, ...], withheld: tuple[str, ...]) -> QueueAttributes:
    """The queue with an event filter for these keys, under a name of its own."""
    if not (refused or withheld):
        return queue
    words = [
        f"{does} {' and '.join(keys)}"
        for does, keys in (("refusing", refused), ("withholding", withheld))
        if keys
    ]
    return msgspec.structs.replace(
        queue, id=f"{queue.id} {' '.join(words)}", refused_keys=refused, withheld_keys=withheld
    )


def substituting(
    queue: QueueAttributes, substituted: tuple[str, ...], failing: tuple[str, ...] = ()
) -> QueueAttributes:
    """The queue with a substitution filter for these keys, under a name of its own."""
    if not (substituted or failing):
        return queue
    words = [
        f"{does} {' and '.join(keys)}"
        for does, keys in (("substituting", substituted), ("failing at", failing))
        if keys
    ]
    return msgspec.structs.replace(
        queue, id=f"{queue.id} {' '.join(words)}", substituted_keys=substituted, failing_keys=failing
    )


def _sender(name: str, site: int, batch_size: int, interval_ms: int) -> QueueAttributes:
    sized = "" if batch_size == BATCH_SIZE else f" by {batch_size}"
    timed = "" if interval_ms == INTERVAL_MS else f" each {interval_ms} ms"
    return QueueAttributes(
        id=f"{name}{sized}{timed}",
        site=site,
        remote_site=3 - site,
        batch_size=batch_size,
        batch_interval_ms=interval_ms,
    )


def regions(
    fed: tuple[QueueAttributes, ...], scope: Scope, checks: bool | None, also: tuple[str, ...] = ()
) -> tuple[RegionAttributes, ...]:
    """The regions that both sites share by these senders, and one that they do not.

    A queue that sends to no site is an asynchronous event queue, and is attached to the same regions.
    """
    senders = tuple(queue.id for queue in fed if queue.remote_site is not None)
    listened = tuple(queue.id for queue in fed if queue.remote_site is None)
    shared = (
        RegionAttributes(name=name, scope=scope, checks=checks, senders=senders, queues=listened)
        for name in (REGION, *also)
    )
    return (
        *shared,
        RegionAttributes(name=APART, scope=scope, checks=checks),
    )


class Sites(Stage):
    """One scenario of two sites under way.

    Attributes:
        here: the members of site 1.
        there: the members of site 2.
        to_there: id of the sender from site 1 to site 2.
        to_here: id of the sender from site 2 to site 1.
    """

    def __init__(self, driver: Driver, order: tuple[str, ...], senders: tuple[QueueAttributes, ...]) -> None:
        super().__init__(driver, order)
        self.here, self.there, *_ = (site.members for site in driver.topology.sites)
        of = {(queue.site, queue.remote_site): queue.id for queue in senders}
        self.to_there, self.to_here = of[1, 2], of.get((2, 1), "")  # in a ring none leads back
        self._to_mend: dict[Fault, None] = {}

    @property
    def members(self) -> tuple[str, ...]:
        """All members that live."""
        return tuple(member for member in self._driver.topology.members if member not in self._driver.crashed)

    def put_in(self, region: str, member: str, key: str) -> Operation:
        """Put a fresh value into another region, and wait for the call."""
        return self.do(member, OperationKind.PUT, key, region=region)

    def finds_nothing(self, member: str, key: str) -> None:
        """A member reads a key, and finds nothing."""
        value = self.get(member, key)
        if value is not None:
            raise MismatchError(f"{member} to read nothing under {key}", in_words(value))

    def _inject(self, kind: FaultKind, *, member: str = "", queue: str = "", link: bool = False) -> None:
        fault = Fault(
            kind=kind,
            member=member,
            queue=queue,
            site=int(link),
            remote_site=2 * int(link),
        )
        self._do_fault(fault)

    def _do_fault(self, fault: Fault) -> None:
        self.done.append(fault_words(fault))
        self.steps.append(Inject(fault))
        self._driver.inject(fault)
        self._to_mend.pop(fault, None)
        mending = _UNDONE_BY.get(fault.kind)
        if mending is not None:
            self._to_mend[msgspec.structs.replace(fault, kind=mending)] = None

    def mend(self) -> None:
        """Heal links, start receivers and resume senders of members that live."""
        for fault in tuple(self._to_mend):
            if fault.member not in self._driver.crashed:
                self._do_fault(fault)
        super().mend()

    def let_clocks_pass(self) -> None:
        """Calls from here on have later timestamps, at any site, than calls before."""
        self.done.append("let clocks pass")
        self._driver.let_clocks_pass()

    def hold_time(self) -> None:
        """Hold all clocks: from here on no time passes but by `leap`."""
        self._do_fault(Fault(kind=FaultKind.HOLD_TIME))

    def leap(self, milliseconds: int) -> None:
        """Let the clocks that are held leap."""
        self._do_fault(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds))

    def set_clocks(self, site: int, milliseconds: int) -> None:
        """While clocks are held, have those of a site show so much more than the others', or less."""
        self._do_fault(Fault(kind=FaultKind.CLOCK_SET, site=site, milliseconds=milliseconds))

    def let_run(self) -> None:
        """Let the clocks run by themselves again."""
        self._do_fault(Fault(kind=FaultKind.LET_RUN))

    def cut(self) -> None:
        """Cut the link from site 1 to site 2; it heals by `heal`."""
        self._inject(FaultKind.LINK_DOWN, link=True)

    def cut_both_ways(self) -> None:
        """Cut the links in both directions."""
        self.cut()
        self.cut_back()

    def cut_back(self) -> None:
        """Cut the link from site 2 to site 1."""
        self._do_fault(Fault(kind=FaultKind.LINK_DOWN, site=2, remote_site=1))

    def lose_replies(self) -> None:
        """Events of site 1 arrive at site 2, but answers do not."""
        self._inject(FaultKind.REPLIES_LOST, link=True)

    def heal(self) -> None:
        """Mend the link from site 1 to site 2."""
        self._inject(FaultKind.LINK_UP, link=True)

    def heal_both_ways(self) -> None:
        """Mend the links in both directions."""
        self.heal()
        self.heal_back()

    def heal_back(self) -> None:
        """Mend the link from site 2 to site 1."""
        self._do_fault(Fault(kind=FaultKind.LINK_UP, site=2, remote_site=1))

    def stop_receivers(self) -> None:
        """Stop the gateway receivers of site 2."""
        for member in self.there:
            if member not in self._driver.crashed:
                self._inject(FaultKind.RECEIVER_STOP, member=member)

    def receive_at(self, member: str) -> None:
        """Have this member of site 2 receive, and no other."""
        self.stop_receivers()
        self.start_receiver(member)

    def start_receiver(self, member: str) -> None:
        """Start the gateway receiver of a member of site 2."""
        self._inject(FaultKind.RECEIVER_START, member=member)

    def pause(self, *members: str) -> None:
        """Pause the sender of these members' site on them; on all members of site 1 if none is named."""
        for member in members or self.here:
            if member in self.members:
                self._inject(FaultKind.PAUSE, member=member, queue=self._queue_of(member))

    def resume(self, *members: str) -> None:
        """Let the sender go on on these members; on all members of site 1 if none is named."""
        for member in members or self.here:
            if member in self.members:
                self._inject(FaultKind.RESUME, member=member, queue=self._queue_of(member))

    def crash(self, member: str) -> None:
        """Kill a member; calls parked in its listeners end with it."""
        for op_id, gates in self._gates.items():
            self._gates[op_id] = [gate for gate in gates if gate.member != member]
        self._inject(FaultKind.CRASH, member=member)

    def recover(self, *members: str) -> None:
        """Start members again that were killed, from their disks, each once everything has settled."""
        for member in members:
            self.settle()
            self._inject(FaultKind.RECOVER, member=member)
            for fault in [fault for fault in self._to_mend if fault.member == member]:
                del self._to_mend[fault]

    def start_receivers(self) -> None:
        """Start the gateway receivers of site 2 again."""
        for member in self.there:
            self.start_receiver(member)

    def look(self) -> None:
        """Read what all members that live hold and count, and what the senders' queues hold."""
        super().look()
        for member in self.members:
            self._driver.contents(member, APART)

    def queue(self, member: str) -> QueueSight:
        """What the member's copy of its site's queue holds."""
        self.steps.append(Look(self._queue_of(member)))
        return self._driver.look_at_queue(member, self._queue_of(member))

    def _queue_of(self, member: str) -> str:
        return self.to_there if member in self.here else self.to_here

    def primary(self) -> str:
        """The member of site 1 whose sender is primary; there must be exactly one."""
        return self.primary_of(self.to_there)

    def primary_of(self, queue: str) -> str:
        """The member of site 1 that is primary of a queue; there must be exactly one."""
        found = []
        for member in self.here:
            if member in self.members:
                self.steps.append(Look(queue))
                found += [member] * (self._driver.look_at_queue(member, queue).role is QueueRole.PRIMARY)
        if len(found) != 1:
            raise MismatchError("exactly one member of site 1 to be primary", in_words(found))
        return found[0]

    def secondary(self) -> str:
        """The member of site 1 whose sender is secondary."""
        primary = self.primary()
        return next(member for member in self.here if member in self.members and member != primary)

    def depth_is(self, member: str, depth: int) -> None:
        """The member's copy of its site's queue comes to hold so many events, in time."""
        name = self._queue_of(member)
        self.steps.append(Look(name, member, depth))
        if not self._driver.await_depth(member, name, depth):
            sight = self._driver.look_at_queue(member, name)
            raise MismatchError(f"the copy of {name} on {member} to hold {depth} events", f"{sight.depth}")

    def holds_in(self, region: str, member: str, key: str, operation: Operation | None) -> None:
        """A member holds the outcome of an operation in another region."""
        self.steps.append(Read(member, region))
        contents = self._driver.contents(member, region)
        wanted = {} if operation is None else {key: operation.token}
        seen = {held: token for held, token in contents.items() if held == key}
        if seen != wanted:
            raise MismatchError(f"{member} to hold {in_words(wanted)} in {region}", in_words(seen))

    def all_alike(self, key: str, *operations: Operation) -> Operation:
        """Every member that lives holds the outcome of the same one of these operations; gives which."""
        for operation in operations:
            try:
                self.all_hold(key, operation)
            except MismatchError:
                continue
            return operation
        contents = {member: self._driver.contents(member, REGION).get(key) for member in self.members}
        raise MismatchError(f"all members of both sites to hold the same under {key}", in_words(contents))

    def told_in_order(self, member: str, key: str, *operations: Operation) -> None:
        """The listener of a member receives exactly these on a key, in this order.

        An event that was delivered again may be told again right behind itself, never later.
        """
        self._driver.poll()
        events = [event for event in self._driver.log(member) if event.key == key]
        loose = self._driver.log_order(member) is OrderStrength.PER_KEY_AND_THREAD
        threads = {operation.token: operation.thread for operation in operations if loose}
        before: dict[str, Event] = {}
        firsts = []
        for event in events:
            last = before.get(thread := threads.get(event.token, ""))
            before[thread] = event
            firsts += [event] if last is None or last.token != event.token else []
        if not self._are_told(member, firsts, operations):
            wanted = [operation.token for operation in operations]
            told = f"{in_words(wanted)}, none of them again after the next one"
            expected = f"the listener of {member} to receive {told}"
            raise MismatchError(expected, in_words([event.token for event in events]))

    def told_of_all_in_order(self, member: str, *operations: Operation) -> None:
        """The listener of a member receives these in this order: of each key, or of all if logs tell."""
        for key in dict.fromkeys(operation.key for operation in operations):
            self.told_in_order(member, key, *(one for one in operations if one.key == key))
        if self._driver.introduction.order_strength is not OrderStrength.TOTAL:
            return
        tokens = {operation.token: at for at, operation in enumerate(operations)}
        seen = [event.token for event in self._driver.log(member) if event.token in tokens]
        firsts = list(dict.fromkeys(seen))
        if firsts != [operation.token for operation in operations]:
            wanted = [operation.token for operation in operations]
            raise MismatchError(
                f"the listener of {member} to receive {in_words(wanted)}, in this order", in_words(firsts)
            )

    def queue_is(self, member: str, *operations: Operation) -> None:
        """The member's copy of its site's queue comes to hold just these operations, oldest first.

        Where a candidate does not show what is queued, as many as these.
        """
        self.depth_is(member, len(operations))
        self.queues_now(member, *operations)

    def queues_now(self, member: str, *operations: Operation) -> None:
        """The member's copy of its site's queue holds just these operations at once (see `queue_is`)."""
        sight = self.queue(member)
        wanted = tuple(operation.token for operation in operations)
        if sight.depth != len(wanted) or sight.tokens not in (None, wanted):
            name = self._queue_of(member)
            raise MismatchError(
                f"the copy of {name} on {member} to hold {list(wanted)}",
                f"{sight.depth} events" if sight.tokens is None else f"{list(sight.tokens)}",
            )

    def remembers(self, member: str, count: int) -> None:
        """A secondary has a record of so many events that the primary has not queued, where that is shown."""
        seen = self.queue(member).unprocessed
        if seen not in (None, count):
            raise MismatchError(f"{member} to remember {count} events as not queued yet", in_words(seen))

    def is_on_disk(self, member: str, *, some: bool) -> None:
        """Some of what the member's copy holds is on disk, in time, as it exceeds its memory; or none is."""
        name = self._queue_of(member)
        self.steps.append(Look(name))
        count = (
            self._driver.await_on_disk(member, name)
            if some
            else self._driver.look_at_queue(member, name).overflowed
        )
        if count is None or bool(count) is not some:
            wanted = "events" if some else "no event"
            seen = "their number is not shown" if count is None else f"{count} events"
            raise MismatchError(
                f"the copy of {self._queue_of(member)} on {member} to have {wanted} on disk", seen
            )

    def both_sites_hold(self, key: str, operation: Operation | None) -> None:
        """Every member that lives holds the outcome of an operation."""
        self.all_hold(key, operation)

    def inherits(self, primary: str, operation: Operation) -> None:
        """What a new primary had in its copy reaches the other site; one that loses it has taken over too."""
        try:
            for member in self.there:
                self.told_once(member, operation)
            self.both_sites_hold(operation.key, operation)
        except MismatchError as error:
            arrived = any(self.has(member, operation.key, operation) for member in self.there)
            copy = self.queue(primary)
            waits = copy.depth > 0 if copy.tokens is None else operation.token in copy.tokens
            if arrived or waits:
                raise
            raise MismatchError(error.expected, error.seen, blames=LOST_AT_TAKEOVER) from None

    def asked_about(self, members: tuple[str, ...], key: str) -> list[Event]:
        """What the conflict resolvers of a site have been asked about a key."""
        self._driver.poll()
        return [event for member in members for event in self._driver.conflicts(member) if event.key == key]

    def asks(self, members: tuple[str, ...], key: str, *operations: Operation) -> None:
        """The conflict resolvers of a site have been asked about exactly these, each in this order.

        Each event is taken to one member. About what is delivered again one may be asked again.
        """
        wanted = [operation.token for operation in operations]
        asked = [
            list(dict.fromkeys(event.token for event in self.asked_about((member,), key)))
            for member in members
        ]
        seen = list(dict.fromkeys(token for tokens in asked for token in tokens))
        in_order = all(tokens == [one for one in wanted if one in tokens] for tokens in asked)
        if not in_order or set(seen) != set(wanted):
            where = " or ".join(members)
            expected = f"the resolver of {where} to be asked about {in_words(wanted)} of {key}"
            raise MismatchError(expected, in_words(seen))

    def is_told(
        self, members: tuple[str, ...], event: Operation, old: Operation | None, *, later: bool
    ) -> None:
        """The conflict resolver of a site has been asked about an event, and told what both are."""
        asked = [found for found in self.asked_about(members, event.key) if found.token == event.token]
        told = asked[0].conflict if asked else None
        if told is None:
            raise MismatchError(
                f"a resolver to be asked about {event.token}", "no resolver received it by name"
            )
        site, other = (2, 1) if members == self.here else (1, 2)
        destroys = event.kind is OperationKind.DESTROY
        wanted = (destroys, None if old is None else old.token, site, other, later)
        is_later = (told.time_ms, told.site) > (told.stored_time_ms, told.stored_site)
        seen = (told.kind is EventKind.DESTROY, told.old, told.site, told.stored_site, is_later)
        if seen != wanted:
            words = "whether it destroys, the old value, its site, the entry's, and whether it is later"
            raise MismatchError(
                f"the resolver to receive {event.token} ({words}) {in_words(wanted)}", in_words(seen)
            )

    def holds_value(self, members: tuple[str, ...], key: str, value: str) -> None:
        """Every member of a site that lives holds this very value."""
        for member in members:
            self.steps.append(Read(member, REGION))
            seen = self._driver.contents(member, REGION).get(key)
            if seen != value:
                raise MismatchError(f"{member} to hold {value} under {key}", in_words(seen))

    def told_values(self, member: str, key: str, *values: str | None) -> None:
        """The listener of a member has received exactly these values of a key, in this order."""
        self._driver.poll()
        seen = [event.token for event in self._driver.log(member) if event.key == key]
        if seen != list(values):
            raise MismatchError(f"the listener of {member} to receive {in_words(values)}", in_words(seen))

    def site_holds(self, members: tuple[str, ...], key: str, *operations: Operation | None) -> None:
        """Every member of a site that lives holds the outcome of one of these operations."""
        for member in members:
            if member in self.members:
                self.holds(member, key, *operations)
