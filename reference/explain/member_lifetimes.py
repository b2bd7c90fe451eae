"""Lives: who is killed in a history, from when on a member is down, and whether any starts again.

A member is dead when its killing is done; from when it is asked for until then it may die. Knows nothing of
what dies with it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from plumbline.reference.history.fault_kinds import STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.moments import FaultBegun, FaultDone, Moment

NEVER = 1 << 60
"""A moment that does not come."""


class MemberLifetimes:
    """The crashes of one history: which member dies, and when."""

    def __init__(self, timeline: Iterable[Moment]) -> None:
        self._asked: list[tuple[int, str]] = []
        self._dead: dict[str, list[int]] = defaultdict(list)
        self.begin_anew = False
        """Whether any member is started again."""
        for moment, what in enumerate(timeline):
            match what:
                case FaultBegun(_, Fault(kind=FaultKind.CRASH, member=member)):
                    self._asked.append((moment, member))
                case FaultDone(_, Fault(kind=FaultKind.CRASH, member=member)):
                    self._dead[member].append(moment)
                case FaultBegun(_, fault) if fault.kind in STARTS_AGAIN:
                    self.begin_anew = True
                case _:
                    pass
        self.doomed = frozenset(member for _, member in self._asked)
        """The members that are killed."""

    def end_by(self, member: str, now: int) -> int:
        """The moment by which the member is dead; what is read of it later is read of one that started."""
        dead = self._dead.get(member, [])
        at = bisect_left(dead, now)
        return dead[at] if at < len(dead) else NEVER

    def last_until(self, member: str) -> int:
        """The moment from which the member is dead for good; NEVER if it is not, or may start again."""
        return NEVER if self.begin_anew else self.end_by(member, 0)

    def end_between(self, member: str, since: int, until: int) -> bool:
        """Whether it is asked for between two moments that the member be killed."""
        return any(who == member and since < moment < until for moment, who in self._asked)
