"""What the parts may know of what is still to come, for deciding whether a step may be taken at once.

The simulation knows nothing of the future (`NoLookahead`); a history can be looked up (see
`plumbline.reference.explain.recorded_lookahead`).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Protocol

from plumbline.reference.history.fault_kinds import Fault
from plumbline.reference.history.operations import Operation
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Channel
from plumbline.reference.model.sites.site_state import Sender, WireName
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, View


class Ternary(IntEnum):
    """Whether another observation comes first: no, perhaps, or certainly."""

    NO = 0
    MAYBE = 1
    YES = 2


class OfClients(Protocol):
    """Questions about what clients are still told in an example, and what they do themselves meanwhile."""

    def takes_over(self, world: World, now: int, client: str) -> bool:
        """Whether another server may come to serve the client, now or later."""

    def unheard(self, view: View, client: str, operation: Operation) -> bool:
        """Whether nothing shows any more that the client is told of an operation."""

    def told_without_value(self, view: View, client: str, operation: Operation) -> bool | None:
        """Whether the client still shows that it is told without the value, or with it; None if not known."""

    def gets(self, client: str, operation: Operation) -> bool:
        """Whether the client may have got by itself what the operation stored, and show that."""

    def fetches(self, client: str, operation: Operation) -> bool:
        """Whether the client itself gets or changes what it holds of the key, at any time."""

    def owes_earlier(self, world: World, view: View, client: str, operation: Operation) -> Ternary:
        """Whether the client still shows an earlier operation of the same thread."""

    def whisper_to_come(self, world: World, now: int, server: str, operation: Operation) -> bool:
        """Whether a client may be sent something before `operation` that the server does not announce."""

    def starts_anew(self, world: World, view: View, server: str) -> bool:
        """Whether a client may be about to fetch what the server holds."""

    def ends_life(self, world: World, now: int, client: str) -> bool:
        """Whether a durable client may go, now or later."""

    def has_one_order(self) -> bool:
        """Whether each client's log has one order of all keys."""

    def changes_life(self, world: World, now: int, server: str, operation: Operation) -> bool:
        """Whether a durable client of the server may become ready, go or come before `operation` is there."""

    def meddles(self, world: World, now: int, client: str, operation: Operation) -> bool:
        """Whether the client may itself read or change what it holds of the key before it is told."""

    def becomes_invalid(self, now: int, client: str, operation: Operation) -> bool:
        """Whether the client may be told of another value without it first, without a word."""


class Lookahead(Protocol):
    """Questions about the rest of an example."""

    clients: OfClients

    def reader_to_come(
        self, world: World, now: int, member: str, operation: Operation, entry: Entry
    ) -> Ternary:
        """Whether a call or the harness reads `entry` before `operation` changes it."""

    def only_reads(self, operation: Operation) -> bool:
        """Whether it is known that the operation changed nothing on its member."""

    def heir(self, world: World, now: int, region: str, key: str) -> str | None:
        """The member that is next observed to be primary for a key; None if that is not known."""

    def silent_change_to_come(
        self, world: World, now: int, member: str, operation: Operation, entry: Entry
    ) -> bool:
        """Whether a change that listeners need not show might come to the key before `operation` does.

        So might a message that is delivered once more: by then it may have become outdated.
        """

    def count_to_come(self, now: int, member: str, operation: Operation) -> bool:
        """Whether a later request of the harness may read a counter before `operation` is discarded."""

    def is_counted(self, world: World, now: int, member: str) -> bool:
        """Whether the harness reads the member's counters from now on."""

    def collections_are_counted(self, world: World, now: int, member: str) -> bool:
        """Whether the harness reads from now on how often the member has collected tombstones."""

    def most_counted(self, now: int, member: str) -> int | None:
        """What the member's conflatedEvents can have moved by at most, by what is read of it later."""

    def gauge_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether the harness may count the member's tombstones before `operation` reaches it."""

    def clear_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether the region may be cleared before `operation` reaches the member."""

    def time_to_pass(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether time may be let pass before `operation` reaches the member."""

    def open(self, world: World, view: View) -> frozenset[str]:
        """Faults under way or to come before quiescence, and all else that steps conflict with."""

    def wants_message(self, world: World, view: View, channel: Channel) -> bool:
        """Whether what is due needs a message of the channel: to be shown, or for a call to return."""

    def wants_event(self, world: World, view: View, name: WireName, sender: Sender) -> bool:
        """Whether what is due needs an event that the sender has not sent yet."""

    def copies_are_looked_at(self, now: int, queue: str) -> bool:
        """Whether a later request of the harness reads a copy of the queue."""

    def copy_is_looked_at_now(self, world: World, member: str, queue: str) -> bool:
        """Whether a request for the member's copy of the queue is still unanswered."""

    def waits_for_all(self, view: View) -> bool:
        """Whether what is due says that all the time was given that anything may take."""

    def loser_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether an update of the key that shows nothing on the member may come before `operation` does."""

    def comes_again(self, op_id: int) -> bool:
        """Whether some member's listener is told of the operation more than once."""

    def is_received_again(self, op_id: int) -> bool:
        """Whether the listener of a queue receives the operation of another site more than once."""

    def order_received(self, member: str, queue: str) -> Mapping[int, int] | None:
        """Operations → which one the member's listener of the queue receives first, from 0.

        None where that is unknown, or where an operation enters the queue there more than once.
        """

    def is_queued_again(self, member: str, op_id: int) -> bool:
        """Whether a queue of the member is known to hold the operation again after it was processed there."""

    def may_be_under_way(self, world: World, member: str, op_id: int) -> bool:
        """Whether the operation may still have to arrive at the member."""

    def tells_again(self) -> bool:
        """Whether some listener is told of anything more than once."""

    def most_tries(self) -> int:
        """How often a sender may give up waiting for an answer; more often would show nothing more."""

    def binds_to_come(self, now: int, queue: str) -> bool:
        """Whether a fault is still to come under which it matters what of the queue is sent at all."""

    def binds_before_rest(self, now: int, queue: str) -> bool:
        """Whether such a fault may come before everything has come to rest, so that the queue is empty.

        Copies of the queue may hold more even then, as nothing says when they are told of what has left it.
        """

    def binds_tellingly(self, world: World, now: int, queue: str) -> bool:
        """Whether such a fault is under way or to come, and an observation may show what it holds up.

        Lost answers can be observed at a settle point only.
        """

    def may_break(self, world: World, now: int, queue: str) -> bool:
        """Whether anything may still keep what is on its way from the queue from being answered."""

    def arrives_in_time(self, world: World, view: View, channel: Channel) -> bool:
        """Whether the first message of the channel is known to arrive before its sender dies.

        A caller waits for the acknowledgement, at most until the sender fails.
        """

    def dies(self, member: str) -> bool:
        """Whether the member may die, now or later."""

    def place_of(self, member: str, operation: Operation) -> tuple[Place, Observation]:
        """Where the listener of a member tells of an operation that was called elsewhere, and what."""

    def may_happen(self, view: View, fault: Fault) -> bool:
        """Whether the fault may happen now: a member that dies shows nothing afterwards."""

    def may_go_untold(self, world: World, view: View, member: str, *, in_turn: bool = True) -> bool:
        """Whether the member may die before its listener is told of what it changes now.

        `in_turn` says that nothing that it changes later is told of before.
        """


