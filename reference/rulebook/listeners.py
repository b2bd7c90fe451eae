"""Decisions about the listeners of asynchronous event queues: what they receive, what follows (000, 002).

Such a queue shares queue, order and removal with gateway senders. Its dispatcher differs: it calls a
listener, and the answer takes the place of an acknowledgement. Each function answers one question about
plain values. None knows the model's state. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.history.operations import EXPIRES, OperationKind
from plumbline.reference.rulebook.decision import Subject, any_value, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class ListenerDecisions(Subject):
    """What enters an asynchronous event queue, and what its listener's answer leads to."""

    @staticmethod
    @decision("WAN-CFG-01")
    def feeds_listener(attached: bool, first: bool) -> bool:  # noqa: ARG004
        """Whether events of a region enter a queue: if, and only if, it is attached (000, L7)."""
        return attached

    @staticmethod
    @decision("DISC-GW-01")
    def offers_discarded() -> bool:
        """Whether a queue takes an update that its own member has discarded: it does not (004, L71)."""
        return False

    @staticmethod
    @decision("AEQ-OPS-01")
    def offers_kind(kind: OperationKind, crosses: bool) -> bool:  # noqa: ARG004
        """Whether a listener receives an operation: if, and only if, gateways distribute it (000, L24)."""
        return crosses

    @staticmethod
    @decision("ARCH-SHARED-01")
    def offers_beside_sender(beside: bool) -> bool:  # noqa: ARG004
        """Whether a queue takes what enters a gateway sender's queue, too: it does (002, Introduction)."""
        return True

    @staticmethod
    @decision("AEQ-DISPATCH-01")
    def waits_for_listener() -> bool:
        """Whether a call waits until a listener has its event: it does not (002, Local)."""
        return False

    @staticmethod
    @decision("AEQ-DISPATCH-01", free=any_value)
    def value_offered(own: str | None, current: str | None) -> str | None:  # noqa: ARG004
        """Which value an event brings: that of its own change, though others may follow it (002, Local)."""
        return own

    @staticmethod
    @decision("ARCH-SHARED-01", "AEQ-RETRY-02", free=lambda _: Free((True, False)))
    def offered_in_order(again: bool) -> bool:  # noqa: ARG004
        """Whether a batch comes in the order of the queue, again or at first: it does (002, Introduction)."""
        return True

    @staticmethod
    @decision("GWQ-BATCH-01")
    def offers_nothing() -> bool:
        """Whether a listener is called with no event, once a queue is empty: it is not (000, L34)."""
        return False

    @staticmethod
    @decision("GWQ-ACK-01")
    def removes_when_offered() -> bool:
        """Whether an event leaves the queue before its listener has answered: it does not (000, L32)."""
        return False

    @staticmethod
    @decision(
        "AEQ-RETRY-01",
        "AEQ-RETRY-04",
        "AEQ-RETRY-03",
        free=lambda answer, offered, before: Free(  # noqa: ARG005
            tuple(dict.fromkeys((offered, 0, 1, before, max(offered - 1, 0))))
        ),
    )
    def removed_by_answer(answer: str, offered: int, before: int) -> int:  # noqa: ARG004
        """How many events an answer removes: the batch if the listener succeeded, else none (002, Local).

        Args:
            answer: `true`, `false`, `throw`, or `part` for a listener that throws behind the first event.
            offered: how many events the batch holds.
            before: how many the same batch held when it was offered before; 0 for a new one.
        """
        return offered if answer == "true" else 0

    @staticmethod
    @decision("AEQ-RETRY-02", free=lambda failures: Free((True, False)))  # noqa: ARG005
    def offers_again(failures: int) -> bool:  # noqa: ARG004
        """Whether a batch that failed so often is offered again: over and over, it is (002, Local)."""
        return True

    @staticmethod
    @decision(
        "AEQ-RETRY-02", free=lambda failed, waiting: Free(tuple(dict.fromkeys((0, min(failed, waiting)))))
    )
    def offered_from(failed: int, waiting: int) -> int:  # noqa: ARG004
        """At which place of a queue the next batch begins: at its head (002, Local).

        Args:
            failed: how many events the batch before held, if it failed; else 0.
            waiting: how many events the queue holds.
        """
        return 0

    @staticmethod
    @decision("AEQ-RETRY-02", free=lambda failed, most: Free(((failed, most), (1, most))))
    def sizes_offered(failed: int, most: int) -> tuple[int, int]:
        """How many events a batch holds, at least and at most: those that failed, and more (002, Local).

        Args:
            failed: how many events the batch before held, if it failed; else 0.
            most: how many it could hold.
        """
        return failed, most

    @staticmethod
    @decision("ARCH-THREAD-01")
    def goes_on_after(answer: str) -> bool:  # noqa: ARG004
        """Whether a queue's processor goes on after such an answer: it does (002, Main Classes)."""
        return True

    @staticmethod
    @decision("ARCH-THREAD-02")
    def waits_for_other_listeners(calls: bool) -> bool:  # noqa: ARG004
        """Whether a dispatcher waits while a listener of another queue has yet to answer: it does not.

        `calls` says whether it calls a listener itself; else it sends to another site. Source: 002, L21.
        """
        return False


_NEVER = (OperationKind.INVALIDATE, OperationKind.LOCAL_INVALIDATE)
_MOST_FAILURES = 2

