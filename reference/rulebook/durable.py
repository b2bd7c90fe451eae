"""Decisions about durable clients: what servers keep for one that is away, and how it is replayed (003).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from enum import StrEnum

from plumbline.reference.rulebook.decision import Subject, decision, yes_or_no
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

ACKNOWLEDGED_WITHIN_MS = 5_000
"""So long a server may keep what its client has acknowledged; intervals of acknowledgement are shorter."""

_NEAR = 0.1
"""So near to its time-out, as a part of it, a queue may be there or gone."""


class Parting(StrEnum):
    """How a durable client leaves its servers."""

    CLOSED = "closed"
    KEPT = "closed with keep-alive"
    CRASHED = "crashed"


class OtherInterest(StrEnum):
    """What becomes of interest that is not durable while its client is away."""

    GONE = "gone"
    STAYS = "stays"
    RESTS = "rests"


class DurableDecisions(Subject):
    """What servers keep for a durable client, and for how long."""

    @staticmethod
    @decision("DUR-READY-01")
    def waits_for_ready() -> bool:
        """Whether a durable client is sent nothing before it has become ready: so it is (003, L10)."""
        return True

    @staticmethod
    @decision("DUR-READY-01")
    def flows_when_ready() -> bool:
        """Whether what was kept is sent as soon as the client is ready: it is (003, L10, L38)."""
        return True

    @staticmethod
    @decision("DUR-READY-01")
    def queues_until_ready(first: bool) -> bool:  # noqa: ARG004
        """Whether events are queued for a client that runs and is not ready yet: they are (003, L10).

        Args:
            first: whether the client is in its first life.
        """
        return True

    @staticmethod
    @decision("DUR-READY-02")
    def flows_unasked(ready: bool) -> bool:  # noqa: ARG004
        """Whether a client that is not durable is sent its events: it is, ready or not (003, L10).

        Args:
            ready: whether it has said that it is ready all the same.
        """
        return True

    @staticmethod
    @decision("DUR-READY-02")
    def ready_is_harmless() -> bool:
        """Whether interest stays when a client that is not durable says that it is ready: yes (003, L10)."""
        return True

    @staticmethod
    @decision("DUR-DISC-01")
    def sends_to_closed() -> bool:
        """Whether a server goes on sending to a client that has closed: it does not (003, L15 s1)."""
        return False

    @staticmethod
    @decision("DUR-DISC-02", "DUR-DISC-06", "DUR-CRASH-01")
    def keeps_queue(parting: Parting, secondary: bool) -> bool:  # noqa: ARG004
        """Whether a server keeps queue and durable interest of a client that has gone (003, L15, L16).

        Args:
            parting: how it has gone: closed without keep-alive, nothing is kept.
            secondary: whether the server is a secondary; all keep the same.
        """
        return parting is not Parting.CLOSED

    @staticmethod
    @decision("DUR-DISC-06")
    def close_ends_others() -> bool:
        """Whether a close without keep-alive ends the queues of other clients: it does not (003, L15)."""
        return False

    @staticmethod
    @decision("DUR-READY-01")
    def ready_counts_for_others() -> bool:
        """Whether what one client says of itself makes others ready: it does not (003, L10)."""
        return False

    @staticmethod
    @decision("DUR-DISC-07")
    def keeps_without_interest(crashed: bool) -> bool | Free:
        """Whether a queue is kept where no interest is durable: not behind a close (003, L15 s7).

        Behind a crash servers keep the queue (L16). Whether they do so without durable interest is not said.

        Args:
            crashed: whether the client has crashed, or lost its connections; else it has closed.
        """
        return yes_or_no() if crashed else False

    @staticmethod
    @decision("DUR-DISC-03", free=lambda: Free(tuple(OtherInterest)))
    def other_interest() -> OtherInterest:
        """What becomes of interest that is not durable when its client goes: it is dropped (003, L15 s4)."""
        return OtherInterest.GONE

    @staticmethod
    @decision("DUR-DISC-02")
    def goes_on_queueing(secondary: bool) -> bool:  # noqa: ARG004
        """Whether events are queued for a client that is away: they are, at each holder (003, L15 s5)."""
        return True

    @staticmethod
    @decision("DUR-DISC-04")
    def keeps_queued(durably: bool, sending: bool) -> bool:  # noqa: ARG004
        """Whether what was queued when the client went stays queued: it does (003, L15 s6).

        Args:
            durably: whether durable interest covers it.
            sending: whether it was on its way to the client, which had not received it.
        """
        return True

    @staticmethod
    @decision("DUR-DISC-05")
    def drops_delivered(passed_ms: int, last: bool) -> Free | bool:  # noqa: ARG004
        """Whether an event acknowledged so long ago is off the queue: after a while (003, L15 s6).

        Args:
            passed_ms: for how long everything has known that it was acknowledged, at least.
            last: whether it is the last one that the client was sent.
        """
        return True if passed_ms > ACKNOWLEDGED_WITHIN_MS else Free((False, True))

    @staticmethod
    @decision("DUR-TIMEOUT-01", "DUR-TIMEOUT-02")
    def gives_up(away_ms: int, timeout_ms: int, secondary: bool) -> Free | bool:  # noqa: ARG004
        """Whether a server gives up the queue of a client that is away for so long (003, L18 s2 to s3).

        Near to the time-out it may or may not.
        """
        return (
            Free((False, True)) if abs(away_ms - timeout_ms) <= timeout_ms * _NEAR else away_ms > timeout_ms
        )

    @staticmethod
    @decision("DUR-TIMEOUT-05", free=lambda away_ms, before_ms: Free((away_ms, away_ms + before_ms)))
    def counted_away(away_ms: int, before_ms: int) -> int:  # noqa: ARG004
        """For how long a client counts as away: since it has gone last (003, L18)."""
        return away_ms

    @staticmethod
    @decision("DUR-TIMEOUT-05", free=lambda first_ms, latest_ms: Free((latest_ms, first_ms)))
    def timeout_in_force(first_ms: int, latest_ms: int) -> int:  # noqa: ARG004
        """Which time-out counts: that which the latest life of the client has announced (003, L18)."""
        return latest_ms

    @staticmethod
    @decision("DUR-TIMEOUT-02")
    def return_stops_clock() -> bool:
        """Whether the return of a client ends the wait for its time-out: it does (003, L18 s2)."""
        return True

    @staticmethod
    @decision("DUR-TIMEOUT-04")
    def forgets_timed_out() -> bool:
        """Whether the interest of a client that has timed out is forgotten, too: it is (003, L18 s3, s5)."""
        return True

    @staticmethod
    @decision("DUR-TIMEOUT-03")
    def logs_time_out(secondary: bool) -> bool:  # noqa: ARG004
        """Whether a server, secondary or not, logs that a client has timed out: it does (003, L18 s4)."""
        return True

    @staticmethod
    @decision("FO-DUR-01")
    def survivors_keep() -> bool:
        """Whether a holder of the queue keeps it when another one fails: it does (001, L73)."""
        return True

    @staticmethod
    @decision("FO-DUR-01", free=lambda holders, others: Free((*holders, *others)))
    def returns_to(holders: tuple[str, ...], others: tuple[str, ...]) -> str:
        """Which server a returning client takes for its first one: one that holds its queue, if any does.

        Source: 001, L73.
        """
        return holders[0] if holders else others[0]

    @staticmethod
    @decision("FO-DUR-02")
    def restart_revives() -> bool:
        """Whether a server that starts again has the queue that it held before: it has not (001, L73 s3)."""
        return False


FAULTS = (
    variant(
        "sends-before-ready",
        "DUR-READY-01",
        "a durable client is sent its events as soon as it is connected",
        waits_for_ready=lambda: False,
    ),
    variant(
        "waits-beyond-ready",
        "DUR-READY-01",
        "what was kept is sent only when another event is queued",
        flows_when_ready=lambda: False,
    ),
    variant(
        "unready-misses-events",
        "DUR-READY-01",
        "what happens between the start of a client and its readiness is not queued",
        queues_until_ready=lambda first: False,  # noqa: ARG005
    ),
    variant(
        "return-misses-events",
        "DUR-READY-01",
        "what happens between the return of a client and its readiness is not queued",
        queues_until_ready=lambda first: first,
    ),
    variant(
        "others-wait-for-ready",
        "DUR-READY-02",
        "a client that is not durable is sent nothing before it says that it is ready",
        flows_unasked=lambda ready: ready,
    ),
    variant(
        "ready-ends-interest",
        "DUR-READY-02",
        "a client that is not durable loses its interest when it says that it is ready",
        ready_is_harmless=lambda: False,
    ),
    variant(
        "closed-is-sent-to",
        "DUR-DISC-01",
        "a server goes on sending to a client that has closed",
        sends_to_closed=lambda: True,
    ),
    variant(
        "keep-alive-unheard",
        "DUR-DISC-02",
        "servers drop the queue of a client that has closed with keep-alive",
        keeps_queue=lambda parting, secondary: parting is Parting.CRASHED,  # noqa: ARG005
    ),
    variant(
        "keep-alive-at-primary-only",
        "DUR-DISC-02",
        "a secondary drops the queue of a client that has closed with keep-alive",
        keeps_queue=lambda parting, secondary: (
            parting is Parting.CRASHED or (parting is Parting.KEPT and not secondary)
        ),
    ),
    variant(
        "kept-queue-is-closed",
        "DUR-DISC-02",
        "what happens while a client is away is not queued",
        goes_on_queueing=lambda secondary: False,  # noqa: ARG005
    ),
    variant(
        "secondaries-stop-queueing",
        "DUR-DISC-02",
        "secondaries queue nothing while a client is away",
        goes_on_queueing=lambda secondary: not secondary,
    ),
    variant(
        "close-forgets-nothing",
        "DUR-DISC-06",
        "a close without keep-alive keeps queue and interest",
        keeps_queue=lambda parting, secondary: True,  # noqa: ARG005
    ),
    variant(
        "close-forgets-at-primary-only",
        "DUR-DISC-06",
        "a secondary keeps the queue of a client that has closed without keep-alive",
        keeps_queue=lambda parting, secondary: parting is not Parting.CLOSED or secondary,
    ),
    variant(
        "close-ends-others",
        "DUR-DISC-06",
        "a close without keep-alive ends the queues of all clients that are away",
        close_ends_others=lambda: True,
    ),
    variant(
        "one-ready-for-all",
        "DUR-READY-01",
        "as soon as one client is ready all are sent their events",
        ready_counts_for_others=lambda: True,
    ),
    variant(
        "crash-is-a-close",
        "DUR-CRASH-01",
        "servers forget a durable client that has crashed",
        keeps_queue=lambda parting, secondary: parting is Parting.KEPT,  # noqa: ARG005
    ),
    variant(
        "crash-noticed-by-secondaries",
        "DUR-CRASH-01",
        "secondaries drop the queue of a client that has crashed",
        keeps_queue=lambda parting, secondary: (
            parting is Parting.KEPT or (parting is Parting.CRASHED and not secondary)
        ),
    ),
    variant(
        "keeps-for-nothing",
        "DUR-DISC-07",
        "a queue is kept though no interest is durable",
        keeps_without_interest=lambda _: True,
    ),
    variant(
        "keeps-for-other-interest",
        "DUR-DISC-07",
        "queue and interest are kept though no interest is durable",
        keeps_without_interest=lambda _: True,
        other_interest=lambda: OtherInterest.STAYS,
    ),
    variant(
        "other-interest-stays",
        "DUR-DISC-03",
        "interest that is not durable outlives its client",
        other_interest=lambda: OtherInterest.STAYS,
    ),
    variant(
        "other-interest-returns",
        "DUR-DISC-03",
        "interest that is not durable is in force again when its client returns",
        other_interest=lambda: OtherInterest.RESTS,
    ),
    variant(
        "queue-emptied-at-parting",
        "DUR-DISC-04",
        "what is queued when a client goes is dropped",
        keeps_queued=lambda durably, sending: False,  # noqa: ARG005
    ),
    variant(
        "other-events-dropped-at-parting",
        "DUR-DISC-04",
        "what only other interest had matched is dropped when a client goes",
        keeps_queued=lambda durably, sending: durably,  # noqa: ARG005
    ),
    variant(
        "sent-counts-as-delivered",
        "DUR-DISC-04",
        "what is on its way to a client when it goes is dropped",
        keeps_queued=lambda durably, sending: not sending,  # noqa: ARG005
    ),
    variant(
        "acknowledged-comes-again",
        "DUR-DISC-05",
        "all that a durable client was ever sent is replayed",
        drops_delivered=lambda passed_ms, last: False,  # noqa: ARG005
    ),
    variant(
        "last-acknowledged-comes-again",
        "DUR-DISC-05",
        "the last event that a durable client has acknowledged is replayed",
        drops_delivered=lambda passed_ms, last: not last,  # noqa: ARG005
    ),
    variant(
        "never-times-out",
        "DUR-TIMEOUT-01",
        "the queue of a client that stays away is kept for ever",
        gives_up=lambda away_ms, timeout_ms, secondary: False,  # noqa: ARG005
    ),
    variant(
        "primary-alone-times-out",
        "DUR-TIMEOUT-01",
        "only the primary gives up the queue of a client that stays away",
        gives_up=lambda away_ms, timeout_ms, secondary: away_ms > timeout_ms and not secondary,
    ),
    variant(
        "times-out-at-half",
        "DUR-TIMEOUT-02",
        "the queue is given up after half of the time-out",
        gives_up=lambda away_ms, timeout_ms, secondary: away_ms * 2 >= timeout_ms,  # noqa: ARG005
    ),
    variant(
        "clock-runs-on",
        "DUR-TIMEOUT-02",
        "the clock of an absence runs on after the return, and ends the living queue",
        return_stops_clock=lambda: False,
    ),
    variant(
        "time-out-is-not-logged",
        "DUR-TIMEOUT-03",
        "a server gives up the queue of a client that has timed out without a word",
        logs_time_out=lambda _: False,
    ),
    variant(
        "first-server-alone-logs-a-time-out",
        "DUR-TIMEOUT-03",
        "of several servers that hold a client's queue only the first logs its time-out",
        logs_time_out=lambda secondary: not secondary,
    ),
    variant(
        "timed-out-interest-stays",
        "DUR-TIMEOUT-04",
        "the interest of a client that has timed out is in force when it returns",
        forgets_timed_out=lambda: False,
    ),
    variant(
        "absences-add-up",
        "DUR-TIMEOUT-05",
        "absences of a client add up",
        counted_away=lambda away_ms, before_ms: away_ms + before_ms,
    ),
    variant(
        "first-timeout-counts",
        "DUR-TIMEOUT-05",
        "the time-out of the first life of a client counts in all of them",
        timeout_in_force=lambda first_ms, latest_ms: first_ms,  # noqa: ARG005
    ),
    variant(
        "survivors-let-go",
        "FO-DUR-01",
        "when the primary fails, the other holders drop the queue of a client that is away",
        survivors_keep=lambda: False,
    ),
    variant(
        "returns-to-a-stranger",
        "FO-DUR-01",
        "a returning client takes a server without its queue, though a holder lives",
        returns_to=lambda holders, others: (others or holders)[0],
    ),
    variant(
        "restart-revives-queue",
        "FO-DUR-02",
        "a server that starts again has the queue that it held before",
        restart_revives=lambda: True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