class UnknowingOfClients:
    """For the simulation, which believes no claim, needs none, and leaves nothing out."""

    def takes_over(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def unheard(self, *_: object) -> bool:
        """Not known."""
        return False

    def told_without_value(self, *_: object) -> bool | None:
        """Not known."""
        return None

    def gets(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def fetches(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def owes_earlier(self, *_: object) -> Ternary:
        """Perhaps."""
        return Ternary.MAYBE

    def whisper_to_come(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def starts_anew(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def ends_life(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def has_one_order(self) -> bool:
        """Not known."""
        return False

    def changes_life(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def meddles(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def becomes_invalid(self, *_: object) -> bool:
        """Perhaps."""
        return True


class NoLookahead:
    """For the simulation, which believes no claim and needs none.

    Args:
        most_tries: how often a sender may give up waiting for an answer that is lost.
    """

    clients: OfClients = UnknowingOfClients()

    def __init__(self, most_tries: int = 0) -> None:
        self._most_tries = most_tries

    def reader_to_come(self, *_: object) -> Ternary:
        """Perhaps."""
        return Ternary.MAYBE

    def only_reads(self, *_: object) -> bool:
        """Not known."""
        return False

    def heir(self, *_: object) -> str | None:
        """Not known."""
        return None

    def silent_change_to_come(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def count_to_come(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def is_counted(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def collections_are_counted(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def most_counted(self, *_: object) -> int | None:
        """Not known."""
        return None

    def gauge_to_come(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def clear_to_come(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def time_to_pass(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def open(self, *_: object) -> frozenset[str]:
        """Returns no fault: nothing is known of what comes."""
        return frozenset()

    def wants_message(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def wants_event(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def copies_are_looked_at(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def copy_is_looked_at_now(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def waits_for_all(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def loser_to_come(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def comes_again(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def is_received_again(self, *_: object) -> bool:
        """No: the receivers of the reference hand nothing on that they recognise."""
        return False

    def order_received(self, *_: object) -> None:
        """Unknown."""
        return

    def is_queued_again(self, *_: object) -> bool:
        """No: of nothing is it known that it is queued again."""
        return False

    def may_be_under_way(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def tells_again(self) -> bool:
        """Perhaps."""
        return True

    def most_tries(self) -> int:
        """As often as was said."""
        return self._most_tries

    def binds_to_come(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def binds_before_rest(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def binds_tellingly(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def may_break(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def arrives_in_time(self, *_: object) -> bool:
        """Not known."""
        return False

    def dies(self, *_: object) -> bool:
        """Perhaps."""
        return True

    def place_of(self, *_: object) -> tuple[Place, Observation]:
        """Returns no place, because no log is read."""
        return ((), ())

    def may_happen(self, *_: object) -> bool:
        """At any time."""
        return True

    def may_go_untold(self, *_: object, **__: object) -> bool:
        """Returns no: a simulation cuts the log of a member that dies."""
        return False