FAULTS = (
    variant(
        "listener-of-every-region",
        "WAN-CFG-01",
        "events of every region enter every asynchronous queue",
        feeds_listener=lambda *_: True,
    ),
    variant(
        "listener-of-no-region",
        "WAN-CFG-01",
        "events of an attached region enter no asynchronous queue",
        feeds_listener=lambda *_: False,
    ),
    variant(
        "listener-of-the-first-region",
        "WAN-CFG-01",
        "of several regions attached to an asynchronous queue only the first is queued",
        feeds_listener=lambda attached, first: attached and first,
    ),
    variant(
        "listener-receives-losers",
        "DISC-GW-01",
        "an asynchronous queue takes an update that its own member has discarded",
        offers_discarded=lambda: True,
    ),
    variant(
        "listener-receives-invalidates",
        "AEQ-OPS-01",
        "a listener receives an invalidate, without a value",
        offers_kind=lambda kind, crosses: crosses or kind in _NEVER,
    ),
    variant(
        "listener-misses-destroys",
        "AEQ-OPS-01",
        "a listener does not receive destroys",
        offers_kind=lambda kind, crosses: crosses and kind is not OperationKind.DESTROY,
    ),
    variant(
        "listener-receives-local-destroys",
        "AEQ-OPS-01",
        "a listener receives a local destroy",
        offers_kind=lambda kind, crosses: crosses or kind is OperationKind.LOCAL_DESTROY,
    ),
    variant(
        "listener-receives-expirations",
        "AEQ-OPS-01",
        "a listener receives what expiration does",
        offers_kind=lambda kind, crosses: crosses or kind in EXPIRES,
    ),
    variant(
        "listener-misses-what-crosses",
        "ARCH-SHARED-01",
        "an asynchronous queue beside a gateway sender takes nothing",
        offers_beside_sender=lambda beside: not beside,
    ),
    variant(
        "calls-wait-for-listener",
        "AEQ-DISPATCH-01",
        "a call returns once a listener has answered the batch of its event",
        waits_for_listener=lambda: True,
    ),
    variant(
        "listener-receives-current-value",
        "AEQ-DISPATCH-01",
        "an event brings the value that the region holds when the listener is called",
        value_offered=lambda _, current: current,
    ),
    variant(
        "batch-the-wrong-way-round",
        "ARCH-SHARED-01",
        "a listener receives the newest event of a batch first",
        offered_in_order=lambda _: False,
    ),
    variant(
        "repeats-the-wrong-way-round",
        "AEQ-RETRY-02",
        "a batch that failed is offered again with its newest event first",
        offered_in_order=lambda again: not again,
    ),
    variant(
        "listener-receives-nothing",
        "GWQ-BATCH-01",
        "a listener is called with an empty batch once its queue is empty",
        offers_nothing=lambda: True,
    ),
    variant(
        "removes-when-offered",
        "GWQ-ACK-01",
        "a batch leaves the queue as its listener is called",
        removes_when_offered=lambda: True,
    ),
    variant(
        "exception-is-success",
        "AEQ-RETRY-01",
        "a listener that throws is taken for one that succeeded",
        removed_by_answer=lambda answer, offered, _: 0 if answer == "false" else offered,
    ),
    variant(
        "failure-is-success",
        "AEQ-RETRY-01",
        "the answer of a listener is not looked at, and only an exception keeps a batch",
        removed_by_answer=lambda answer, offered, _: offered if answer in ("true", "false") else 0,
    ),
    variant(
        "removes-what-it-was-offered-first",
        "AEQ-RETRY-03",
        "of a batch that grew since it failed, success removes as many events as it held before",
        removed_by_answer=lambda answer, offered, before: (
            0 if answer != "true" else min(before, offered) if before else offered
        ),
    ),
    variant(
        "removes-what-was-processed",
        "AEQ-RETRY-04",
        "what a listener has processed of a batch before it throws leaves the queue",
        removed_by_answer=lambda answer, offered, _: (
            offered if answer == "true" else 1 if answer == "part" else 0
        ),
    ),
    variant(
        "gives-up-a-batch",
        "AEQ-RETRY-02",
        "a batch that has failed twice leaves the queue",
        offers_again=lambda failures: failures < _MOST_FAILURES,
    ),
    variant(
        "goes-to-the-next-batch",
        "AEQ-RETRY-02",
        "the next events are offered before a batch that failed",
        offered_from=lambda failed, waiting: min(failed, max(waiting - 1, 0)),
    ),
    variant(
        "repeats-one-by-one",
        "AEQ-RETRY-02",
        "a batch that failed is offered again one event at a time",
        sizes_offered=lambda failed, most: (1, 1) if failed else (failed, most),
    ),
    variant(
        "exception-ends-processor",
        "ARCH-THREAD-01",
        "a listener that throws ends the processor of its queue",
        goes_on_after=lambda answer: answer not in ("throw", "part"),
    ),
    variant(
        "queues-share-one-thread",
        "ARCH-THREAD-02",
        "one thread of a member calls the listeners of all its queues, so one that stands holds up all",
        waits_for_other_listeners=lambda calls: calls,
    ),
    variant(
        "senders-wait-for-listeners",
        "ARCH-THREAD-02",
        "a gateway sender sends nothing while a listener on its member has yet to answer",
        waits_for_other_listeners=lambda calls: not calls,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
