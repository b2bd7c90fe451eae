"""Copies taken beside all else: what the harness asks about them, and which moments that makes.

Knows when something was asked and answered, not whether it was right.
"""

from __future__ import annotations

from collections.abc import Callable

from plumbline.adapters.adapter import Adapter
from plumbline.reference.history.join_moments import CopyHeld, CopyReleased, JoinBegun, JoinEnded
from plumbline.reference.history.moments import Moment, Waited

Where = tuple[str, str]
"""A member and a region."""


class Joins:
    """The copies of one example that were begun.

    Attributes:
        under_way: member and region of those that have not ended.
        held: those of them that are held.
    """

    def __init__(
        self,
        adapter: Adapter,
        note: Callable[[Moment], None],
        waited: Callable[[Moment], None],
        limit_ms: int,
    ) -> None:
        self._adapter = adapter
        self._note = note
        self._waited = waited
        self._limit_ms = limit_ms
        self.under_way: dict[Where, None] = {}
        self.held: dict[Where, None] = {}

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
        return True
