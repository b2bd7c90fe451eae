"""Copies taken beside all else, also by members that start again: what is asked, and what that shows.

Knows when something was asked and answered, not whether it was right.
"""

from __future__ import annotations

from collections.abc import Callable

from plumbline.adapters.adapter import Adapter
from plumbline.reference.history.join_moments import CopyHeld, CopyReleased, JoinBegun, JoinEnded
from plumbline.reference.history.moments import FaultDone, Moment, Waited

Where = tuple[str, str]
"""A member and a region."""


class Joins:
    """The copies of one example that were begun.

    Attributes:
        under_way: member and region of those that have not ended.
        held: those of them that are held.
        restarts: those with which a member starts again, with the other regions of which it takes copies, and
            the moment at which it runs.
    """

    def __init__(
        self,
        adapter: Adapter,
        note: Callable[[Moment], None],
        waited: Callable[[Moment], None],
        runs: Callable[[str], None],
        limit_ms: int,
    ) -> None:
        self._adapter = adapter
        self._note = note
        self._waited = waited
        self._runs = runs
        self._limit_ms = limit_ms
        self.restarts: dict[Where, tuple[tuple[str, ...], FaultDone]] = {}
        self.under_way: dict[Where, None] = {}
        self.held: dict[Where, None] = {}

    def begin_again(self, where: Where, others: tuple[str, ...], done: FaultDone, *, held: bool) -> bool:
        """Have a member that was killed start again; whether the copy of one region came to be held in time.

        Args:
            where: the member and that region.
            others: the other regions, of which it takes copies as well.
            done: the moment to note once it runs.
            held: whether that copy is to be held.
        """
        self.restarts[where] = (others, done)
        for region in others:
            self._note(JoinBegun(where[0], region))
        return self.begin(where, held=held)

    def begin(self, where: Where, *, held: bool) -> bool:
        """Have a member begin to take a copy; whether it came to be held in time, where that is asked for."""
        self._note(JoinBegun(*where, held))
        self.under_way[where] = None
        self._adapter.begin_join(*where, held)
        if not held:
            return False
        self.held[where] = None
        if self._adapter.await_copy(*where, self._limit_ms):
            self._note(CopyHeld(*where))
            return True
        self._waited(Waited(f"the copy of {where[1]} on its way to {where[0]} to be held"))
        return False

    def forget(self, member: str) -> None:
        """What a member has begun goes with its process."""
        for where in [where for where in self.under_way if where[0] == member]:
            del self.under_way[where]
            self.held.pop(where, None)

    def release(self, where: Where) -> None:
        """Let go a copy."""
        del self.held[where]
        self._note(CopyReleased(*where))
        self._adapter.release_copy(*where)

    def finish(self, where: Where) -> bool:
        """Whether a member has its copy within the time."""
        if not self._adapter.finish_join(*where, self._limit_ms):
            self._waited(Waited(f"{where[0]} to have its copy of {where[1]}"))
            return False
        del self.under_way[where]
        self._note(JoinEnded(*where))
        if where in self.restarts:
            others, done = self.restarts.pop(where)
            for region in others:
                self._note(JoinEnded(where[0], region))
            self._note(done)
            self._runs(where[0])
        return True
