"""Callback arguments that an event lacks, or has of another one: an extension.

An operation's argument belongs to its event for good. So each event that names its operation shows whether
its argument is right, and no run of the model has to be found. Knows logs, and no runs of the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.fault_kinds import CLIENT_LIVES, SENDS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.join_moments import JoinBegun
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange
from plumbline.reference.history.moments import Called, FaultBegun, Hosted, Joined, Registered
from plumbline.reference.history.operations import (
    STORES_VALUE,
    Event,
    EventKind,
    Operation,
    OperationKind,
    RegionPolicy,
    transactions_of,
)
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.history.words import event_words

AT_MEMBER = "EXT-CALLBACK-01"
OFFERED = "EXT-CALLBACK-02"
CROSSES = "EXT-CALLBACK-03"
AT_CLIENT = "EXT-CALLBACK-04"
INVENTED = "EXT-CALLBACK-05"
OF_ANOTHER = "EXT-CALLBACK-06"
AGAIN = "EXT-CALLBACK-07"
INHERITED = "EXT-CALLBACK-08"

_PLAINEST_FIRST = (OF_ANOTHER, INVENTED, AT_MEMBER, AT_CLIENT, OFFERED, CROSSES, INHERITED, AGAIN)
"""Of several wrong events that is named first which needs no fault to be explained."""

_VALUES = (EventKind.CREATE, EventKind.UPDATE)

Misargued = tuple[Event | QueuedChange, str, str]
"""An event with a wrong argument, the requirement that it breaks, and what is wrong in words."""


def misargued(history: History) -> Misargued | None:
    """The wrong event that shows best what is broken; None where all that is shown is right."""
    wrong = list(_Arguments(history).wrong())
    return min(wrong, key=lambda one: _PLAINEST_FIRST.index(one[1]), default=None)


class _Arguments:
    """The arguments that were given, and where each event has come."""

    def __init__(self, history: History) -> None:
        self._history = history
        called = [
            (moment, what.operation)
            for moment, what in enumerate(history.timeline)
            if isinstance(what, Called) and what.share is None
        ]
        inside = transactions_of(operation for _, operation in called)
        named = [(moment, one) for moment, one in called if one.token is not None]
        self._given = {one.token: one for _, one in named if one.op_id not in inside}
        self._moments = {one.op_id: moment for moment, one in called}
        self._arguments = {one.argument for _, one in called if one.argument}
        self._sites = {member: site.number for site in history.topology.sites for member in site.members}
        for client in history.clients:
            self._sites[client.name] = self._sites[client.server]
        self._clients = {client.name: client for client in history.clients}

    def wrong(self) -> Iterator[Misargued]:
        """Each event that shows another argument than its operation was given."""
        for member, log in self._history.logs.items():
            for shown in log:
                found = self._wrong_event(member, shown.event, shown.before)
                if found is not None:
                    yield found
        received: dict[tuple[str, str | None], set[str]] = {}
        for seen in self._history.calls:
            yield from self._wrong_of_call(seen.call, received, seen.before)
            for change in seen.call.events:
                received.setdefault((seen.call.queue, change.token), set()).add(seen.call.member)

    def _wrong_event(self, member: str, event: Event, before: int) -> Misargued | None:
        if event.conflict is not None or not self._differs(event):
            return None
        operation = self._given.get(event.token)
        if not event.argument and self._may_be_fetched(member, event):
            return None
        requirement = self._by_argument(event, operation) or self._by_place(member, operation, before)
        return event, requirement, f"{member} receives {event_words(event)}, {_given(operation)}"

    def _wrong_of_call(
        self, call: QueueCall, received: dict[tuple[str, str | None], set[str]], before: int
    ) -> Iterator[Misargued]:
        first = self._given.get(call.events[0].token) if call.events else None
        shared = first is not None and first.argument
        for place, change in enumerate(call.events):
            if not self._differs(change):
                continue
            operation = self._given.get(change.token)
            requirement = self._by_argument(change, operation)
            if place and change.argument and change.argument == shared:
                requirement = OF_ANOTHER
            elif not requirement and call.member in received.get((call.queue, change.token), ()):
                requirement = AGAIN
            elif not requirement:
                inherited = operation is not None and self._has_died(operation, before, call.member)
                requirement = INHERITED if inherited else OFFERED
            words = f"the listener of {call.queue} receives {change.key} ({change.token}) "
            words += f"with {change.argument}" if change.argument else "without an argument"
            yield change, requirement, f"{words}, {_given(operation)}"

    def _differs(self, told: Event | QueuedChange) -> bool:
        """Whether an event certainly has another argument than its operation."""
        shown = told.argument or None
        if told.token is None:
            return shown is not None and shown not in self._arguments
        if told.token not in self._given:
            return False
        return shown != self._given[told.token].argument

    def _by_argument(self, told: Event | QueuedChange, operation: Operation | None) -> str:
        """What is broken where an argument is shown that was not given; "" where none is shown."""
        if not told.argument:
            return ""
        return INVENTED if operation is None or operation.argument is None else OF_ANOTHER

    def _by_place(self, member: str, operation: Operation | None, before: int) -> str:
        """What is broken where a listener receives an event without its argument."""
        if member in self._clients:
            return AT_CLIENT
        if operation is None or self._sites[operation.member] == self._sites[member]:
            return AT_MEMBER
        if self._has_died(operation, before, ""):
            return INHERITED
        return AGAIN if self._may_be_sent_again(operation, before) else CROSSES

    def _has_died(self, operation: Operation, before: int, but: str) -> bool:
        """Whether another member of the caller's site has died since the call."""
        site = self._sites[operation.member]
        return any(
            fault.kind is FaultKind.CRASH and self._sites.get(fault.member) == site and fault.member != but
            for fault in self._faults(operation, before)
        )

    def _may_be_sent_again(self, operation: Operation, before: int) -> bool:
        return any(fault.kind in SENDS_AGAIN for fault in self._faults(operation, before))

    def _faults(self, operation: Operation, before: int) -> list[Fault]:
        return [
            what.fault
            for what in self._history.timeline[self._moments[operation.op_id] : before]
            if isinstance(what, FaultBegun)
        ]

    def _may_be_fetched(self, member: str, event: Event) -> bool:
        """Whether the value may have come by another way than as its event: what is fetched has no argument.

        So may what is made of a value at a client that receives none, or at a member that keeps no replicate.
        """
        region = next(one for one in self._history.regions if one.name == event.region)
        operation = self._given[event.token]
        if member not in self._clients:
            whole = (RegionPolicy.REPLICATE, RegionPolicy.PARTITION)
            return event.kind in _VALUES and (region.policy_of(member) not in whole or self._copies)
        if event.kind not in _VALUES and operation.kind in STORES_VALUE:
            return True
        return event.kind in _VALUES and self._fetches(member)

    @property
    def _copies(self) -> bool:
        return any(isinstance(what, Hosted | Joined | JoinBegun) for what in self._history.timeline)

    def _fetches(self, client: str) -> bool:
        """Whether a client may fetch values: it registers, gets, comes back, or moves to another server."""
        servers = self._clients[client].servers
        for what in self._history.timeline:
            match what:
                case Registered(interest=interest) | RegistrationBegun(interest=interest):
                    if interest.client == client:
                        return True
                case Called(operation) if operation.member == client:
                    if operation.kind is OperationKind.GET:
                        return True
                case FaultBegun(_, fault):
                    if fault.kind in CLIENT_LIVES or fault.member in servers:
                        return True
                case _:
                    pass
        return False


def _given(operation: Operation | None) -> str:
    """What an operation was given, in words."""
    if operation is None:
        return "an argument that no call was given"
    return f"though its call was given {operation.argument or 'none'}"
