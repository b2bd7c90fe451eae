"""Substitutes that a value should be and is not, or is and should not be: an extension.

Which value an event brings to a place follows from its call and from the filters on its way. So each shown
value shows whether it is right, and no run of the model has to be found. Knows no runs of the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.fault_kinds import SENDS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultBegun
from plumbline.reference.history.operations import STORES_VALUE, Operation, OperationKind, QueueAttributes
from plumbline.reference.history.substitutes import ShownValue, substituted_words
from plumbline.reference.model.sites.lanes import sender_of

CROSSES = "EXT-SUBST-01"
OFFERED = "EXT-SUBST-02"
AT_HOME = "EXT-SUBST-03"
NOT_NAMED = "EXT-SUBST-04"
OF_ANOTHER = "EXT-SUBST-05"
AGAIN = "EXT-SUBST-06"
INHERITED = "EXT-SUBST-07"
CONFLATED = "EXT-SUBST-08"
FAILING = "EXT-SUBST-09"

_PLAINEST_FIRST = (*(AT_HOME, NOT_NAMED, OF_ANOTHER, CROSSES, OFFERED, CONFLATED, FAILING, INHERITED, AGAIN),)
"""Of several wrong values that is named first which needs least to be explained."""

_STORES = STORES_VALUE | {OperationKind.PUT_ALL}

Missubstituted = tuple[ShownValue, str, str]
"""A wrong value, the requirement that it breaks, and what is wrong in words."""


def missubstituted(history: History) -> Missubstituted | None:
    """The wrong value that shows best what is broken; None where all that is shown is right."""
    if not history.values:
        return None
    wrong = list(_Substitutes(history).wrong())
    return min(wrong, key=lambda one: _PLAINEST_FIRST.index(one[1]), default=None)


class _Substitutes:
    """The values that were put, and the filters that stand on their ways."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._called: dict[str, tuple[int, Operation]] = {}
        for moment, what in enumerate(history.timeline):
            if isinstance(what, Called) and what.operation.token is not None:
                self._called[what.operation.token] = (moment, what.operation)
        self._sites = {member: site.number for site in history.topology.sites for member in site.members}
        for client in history.clients:
            self._sites[client.name] = self._sites[client.server]
        self._queues = {sender_of(queue): queue for queue in history.queues}
        self._regions = {region.name: region for region in history.regions}
        self._shown = {(one.holder, one.queue, one.token) for one in history.values}

    def wrong(self) -> Iterator[Missubstituted]:
        """Each value that has passed other filters than it should have."""
        received: dict[tuple[str, str, str], ShownValue] = {}
        for shown in self._history.values:
            called = self._called.get(shown.token)
            first = received.setdefault((shown.holder, shown.queue, shown.token), shown)
            if called is None or called[1].kind not in _STORES:
                continue
            moment, operation = called
            passed = self._passed(shown, operation)
            due = tuple(sender_of(queue) for queue in passed if _gives(queue, operation.key))
            if shown.by != due:
                again = first is not shown and first.by == due
                requirement = self._broken(shown, operation, moment, passed, due, again=again)
                yield shown, requirement, self._words(shown, due)

    def _words(self, shown: ShownValue, due: tuple[str, ...]) -> str:
        does = "holds" if shown.reads else "receives"
        who = f"the listener of {shown.queue}" if shown.queue else shown.holder
        wanted = (
            f"though the filter of {' and '.join(due)} gives a substitute"
            if due
            else "and no filter gives one"
        )
        return f"{who} {does} {shown.key} = {substituted_words(shown)}, {wanted}"

    def _passed(self, shown: ShownValue, operation: Operation) -> list[QueueAttributes]:
        """The queues that an event passes on its way to a place, the first one first."""
        home, here = self._sites[operation.member], self._sites[shown.holder]
        fed = self._regions[operation.region].senders
        senders = [
            queue
            for name, queue in self._queues.items()
            if (queue.site, queue.remote_site) == (home, here) and (queue.id in fed or name in fed)
        ]
        ends = [self._queues[shown.queue]] if shown.queue in self._queues else []
        return [*senders[:1], *ends]

    def _broken(
        self,
        shown: ShownValue,
        operation: Operation,
        moment: int,
        passed: list[QueueAttributes],
        due: tuple[str, ...],
        *,
        again: bool,
    ) -> str:
        """The requirement that a wrong value breaks."""
        if extra := [one for one in shown.by if one not in due]:
            if not passed:
                return AT_HOME
            own = [queue for queue in passed if sender_of(queue) in extra]
            if not own:
                return OF_ANOTHER
            return FAILING if any(operation.key in queue.failing_keys for queue in own) else NOT_NAMED
        lacking = next(
            queue for queue in passed if sender_of(queue) in due and sender_of(queue) not in shown.by
        )
        if shown.queue and again:
            return AGAIN
        if self._has_failed(lacking, moment):
            return FAILING
        if lacking.conflate and self._was_waited_for(shown, operation, moment):
            return CONFLATED
        if self._has_died(operation, moment, shown):
            return INHERITED
        if shown.queue:
            return OFFERED
        faults = self._faults(moment, shown.before)
        return AGAIN if any(fault.kind in SENDS_AGAIN for fault in faults) else CROSSES

    def _has_failed(self, queue: QueueAttributes, moment: int) -> bool:
        """Whether the filter of a queue has failed before a call, and has given substitutes at all."""
        return any(sender_of(queue) in one.by for one in self._history.values) and any(
            before < moment and one.key in queue.failing_keys and self._sites[one.member] == queue.site
            for before, one in self._called.values()
        )

    def _was_waited_for(self, shown: ShownValue, operation: Operation, moment: int) -> bool:
        """Whether an earlier update of the same key has not come to where this one has."""
        return any(
            before < moment
            and (one.region, one.key) == (operation.region, operation.key)
            and one.kind in _STORES
            and (shown.holder, shown.queue, one.token) not in self._shown
            for before, one in self._called.values()
        )

    def _has_died(self, operation: Operation, moment: int, shown: ShownValue) -> bool:
        """Whether another member of the caller's site has died since the call."""
        site = self._sites[operation.member]
        return any(
            fault.kind is FaultKind.CRASH
            and self._sites.get(fault.member) == site
            and fault.member != shown.holder
            for fault in self._faults(moment, shown.before)
        )

    def _faults(self, moment: int, before: int) -> list[Fault]:
        return [what.fault for what in self._history.timeline[moment:before] if isinstance(what, FaultBegun)]


def _gives(queue: QueueAttributes, key: str) -> bool:
    """Whether the filter of a queue gives a substitute for the values of a key."""
    return key in queue.substituted_keys and key not in queue.failing_keys
