"""Independence: what the model asks a reduction about its steps.

The model makes every step, and describes it (`described_steps`). A reduction answers whether the search may
take it as the only successor. `NoIndependence` never lets it. Knows no condition: these are in
`plumbline.reference.reduction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final, Literal, Protocol

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.described_steps import (
    AnsweredBatch,
    Arrival,
    LocalChange,
    LostUpdate,
    PerhapsDropped,
    PrimaryChange,
    PrimarySending,
    PrimaryTakeover,
    QueuedForClient,
    ReceivedChange,
    RefusedEvent,
    RemoteChange,
    RepeatedEvent,
    SilentChange,
)
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Claim, Place, Step, View
from plumbline.reference.search.transition import Entry as Observation


class Postponed(Enum):
    """The answer that a step must wait, since a step that certainly comes leads to the same states."""

    POSTPONED = "postponed"


POSTPONED: Final = Postponed.POSTPONED

Priority = Claim | None | Literal[Postponed.POSTPONED]
"""Why a step may be the only successor; None where it is a choice; or that it must wait."""


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

    def dropping(self, event: PerhapsDropped) -> Claim | None:
        """Whether that a server has dropped an event may be the only successor."""

    def drops_later(self) -> bool:
        """Whether what servers drop when a durable client goes may be decided when they send what is left."""

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

    def may_show_later(self, view: View, shown: Iterable[tuple[Place, Observation]]) -> bool:
        """Whether one of the logs may show its entry now or later."""

    def remote_change(self, change: RemoteChange) -> Priority:
        """Whether an event of another site may be applied as the only successor."""

    def remote_dependences(self, change: RemoteChange) -> frozenset[str]:
        """The open things with which that change does not commute."""

    def refusal(self, refused: RefusedEvent) -> tuple[Claim | None, bool]:
        """Whether an event may be refused as the only successor; and whether no log can show it any more."""

    def repetition(self, repeated: RepeatedEvent) -> Claim | None:
        """Whether a repeated event may be recognised as the only successor."""

    def answering(self, answer: AnsweredBatch) -> Claim | None:
        """Whether what was dealt with may be answered as the only successor."""

    def answer_dependences(self, answer: AnsweredBatch) -> frozenset[str]:
        """The open things with which an answer does not commute."""

    def is_looked_behind(self, answer: AnsweredBatch) -> bool:
        """Whether each number of answers is a step of its own, since a break comes before the next look."""


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

    def dropping(self, _: PerhapsDropped) -> Claim | None:
        """None."""
        return None

    def drops_later(self) -> bool:
        """No: it is decided at once."""
        return False

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

    def may_show_later(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def remote_change(self, _: RemoteChange) -> Priority:
        """None."""
        return None

    def remote_dependences(self, _: RemoteChange) -> frozenset[str]:
        """None that matter."""
        return frozenset()

    def refusal(self, _: RefusedEvent) -> tuple[Claim | None, bool]:
        """None; not known."""
        return None, False

    def repetition(self, _: RepeatedEvent) -> Claim | None:
        """None."""
        return None

    def answering(self, _: AnsweredBatch) -> Claim | None:
        """None."""
        return None

    def answer_dependences(self, _: AnsweredBatch) -> frozenset[str]:
        """None that matter."""
        return frozenset()

    def is_looked_behind(self, _: AnsweredBatch) -> bool:
        """No: each step answers all."""
        return False
