"""Independence: what the model asks a reduction about its steps.

The model makes every step, and says here what a step is about. A reduction answers whether the search may
take it as the only successor. `NoIndependence` never lets it. Knows no condition: these are in
`plumbline.reference.reduction`.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, Protocol

import msgspec

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.world import Entry, Message, World
from plumbline.reference.search.transition import Claim, Place, View
from plumbline.reference.search.transition import Entry as Observation


class Postponed(Enum):
    """The answer that a step must wait, since a step that certainly comes leads to the same states."""

    POSTPONED = "postponed"


POSTPONED: Final = Postponed.POSTPONED

Priority = Claim | None | Literal[Postponed.POSTPONED]
"""Why a step may be the only successor; None where it is a choice; or that it must wait."""


class LocalChange(msgspec.Struct, frozen=True):
    """An operation changes the entry of the member that it was called on.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        operation: the operation.
        entry: the entry before.
        place: the log of the member's listener.
        has_token: whether the event names the operation.
        told_apart: whether the log shows the event at a place of its own.
    """

    world: World
    view: View
    operation: Operation
    entry: Entry
    place: Place
    has_token: bool
    told_apart: bool


class ReceivedChange(msgspec.Struct, frozen=True):
    """An update that arrives at a member changes its entry.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        member: where it arrives.
        operation: the operation.
        head: the message.
        entry: the entry before.
        times: how often the listener receives it.
        decided: whether the log decides which of its entries this event is.
    """

    world: World
    view: View
    member: str
    operation: Operation
    head: Message
    entry: Entry
    times: int
    decided: bool


class LostUpdate(msgspec.Struct, frozen=True):
    """An update that arrives at a member loses there, or finds nothing to do.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        member: where it arrives.
        operation: the operation.
        head: the message.
        place: the log of the member's listener.
        shown: the entry of that log, if the listener received it.
        decided: whether the log decides which of its entries this event is.
        order_kept: whether the order of the member ids is as known before as after.
        known_before: whether the outcome of the comparison was certain already.
    """

    world: World
    view: View
    member: str
    operation: Operation
    head: Message
    place: Place
    shown: Observation
    decided: bool
    order_kept: bool = True
    known_before: bool = True


class Independence(Protocol):
    """Which steps of one example may be the only successor of a state."""

    def local_change(self, change: LocalChange) -> Priority:
        """Whether the change of a member's own entry may be the only successor."""

    def dependences(self, change: LocalChange) -> frozenset[str]:
        """The open things with which that change does not commute."""

    def reading(self, operation: Operation) -> Claim | None:
        """Whether a call that changes nothing may be carried out as the only successor."""

    def sending(self, world: World, operation: Operation) -> Claim | None:
        """Whether an applied operation may be sent as the only successor."""

    def received_change(self, change: ReceivedChange) -> Priority:
        """Whether an update that arrives and is applied may be taken as the only successor."""

    def passing_over(self, lost: LostUpdate) -> Claim | None:
        """Whether an update that finds nothing to do may be taken as the only successor."""

    def discard(self, lost: LostUpdate) -> Claim | None:
        """Whether the discard of an update may be taken as the only successor."""

    def is_lost_for_good(self, lost: LostUpdate) -> bool:
        """Whether a discarded update can never be applied on another way."""


class NoIndependence:
    """Every step is a choice; nothing commutes. For simulations, which take one step at a time."""

    def local_change(self, _: LocalChange) -> Priority:
        """None."""
        return None

    def dependences(self, _: LocalChange) -> frozenset[str]:
        """None that matter."""
        return frozenset()

    def reading(self, _: Operation) -> Claim | None:
        """None."""
        return None

    def sending(self, _world: World, _operation: Operation) -> Claim | None:
        """None."""
        return None

    def received_change(self, _: ReceivedChange) -> Priority:
        """None."""
        return None

    def passing_over(self, _: LostUpdate) -> Claim | None:
        """None."""
        return None

    def discard(self, _: LostUpdate) -> Claim | None:
        """None."""
        return None

    def is_lost_for_good(self, _: LostUpdate) -> bool:
        """Not known."""
        return False
