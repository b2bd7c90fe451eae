"""Expected: which faults are to come in a program, all that a walk through it knows of the future.

Knows programs and hazards; knows nothing of what a walk has seen.
"""

from __future__ import annotations

from plumbline.reference.explore.programs import Happening, Program
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.model.lookahead import NoLookahead
from plumbline.reference.model.sites import dependences
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import View


def broken(happening: tuple[Happening, ...]) -> list[Fault]:
    """What breaks or is mended, and nothing else."""
    return [one for one in happening if isinstance(one, Fault)]


class Expected(NoLookahead):
    """Knows of the future which faults are to come, and nothing else."""

    def __init__(self, program: Program, *, reduced: bool) -> None:
        super().__init__()
        to_come = [broken(program.faults[first:]) for first in range(len(program.faults) + 1)]
        self._hazards = [frozenset().union(*map(dependences.of_fault, faults)) for faults in to_come]
        self._ticks = [any(fault.kind is FaultKind.TIME_LEAP for fault in faults) for faults in to_come]
        self._breaks = not reduced or any(fault.kind is not FaultKind.TIME_LEAP for fault in to_come[0])
        self._doomed = {one.member for one in to_come[0] if one.kind is FaultKind.CRASH}
        self._clears = program.shape.wholly
        self._site_of = {m: at for at, site in enumerate(program.shape.sites, 1) for m in site}
        self.broken = 0

    def open(self, world: World, view: View) -> frozenset[str]:  # type: ignore[override] # asked so, always
        """What the faults to come may undo, and what those that happened have left open."""
        del view
        found = self._hazards[self.broken]
        for link, state in world.wan.links.items():
            if state is FaultKind.REPLIES_LOST:
                found |= {dependences.cut_of(*link)}
        if world.wan.dead:
            lost = {channel.source for channel in world.channels if channel.source in world.wan.dead}
            found |= {dependences.losses_in(self._site_of[member]) for member in lost}
        return found

    def time_to_pass(self, *_: object) -> bool:
        """Whether the clock still ticks."""
        return self._ticks[self.broken]

    def comes_again(self, *_: object) -> bool:
        """Whether an event may be sent once more: not where no fault comes between it and its answer."""
        return self._breaks

    def copies_are_looked_at(self, *_: object) -> bool:
        """Whether copies of queues matter: not where no member takes over, as nothing else reads them."""
        return self._breaks

    def copy_is_looked_at_now(self, *_: object) -> bool:
        """See `copies_are_looked_at`."""
        return self._breaks

    def waits_for_all(self, *_: object) -> bool:
        """Whether secondaries have to hear of what has left a queue: only who takes over could tell."""
        return self._breaks

    def dies(self, member: str) -> bool:  # type: ignore[override] # asked so, always
        """Whether the program kills the member."""
        return member in self._doomed

    def gauge_to_come(self, *_: object) -> bool:
        """No: nothing reads what is counted."""
        return False

    def clear_to_come(self, *_: object) -> bool:
        """Perhaps, where anything is."""
        return self._clears
