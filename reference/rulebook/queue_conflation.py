"""Decisions about queues that conflate, an extension: which events make way, and what stays of their entry.

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

CREATE, UPDATE, DESTROY = "create", "update", "destroy"
"""What an event in a queue does to its entry."""


class ConflationDecisions(Subject):
    """What a queue that conflates may leave out, and what it sends all the same."""

    @staticmethod
    @decision("EXT-CONFL-05")
    def conflates(said: bool) -> bool:
        """Whether a queue leaves out events: only where its sender is set so (Geode, Conflating Events)."""
        return said

    @staticmethod
    @decision("EXT-CONFL-04")
    def is_same_entry(region: bool, key: bool) -> bool:
        """Whether an event makes way for another: only within one entry (Geode, Conflating Events).

        Args:
            region: whether both are of one region.
            key: whether both are of one key.
        """
        return region and key

    @staticmethod
    @decision("EXT-CONFL-01")
    def makes_way(does: str) -> bool:
        """Whether an event may make way, by what it does: an update may (Geode, Conflating Events)."""
        return does == UPDATE

    @staticmethod
    @decision("EXT-CONFL-01")
    def makes_others_go(does: str) -> bool:
        """Whether earlier ones may make way for an event: for an update (Geode, Conflating Events)."""
        return does == UPDATE

    @staticmethod
    @decision("EXT-CONFL-03")
    def later_stays() -> bool:
        """Which of two updates stays, the later one: it does (Geode, Conflating Events)."""
        return True

    @staticmethod
    @decision("EXT-CONFL-02", free=lambda earlier, own: Free((own, earlier)))
    def place_of_later(earlier: int, own: int) -> int:  # noqa: ARG004
        """Where the update that stays stands in its queue: at its own place (Geode, Conflating Events).

        Args:
            earlier: the place of the one that has made way.
            own: the place at which it has entered.
        """
        return own


FAULTS = (
    variant(
        "conflates-unasked",
        "EXT-CONFL-05",
        "beside a queue that conflates, one that does not leaves out updates, too",
        conflates=lambda _: True,
    ),
    variant(
        "conflates-across-keys",
        "EXT-CONFL-04",
        "an update makes way for one of another key",
        is_same_entry=lambda region, _: region,
    ),
    variant(
        "conflates-across-regions",
        "EXT-CONFL-04",
        "an update makes way for one of the same key in another region",
        is_same_entry=lambda _, key: key,
    ),
    variant(
        "conflates-creates",
        "EXT-CONFL-01",
        "a create makes way for an update of its key",
        makes_way=lambda does: does != DESTROY,
    ),
    variant(
        "conflates-destroys",
        "EXT-CONFL-01",
        "a destroy makes way for an update of what is created behind it",
        makes_way=lambda does: does != CREATE,
    ),
    variant(
        "conflates-for-destroys",
        "EXT-CONFL-01",
        "an update makes way for a destroy of its key",
        makes_others_go=lambda does: does != CREATE,
    ),
    variant(
        "conflates-for-creates",
        "EXT-CONFL-01",
        "an update makes way for a create of its key, behind a destroy",
        makes_others_go=lambda does: does != DESTROY,
    ),
    variant(
        "conflation-keeps-first",
        "EXT-CONFL-03",
        "of two updates the later one is left out",
        later_stays=lambda: False,
    ),
    variant(
        "conflation-moves-forward",
        "EXT-CONFL-02",
        "an update takes the place of the earlier one, in front of what stands between them",
        place_of_later=lambda earlier, _: earlier,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
