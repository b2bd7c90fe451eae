"""Decisions about substitution filters of queues, an extension: which value an event of a queue brings.

A filter is asked when an event enters its queue. What it gives takes the place of the value in this queue
(Geode, GatewayEventSubstitutionFilter). Each function answers one question about plain values. None knows the
model's state. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class SubstitutionDecisions(Subject):
    """Where a queue's substitute stands in for the value that was put."""

    @staticmethod
    @decision("EXT-SUBST-01")
    def substitute_crosses() -> bool:
        """Whether another site receives the substitute (Geode, GatewayEventSubstitutionFilter)."""
        return True

    @staticmethod
    @decision("EXT-SUBST-01")
    def substitute_is_held() -> bool:
        """Whether another site holds what it received (Geode, GatewayEventSubstitutionFilter)."""
        return True

    @staticmethod
    @decision("EXT-SUBST-02")
    def substitute_offered(parallel: bool) -> bool:  # noqa: ARG004
        """Whether a queue's listener receives the substitute (Geode, GatewayEventSubstitutionFilter).

        Args:
            parallel: whether the queue is parallel.
        """
        return True

    @staticmethod
    @decision("EXT-SUBST-03")
    def substitute_at_home(reads: bool) -> bool:  # noqa: ARG004
        """Whether the queue's own site shows the substitute (Geode, GatewayEventSubstitutionFilter).

        Args:
            reads: whether a call reads it; else a listener receives it.
        """
        return False

    @staticmethod
    @decision("EXT-SUBST-04")
    def is_substituted(named: bool) -> bool:
        """Whether an event has a substitute: where the filter gives one (Geode, getSubstituteValue)."""
        return named

    @staticmethod
    @decision("EXT-SUBST-04")
    def queues_substituted_destroys() -> bool:
        """Whether a destroy is queued whose key the filter names (Geode, getSubstituteValue)."""
        return True

    @staticmethod
    @decision("EXT-SUBST-05")
    def goes_by_substitution(of_site: bool) -> bool:  # noqa: ARG004
        """Whether a queue gives what the filter of another one gives (Geode, getSubstituteValue).

        Args:
            of_site: whether the other queue is one of the same site.
        """
        return False

    @staticmethod
    @decision("EXT-SUBST-06")
    def substitute_stays(crosses: bool) -> bool:  # noqa: ARG004
        """Whether an event that comes again has its substitute (Geode, GatewayEventSubstitutionFilter).

        Args:
            crosses: whether it was sent to another site before; else a listener of its queue has received it.
        """
        return True

    @staticmethod
    @decision("EXT-SUBST-07")
    def substitute_inherited(crosses: bool) -> bool:  # noqa: ARG004
        """Whether the copy of a new primary has the substitute (Geode, GatewayEventSubstitutionFilter).

        Args:
            crosses: whether it is a copy of a gateway sender's queue.
        """
        return True

    @staticmethod
    @decision("EXT-SUBST-08")
    def later_has_substitute() -> bool:
        """Whether an update that others made way for has its substitute (Geode, getSubstituteValue)."""
        return True

    @staticmethod
    @decision("EXT-SUBST-09")
    def queues_where_filter_fails() -> bool:
        """Whether an event is queued at which the filter fails (Geode, AbstractGatewaySender)."""
        return True

    @staticmethod
    @decision("EXT-SUBST-09")
    def substituted_where_filter_fails() -> bool:
        """Whether an event has a substitute at which the filter fails (Geode, AbstractGatewaySender)."""
        return False

    @staticmethod
    @decision("EXT-SUBST-09")
    def filter_outlasts_failure() -> bool:
        """Whether a filter that has failed gives later events substitutes (Geode, AbstractGatewaySender)."""
        return True


FAULTS = (
    variant(
        "sends-original-value",
        "EXT-SUBST-01",
        "a gateway sender sends the value that was put in place of the substitute",
        substitute_crosses=lambda: False,
    ),
    variant(
        "holds-original-value",
        "EXT-SUBST-01",
        "the other site announces the substitute, and keeps the value that was put",
        substitute_is_held=lambda: False,
    ),
    variant(
        "offers-original-value",
        "EXT-SUBST-02",
        "the listener of a queue receives the value that was put in place of the substitute",
        substitute_offered=lambda parallel: parallel,
    ),
    variant(
        "offers-original-value-in-parallel",
        "EXT-SUBST-02",
        "the listeners of a parallel queue receive the value that was put in place of the substitute",
        substitute_offered=lambda parallel: not parallel,
    ),
    variant(
        "announces-substitute-at-home",
        "EXT-SUBST-03",
        "listeners of the queue's own site receive the substitute",
        substitute_at_home=lambda reads: not reads,
    ),
    variant(
        "holds-substitute-at-home",
        "EXT-SUBST-03",
        "members of the queue's own site hold the substitute",
        substitute_at_home=lambda reads: reads,
    ),
    variant(
        "substitutes-every-value",
        "EXT-SUBST-04",
        "a filter that names one key gives the events of all keys substitutes",
        is_substituted=lambda _: True,
    ),
    variant(
        "leaves-out-substituted-destroys",
        "EXT-SUBST-04",
        "a destroy is not queued whose key the filter names",
        queues_substituted_destroys=lambda: False,
    ),
    variant(
        "goes-by-substitutes-beside",
        "EXT-SUBST-05",
        "a queue gives the substitutes of the queue beside it",
        goes_by_substitution=lambda of_site: of_site,
    ),
    variant(
        "goes-by-substitutes-of-other-site",
        "EXT-SUBST-05",
        "the sender of a site gives the substitutes of the other site's sender",
        goes_by_substitution=lambda of_site: not of_site,
    ),
    variant(
        "offers-again-original-value",
        "EXT-SUBST-06",
        "an event that its listener has failed comes again with the value that was put",
        substitute_stays=lambda crosses: crosses,
    ),
    variant(
        "sends-again-original-value",
        "EXT-SUBST-06",
        "an event is sent again with the value that was put",
        substitute_stays=lambda crosses: not crosses,
    ),
    variant(
        "copies-queue-without-substitutes",
        "EXT-SUBST-07",
        "a new primary offers its listener what it inherits with the values that were put",
        substitute_inherited=lambda crosses: crosses,
    ),
    variant(
        "copies-senders-queue-without-substitutes",
        "EXT-SUBST-07",
        "a new primary sends another site what it inherits with the values that were put",
        substitute_inherited=lambda crosses: not crosses,
    ),
    variant(
        "conflates-to-original-value",
        "EXT-SUBST-08",
        "in a queue that conflates, an update that others made way for has the value that was put",
        later_has_substitute=lambda: False,
    ),
    variant(
        "leaves-out-where-filter-fails",
        "EXT-SUBST-09",
        "an event is not queued at which the filter fails",
        queues_where_filter_fails=lambda: False,
    ),
    variant(
        "substitutes-where-filter-fails",
        "EXT-SUBST-09",
        "an event has a substitute all the same at which the filter fails",
        substituted_where_filter_fails=lambda: True,
    ),
    variant(
        "gives-up-filter-that-fails",
        "EXT-SUBST-09",
        "a filter that has failed once is asked no more",
        filter_outlasts_failure=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
