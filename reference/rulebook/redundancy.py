"""Decisions about servers that a client recruits to keep its queue, after it has lost one (001, L70 to L73).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class RedundancyDecisions(Subject):
    """What a client that runs does about its redundancy."""

    @staticmethod
    @decision("FO-RED-01")
    def recruits(failed_over: bool) -> bool:  # noqa: ARG004
        """Whether a client that lacks a secondary recruits another living server: it does (001, L70, L73).

        Args:
            failed_over: whether it has lost a primary; else a secondary alone.
        """
        return True

    @staticmethod
    @decision("FO-RED-01")
    def recruit_knows_interest(durable: bool) -> bool:  # noqa: ARG004
        """Whether a recruited server has the client's registrations: it has all (001, L56, L72).

        Args:
            durable: whether they outlive the client's connection; else those that do not.
        """
        return True

    @staticmethod
    @decision("FO-RED-01")
    def recruit_gets_queue() -> bool:
        """Whether a recruited server comes to have what waits for the client already: it does (001, L72)."""
        return True

    @staticmethod
    @decision("DUR-MARKER-04")
    def recruit_gets_marker() -> bool:
        """Whether the marker is among what a recruited server comes to have: it is (001, L72; 003, L36)."""
        return True


FAULTS = (
    variant(
        "recruits-no-other",
        "FO-RED-01",
        "a client that has lost a server recruits no other one to keep its queue",
        recruits=lambda failed_over: False,  # noqa: ARG005
    ),
    variant(
        "recruits-behind-failovers",
        "FO-RED-01",
        "a client recruits another secondary only once it has lost its primary",
        recruits=lambda failed_over: failed_over,
    ),
    variant(
        "recruits-before-failovers",
        "FO-RED-01",
        "a client that has lost its primary recruits no other secondary",
        recruits=lambda failed_over: not failed_over,
    ),
    variant(
        "recruit-without-interest",
        "FO-RED-01",
        "a recruited server knows nothing of the client's interest",
        recruit_knows_interest=lambda durable: False,  # noqa: ARG005
    ),
    variant(
        "recruit-knows-durable-interest",
        "FO-RED-01",
        "a recruited server knows of a client's interest only what is durable",
        recruit_knows_interest=lambda durable: durable,
    ),
    variant(
        "recruit-without-queue",
        "FO-RED-01",
        "a recruited server never gets what waits for the client already",
        recruit_gets_queue=lambda: False,
    ),
    variant(
        "recruit-without-marker",
        "DUR-MARKER-04",
        "a recruited server never gets the marker that waits for a durable client",
        recruit_gets_marker=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
