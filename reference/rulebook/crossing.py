"""Decisions about which events go to other sites, and which travel on (000, 002).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.history.operations import EXPIRES, IDLES, LOCAL_EXPIRES, OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class CrossingDecisions(Subject):
    """Which operations lead to events for other sites."""

    @staticmethod
    @decision("WAN-OPS-09")
    def entry_crosses(last: bool) -> bool:  # noqa: ARG004
        """Whether an entry of an operation on many keys goes to other sites: each does (000, L11)."""
        return True

    @staticmethod
    @decision("WAN-OPS-01")
    def create_crosses() -> bool:
        """Whether the creation of an entry goes to other sites: it does (000, L13)."""
        return True

    @staticmethod
    @decision("WAN-OPS-02")
    def put_crosses() -> bool:
        """Whether the update of an entry goes to other sites: it does (000, L14)."""
        return True

    @staticmethod
    @decision("WAN-OPS-03")
    def destroy_crosses() -> bool:
        """Whether a distributed destroy goes to other sites: it does (000, L15)."""
        return True

    @staticmethod
    @decision("WAN-OPS-04")
    def get_crosses(found: bool) -> bool:  # noqa: ARG004
        """Whether a get goes to other sites, that finds something or not: it does not (000, L17)."""
        return False

    @staticmethod
    @decision("WAN-OPS-05")
    def invalidate_crosses(local: bool, committed: int) -> Free | bool:  # noqa: ARG004
        """Whether an invalidation goes to other sites: it does not (000, L18).

        Args:
            local: whether it is local.
            committed: how many changes of the entry its transaction commits with it and as one; 0 outside of
                a transaction. What several become together is open.
        """
        return Free((False, True)) if committed > 1 else False

    @staticmethod
    @decision("WAN-OPS-06")
    def local_destroy_crosses(whole: bool) -> bool:  # noqa: ARG004
        """Whether what is removed locally, a key or a whole copy, goes to other sites: it does not.

        Source: 000, L19.
        """
        return False

    @staticmethod
    @decision("WAN-OPS-06")
    def evictions_cross() -> bool:
        """Whether what a member evicts goes to other sites: it does not (000, L20)."""
        return False

    @staticmethod
    @decision("WAN-OPS-08", "CLEAR-SCOPE-01")
    def region_operations_cross() -> bool:
        """Whether an operation on a whole region goes to other sites: it does not (000, L22)."""
        return False

    @staticmethod
    @decision("WAN-OPS-07")
    def expirations_cross(recorded: bool, kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether what expires goes to other sites: nothing that it leads to does (000, L16, L21)."""
        return False

    @staticmethod
    @decision("WAN-OPS-08")
    def queued_outlives_region() -> bool:
        """Whether events that were queued outlive an operation on their whole region: they do (000, L22)."""
        return True

    @staticmethod
    @decision("WAN-OPS-10", "WAN-OPS-09")
    def no_effect_crosses(vetoed: bool, compared: bool) -> bool:  # noqa: ARG004
        """Whether what changed nothing, or a cache writer has vetoed, goes to other sites: no (000, L11).

        Whether it has changed nothing because the entry holds another value than expected does not matter.
        """
        return False

    @staticmethod
    @decision("WAN-OPS-09")
    def commit_crosses() -> bool:
        """Whether what a transaction has changed goes to other sites when it commits: it does (000, L11)."""
        return True

    @staticmethod
    @decision("WAN-CFG-01", "SHQ-CREATE-01")
    def feeds_queue(attached: bool, first: bool, before: bool) -> bool:  # noqa: ARG004
        """Whether events of a region enter a queue: if, and only if, it is attached, first or not (000, L7).

        Whether the region was there before the queue was started does not matter, either.
        """
        return attached

    @staticmethod
    @decision("SER-ENQ-01")
    def sends_back(from_other_site: bool) -> bool:  # noqa: ARG004
        """Whether an event that came from another site is sent on to where it came from: it is not (000)."""
        return False


