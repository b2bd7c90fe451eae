"""What disturbs an example from here on: faults to come or under way, looks at queues, who dies.

Knows the history's index, and worlds only by the faults in them; nothing of updates and what they change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from plumbline.reference.explain.index import NEVER, Index
from plumbline.reference.explain.steps import View
from plumbline.reference.history import Fault, FaultKind
from plumbline.reference.model import claims, hazards
from plumbline.reference.model.world import LOOK, Channel, World
from plumbline.reference.operations import Status


class Disturbances:
    """What is still to break in an example that has been recorded, and who looks meanwhile."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._open: dict[int, frozenset[str]] = {}

    def open(self, world: World, view: View) -> frozenset[str]:
        """Faults to come before everything settles, or under way; looks at queues (see Foresight)."""
        found = self._open.get(view.now)
        if found is None:
            found = self._open[view.now] = self._open_from(view.now)
        wan = world.wan
        if wan.faults:
            to_come = tuple(wan.faults.values())
            found = found.union(
                *map(hazards.of_fault, to_come), self._looks_behind(self._looks(view.now), to_come)
            )
        for link, state in wan.links.items():
            if state is FaultKind.REPLIES_LOST:
                found |= {hazards.cut_of(*link)}  # mending breaks what it had let through
        if wan.dead and any(channel.source in wan.dead for channel in world.channels):
            found |= {"lost messages"}
        if LOOK in world.asked.values():
            found = found.union(claims.LOOKED_AT_IN_ORDER, map(hazards.look_behind_fault, self._index.queues))
        return found

    def _open_from(self, now: int) -> frozenset[str]:
        until = next_from(self._index.settled, now)
        found: set[str] = set()
        for moment, fault in self._index.faults:
            if now <= moment < until:
                found |= hazards.of_fault(fault)
        looks = self._looks(now)
        if looks:
            found.add("look at order")
        if looks and looks[0][0] < until:
            found.add("look")
        for moment, fault in self._index.faults:
            if looks and now <= moment:
                found |= self._looks_behind(looks, (fault,), moment)
        if self._index.repeated:
            found.add("repetition")
        return frozenset(found)

    def _looks(self, now: int) -> list[tuple[int, str]]:
        """When somebody looks at which queue before it is surely empty."""
        until = next_from(self._index.settled_everywhere, now)
        return [look for look in self._index.looks if now <= look[0] < until]

    def _looks_behind(
        self, looks: list[tuple[int, str]], faults: Iterable[Fault], moment: int = -1
    ) -> set[str]:
        """Those of the looks at queues that tell what had been answered before one of the faults.

        While something is down, a settled queue still tells.
        """
        found = set()
        for name, last in {name: look for look, name in looks}.items():
            queue = self._index.queues[name]
            members = [m for m, site in self._index.sites.items() if site in (queue.site, queue.remote_site)]
            if moment < last and any(hazards.breaks(fault, queue, members) for fault in faults):
                found.add(hazards.look_behind_fault(name))
        return found

    def copies_are_looked_at(self, now: int, queue: str) -> bool:
        """Whether anybody looks at a copy of the queue from now on (see Foresight)."""
        return self._index.last_look.get(queue, -1) >= now

    def copy_is_looked_at_now(self, world: World, member: str, queue: str) -> bool:
        """Whether somebody has asked for the member's copy of the queue (see Foresight)."""
        members = self._index.answers.members
        return any(
            unread == LOOK and members[number] == (member, queue) for number, unread in world.asked.items()
        )

    def binds_to_come(self, now: int) -> bool:
        """Whether a fault is still to come that binds queues (see Foresight)."""
        return self._index.last_bound >= now

    def arrives_in_time(self, world: World, view: View, channel: Channel) -> bool:
        """Whether a call that has returned before its sender's death waits for it (see Foresight)."""
        ends = [
            moment
            for moment, fault in self._index.faults
            if fault.kind is FaultKind.CRASH and fault.member == channel.source and moment >= view.now
        ]
        if not ends:
            return False
        for message in world.channels[channel]:
            call = world.calls.get(message.op_id)
            _, outcome = self._index.returned.get(message.op_id, (NEVER, None))
            # However late the harness has heard of the answer: who is dead is told nothing more.
            answered = outcome is not None and outcome.status not in (Status.INDEFINITE, Status.FAILED)
            if (
                answered
                and call is not None
                and (message.queue, channel.source, channel.target) in call.waiting
            ):
                return True
        return False

    def dies(self, member: str) -> bool:
        """Whether the member is killed at some time (see Foresight)."""
        return self._index.dies(member)

    def may_happen(self, view: View, fault: Fault) -> bool:
        """Whether the fault may happen now (see Foresight)."""
        return fault.kind is not FaultKind.CRASH or view.complete(fault.member)

    def may_go_untold(self, world: World, view: View, member: str) -> bool:
        """Whether the member may die before its listener is told of what it changes now (see Foresight)."""
        return (
            member in self._index.doomed
            and hazards.crash_of(member) in self.open(world, view)
            and view.complete(member)
        )


def next_from(moments: list[int], now: int) -> int:
    """The first of the moments from now on; NEVER if there is none."""
    index = bisect_left(moments, now)
    return moments[index] if index < len(moments) else NEVER
