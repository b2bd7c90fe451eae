"""Decisions about how consistency checking is set, and what holds where it is off (document 004, L43 to L59).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class CheckingDecisions(Subject):
    """How the attribute for consistency checking is obeyed, and what a region without checks does."""

    @staticmethod
    @decision("CFG-CHECKS-03", free=lambda own, _: Free(tuple(dict.fromkeys((own, True, False)))))
    def setting_obeyed(own: bool | None, others: tuple[bool | None, ...]) -> bool | None:  # noqa: ARG004
        """Which setting of checks a region obeys: its own.

        Settings of other regions change nothing (L43 s3).
        """
        return own

    @staticmethod
    @decision("CFG-CHECKS-08")
    def keeps_tombstone_unchecked() -> bool:
        """Whether a destroy leaves a tombstone where checking is off: it does not (L93 s1)."""
        return False

    @staticmethod
    @decision("CFG-CHECKS-08")
    def counts_unchecked() -> bool:
        """Whether an update that arrives where checking is off moves conflatedEvents: it does not (L59)."""
        return False

    @staticmethod
    @decision("CFG-CHECKS-06")
    def sends_discarded_unchecked() -> bool:
        """Whether a client that does not check is sent what its server has discarded: it is (L47 s2)."""
        return True


class HostingDecisions(Subject):
    """Which settings hold where a member hosts a region with settings of its own."""

    @staticmethod
    @decision("CFG-CHECKS-04")
    def setting_of_joiner(asked: bool, in_force: bool) -> bool:  # noqa: ARG004
        """With which setting a member comes to host a region, unless it is refused: the one in force.

        Source: L45.
        """
        return in_force

    @staticmethod
    @decision("CFG-CHECKS-02")
    def setting_of_persistent(asked: bool) -> bool:  # noqa: ARG004
        """Whether a persistent region checks that was to do without, unless it is refused: it does.

        Source: L43 s2.
        """
        return True


class ClientCheckDecisions(Subject):
    """Whether a server serves, and a client takes, what checks otherwise than itself."""

    @staticmethod
    @decision("CFG-CHECKS-05")
    def serves_client(checks: bool, server_checks: bool) -> bool:  # noqa: ARG004
        """Whether a server carries out what a client calls: also where only one of them checks (004, L47)."""
        return True

    @staticmethod
    @decision("CFG-CHECKS-05")
    def client_takes(checks: bool, versioned: bool) -> bool:  # noqa: ARG004
        """Whether a client takes what its server sends: with a version, too, if it does not check.

        Source: 004, L47.
        """
        return True


FAULTS = (
    variant(
        "ignores-the-setting",
        "CFG-CHECKS-03",
        "the attribute is not read: every region checks",
        setting_obeyed=lambda own, others: None,  # noqa: ARG005
    ),
    variant(
        "one-setting-for-all",
        "CFG-CHECKS-03",
        "what the last region names counts for all regions of a member",
        setting_obeyed=lambda own, others: others[-1] if others else own,
    ),
    variant(
        "each-as-it-likes",
        "CFG-CHECKS-04",
        "a member hosts a region with the setting that it asks for, also where others have another",
        setting_of_joiner=lambda asked, in_force: asked,  # noqa: ARG005
    ),
    variant(
        "persistent-as-asked",
        "CFG-CHECKS-02",
        "a persistent region is created without checking where that is asked for",
        setting_of_persistent=lambda asked: asked,
    ),
    variant(
        "spares-whoever-does-not-check",
        "CFG-CHECKS-06",
        "a server sends no client what it has itself discarded",
        sends_discarded_unchecked=lambda: False,
    ),
    variant(
        "tombstones-for-ever",
        "CFG-CHECKS-08",
        "a destroy leaves a tombstone where nothing is checked, and no member collects it",
        keeps_tombstone_unchecked=lambda: True,
    ),
    variant(
        "counts-the-unchecked",
        "CFG-CHECKS-08",
        "updates that arrive where nothing is checked are counted as discarded",
        counts_unchecked=lambda: True,
    ),
    variant(
        "no-room-for-versions",
        "CFG-CHECKS-05",
        "a client that does not check fails on what comes with a version",
        client_takes=lambda checks, versioned: checks or not versioned,
    ),
    variant(
        "all-or-none-check",
        "CFG-CHECKS-05",
        "a server that checks refuses the operations of a client that does not",
        serves_client=lambda checks, server_checks: checks or not server_checks,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
