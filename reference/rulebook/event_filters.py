"""Decisions about event filters of queues, an extension: what enters a queue, and what is sent.

A filter refuses events before they are queued (`beforeEnqueue`), or withholds them before they are sent
(`beforeTransmit`). Each function answers one question about plain values. None knows the model's state.
Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class FilterDecisions(Subject):
    """What a queue's filter keeps out of it, and what it keeps from being sent."""

    @staticmethod
    @decision("EXT-FILTER-05")
    def goes_by_filter(own: bool) -> bool:
        """Whether a queue goes by a filter: by its own alone (Geode, Filtering Events)."""
        return own

    @staticmethod
    @decision("EXT-FILTER-04")
    def is_filtered(named: bool, filters: bool, behind: bool) -> bool:  # noqa: ARG004
        """Whether a filter speaks of an event: where it names its key (Geode, Filtering Events).

        Args:
            named: whether the filter names the event's key.
            filters: whether there is a filter.
            behind: whether the filter withholds the event in front of this one in the batch.
        """
        return named

    @staticmethod
    @decision("EXT-FILTER-01")
    def is_refused(secondary: bool) -> bool:  # noqa: ARG004
        """Whether an event that the filter refuses stays out of the queue (Geode, Filtering Events).

        Args:
            secondary: whether a secondary asks, which would record the event.
        """
        return True

    @staticmethod
    @decision("EXT-FILTER-02")
    def is_withheld(heir: bool) -> bool:  # noqa: ARG004
        """Whether an event that the filter withholds is left out of its batch (Geode, Filtering Events).

        Args:
            heir: whether the sender has taken over from another one.
        """
        return True

    @staticmethod
    @decision("EXT-FILTER-03")
    def lets_withheld_leave() -> bool:
        """Whether a withheld event leaves its queue, as one that is sent (Geode, Filtering Events)."""
        return True


FAULTS = (
    variant(
        "goes-by-other-filters",
        "EXT-FILTER-05",
        "a queue goes by the filters of other queues of its site, too",
        goes_by_filter=lambda _: True,
    ),
    variant(
        "filters-every-key",
        "EXT-FILTER-04",
        "a filter that names one key lets no key pass",
        is_filtered=lambda _, filters, __: filters,
    ),
    variant(
        "filters-what-follows",
        "EXT-FILTER-04",
        "the event behind a withheld one is withheld with it",
        is_filtered=lambda named, _, behind: named or behind,
    ),
    variant(
        "queues-what-is-refused",
        "EXT-FILTER-01",
        "an event that its filter refuses is queued and sent",
        is_refused=lambda _: False,
    ),
    variant(
        "records-what-is-refused",
        "EXT-FILTER-01",
        "a secondary records a refused event, and sends it once it is primary",
        is_refused=lambda secondary: not secondary,
    ),
    variant(
        "sends-what-is-withheld",
        "EXT-FILTER-02",
        "an event that its filter withholds is sent all the same",
        is_withheld=lambda _: False,
    ),
    variant(
        "forgets-filter-at-takeover",
        "EXT-FILTER-02",
        "a sender that has taken over sends what its filter withholds",
        is_withheld=lambda heir: not heir,
    ),
    variant(
        "withheld-blocks",
        "EXT-FILTER-03",
        "a withheld event stays at the head of its queue, and what is behind it waits",
        lets_withheld_leave=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
