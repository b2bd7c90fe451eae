"""Partial-order reduction for steps of queues and faults: other orders of these end alike.

An event lost with its connection is as if it had not been sent. A repetition changes nothing, and neither
does a fault of an unused connection: in any order of these and other steps the same is held in the end. Knows
worlds, steps and faults; knows no promise.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from plumbline.reference.explore.dead_variables_of_queues import UNDER_WAY
from plumbline.reference.explore.programs import Happening
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Step

PASSES = frozenset({"sends event", "answers", "hears the answer", "removes"})
"""What an event goes through over a connection that is there, but for what becomes of it where it arrives."""

OF_LINKS = frozenset({FaultKind.REPLIES_LOST, FaultKind.LINK_DOWN, FaultKind.LINK_UP})

CONNECTS = "connects"


class AtOnce:
    """What of a program of sites may be taken before all else."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    @staticmethod
    def steps(steps: list[Step]) -> list[Step]:
        """The steps that may be taken at once: one, or those that connect one sender to any receiver.

        Args:
            steps: all that may come next.
        """
        for step in steps:
            if step.name[0] in PASSES:
                return [step]
        first = next((step.name[:3] for step in steps if step.name[0] == CONNECTS), None)
        return [step for step in steps if step.name[:3] == first]

    def happens(self, world: World, to_come: Sequence[Happening]) -> bool:
        """Whether what is next from outside commutes with all that may come before it.

        The break and the mending of a link commute if nothing passes through it any more. So does the death
        of a member that has nothing more to send. Messages already sent stay on their way.

        Args:
            world: in which everything has been called.
            to_come: what is to happen, in that order.
        """
        happening = next(iter(to_come), None)
        if not isinstance(happening, Fault):
            return False
        if happening.kind is FaultKind.CRASH:
            return not self._tells(world, happening.member)
        if happening.kind not in OF_LINKS:
            return False
        link = happening.site, happening.remote_site
        return not any(
            self._flows(world, name)
            for name, queue in self._setting.queues.items()
            if (queue.site, queue.remote_site) == link
        )

    def _tells(self, world: World, member: str) -> bool:
        """Whether a member may yet tell another one something, but that it has got what it was sent."""
        if self._calls(world, (member,)):
            return True
        home = self._setting.site_of[member]
        alone = all(mate in world.wan.dead for mate in self._setting.others[member])
        return any(
            self._flows(world, name)
            for name, queue in self._setting.queues.items()
            if (queue.site == home and self._primary(world, name) in (member, None))
            or (queue.remote_site == home and not alone)
        )

    def _flows(self, world: World, name: str) -> bool:
        """Whether an event may yet be sent from a queue or be answered, or a takeover is to come."""
        members = self._setting.sites[self._setting.queues[name].site]
        primary = self._primary(world, name)
        return (
            primary is None
            or bool(world.wan.senders[primary, name].queue)
            or self._calls(world, members)
            or self._are_told(world, members)
        )

    @staticmethod
    def _primary(world: World, name: str) -> str | None:
        """The member that sends from a queue; None if no living member does."""
        return next(
            (
                member
                for (member, queue), sender in world.wan.senders.items()
                if queue == name and sender.primary and member not in world.wan.dead
            ),
            None,
        )

    def _calls(self, world: World, members: Collection[str]) -> bool:
        """Whether something called at a member is not carried out, and sent to the others, yet."""
        return any(
            call.stage in UNDER_WAY and self._setting.operations[op_id].member in members
            for op_id, call in world.calls.items()
        )

    @staticmethod
    def _are_told(world: World, members: Collection[str]) -> bool:
        """Whether a member is yet to hear of what was called at another of its site."""
        return any(
            one.event is None and not one.queue
            for channel, messages in world.channels.items()
            if channel.target in members
            for one in messages
        )
