"""Fault lookahead: from here on, which faults are to come or under way, readings of queues, crashes.

Knows the history's index, and worlds only by the faults in them; nothing of updates and what they change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from plumbline.reference.explain.index import Index
from plumbline.reference.explain.member_lifetimes import NEVER
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import QueueAttributes, Status
from plumbline.reference.model import claims
from plumbline.reference.model.messages import Channel
from plumbline.reference.model.places import calls_at
from plumbline.reference.model.sites import dependences
from plumbline.reference.model.sites.lanes import sender_of
from plumbline.reference.model.world import LOOK, World
from plumbline.reference.search.transition import View

_HOLD_UP = (FaultKind.PAUSE, FaultKind.REPLIES_LOST)


class FaultLookahead:
    """The faults still to come in a recorded example, and the readings of queues meanwhile."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._open: dict[int, frozenset[str]] = {}
        self._unnoticed = self._find_unnoticed()
        self._stuck = {
            (fault.site, fault.remote_site)
            for _, fault in index.faults
            if fault.kind is FaultKind.REPLIES_LOST and fault not in self._unnoticed
        }
        self._last_break = self._last_that(self._breaks)
        self._last_bound = self._last_that(self._binds)
        self._last_telling = self._last_that(self._binds_and_tells)

    def _last_that(self, does: Callable[[Fault, str], bool]) -> dict[str, int]:
        """Of each queue when the last fault comes that does something to it; -1 if none does."""
        faults = self._index.faults
        return {
            queue: max((moment for moment, fault in faults if does(fault, queue)), default=-1)
            for queue in self._index.queues
        }

    def open(self, world: World, view: View) -> frozenset[str]:
        """Faults to come before everything settles, or under way; looks at queues (see Lookahead)."""
        found = self._open.get(view.now)
        if found is None:
            found = self._open[view.now] = self._open_from(view.now)
        wan = world.wan
        if wan.faults:
            to_come = tuple(wan.faults.values())
            found = found.union(
                *map(self._of_fault, to_come), self._looks_behind(self._looks(view.now), to_come)
            )
        for link, state in wan.links.items():
            if state is FaultKind.REPLIES_LOST:
                found |= {dependences.cut_of(*link)}  # mending breaks what it had let through
                if link in self._stuck:
                    found |= {dependences.replies_lost(*link)}
        if wan.dead:
            found |= {
                dependences.losses_in(self._index.sites[channel.source])
                for channel in world.channels
                if channel.source in wan.dead
            }
        if LOOK in world.asked.values():
            found = found.union(
                claims.LOOKED_AT_IN_ORDER, map(dependences.look_behind_fault, self._index.queues)
            )
        return found

    def _find_unnoticed(self) -> frozenset[Fault]:
        """The pauses and lost answers during which no settle point lies.

        A message on its way before one may have stayed so until it was over, and an answer may have arrived:
        neither is told from what was held back.
        """
        faults = self._index.faults
        held_up = [(moment, fault) for moment, fault in faults if fault.kind in _HOLD_UP]
        noticed = set()
        for begun, fault in held_up:
            end = next((moment for moment, other in faults if moment > begun and _ends(fault, other)), NEVER)
            if any(begun < moment <= end and self._tells_of(moment, fault) for moment in self._index.stills):
                noticed.add(fault)
        return frozenset(fault for _, fault in held_up if fault not in noticed)

    def _tells_of(self, moment: int, fault: Fault) -> bool:
        """Whether what is said at the moment is said of the queues that the fault holds up, too."""
        waiting = self._index.waiting.get(moment, ())
        return not waiting or not all(_holds_up(fault, self._index.queues[queue]) for queue in waiting)

    def _of_fault(self, fault: Fault) -> frozenset[str]:
        """What is open as long as the fault is to come."""
        found = dependences.of_fault(fault)
        return found - dependences.holds_up(fault) if fault in self._unnoticed else found

    def _open_from(self, now: int) -> frozenset[str]:
        until = next_from(self._index.settled, now)
        found: set[str] = set()
        for moment, fault in self._index.faults:
            if now <= moment < until:
                found |= self._of_fault(fault)
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
        """The moments and queues of readings of a queue that come before it is surely empty."""
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
            if moment < last and any(self._breaks(fault, name) for fault in faults):
                found.add(dependences.look_behind_fault(name))
        return found

    def copies_are_looked_at(self, now: int, queue: str) -> bool:
        """Whether the harness reads a copy of the queue from now on (see Lookahead)."""
        return self._index.last_look.get(queue, -1) >= now

    def copy_is_looked_at_now(self, world: World, member: str, queue: str) -> bool:
        """Whether a request for the member's copy of the queue is unanswered (see Lookahead)."""
        members, looked_at = self._index.answers.members, (member, sender_of(self._index.queues[queue]))
        return any(unread == LOOK and members[number] == looked_at for number, unread in world.asked.items())

    def binds_to_come(self, now: int, queue: str) -> bool:
        """Whether a fault is still to come that binds the queue (see Lookahead)."""
        return self._last_bound[queue] >= now

    def binds_before_rest(self, now: int, queue: str) -> bool:
        """Whether such a fault comes before everything is known to have come to rest (see Lookahead)."""
        if self._last_bound[queue] < now:
            return False
        if self._index.lives.begin_anew:
            return True  # who runs again may keep the queue, too
        until = next_from(self._index.settled_everywhere, now)
        return any(
            now <= moment < until and self._binds(fault, queue) for moment, fault in self._index.faults
        )

    def binds_tellingly(self, world: World, now: int, queue: str) -> bool:
        """Whether such a fault tells what it holds up (see Lookahead)."""
        return self._last_telling[queue] >= now or any(
            self._binds_and_tells(fault, queue) for fault in world.wan.faults.values()
        )

    def _binds_and_tells(self, fault: Fault, queue: str) -> bool:
        noticed = fault.kind is not FaultKind.REPLIES_LOST or fault not in self._unnoticed
        return noticed and self._binds(fault, queue)

    def _binds(self, fault: Fault, queue: str) -> bool:
        attributes, sites = self._index.queues[queue], self._index.sites
        receivers = [member for member, site in sites.items() if site == attributes.remote_site]
        return dependences.binds(fault, attributes, receivers)

    def may_break(self, world: World, now: int, queue: str) -> bool:
        """Whether answers over the queue may still be lost (see Lookahead); mending breaks what had none."""
        if now <= self._last_break[queue]:
            return True
        attributes = self._index.queues[queue]
        if world.wan.links.get((attributes.site, attributes.remote_site or 0)) is not None:
            return True
        return any(self._breaks(fault, queue) for fault in world.wan.faults.values())

    def _breaks(self, fault: Fault, queue: str) -> bool:
        attributes, sites = self._index.queues[queue], self._index.sites
        ends = (attributes.site, attributes.remote_site)
        return dependences.breaks(
            fault, attributes, [member for member, site in sites.items() if site in ends]
        )

    def arrives_in_time(self, world: World, view: View, channel: Channel) -> bool:
        """Whether a call that has returned before its sender's death waits for it (see Lookahead)."""
        ends = [
            moment
            for moment, fault in self._index.faults
            if fault.kind is FaultKind.CRASH and fault.member == channel.source and moment >= view.now
        ]
        if not ends:
            return False
        for message in world.channels[channel]:
            call = world.calls.get(message.op_id)
            back, outcome = self._index.returned.get(message.op_id, (NEVER, None))
            answered = outcome is not None and outcome.status not in (Status.INDEFINITE, Status.FAILED)
            # The harness may have received the answer late, but a dead member receives nothing more. A living
            # member waits no longer for a dead one.
            called = self._index.operations.get(message.op_id)
            in_time = back < ends[0] or (called is not None and called.member == channel.source)
            if (
                answered
                and in_time
                and call is not None
                and (message.queue, channel.source, channel.target) in call.waiting
            ):
                return True
        return False

    def dies(self, member: str) -> bool:
        """Whether the member is killed at some time (see Lookahead)."""
        return member in self._index.lives.doomed

    def may_happen(self, view: View, fault: Fault) -> bool:
        """Whether the fault may happen now (see Lookahead)."""
        if not view.complete(calls_at(fault.member)) and fault.kind is FaultKind.CRASH:
            return False
        return fault.kind is not FaultKind.CRASH or view.complete(fault.member)

    def may_go_untold(self, world: World, view: View, member: str, *, in_turn: bool = True) -> bool:
        """Whether the member may die before its listener receives what it changes now (see Lookahead)."""
        return (
            member in self._index.lives.doomed
            and dependences.crash_of(member) in self.open(world, view)
            and (not in_turn or view.complete(member))
        )


def next_from(moments: list[int], now: int) -> int:
    """The first of the moments from now on; NEVER if there is none."""
    index = bisect_left(moments, now)
    return moments[index] if index < len(moments) else NEVER


def _holds_up(fault: Fault, queue: QueueAttributes) -> bool:
    """Whether a pause, or answers being lost, is what holds up a queue."""
    if fault.kind is FaultKind.PAUSE:
        return fault.queue == sender_of(queue)
    return (fault.site, fault.remote_site) == (queue.site, queue.remote_site)


def _ends(fault: Fault, later: Fault) -> bool:
    """Whether a later fault is the end of a pause, or of answers being lost."""
    if fault.kind is FaultKind.REPLIES_LOST:
        ends = later.kind in (FaultKind.LINK_UP, FaultKind.LINK_DOWN)
        return ends and (later.site, later.remote_site) == (fault.site, fault.remote_site)
    if later.kind is FaultKind.CRASH:
        return later.member == fault.member
    return later.kind is FaultKind.RESUME and (later.member, later.queue) == (fault.member, fault.queue)
