"""Decisions about gateway receivers, and conflicts between sites (000, 002, 004).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, any_recipients, any_value, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class ReceiverDecisions(Subject):
    """What a receiver applies, and whom it tells."""

    @staticmethod
    @decision(
        "RCV-APPLY-01",
        free=lambda waiting, size: Free(
            tuple(dict.fromkeys((*range(min(waiting, 3)), min(size, waiting - 1))))
        ),
    )
    def next_of_wire(waiting: int, batch_size: int) -> int:  # noqa: ARG004
        """Which of the events that have arrived a receiver applies next: the first (000, L7)."""
        return 0

    @staticmethod
    @decision("WAN-OPS-02", "WAN-OPS-01")
    def applies_to_present(present: bool) -> bool:  # noqa: ARG004
        """Whether a received update is applied to a key that is there, or is not: either way.

        Source: 000, L13, L14.
        """
        return True

    @staticmethod
    @decision("RCV-APPLY-01", "WAN-OPS-02", "WAN-OPS-01", free=any_value)
    def value_received(value: str | None, stored: str | None) -> str | None:  # noqa: ARG004
        """What an event from another site stores: exactly its own value (000, L14)."""
        return value

    @staticmethod
    @decision("RCV-DEDUP-01")
    def applies_repeated(over_own: bool) -> bool:  # noqa: ARG004
        """Whether a repeated event replaces what is newer, of its own site or the receiver's: no.

        Source: 000, L30.
        """
        return False

    @staticmethod
    @decision("WAN-OPS-03")
    def absent_ends_well() -> bool:
        """Whether the destroy of a key that is absent at the other site is dealt with as any other: yes.

        Source: 000.
        """
        return True

    @staticmethod
    @decision("WANC-PEER-01", free=any_recipients)
    def receiver_tells(peers: tuple[str, ...]) -> tuple[str, ...]:
        """Which members of its site a receiver distributes an event to: all (004, L30)."""
        return peers

    @staticmethod
    @decision("WANC-NEW-01")
    def applies_unrecorded() -> bool:
        """Whether an event for a key that is not recorded here is applied: it is (004, L30)."""
        return True


class TimestampDecisions(Subject):
    """Which of two sites' updates wins."""

    @staticmethod
    @decision("WANC-SAME-01")
    def applies_same_site() -> bool:
        """Whether an event of the site that wrote last is applied without comparing: it is (004, L32)."""
        return True

    @staticmethod
    @decision("WANC-TOMB-01")
    def compared_between_sites(finds_tombstone: bool, destroys: bool) -> bool:  # noqa: ARG004
        """Whether an event of another site that destroys, or finds a tombstone, is compared: it is.

        Source: L28, L93.
        """
        return True

    @staticmethod
    @decision("WANC-PEER-01")
    def compares_times_among_peers() -> bool:
        """Whether members compare what a peer tells them with another site's event by time: yes.

        Source: 004, L26.
        """
        return True

    @staticmethod
    @decision("WANC-TS-01", "WANC-CHK-01", "WANC-TOMB-01")
    def applies_later_time(over_tombstone: bool) -> bool:  # noqa: ARG004
        """Whether an event of another site with a later time is applied, over tombstones too: yes.

        Source: 004, L33.
        """
        return True

    @staticmethod
    @decision("WANC-TS-02", "WANC-CHK-01")
    def applies_earlier_time() -> bool:
        """Whether an event of another site with an earlier timestamp is applied: it is not (004, L33)."""
        return False

    @staticmethod
    @decision("WANC-TS-02")
    def announces_refused() -> bool:
        """Whether listeners receive an event that is refused for its timestamp: they do not (004, L119)."""
        return False

    @staticmethod
    @decision("WANC-TIE-01")
    def applies_tie_of_higher_site() -> bool:
        """Whether an event of the same time from a site with the higher id is applied: it is (004, L34)."""
        return True

    @staticmethod
    @decision("WANC-TIE-02")
    def applies_tie_of_lower_site() -> bool:
        """Whether an event of the same time from a site with the lower id is applied: it is not.

        Source: 004, L34.
        """
        return False

    @staticmethod
    @decision("WANC-LOCAL-02")
    def keeps_later_time() -> bool:
        """Whether an entry keeps the later timestamp of two local updates: it does, even if the earlier wins.

        Source: 004, L30.
        """
        return True

    @staticmethod
    @decision("WANC-PEER-01", "WANC-META-01", "VER-STAMP-01")
    def received_keeps_origin() -> bool:
        """Whether an event keeps the site and timestamp that it came with: it does (004, L30)."""
        return True

    @staticmethod
    @decision("WANC-CAUSAL-01")
    def dated_after_stored(behind: bool, over_tombstone: bool) -> bool:  # noqa: ARG004
        """Whether a change is dated after what it replaces, even by a clock that is behind: it is.

        Source: 004, L26.
        """
        return True

    @staticmethod
    @decision("WANC-MULTI-01")
    def is_higher_site(one: int, other: int) -> bool:
        """Whether a site has the higher id, of two that wrote at one time: all see one order (004, L119)."""
        return one > other

    @staticmethod
    @decision("WANC-MULTI-01")
    def decides_ties_of_others() -> bool:
        """Whether a site that wrote neither of two updates of one time goes by site ids: it does.

        Source: 004, L26.
        """
        return True

    @staticmethod
    @decision("WANC-CLOCK-01")
    def wins_by_time(apart_ms: int, later: bool, higher: bool) -> bool:  # noqa: ARG004
        """Whether an event counts as the later one, however far the times are apart: if it is (004, L29)."""
        return later


