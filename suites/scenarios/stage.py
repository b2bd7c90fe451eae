"""The stage: what a scenario calls to do things to a candidate and to say what must be seen.

Knows literal expectations; asks neither model nor rulebook. `course` records the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from plumbline.reference.history.actions import Await, Count, Do, Inquire, Park, Read, Start
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Event, EventKind, Operation, OperationKind
from plumbline.reference.history.views import QUERIES, VIEWS, name_of
from plumbline.reference.history.words import host_words
from plumbline.suites.scenarios.course import REGION, Course, named
from plumbline.suites.scenarios.mismatch import MismatchError, in_words


class Stage(Course):
    """One scenario under way, and what must be seen of it."""

    def shown_at(self, member: str, operation: Operation) -> None:
        """The listener of a member must receive an operation, in time."""
        self.steps.append(Await(operation.op_id, member))
        if not self._driver.await_shown(member, operation):
            expected = f"the listener of {member} to receive {named(operation)}"
            raise MismatchError(expected, self._told_at(member))

    def may_be_shown_at(self, member: str, operation: Operation) -> bool:
        """Give the listener of a member all the time to receive an operation; whether it did."""
        self.steps.append(Await(operation.op_id, member))
        return self._driver.await_shown(member, operation)

    def not_shown_at(self, member: str, operation: Operation) -> None:
        """The listener of a member does not receive an operation, though it is given all the time for it."""
        self.steps.append(Await(operation.op_id, member))
        if self._driver.await_shown(member, operation):
            raise MismatchError(
                f"{named(operation)} to be held back from the listener of {member}", "it was not"
            )

    def told_some_of(self, member: str, key: str, *operations: Operation) -> None:
        """The listener of a member has received some of these on a key, in this order, none twice."""
        self._driver.poll()
        events = [event for event in self._driver.log(member) if event.key == key]
        seen = [event.token for event in events]
        told = [one for one in operations if any(self._driver.tells(event, one) for event in events)]
        # Events that name no operation may be about any of several.
        if not any(self._are_told(member, events, some) for some in combinations(told, len(events))):
            wanted = ", ".join(map(named, operations))
            expected = f"the listener of {member} to receive some of {wanted}, in this order"
            raise MismatchError(expected, in_words(seen))

    def _are_told(self, member: str, events: Sequence[Event], operations: Sequence[Operation]) -> bool:
        """Whether events of one key tell of these operations, in their order as far as logs carry one."""
        if len(events) != len(operations):
            return False
        if self._driver.log_order(member) is not OrderStrength.PER_KEY_AND_THREAD:
            return all(map(self._driver.tells, events, operations))
        left = list(events)
        for thread in dict.fromkeys(operation.thread for operation in operations):
            behind = 0
            for operation in operations:
                if operation.thread == thread:
                    tell = (
                        at for at, e in enumerate(left) if at >= behind and self._driver.tells(e, operation)
                    )
                    at = next(tell, None)
                    if at is None:
                        return False
                    left.pop(at)
                    behind = at
        return True

    def log_is(self, member: str, key: str, *operations: Operation) -> None:
        """The listener of a member has received exactly these operations on a key, in this order.

        Where logs carry no order between threads, in this order of each thread.
        """
        self._driver.poll()
        events = [event for event in self._driver.log(member) if event.key == key]
        if not self._are_told(member, events, operations):
            wanted = [operation.token for operation in operations]
            seen = [event.token for event in events]
            raise MismatchError(f"the listener of {member} to receive {in_words(wanted)}", in_words(seen))

    def _told_of(self, member: str, operation: Operation) -> tuple[list[Event], int]:
        """What the listener of a member was told that may be about an operation, and of how many it may be.

        An event that names no operation may be about any that is told so.
        """
        self._driver.poll()
        events = [event for event in self._driver.log(member) if self._driver.tells(event, operation)]
        called = [step.operation for step in self.steps if isinstance(step, Do | Start | Park)]
        alike = sum(self._driver.tells(events[0], other) for other in called) if events else 0
        return events, max(alike, 1)

    def told_once(self, member: str, operation: Operation) -> None:
        """The listener of a member has received an operation exactly once."""
        events, alike = self._told_of(member, operation)
        if not 1 <= len(events) <= alike:
            expected = f"the listener of {member} to receive {named(operation)} once"
            raise MismatchError(expected, f"{len(events)} times")

    def told(self, member: str, operation: Operation) -> None:
        """The listener of a member has received an operation, once or more often."""
        if not self._told_of(member, operation)[0]:
            raise MismatchError(f"the listener of {member} to receive {named(operation)}", "it was not")

    def not_told(self, member: str, operation: Operation) -> None:
        """The listener of a member has not been told of an operation."""
        events, alike = self._told_of(member, operation)
        if len(events) >= alike:
            raise MismatchError(f"the listener of {member} not to receive {named(operation)}", "it was")

    def told_nothing(self, member: str) -> None:
        """The listener of a member has received nothing at all."""
        self._driver.poll()
        events = self._driver.log(member)
        if events:
            raise MismatchError(f"the listener of {member} to receive nothing", self._told_at(member))

    def hears_live(self, client: str, times: int, region: str = REGION) -> None:
        """The listener of a client has heard so many times, in all its lives, that a region is live."""
        self._driver.poll()
        events = [
            event
            for event in self._driver.log(client)
            if event.kind is EventKind.LIVE and event.region == region
        ]
        if len(events) != times:
            raise MismatchError(
                f"the listener of {client} to hear {times} times that {region} is live",
                f"{len(events)} times",
            )

    def hears_in_order(self, client: str, *operations: Operation | None) -> None:
        """The last that a client's listener has received are these, None standing for a live region."""
        self._driver.poll()
        log = self._driver.log(client)[-len(operations) :]
        keys: set[str | None] = {None}
        if self._driver.log_order(client) is not OrderStrength.TOTAL:
            keys = {one.key if one else "" for one in operations}  # logs of several keys tell no order
        fits = len(log) == len(operations) and all(
            self._hears(
                [event for event in log if key is None or event.key == key],
                [one for one in operations if key is None or (one.key if one else "") == key],
            )
            for key in keys
        )
        if not fits:
            wanted = ", ".join("live" if one is None else named(one) for one in operations)
            raise MismatchError(
                f"the listener of {client} to receive at last {wanted}", self._told_at(client)
            )

    def _hears(self, log: list[Event], operations: list[Operation | None]) -> bool:
        return len(log) == len(operations) and all(
            event.kind is EventKind.LIVE if operation is None else self._driver.tells(event, operation)
            for event, operation in zip(log, operations, strict=True)
        )

    def told_as(self, member: str, operation: Operation, kind: EventKind) -> None:
        """The listener of a member has received an operation once, as an event of this kind."""
        self.told_once(member, operation)
        kinds = [event.kind for event in self._told_of(member, operation)[0]]
        if {*kinds} != {kind}:
            raise MismatchError(
                f"the listener of {member} to receive {named(operation)} as {kind}", in_words(kinds)
            )

    def told_as_created(
        self, member: str, operation: Operation, created: Operation, updated: Operation
    ) -> None:
        """The listener receives a creation as a create, if it tells one so, and an update as an update."""
        known = (EventKind.CREATE, EventKind.UPDATE)
        kinds = [self._kinds_told(member, one) for one in (created, updated)]
        if kinds == [[kind] for kind in known]:
            self.told_as(member, operation, EventKind.CREATE)

    def _kinds_told(self, member: str, operation: Operation) -> list[EventKind]:
        return [event.kind for event in self._driver.log(member) if self._driver.tells(event, operation)]

    def told_as_value(self, member: str, operation: Operation) -> None:
        """The listener of a member has received an operation once, as a create or an update."""
        self.told_once(member, operation)
        kinds = [event.kind for event in self._driver.log(member) if self._driver.tells(event, operation)]
        if kinds[0] not in (EventKind.CREATE, EventKind.UPDATE):
            expected = f"the listener of {member} to receive {named(operation)} with its value"
            raise MismatchError(expected, in_words(kinds))

    def region_is_gone(self, *holders: str) -> None:
        """These members and clients have the region no more."""
        for holder in holders:
            self.steps.append(Read(holder, REGION))
            if self._driver.has_region(holder, REGION):
                raise MismatchError(f"the region to be destroyed at {holder}", "it is there")

    def region_is_there(self, *holders: str) -> None:
        """These members and clients still have the region."""
        for holder in holders:
            self.steps.append(Read(holder, REGION))
            if not self._driver.has_region(holder, REGION):
                raise MismatchError(f"{holder} to have the region", "it was destroyed")

    def not_told_of_region_twice(self, kind: EventKind, *holders: str) -> None:
        """No listener of these was told twice what became of the whole region."""
        self._driver.poll()
        for holder in holders:
            told = [event for event in self._driver.log(holder) if event.kind is kind]
            if len(told) > 1:
                raise MismatchError(f"{holder} to receive one {kind}", f"{len(told)} times")

    def holds_invalid(self, member: str, key: str, *operations: Operation) -> None:
        """A member holds an entry without a value; or the value of one of these operations."""
        self._holds(member, key, [_state(present=True, token=None), *map(_wanted, operations)])

    def holds(self, member: str, key: str, *operations: Operation | None) -> None:
        """A member holds the value of one of these operations; None stands for no entry.

        An operation that invalidates stands for an entry without a value, one that destroys for none.
        """
        self._holds(member, key, [_wanted(operation) for operation in operations])

    def _holds(self, member: str, key: str, wanted: list[str]) -> None:
        self.steps.append(Read(member, REGION))
        contents = self._driver.contents(member, REGION)
        seen = _state(key in contents, contents.get(key))
        if seen not in wanted:
            raise MismatchError(f"{member} to hold {' or '.join(wanted)} under {key}", seen)

    def has(self, member: str, key: str, operation: Operation) -> bool:
        """Whether a member holds the outcome of an operation."""
        self.steps.append(Read(member, REGION))
        contents = self._driver.contents(member, REGION)
        return _state(key in contents, contents.get(key)) == _wanted(operation)

    def lacks(self, member: str, key: str) -> bool:
        """Whether a member holds no entry under a key."""
        self.steps.append(Read(member, REGION))
        return key not in self._driver.contents(member, REGION)

    def all_hold(self, key: str, operation: Operation | None) -> None:
        """Every member holds the outcome of an operation."""
        for member in self.members:
            self.holds(member, key, operation)

    def all_but(self, left_out: str, key: str, operation: Operation | None) -> None:
        """Every member but one holds the outcome of an operation."""
        for member in self.members:
            if member != left_out:
                self.holds(member, key, operation)

    def all_hold_invalid(self, key: str) -> None:
        """Every member holds an entry without a value."""
        for member in self.members:
            self.holds_invalid(member, key)

    def everybody_holds(self, key: str, operation: Operation | None) -> None:
        """Every member and every client holds the outcome of an operation."""
        for holder in (*self.members, *self._driver.clients):
            self.holds(holder, key, operation)

    def everybody_agrees(self, key: str) -> None:
        """Every member and every client holds the same under a key, or none holds anything."""
        self.agree_on(key, *self.members, *self._driver.clients)

    def agree_on(self, key: str, *holders: str) -> None:
        """These members and clients hold the same under a key, or none of them anything."""
        seen = {}
        for holder in holders:
            self.steps.append(Read(holder, REGION))
            contents = self._driver.contents(holder, REGION)
            seen[holder] = _state(key in contents, contents.get(key))
        if len(set(seen.values())) != 1:
            raise MismatchError(f"{', '.join(holders)} to hold the same under {key}", in_words(seen))

    def discards(self, **counts: int) -> None:
        """How many updates the low, mid and high member have counted as discarded."""
        for role, count in counts.items():
            member = {"low": self.low, "mid": self.mid, "high": self.high}[role]
            self.steps.append(Count(member, "conflatedEvents"))
            delta = self._driver.statistic(member, "conflatedEvents")
            introduction = self._driver.introduction
            least, most = introduction.conflated_weight_least, introduction.conflated_weight_most
            if not count * least <= delta <= count * most:
                raise MismatchError(f"{member} to have counted {count} discarded updates", in_words(delta))

    def says(self, member: str, statistic: str, least: int, most: int | None = None) -> None:
        """A statistic of a member says so much, or something between two numbers."""
        self.steps.append(Count(member, statistic))
        value = self._driver.statistic(member, statistic)
        if not least <= value <= (least if most is None else most):
            wanted = f"{least}" if most is None else f"between {least} and {most}"
            raise MismatchError(f"{statistic} of {member} to be {in_words(wanted)}", in_words(value))

    def all_say(self, statistic: str, least: int, most: int | None = None) -> None:
        """A statistic of every member says so much, or something between two numbers."""
        for member in self.members:
            self.says(member, statistic, least, most)

    def views_have(self, member: str, *operations: Operation) -> None:
        """By its size and its sets a member shows what these operations have stored, and nothing else."""
        self._shows(member, operations, VIEWS)

    def queries_find(self, member: str, *operations: Operation) -> None:
        """Queries on a member find what these operations have stored, and nothing else."""
        self._shows(member, operations, QUERIES)

    def _shows(self, member: str, operations: Sequence[Operation], views: Sequence[str]) -> None:
        self.settle()
        for view in views:
            self.says(member, name_of(view, REGION), len(operations))
        seen = self._driver.views(member, REGION, queried=views is QUERIES)
        due = sorted((operation.key, operation.token) for operation in operations)
        told = (
            sorted(seen.keys),
            sorted(value or "" for value in seen.values),
            sorted((entry.key, entry.token or "") for entry in seen.entries),
        )
        if told != ([key for key, _ in due], sorted(token or "" for _, token in due), due):
            raise MismatchError(f"the sets of {member} to hold {in_words(due)}", in_words(told))

    def checks_are(self, member: str, *, on: bool, region: str = REGION) -> None:
        """A region says that it checks, or that it does not."""
        self.steps.append(Inquire(member, region))
        attributes = self._driver.attributes(member, region)
        if attributes.checks is not on:
            raise MismatchError(f"checking to be {'on' if on else 'off'} at {member}", f"{attributes.checks}")

    def is_not_hosted_so(self, member: str, *, checks: bool, persistent: bool = False) -> None:
        """A member that asks for this setting is refused, and may take a copy as it was; or has the other."""
        in_force = self.host(member, checks=checks, persistent=persistent)
        if in_force is checks:
            asked = host_words(member, REGION, checks=checks, persistent=persistent)
            raise MismatchError(f"{asked}, to be refused", "accepted")
        if in_force is None and self.host(member, checks=not checks) is not (not checks):
            raise MismatchError(f"{member} to take a copy as the others have it", "it does not")

    def reads_only(self, value: str | None, allowed: tuple[Operation, ...]) -> None:
        """A value that was read is that of one of these operations."""
        wanted = [operation.token for operation in allowed]
        if value not in wanted:
            raise MismatchError(f"to read one of {in_words(wanted)}", in_words(value))

    def _told_at(self, member: str) -> str:
        return f"it received {[event.token for event in self._driver.log(member)]}"


def _state(present: bool, token: str | None) -> str:
    if not present:
        return "nothing"
    return "an entry without a value" if token is None else token


_INVALIDATING = (
    OperationKind.INVALIDATE,
    OperationKind.INVALIDATE_REGION,
    OperationKind.EXPIRE_INVALIDATE,
    OperationKind.EXPIRE_INVALIDATE_REGION,
    OperationKind.IDLE_INVALIDATE,
    OperationKind.EXPIRE_LOCAL_INVALIDATE,
)
_REMOVING = (
    OperationKind.DESTROY,
    OperationKind.REMOVE_IF_EQUAL,
    OperationKind.CLEAR,
    OperationKind.EXPIRE_DESTROY,
    OperationKind.IDLE_DESTROY,
    OperationKind.EXPIRE_LOCAL_DESTROY,
    OperationKind.EVICT,
)


def _wanted(operation: Operation | None) -> str:
    if operation is None or operation.kind in _REMOVING:
        return "nothing"
    return _state(present=True, token=None if operation.kind in _INVALIDATING else operation.token)
