"""Independence: what the model asks a reduction about its steps.

The model makes every step, and says here what a step is about. A reduction answers whether the search may
take it as the only successor. `NoIndependence` never lets it. Knows no condition: these are in
`plumbline.reference.reduction`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, Literal, Protocol

import msgspec

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.world import Call, Entry, Message, World
from plumbline.reference.search.transition import Claim, Place, Step, View
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


class SilentChange(msgspec.Struct, frozen=True):
    """An update changes a copy, and the listener receives nothing of it.

    Attributes:
        view: what the logs show from here on.
        world: the state before.
        member: whose copy it is, of a member or a client.
        operation: the operation.
        place: the log of the listener.
        shown: the entry of that log, if the listener received it.
        decided: whether the log decides which of its entries this event is.
    """

    world: World
    view: View
    member: str
    operation: Operation
    place: Place
    shown: Observation
    decided: bool


class Arrival(msgspec.Struct, frozen=True):
    """An event arrives at a client, from a queue or as the answer to a call.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        client: where it arrives.
        operation: the operation.
        head: the message.
        place: the log of the client's listener.
        shown: the entry of that log, if the listener received it.
        decided: whether the log decides which of its entries this event is.
    """

    world: World
    view: View
    client: str
    operation: Operation
    head: Message
    place: Place
    shown: Observation
    decided: bool


class QueuedForClient(msgspec.Struct, frozen=True):
    """A server may queue an event for a client.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        client: for whom.
        operation: the operation.
        primary: whether this server sends the client its events now; else it is a secondary.
        owed: whether the client has to be sent it; several answers where that is open.
    """

    world: World
    view: View
    client: str
    operation: Operation
    primary: bool
    owed: tuple[bool, ...]


class PrimaryChange(msgspec.Struct, frozen=True):
    """The primary of a key carries out an update.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        member: the primary.
        operation: the operation.
        entry: the entry before.
        place: the log of the primary's listener.
        shown: the entry of that log.
        decided: whether the log decides which of its entries this event is.
    """

    world: World
    view: View
    member: str
    operation: Operation
    entry: Entry
    place: Place
    shown: Observation
    decided: bool


class PrimarySending(msgspec.Struct, frozen=True):
    """A primary sends an update that it has carried out to the copies.

    Attributes:
        world: the state before.
        operation: the operation.
        call: how far it has come.
    """

    world: World
    operation: Operation
    call: Call


class PrimaryTakeover(msgspec.Struct, frozen=True):
    """The primary of a key has died, and another member takes over.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        region: the region.
        key: the key.
        ways: in how many ways the survivors may agree on the key's state.
    """

    world: World
    view: View
    region: str
    key: str
    ways: int = 1


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

    def is_shown_instead(self, change: SilentChange) -> bool:
        """Whether a silent change leads nowhere, since the log shows the event now or later."""

    def arrivals(self, arrival: Arrival, ways: list[Step], unsent: list[Step]) -> Iterator[Step]:
        """The ways in which a client takes an event, with claims, and without those that lead nowhere.

        Args:
            arrival: the event that arrives.
            ways: how the client may take it.
            unsent: how it may be that this server never sent it.
        """

    def recognition(self, arrival: Arrival) -> Claim | None:
        """Whether a repetition that a client recognises may be taken as the only successor."""

    def acknowledgement(self, client: str) -> Claim | None:
        """Whether a secondary may drop, as the only successor, what the client has processed."""

    def passing_on(self) -> Claim | None:
        """Whether a client's call may reach its server, or be answered, as the only successor."""

    def is_unseen_in_queue(self, event: QueuedForClient) -> bool:
        """Whether nothing shows that a server has queued an event for a client."""

    def form_in_queue(self, event: QueuedForClient) -> bool | None:
        """Whether the client shows the event without its value (True), or with it; None if not known."""

    def may_show(self, view: View, place: Place, entry: Observation) -> bool:
        """Whether a log may show an entry next. The search refuses a step that shows another one."""

    def reading_of_holder(self, operation: Operation) -> Claim | None:
        """Whether an operation that finds nothing to do at its key's holder may be the only successor."""

    def carrying_out(self, change: PrimaryChange) -> Claim | None:
        """Whether an update that a primary carries out, and its listener receives, may be so."""

    def is_told_now(self, change: PrimaryChange) -> bool:
        """Whether it leads nowhere that the primary's listener receives an update later, or never."""

    def likelihood_of_telling_late(
        self, change: PrimaryChange, of_copies: Iterator[tuple[Place, Observation]]
    ) -> int:
        """How soon that is tried; 0 as any other step.

        Args:
            change: the update.
            of_copies: where listeners of the copies receive it, and what.
        """

    def telling_late(self, change: SilentChange) -> Claim | None:
        """Whether the listener of a primary may receive an update late as the only successor."""

    def sending_to_copies(self, sending: PrimarySending) -> Claim | None:
        """Whether a primary may send an update to the copies as the only successor."""

    def passing_by(self, change: SilentChange) -> Claim | None:
        """Whether a member without a copy may hear of an update, and show nothing, as the only successor."""

    def heir(self, takeover: PrimaryTakeover) -> str | None:
        """The only member that is asked to take over; None if any may."""

    def takeover(self, takeover: PrimaryTakeover) -> Claim | None:
        """Whether a takeover of a key may be the only successor."""


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

    def is_shown_instead(self, _: SilentChange) -> bool:
        """Not known."""
        return False

    def arrivals(self, _: Arrival, ways: list[Step], unsent: list[Step]) -> Iterator[Step]:
        """All of them."""
        yield from ways
        yield from unsent

    def recognition(self, _: Arrival) -> Claim | None:
        """None."""
        return None

    def acknowledgement(self, _: str) -> Claim | None:
        """None."""
        return None

    def passing_on(self) -> Claim | None:
        """None."""
        return None

    def is_unseen_in_queue(self, _: QueuedForClient) -> bool:
        """Not known."""
        return False

    def form_in_queue(self, _: QueuedForClient) -> bool | None:
        """Not known."""
        return None

    def may_show(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def reading_of_holder(self, _: Operation) -> Claim | None:
        """None."""
        return None

    def carrying_out(self, _: PrimaryChange) -> Claim | None:
        """None."""
        return None

    def is_told_now(self, _: PrimaryChange) -> bool:
        """Not known."""
        return False

    def likelihood_of_telling_late(self, *_: object) -> int:
        """As any other step."""
        return 0

    def telling_late(self, _: SilentChange) -> Claim | None:
        """None."""
        return None

    def sending_to_copies(self, _: PrimarySending) -> Claim | None:
        """None."""
        return None

    def passing_by(self, _: SilentChange) -> Claim | None:
        """None."""
        return None

    def heir(self, _: PrimaryTakeover) -> str | None:
        """Not known."""
        return None

    def takeover(self, _: PrimaryTakeover) -> Claim | None:
        """None."""
        return None
