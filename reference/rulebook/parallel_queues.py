"""Decisions about parallel queues: who holds an event, dispatches it, and learns of its removal (002).

Such a queue is parted as the buckets of the regions that feed it. Each function answers one question about
plain values. None knows the model's state. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


def _any_holders(copies: tuple[str, ...], others: tuple[str, ...]) -> Free:
    """The copies, none or fewer of them, all members, or others instead."""
    return Free(
        tuple(
            dict.fromkeys(
                (
                    *(copies, (), copies[:-1], (*copies, *others), (*copies, *others[:1])),
                    *(others[: len(copies)], (*copies[:-1], *others[:1])),
                )
            )
        )
    )


def _any_dispatchers(primary: str, copies: tuple[str, ...]) -> Free:
    """The primary, all that hold the bucket, or a copy instead."""
    return Free(tuple(dict.fromkeys(((primary,), (primary, *copies), copies[:1] or (primary,)))))


def _any_cut(named: tuple[int, ...], same_bucket: tuple[int, ...], others: tuple[int, ...]) -> Free:
    """What is named, and more of its buckets or of others."""
    return Free(tuple(dict.fromkeys((named, (*named, *same_bucket), (*named, *others)))))


class ParallelDecisions(Subject):
    """The buckets of a parallel queue: what lies where, and what is done with it there."""

    @staticmethod
    @decision("SHQ-TYPE-02", "PAR-REDUND-02", "PAR-COLOC-01", free=_any_holders)
    def queue_copies(copies: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG004
        """Which members beside the primary hold an event: those with a copy of its bucket.

        Args:
            copies: the members that hold a redundant copy of the bucket.
            others: the members that hold none.

        Source: 002, Shadow Region.
        """
        return copies

    @staticmethod
    @decision("PAR-REDUND-01")
    def enters_primary(awaited: int, copies: int) -> bool:  # noqa: ARG004
        """Whether an event enters the primary's copy, as so many copies have yet to answer: behind all.

        Source: 002, Parallel Gateway Sender.
        """
        return awaited == 0

    @staticmethod
    @decision("PAR-ACTIVE-01", free=_any_dispatchers)
    def dispatchers_of(primary: str, copies: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG004
        """Which members dispatch the events of a bucket: its primary (002, Parallel Gateway Sender)."""
        return (primary,)

    @staticmethod
    @decision(
        "PAR-ORDER-01", free=lambda waiting: Free(tuple(dict.fromkeys((0, min(1, waiting - 1), waiting - 1))))
    )
    def next_of_bucket(waiting: int) -> int:  # noqa: ARG004
        """At which place, of so many events of a bucket, the next one stands: first (002, Parallel)."""
        return 0

    @staticmethod
    @decision(
        "PAR-FAILOVER-01",
        "REM-PARALLEL-05",
        free=lambda waiting: Free(tuple(dict.fromkeys((0, min(1, waiting), waiting)))),
    )
    def skipped_at_promotion(waiting: int) -> int:  # noqa: ARG004
        """How many of a bucket's events a new primary leaves out: none (002, Removing, Parallel)."""
        return 0

    @staticmethod
    @decision("PAR-FAILOVER-01")
    def promoted_in_order() -> bool:
        """Whether a new primary goes on in the order of the bucket: it does (002, Parallel)."""
        return True

    @staticmethod
    @decision("PAR-ACTIVE-01")
    def deposed_dispatches() -> bool:
        """Whether a member goes on dispatching for a bucket whose primary has moved away: it does not.

        Each dispatches for its primary buckets. Source: 002, Parallel Gateway Sender.
        """
        return False

    @staticmethod
    @decision(
        "PAR-FAILOVER-01", free=lambda waiting: Free(tuple(dict.fromkeys((0, min(1, waiting), waiting))))
    )
    def lost_in_move(waiting: int) -> int:  # noqa: ARG004
        """How many of a bucket's events are lost as its primary moves: none (002, Parallel)."""
        return 0

    @staticmethod
    @decision("PAR-COLOC-01")
    def queue_moves_too() -> bool:
        """Whether the queue's bucket moves with the region's: they lie together (002, Removing, Parallel)."""
        return True

    @staticmethod
    @decision("REM-PARALLEL-03")
    def deposed_hears() -> bool:
        """Whether who was primary before a move hears what has left the bucket, too: as any copy does.

        Source: 002, Removing, Parallel.
        """
        return True

    @staticmethod
    @decision("REM-PARALLEL-04")
    def named_in_removal(state: str) -> bool:
        """Whether the others remove an event: once it was dispatched with success (002, Removing, Parallel).

        Args:
            state: `offered`, `failed` or `done`.
        """
        return state == "done"

    @staticmethod
    @decision("REM-PARALLEL-03", free=lambda count: Free(tuple(dict.fromkeys((count, 0, min(1, count))))))
    def named_of_batch(count: int) -> int:
        """How many events of a batch the others are told to remove: all (002, Removing, Parallel)."""
        return count

    @staticmethod
    @decision("REM-PARALLEL-02", free=_any_cut)
    def cut_from_copies(
        named: tuple[int, ...],
        same_bucket: tuple[int, ...],  # noqa: ARG004
        others: tuple[int, ...],  # noqa: ARG004
    ) -> tuple[int, ...]:
        """Which of its events a copy removes: those that are named (002, Removing, Parallel).

        Args:
            named: those of its events that the message names.
            same_bucket: further ones of these buckets.
            others: those of other buckets.
        """
        return named

    @staticmethod
    @decision("ARCH-THREAD-02")
    def waits_for_other_members(calls: bool) -> bool:  # noqa: ARG004
        """Whether a member's dispatcher waits for those of other members: it does not.

        `calls` says whether one of them has called its listener, which has yet to answer. Source: 002, L21.
        """
        return False


