"""Partial-order reduction for members with no messages left to exchange.

Once all is called and has happened that comes from outside, what a member does concerns others only by what
it tells them. One that receives nothing new any more is looked at first, in every order of its own
steps, and the others behind it: any order of all steps is like one of these, but for steps of different
members that have changed places. Knows worlds and steps; knows no promise.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.explore.dead_variables_of_members import (
    TOMBSTONES_GO_BY_STAMP,
    destroys_to,
    is_of_replicates,
)
from plumbline.reference.explore.programs import Program
from plumbline.reference.model.collecting import Collecting
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import CallStage, World
from plumbline.reference.rulebook.values import EntryState
from plumbline.reference.search.transition import Step

_AT = {
    "receives": 1,
    "ignores": 1,
    "discards": 1,
    "rolls back": 1,
    "collects tombstones": 1,
    "hears of a collection": 1,
    "does not hear of a collection": 1,
    "is lost": 2,
}
"""For each step of replicates, the place in its name of the member at which it happens.

Only entries of that member change. The caller also receives the outcome, which is the same in any order.
"""


def member_of(step: Step) -> str:
    """At which member a step of replicates happens."""
    return str(step.name[_AT[step.name[0]]])


class Apart:
    """Which members of a program's worlds hear no more of others."""

    def __init__(self, program: Program, setting: Setting, replaced: frozenset[str]) -> None:
        self._setting = setting
        self._members = program.shape.members
        by_stamp = setting.tombstones is None or replaced.isdisjoint(TOMBSTONES_GO_BY_STAMP)
        self._known = is_of_replicates(program) and setting.order is not None and by_stamp
        self._collecting = Collecting(setting)

    def first(self, world: World, steps: list[Step]) -> list[Step]:
        """All steps of one member that receives nothing new; nothing if there is none.

        Args:
            world: in which everything is called, and has happened that comes from outside.
            steps: all that may come next.
        """
        if not self._known or self._are_sending(world):
            return []
        living = [member for member in self._members if member not in world.wan.dead]
        collect = [member for member in living if self._may_collect(world, member)]
        for member in living:
            own = [step for step in steps if member_of(step) == member]
            if own and self._is_told_nothing(world, member, collect):
                return own
        return []

    def _are_sending(self, world: World) -> bool:
        """Whether some call has yet to take effect, or to be sent."""
        return any(
            call.stage not in (CallStage.SENT, CallStage.DONE)
            for op_id, call in world.calls.items()
            if self._setting.operations[op_id].member not in world.wan.dead
        )

    def _is_told_nothing(self, world: World, member: str, collect: list[str]) -> bool:
        """Whether no news of a collection can come to a member.

        Nor may it add to its own, which others would then hear of at one go.
        """
        if member in collect and any(source == member for source, _ in world.tombs.told):
            return False
        return collect in ([], [member]) or not self._has_tombstones(world, member)

    def _has_tombstones(self, world: World, member: str) -> bool:
        """Whether a member has a tombstone, or is about to be sent one: it may matter what was collected."""
        return (
            any(at == member and e.state is EntryState.TOMBSTONE for (at, *_), e in world.entries.items())
            or any(at == member for at, *_ in world.tombs.ghosts)
            or bool(destroys_to(world, self._setting, member))
        )

    def _may_collect(self, world: World, member: str) -> bool:
        """Whether a member may collect anything, now or later."""
        if self._setting.tombstones is None or not world.wan.passed:
            return False
        stamps = [
            entry.stamp
            for (at, *_), entry in world.entries.items()
            if at == member and entry.state is EntryState.TOMBSTONE
        ]
        stamps += [stamp for (at, *_), stamp in world.tombs.ghosts.items() if at == member]
        for message in destroys_to(world, self._setting, member):
            stamp = message.stamp
            begins = (None,) if stamp is None else self._collecting.begins(world, stamp.time)
            stamps += [stamp and replace(stamp, time=time) for time in begins]
        return any(stamp is None or any(self._collecting.expired(world, stamp)) for stamp in stamps)
