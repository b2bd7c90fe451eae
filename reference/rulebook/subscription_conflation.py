"""Decisions about clients whose subscription conflates, an extension: which events make way in their queues.

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.queue_conflation import CREATE, DESTROY, UPDATE
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

INVALIDATE = "invalidate"
"""What an event in a queue does to its entry, beside a create, an update and a destroy."""


class SubscriptionConflationDecisions(Subject):
    """What a server may leave out of the queue of a client, and what it sends all the same."""

    @staticmethod
    @decision("EXT-SUBCONF-05")
    def conflates_for(said: bool) -> bool:
        """Whether a client's queue conflates: where the client says so (Geode, conflate-events)."""
        return said

    @staticmethod
    @decision("EXT-SUBCONF-04")
    def conflates_within(region: bool, key: bool) -> bool:
        """Whether an event makes way for another: only within one entry (Geode, Conflate the Queue).

        Args:
            region: whether both are of one region.
            key: whether both are of one key.
        """
        return region and key

    @staticmethod
    @decision("EXT-SUBCONF-01")
    def may_be_left_out(does: str) -> bool:
        """Whether an event for a client may make way, by what it does: an update may (Geode, Conflate)."""
        return does == UPDATE

    @staticmethod
    @decision("EXT-SUBCONF-01")
    def takes_place_of(does: str) -> bool:
        """Whether earlier ones may make way for an event: for an update (Geode, Conflate the Queue)."""
        return does == UPDATE

    @staticmethod
    @decision("EXT-SUBCONF-03")
    def latest_is_sent() -> bool:
        """Which of two updates a client is sent, the later one: it is (Geode, Conflate the Queue)."""
        return True

    @staticmethod
    @decision("EXT-SUBCONF-02", free=lambda earlier, own: Free((own, earlier)))
    def latest_stands_at(earlier: int, own: int) -> int:  # noqa: ARG004
        """Where the update that is sent stands in its queue: at its own place (Geode, HARegionQueue).

        Args:
            earlier: the place of the one that has made way.
            own: the place at which it has entered.
        """
        return own

    @staticmethod
    @decision("EXT-SUBCONF-06")
    def stored_makes_way() -> bool:
        """Whether an update stored for an absent client makes way for a later one: it does (Geode)."""
        return True

    @staticmethod
    @decision("EXT-SUBCONF-07")
    def copy_takes_latest() -> bool:
        """Whether a secondary queues an update where an earlier one waits: it does (Geode, redundancy)."""
        return True


FAULTS = (
    variant(
        "conflates-for-each-client",
        "EXT-SUBCONF-05",
        "beside a client whose queue conflates, the queue of another one does, too",
        conflates_for=lambda _: True,
    ),
    variant(
        "subscription-conflates-across-keys",
        "EXT-SUBCONF-04",
        "an update for a client makes way for one of another key",
        conflates_within=lambda region, _: region,
    ),
    variant(
        "subscription-conflates-across-regions",
        "EXT-SUBCONF-04",
        "an update for a client makes way for one of the same key in another region",
        conflates_within=lambda _, key: key,
    ),
    variant(
        "subscription-conflates-creates",
        "EXT-SUBCONF-01",
        "a create for a client makes way for an update of its key",
        may_be_left_out=lambda does: does in (CREATE, UPDATE),
    ),
    variant(
        "subscription-conflates-destroys",
        "EXT-SUBCONF-01",
        "a destroy for a client makes way for an update of what is created behind it",
        may_be_left_out=lambda does: does in (DESTROY, UPDATE),
    ),
    variant(
        "subscription-conflates-invalidates",
        "EXT-SUBCONF-01",
        "an invalidate for a client makes way for an update of its key",
        may_be_left_out=lambda does: does in (INVALIDATE, UPDATE),
    ),
    variant(
        "subscription-conflates-for-destroys",
        "EXT-SUBCONF-01",
        "an update for a client makes way for a destroy of its key",
        takes_place_of=lambda does: does in (DESTROY, UPDATE),
    ),
    variant(
        "subscription-conflates-for-creates",
        "EXT-SUBCONF-01",
        "an update for a client makes way for a create of its key, behind a destroy",
        takes_place_of=lambda does: does in (CREATE, UPDATE),
    ),
    variant(
        "subscription-conflates-for-invalidates",
        "EXT-SUBCONF-01",
        "an update for a client makes way for an invalidate of its key",
        takes_place_of=lambda does: does in (INVALIDATE, UPDATE),
    ),
    variant(
        "subscription-keeps-first",
        "EXT-SUBCONF-03",
        "of two updates for a client the later one is left out",
        latest_is_sent=lambda: False,
    ),
    variant(
        "subscription-moves-forward",
        "EXT-SUBCONF-02",
        "an update for a client takes the place of the earlier one, in front of what stands between them",
        latest_stands_at=lambda earlier, _: earlier,
    ),
    variant(
        "stored-updates-stay",
        "EXT-SUBCONF-06",
        "all updates that are stored for an absent client stay in its queue",
        stored_makes_way=lambda: False,
    ),
    variant(
        "secondary-keeps-first",
        "EXT-SUBCONF-07",
        "a secondary queues no update of a key while an earlier one waits in its copy",
        copy_takes_latest=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