FAULTS = (
    variant(
        "absent-fails-batch",
        "WAN-OPS-03",
        "the destroy of a key that is absent at the other site fails its batch, and the rest is dropped",
        absent_ends_well=lambda: False,
    ),
    variant(
        "receiver-updates-only",
        "WAN-OPS-01",
        "a receiver drops what the entry is not there for",
        applies_to_present=lambda present: present,
    ),
    variant(
        "receiver-creates-only",
        "WAN-OPS-02",
        "a receiver drops what the entry is there for already",
        applies_to_present=lambda present: not present,
    ),
    variant(
        "receiver-keeps-it",
        "WANC-PEER-01",
        "a receiver does not distribute what it has applied",
        receiver_tells=lambda _: (),
    ),
    variant(
        "peers-compare-versions-alone",
        "WANC-PEER-01",
        "members compare the versions of a local update and of another site's event, not their times",
        compares_times_among_peers=lambda: False,
    ),
    variant(
        "unknown-keys-dropped",
        "WANC-NEW-01",
        "a receiver drops events for keys that it knows nothing of",
        applies_unrecorded=lambda: False,
    ),
    variant(
        "receiver-keeps-value",
        "WAN-OPS-02 RCV-APPLY-01",
        "a receiver keeps the value that it has",
        value_received=lambda value, stored: value if stored is None else stored,
    ),
    variant(
        "receiver-creates-without-value",
        "WAN-OPS-01",
        "a receiver creates an entry that it lacks without the value that came",
        value_received=lambda value, stored: None if stored is None else value,
    ),
    variant(
        "receives-backwards",
        "RCV-APPLY-01",
        "a receiver applies the second of what has arrived before the first",
        next_of_wire=lambda waiting, _: min(waiting, 2) - 1,
    ),
    variant(
        "repeats-old-values",
        "RCV-DEDUP-01",
        "a receiver applies every event that is delivered again",
        applies_repeated=lambda over_own: not over_own,
    ),
    variant(
        "repeats-over-own-values",
        "RCV-DEDUP-01",
        "a receiver applies what is delivered again over a newer value of its own site",
        applies_repeated=lambda over_own: over_own,
    ),
    variant(
        "receiver-as-author",
        "WANC-PEER-01 WANC-META-01 VER-STAMP-01",
        "what a receiver applies counts as written by its own site",
        received_keeps_origin=lambda: False,
    ),
    variant(
        "last-writer-refused",
        "WANC-SAME-01",
        "a receiver drops events of the site that wrote last",
        applies_same_site=lambda: False,
    ),
    variant(
        "later-refused",
        "WANC-TS-01 WANC-CHK-01",
        "an update of another site loses to what is there, however late it was made",
        applies_later_time=lambda _: False,
    ),
    variant(
        "tombstones-refuse-later",
        "WANC-TOMB-01",
        "a tombstone refuses an update of another site, however late it was made",
        applies_later_time=lambda over_tombstone: not over_tombstone,
    ),
    variant(
        "earlier-applied",
        "WANC-TS-02 WANC-CHK-01",
        "an update of another site wins over what is there, however early it was made",
        applies_earlier_time=lambda: True,
    ),
    variant(
        "refused-is-announced",
        "WANC-TS-02",
        "the listener receives an event of another site that is refused for its timestamp",
        announces_refused=lambda: True,
    ),
    variant(
        "higher-site-refused",
        "WANC-TIE-01",
        "at equal timestamps what is there stays",
        applies_tie_of_higher_site=lambda: False,
    ),
    variant(
        "lower-site-applied",
        "WANC-TIE-02",
        "at equal timestamps what arrives is applied",
        applies_tie_of_lower_site=lambda: True,
    ),
    variant(
        "clock-taken-as-it-is",
        "WANC-CAUSAL-01",
        "an update has the time that the clock shows, also where it replaces a later one",
        dated_after_stored=lambda behind, over_tombstone: over_tombstone or not behind,
    ),
    variant(
        "clock-taken-over-tombstones",
        "WANC-CAUSAL-01",
        "a creation over a tombstone has the time that the clock shows, though that of the destroy is later",
        dated_after_stored=lambda behind, over_tombstone: not (behind and over_tombstone),
    ),
    variant(
        "sites-in-a-circle",
        "WANC-MULTI-01",
        "of three sites each wins over one and loses to the other, where all wrote at the same time",
        is_higher_site=lambda one, other: (one - other) % 3 == 1,
    ),
    variant(
        "first-of-others-stays",
        "WANC-MULTI-01",
        "at a site that wrote neither of two updates of the same time that which arrived first stays",
        decides_ties_of_others=lambda: False,
    ),
    variant(
        "far-times-not-believed",
        "WANC-CLOCK-01",
        "of updates whose timestamps are ten seconds apart that which arrives is applied",
        wins_by_time=lambda apart_ms, later, _: later or apart_ms >= 10_000,
    ),
    variant(
        "far-times-decided-by-site",
        "WANC-CLOCK-01",
        "of updates whose timestamps are ten seconds apart that of the higher site wins",
        wins_by_time=lambda apart_ms, later, higher: later if apart_ms < 10_000 else higher,
    ),
    variant(
        "winner-keeps-its-time",
        "WANC-LOCAL-02",
        "an update that beats a later one of its site keeps its own timestamp",
        keeps_later_time=lambda: False,
    ),
    variant(
        "destroys-cross-uncompared",
        "WANC-TOMB-01",
        "a destroy of another site is always applied",
        compared_between_sites=lambda finds_tombstone, destroys: not destroys,  # noqa: ARG005
    ),
    variant(
        "tombstones-forget-sites",
        "WANC-TOMB-01",
        "an event of another site is always applied where it finds a tombstone",
        compared_between_sites=lambda finds_tombstone, destroys: not finds_tombstone,  # noqa: ARG005
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
