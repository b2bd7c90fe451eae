"""Decisions about the queue of a gateway sender: what enters it, where, and who has copies (000, 002).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, any_recipients, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class QueueDecisions(Subject):
    """The events that enter the queue, their place, and the members that receive a copy."""

    @staticmethod
    @decision("WAN-ASYNC-01", "WANC-ASYNC-01", "GWQ-RETRY-07")
    def waits_for_remote_site(paused: bool) -> bool:  # noqa: ARG004
        """Whether a call waits until the remote site has its event, paused or not: no (000, L7; 004, L30)."""
        return False

    @staticmethod
    @decision("WAN-ASYNC-02")
    def queues_before_return() -> bool:
        """Whether an event is held on the sending side when its call returns: it is (002, Serial)."""
        return True

    @staticmethod
    @decision("DISC-APPLIED-01")
    def queues_winner() -> bool:
        """Whether the primary queues an update that replaces a concurrent one: it does (004, L71)."""
        return True

    @staticmethod
    @decision("WANC-LOCAL-01", "DISC-GW-01")
    def queues_discarded() -> bool:
        """Whether the primary queues an update that its own member has discarded: it does not (004, L30)."""
        return False

    @staticmethod
    @decision(
        "WAN-ORDER-01",
        "WANC-LOCAL-01",
        free=lambda length, behind: Free(tuple(dict.fromkeys((length, 0, max(length - 1, 0), behind)))),
    )
    def queue_place(length: int, behind_key: int) -> int:  # noqa: ARG004
        """Where a new event enters a queue of that length: at its end (000, L7)."""
        return length

    @staticmethod
    @decision("SHQ-TYPE-01", "SHQ-CREATE-01", "SER-PRIMARY-03", free=any_recipients)
    def copies_of_queue(others: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the other members are given a queued event: all that run the sender.

        Source: 002, Shadow Region.
        """
        return others

    @staticmethod
    @decision("REM-SCOPE-01")
    def waits_for_copies() -> bool:
        """Whether queueing waits until the other members have their copies: it does.

        Source: 002, Removing, Serial.
        """
        return True

    @staticmethod
    @decision("SER-ENQ-01", "SER-SECONDARY-04")
    def queues_of_other_origin() -> bool:
        """Whether the primary queues operations called on another member: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-ENQ-01", "GWQ-ACK-04", free=lambda *_: Free((1, 0, 2)))
    def times_queued(called_here: bool, by_client: bool, by_other: bool) -> int:  # noqa: ARG004
        """How often an event is queued, wherever and by whom its operation was called: once (002, Serial).

        On the primary's member or not, by a client or not, on a member that runs the sender or not.
        """
        return 1


class DispatcherDecisions(Subject):
    """How a sender of several dispatchers parts its events."""

    @staticmethod
    @decision("WAN-ORDER-02", free=lambda _, key, thread, number: Free((key, thread, str(number))))
    def group_of(policy: str, key: str, thread: str, number: int) -> str:  # noqa: ARG004
        """What events that keep their order have in common: their key or their thread (000, L7 s3).

        Args:
            policy: the sender's, `key`, `thread` or `partition`; the routing object is the key unless named.
            key: the event's.
            thread: the one that called the operation.
            number: of the operation.
        """
        return thread if policy == "thread" else key


FAULTS = (
    variant(
        "losers-queued",
        "WANC-LOCAL-01 DISC-GW-01",
        "the primary queues an update that its own member has discarded",
        queues_discarded=lambda: True,
    ),
    variant(
        "winners-not-queued",
        "DISC-APPLIED-01",
        "an update that replaces a concurrent one is not queued, since the key is queued already",
        queues_winner=lambda: False,
    ),
    variant(
        "waits-for-site",
        "WAN-ASYNC-01 WANC-ASYNC-01 GWQ-RETRY-07",
        "a call returns once the other site has its event",
        waits_for_remote_site=lambda _: True,
    ),
    variant(
        "waits-while-paused",
        "WAN-ASYNC-01",
        "a call waits while dispatching is paused",
        waits_for_remote_site=lambda paused: paused,
    ),
    variant(
        "queues-twice",
        "GWQ-ACK-04 SER-ENQ-01",
        "an operation called on another member is queued twice",
        times_queued=lambda called_here, *_: 1 if called_here else 2,
    ),
    variant(
        "queue-without-copies",
        "SHQ-TYPE-01 SHQ-CREATE-01 SER-PRIMARY-03",
        "queued events are not copied to the other members",
        copies_of_queue=lambda others: (),  # noqa: ARG005
    ),
    variant(
        "queues-late",
        "WAN-ASYNC-02",
        "a call returns before its event is queued",
        chaotic=True,
        queues_before_return=lambda: False,
    ),
    variant(
        "queue-unacknowledged",
        "REM-SCOPE-01",
        "a call returns before the copies of the queue have its event",
        chaotic=True,
        waits_for_copies=lambda: False,
    ),
    variant(
        "deals-out-in-turn",
        "WAN-ORDER-02",
        "events go to the dispatchers in turn, regardless of key and thread",
        group_of=lambda policy, key, thread, number: str(number),  # noqa: ARG005
    ),
    variant(
        "deals-out-by-key-alone",
        "WAN-ORDER-02",
        "events are dealt out by their key, though the policy is that of threads",
        group_of=lambda policy, key, thread, number: key,  # noqa: ARG005
    ),
    variant(
        "deals-out-partitions-in-turn",
        "WAN-ORDER-02",
        "by the policy of partitions events go to the dispatchers in turn",
        group_of=lambda policy, key, thread, number: (
            str(number)
            if policy == "partition"
            else DispatcherDecisions.group_of(policy, key, thread, number)
        ),
    ),
    variant(
        "queues-in-front",
        "WAN-ORDER-01 WANC-LOCAL-01",
        "a new event enters the queue in front of the others",
        queue_place=lambda *_: 0,
    ),
    variant(
        "queues-behind-its-key",
        "WAN-ORDER-01",
        "a new event enters the queue behind the last of its key, or in front of all",
        queue_place=lambda _, behind_key: behind_key,
    ),
    variant(
        "queues-own-only",
        "SER-ENQ-01 SER-SECONDARY-04",
        "the primary queues only what is called on its own member",
        queues_of_other_origin=lambda: False,
    ),
    variant(
        "queues-others-twice",
        "SER-ENQ-01 GWQ-ACK-04",
        "what is called on a secondary's member is queued twice",
        times_queued=lambda called_here, *_: 1 if called_here else 2,
    ),
    variant(
        "queues-clients-twice",
        "SER-ENQ-01",
        "what a client calls is queued twice",
        times_queued=lambda _, by_client, __: 2 if by_client else 1,
    ),
    variant(
        "queues-others-never",
        "SER-ENQ-01",
        "what is called on a member that does not run the sender is never queued",
        times_queued=lambda _, __, by_other: 0 if by_other else 1,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