FAULTS = (
    variant(
        "all-members-hold-parallel-events",
        "SHQ-TYPE-02",
        "a parallel queue is replicated: each member holds each event",
        queue_copies=lambda copies, others: (*copies, *others),
    ),
    variant(
        "one-member-more-holds-parallel-events",
        "SHQ-TYPE-02",
        "one member without the bucket holds its events, too",
        queue_copies=lambda copies, others: (*copies, *others[:1]),
    ),
    variant(
        "parallel-queue-without-redundancy",
        "PAR-REDUND-02",
        "only primaries hold events of a parallel queue, though the region has redundant copies",
        queue_copies=lambda *_: (),
    ),
    variant(
        "last-copy-lacks-parallel-events",
        "PAR-REDUND-02",
        "the last redundant copy of a bucket is not given its events",
        queue_copies=lambda copies, _: copies[:-1],
    ),
    variant(
        "first-copy-lacks-parallel-events",
        "PAR-REDUND-02",
        "the first redundant copy of a bucket is not given its events",
        queue_copies=lambda copies, _: copies[1:],
    ),
    variant(
        "parallel-copies-lie-elsewhere",
        "PAR-COLOC-01",
        "redundant copies of the queue lie on members that hold no copy of the data",
        queue_copies=lambda copies, others: others[: len(copies)] or copies,
    ),
    variant(
        "last-parallel-copy-lies-elsewhere",
        "PAR-COLOC-01",
        "the last redundant copy of the queue lies on a member without the data, where there is one",
        queue_copies=lambda copies, others: (*copies[:-1], *others[:1]) if others else copies,
    ),
    variant(
        "primary-queues-first",
        "PAR-REDUND-01",
        "the primary queues an event as soon as it has sent the update to its copies",
        enters_primary=lambda *_: True,
    ),
    variant(
        "primary-queues-behind-one-copy",
        "PAR-REDUND-01",
        "the primary queues an event once one of two copies has answered",
        enters_primary=lambda awaited, copies: awaited < max(copies, 1),
    ),
    variant(
        "copies-dispatch-too",
        "PAR-ACTIVE-01",
        "all that hold a bucket dispatch its events, so each comes more than once",
        dispatchers_of=lambda primary, copies: (primary, *copies),
    ),
    variant(
        "copy-dispatches-for-primary",
        "PAR-ACTIVE-01",
        "a member with a redundant copy dispatches in place of the primary",
        dispatchers_of=lambda primary, copies: copies[:1] or (primary,),
    ),
    variant(
        "all-copies-dispatch-for-primary",
        "PAR-ACTIVE-01",
        "all members with a redundant copy dispatch in place of the primary",
        dispatchers_of=lambda primary, copies: copies or (primary,),
    ),
    variant(
        "members-dispatch-in-turn",
        "ARCH-THREAD-02",
        "a member dispatches nothing of a parallel queue while the listener of another has yet to answer",
        waits_for_other_members=lambda calls: calls,
    ),
    variant(
        "newest-of-bucket-first",
        "PAR-ORDER-01",
        "of the events of a bucket the newest is dispatched first",
        next_of_bucket=lambda waiting: waiting - 1,
    ),
    variant(
        "second-of-bucket-first",
        "PAR-ORDER-01",
        "of the events of a bucket the second oldest is dispatched first",
        next_of_bucket=lambda waiting: min(1, waiting - 1),
    ),
    variant(
        "promoted-queue-is-empty",
        "REM-PARALLEL-05",
        "a new primary begins with an empty bucket of the queue",
        skipped_at_promotion=lambda waiting: waiting,
    ),
    variant(
        "promoted-queue-lacks-oldest",
        "PAR-FAILOVER-01 REM-PARALLEL-05",
        "a new primary leaves out the oldest event, which the dead one may have dispatched",
        skipped_at_promotion=lambda waiting: min(1, waiting),
    ),
    variant(
        "promoted-queue-is-turned",
        "PAR-FAILOVER-01",
        "a new primary dispatches what it inherits from the newest to the oldest",
        promoted_in_order=lambda: False,
    ),
    variant(
        "deposed-primary-goes-on",
        "PAR-ACTIVE-01",
        "a member goes on dispatching for a bucket whose primary has moved away",
        deposed_dispatches=lambda: True,
    ),
    variant(
        "moved-bucket-forgets-its-queue",
        "PAR-FAILOVER-01",
        "a primary that has moved begins with an empty bucket of the queue",
        lost_in_move=lambda waiting: waiting,
    ),
    variant(
        "moved-bucket-lacks-its-oldest",
        "PAR-FAILOVER-01",
        "a primary that has moved leaves out the oldest event that waits",
        lost_in_move=lambda waiting: min(1, waiting),
    ),
    variant(
        "queue-stays-behind-its-bucket",
        "PAR-COLOC-01",
        "where a bucket moves to another member, its events stay on the one that held it",
        queue_moves_too=lambda: False,
    ),
    variant(
        "deposed-primary-hears-of-no-removal",
        "REM-PARALLEL-03",
        "removal messages do not reach the member whose primary has moved away",
        deposed_hears=lambda: False,
    ),
    variant(
        "removes-copies-of-what-is-offered",
        "REM-PARALLEL-04",
        "other members remove an event once it was offered, before its listener has answered",
        named_in_removal=lambda state: state in ("offered", "done"),
    ),
    variant(
        "removes-copies-of-what-failed",
        "REM-PARALLEL-04",
        "other members remove an event also where its listener has failed",
        named_in_removal=lambda state: state in ("failed", "done"),
    ),
    variant(
        "removes-copies-in-any-state",
        "REM-PARALLEL-04",
        "other members remove an event as soon as it was offered, and again where its listener fails",
        named_in_removal=lambda _: True,
    ),
    variant(
        "parallel-copies-never-drain",
        "REM-PARALLEL-03",
        "redundant copies do not learn what has left a parallel queue",
        named_of_batch=lambda _: 0,
    ),
    variant(
        "parallel-removal-names-first-only",
        "REM-PARALLEL-03",
        "of each batch only the first event is removed from redundant copies",
        named_of_batch=lambda count: min(1, count),
    ),
    variant(
        "parallel-removal-leaves-last-out",
        "REM-PARALLEL-03",
        "of each batch the last event is not removed from redundant copies",
        named_of_batch=lambda count: max(count - 1, 0),
    ),
    variant(
        "parallel-removal-mixes-buckets",
        "REM-PARALLEL-02",
        "a removal message also removes what a copy holds of other buckets",
        cut_from_copies=lambda named, _, others: (*named, *others),
    ),
    variant(
        "parallel-removal-empties-bucket",
        "REM-PARALLEL-02",
        "a removal message removes all that a copy holds of the buckets that it names",
        cut_from_copies=lambda named, same_bucket, _: (*named, *same_bucket),
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
