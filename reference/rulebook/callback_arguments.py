"""Decisions about callback arguments, an extension: which listeners receive the argument of an operation.

An argument is given with a call and belongs to its event for good. Each function answers one question about
plain values. None knows the model's state. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class ArgumentDecisions(Subject):
    """With which callback argument an event comes to a listener."""

    @staticmethod
    @decision("EXT-CALLBACK-01")
    def argument_at_member(remote: bool) -> bool:  # noqa: ARG004
        """Whether listeners at the caller's site receive an event's argument (Geode, CacheEvent).

        Args:
            remote: whether the listener is at another member than the caller.
        """
        return True

    @staticmethod
    @decision("EXT-CALLBACK-02")
    def argument_offered(stores: bool) -> bool:  # noqa: ARG004
        """Whether the listener of a queue receives an event's argument (Geode, GatewayQueueEvent).

        Args:
            stores: whether the event brings a value.
        """
        return True

    @staticmethod
    @decision("EXT-CALLBACK-03")
    def argument_crosses(stores: bool) -> bool:  # noqa: ARG004
        """Whether listeners of another site receive an event's argument (Geode, CacheEvent).

        Args:
            stores: whether the event brings a value.
        """
        return True

    @staticmethod
    @decision("EXT-CALLBACK-04")
    def argument_at_client(called_there: bool) -> bool:  # noqa: ARG004
        """Whether a client's listener receives an event's argument (Geode, CacheEvent).

        Args:
            called_there: whether the client has called the operation itself.
        """
        return True

    @staticmethod
    @decision("EXT-CALLBACK-05")
    def invents_argument(queued: bool) -> bool:  # noqa: ARG004
        """Whether an event without argument comes with that of the one before (Geode, CacheEvent).

        Args:
            queued: whether the listener of a queue receives it.
        """
        return False

    @staticmethod
    @decision("EXT-CALLBACK-06")
    def shares_argument() -> bool:
        """Whether the events of a batch share the argument of the first (Geode, GatewayQueueEvent)."""
        return False

    @staticmethod
    @decision("EXT-CALLBACK-06")
    def takes_argument_of_earlier() -> bool:
        """Whether an update that others made way for takes their argument (Geode, GatewayQueueEvent)."""
        return False

    @staticmethod
    @decision("EXT-CALLBACK-07")
    def argument_stays(crosses: bool) -> bool:  # noqa: ARG004
        """Whether an event that comes again still has its argument (Geode, GatewayQueueEvent).

        Args:
            crosses: whether it was sent to another site before; else a listener of its queue has received it.
        """
        return True

    @staticmethod
    @decision("EXT-CALLBACK-08")
    def argument_inherited(crosses: bool) -> bool:  # noqa: ARG004
        """Whether the copy of a new primary has the event's argument (Geode, GatewayQueueEvent).

        Args:
            crosses: whether it is a copy of a gateway sender's queue.
        """
        return True


FAULTS = (
    variant(
        "hides-argument-from-caller",
        "EXT-CALLBACK-01",
        "the listener of the member that is called receives no argument",
        argument_at_member=lambda remote: remote,
    ),
    variant(
        "hides-argument-from-peers",
        "EXT-CALLBACK-01",
        "an operation travels to the other members without its argument",
        argument_at_member=lambda remote: not remote,
    ),
    variant(
        "offers-updates-without-argument",
        "EXT-CALLBACK-02",
        "the listener of a queue receives the value of an event and no argument",
        argument_offered=lambda stores: not stores,
    ),
    variant(
        "offers-destroys-without-argument",
        "EXT-CALLBACK-02",
        "the listener of a queue receives a destroy without its argument",
        argument_offered=lambda stores: stores,
    ),
    variant(
        "sends-updates-without-argument",
        "EXT-CALLBACK-03",
        "a gateway sender sends the value of an event and no argument",
        argument_crosses=lambda stores: not stores,
    ),
    variant(
        "sends-destroys-without-argument",
        "EXT-CALLBACK-03",
        "a gateway sender sends a destroy without its argument",
        argument_crosses=lambda stores: stores,
    ),
    variant(
        "hides-argument-from-clients",
        "EXT-CALLBACK-04",
        "a server sends its clients events without their arguments",
        argument_at_client=lambda called_there: called_there,
    ),
    variant(
        "hides-argument-from-calling-client",
        "EXT-CALLBACK-04",
        "the listener of the client that has called an operation receives no argument",
        argument_at_client=lambda called_there: not called_there,
    ),
    variant(
        "leaves-argument-behind",
        "EXT-CALLBACK-05",
        "an event without an argument comes to listeners with that of the event before",
        invents_argument=lambda queued: not queued,
    ),
    variant(
        "leaves-argument-behind-in-queue",
        "EXT-CALLBACK-05",
        "an event without an argument comes to the listener of a queue with that of the event before",
        invents_argument=lambda queued: queued,
    ),
    variant(
        "shares-argument-in-batch",
        "EXT-CALLBACK-06",
        "all events of a batch carry the argument of the first",
        shares_argument=lambda: True,
    ),
    variant(
        "takes-argument-of-displaced-update",
        "EXT-CALLBACK-06",
        "in a queue that conflates, an update carries the argument of one that was to make way for it",
        takes_argument_of_earlier=lambda: True,
    ),
    variant(
        "offers-again-without-argument",
        "EXT-CALLBACK-07",
        "an event that its listener has failed comes again without its argument",
        argument_stays=lambda crosses: crosses,
    ),
    variant(
        "sends-again-without-argument",
        "EXT-CALLBACK-07",
        "an event is sent again without its argument",
        argument_stays=lambda crosses: not crosses,
    ),
    variant(
        "copies-queue-without-arguments",
        "EXT-CALLBACK-08",
        "a new primary offers its listener what it inherits without arguments",
        argument_inherited=lambda crosses: crosses,
    ),
    variant(
        "copies-senders-queue-without-arguments",
        "EXT-CALLBACK-08",
        "a new primary sends another site what it inherits without arguments",
        argument_inherited=lambda crosses: not crosses,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
