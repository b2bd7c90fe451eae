"""Registrations under way: what the harness asks of the candidate about them, and which moments that makes.

Knows when something was asked and answered, not whether it was right.
"""

from __future__ import annotations

from collections.abc import Callable

from plumbline.adapters.adapter import Adapter
from plumbline.reference.history.moments import Moment, Waited
from plumbline.reference.history.operations import Interest, Status
from plumbline.reference.history.registration_moments import (
    AnswerHeld,
    AnswerReleased,
    RegistrationBegun,
    RegistrationEnded,
)


class Registrations:
    """The registrations of one example that were begun.

    Attributes:
        under_way: number → what a client registers for, of those that have not returned.
        held: the numbers of those whose answers are held.
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
        self.under_way: dict[int, Interest] = {}
        self.held: set[int] = set()

    def begin(self, number: int, interest: Interest, *, held: bool) -> bool:
        """Call a registration; whether its answer came to be held in time, where that is asked for."""
        self._note(RegistrationBegun(number, interest, held))
        self.under_way[number] = interest
        self._adapter.begin_interest(number, interest, held)
        if not held:
            return False
        if self._adapter.await_answer(number, self._limit_ms):
            self._note(AnswerHeld(number, interest.client))
            self.held.add(number)
            return True
        self._waited(Waited(f"the answer to registration {number} to be held"))
        self.held.add(number)
        return False

    def forget(self, client: str) -> None:
        """What a client has begun goes with its process."""
        for number, interest in list(self.under_way.items()):
            if interest.client == client:
                del self.under_way[number]
                self.held.discard(number)

    def release(self, number: int) -> None:
        """Let go the answer to a registration."""
        self.held.discard(number)
        self._note(AnswerReleased(number, self.under_way[number].client))
        self._adapter.release_answer(number)

    def finish(self, number: int) -> Status | None:
        """How a registration has ended; None if it has not in all the time."""
        status = self._adapter.finish_interest(number, self._limit_ms)
        if status is None:
            self._waited(Waited(f"registration {number} to return", number))
            return None
        self._note(RegistrationEnded(number, self.under_way.pop(number).client, status))
        return status