class OnwardDecisions(Subject):
    """What travels on by way of a site that did not write it."""

    @staticmethod
    @decision("WANC-TS-02", "WANC-RESOLVER-04")
    def refused_goes_on() -> bool:
        """Whether what lost to what is stored goes on to other sites all the same: it does not (004, L24)."""
        return False

    @staticmethod
    @decision("SER-ENQ-01")
    def lists_writer() -> bool:
        """Whether the sites recorded as having a forwarded event include its writer: they do.

        Source: 002, Serial.
        """
        return True

    @staticmethod
    @decision("WAN-CFG-01", "WANC-TOMB-01")
    def goes_on(found: bool, by_peer: bool) -> bool:  # noqa: ARG004
        """Whether an event from another site enters queues to sites that lack it: every event does.

        Source: 000, L7.

        This holds whether or not the event finds an entry to change. It holds for the receiving member and
        for its peers.
        """
        return True


FAULTS = (
    variant(
        "creates-stay",
        "WAN-OPS-01",
        "the creation of an entry does not go to other sites",
        create_crosses=lambda: False,
    ),
    variant(
        "invalidations-cross",
        "WAN-OPS-05",
        "an invalidation goes to other sites",
        invalidate_crosses=lambda local, committed: not local and not committed,
    ),
    variant(
        "local-invalidations-cross",
        "WAN-OPS-05",
        "a local invalidation goes to other sites",
        invalidate_crosses=lambda local, _: local,
    ),
    variant(
        "committed-invalidations-cross",
        "WAN-OPS-05",
        "an invalidation that a transaction commits goes to other sites",
        invalidate_crosses=lambda _, committed: committed > 0,
    ),
    variant(
        "gets-cross",
        "WAN-OPS-04",
        "what a get reads is sent to other sites as an update",
        get_crosses=lambda found: found,
    ),
    variant(
        "misses-cross",
        "WAN-OPS-04",
        "what a get does not find is sent to other sites as a destroy",
        get_crosses=lambda found: not found,
    ),
    variant(
        "destroys-stay",
        "WAN-OPS-03",
        "a distributed destroy does not go to other sites",
        destroy_crosses=lambda: False,
    ),
    variant(
        "updates-stay",
        "WAN-OPS-02",
        "the update of an entry does not go to other sites",
        put_crosses=lambda: False,
    ),
    variant(
        "local-destroys-cross",
        "WAN-OPS-06",
        "a local destroy goes to other sites",
        local_destroy_crosses=lambda whole: not whole,
    ),
    variant(
        "local-clears-cross",
        "WAN-OPS-06",
        "what a member clears for itself alone is cleared at other sites",
        chaotic=True,
        local_destroy_crosses=lambda whole: whole,
    ),
    variant(
        "evictions-cross",
        "WAN-OPS-06",
        "what a member evicts is destroyed at other sites",
        evictions_cross=lambda: True,
    ),
    variant(
        "region-operations-cross",
        "WAN-OPS-08 CLEAR-SCOPE-01",
        "what is done to a whole region goes to other sites",
        region_operations_cross=lambda: True,
    ),
    variant(
        "region-takes-its-queue",
        "WAN-OPS-08",
        "an operation on a whole region drops what is queued of it",
        queued_outlives_region=lambda: False,
    ),
    variant(
        "expirations-cross",
        "WAN-OPS-07",
        "what a region does to an entry whose time is over goes to other sites",
        expirations_cross=lambda _, kind: kind in EXPIRES,
    ),
    variant(
        "expired-invalidations-cross",
        "WAN-OPS-07",
        "what a region invalidates when its time is over is invalidated at other sites",
        expirations_cross=lambda _, kind: kind is OperationKind.EXPIRE_INVALIDATE,
    ),
    variant(
        "expired-regions-cross",
        "WAN-OPS-07",
        "a region that is invalidated when its time is over is invalidated at other sites",
        expirations_cross=lambda _, kind: kind is OperationKind.EXPIRE_INVALIDATE_REGION,
    ),
    variant(
        "idle-entries-cross",
        "WAN-OPS-07",
        "what a region does to an entry that was idle for too long goes to other sites",
        expirations_cross=lambda _, kind: kind in IDLES,
    ),
    variant(
        "local-expirations-cross",
        "WAN-OPS-07",
        "what expires by a local action is sent to other sites",
        expirations_cross=lambda _, kind: kind in LOCAL_EXPIRES,
    ),
    variant(
        "secondary-records-expirations",
        "WAN-OPS-07",
        "a secondary records what becomes of an entry whose time is over, and sends that when it takes over",
        expirations_cross=lambda recorded, _: recorded,
    ),
    variant(
        "failures-cross",
        "WAN-OPS-10 WAN-OPS-09",
        "an operation that changed nothing goes to other sites",
        no_effect_crosses=lambda vetoed, compared: not vetoed and not compared,
    ),
    variant(
        "commits-stay",
        "WAN-OPS-09",
        "what a transaction has changed does not go to other sites",
        commit_crosses=lambda: False,
    ),
    variant(
        "vetoed-cross",
        "WAN-OPS-10",
        "what a cache writer has vetoed goes to other sites",
        no_effect_crosses=lambda vetoed, _: vetoed,
    ),
    variant(
        "mismatches-cross",
        "WAN-OPS-10",
        "a replace or remove that finds another value than expected goes to other sites",
        no_effect_crosses=lambda vetoed, compared: compared and not vetoed,
    ),
    variant(
        "bulk-crosses-last",
        "WAN-OPS-09",
        "of a putAll or removeAll only the last entry goes to other sites",
        entry_crosses=lambda last: last,
    ),
    variant(
        "nothing-goes-on",
        "WAN-CFG-01",
        "what came from another site stays there, though the candidate says that it travels on",
        goes_on=lambda *_: False,
    ),
    variant(
        "only-what-was-there-goes-on",
        "WAN-CFG-01 WANC-TOMB-01",
        "a site sends on a destroy of another site only where it destroys something",
        goes_on=lambda found, _: found,
    ),
    variant(
        "receiver-queues-only-what-was-there",
        "WAN-CFG-01 WANC-TOMB-01",
        "a member that receives a destroy need not queue it where it destroys nothing, unlike its peers",
        goes_on=lambda found, by_peer: found or by_peer or Free((False, True)),
    ),
    variant(
        "forgets-who-wrote",
        "SER-ENQ-01",
        "an event that travels on comes back to its origin, whose listeners receive it again",
        lists_writer=lambda: False,
    ),
    variant(
        "losers-go-on",
        "WANC-TS-02 WANC-RESOLVER-04",
        "a site sends on what came from another one, and lost there",
        refused_goes_on=lambda: True,
    ),
    variant(
        "queue-of-nothing",
        "WAN-CFG-01 SHQ-CREATE-01",
        "events of an attached region enter no queue",
        feeds_queue=lambda *_: False,
    ),
    variant(
        "queue-of-everything",
        "WAN-CFG-01",
        "events of every region enter every queue",
        feeds_queue=lambda *_: True,
    ),
    variant(
        "queue-of-the-first-region",
        "WAN-CFG-01",
        "of several regions attached to a sender only the first is queued",
        feeds_queue=lambda attached, first, _: attached and first,
    ),
    variant(
        "queue-of-later-regions",
        "WAN-CFG-01 SHQ-CREATE-01",
        "events of a region that was there before its sender was started enter no queue",
        feeds_queue=lambda attached, _, before: attached and not before,
    ),
    variant(
        "sends-back",
        "SER-ENQ-01",
        "an event that came from another site is queued for that site",
        sends_back=lambda from_other_site: from_other_site,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
