"""Decisions about durable clients that run: without servers, at the next one, and beside a replay (003).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from enum import StrEnum

from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class Offline(StrEnum):
    """How a call of a client ends that reaches none of its servers."""

    SERVED = "served from its own copy"
    ABSENT = "told that nothing is there"
    FAILS = "fails"
    STAYS_CHANGED = "fails, and leaves its own copy changed"
    SUCCEEDS = "succeeds in its own copy"


_READS = (Offline.SERVED, Offline.ABSENT, Offline.FAILS)
_UPDATES = (Offline.FAILS, Offline.STAYS_CHANGED, Offline.SUCCEEDS)


class OfflineDecisions(Subject):
    """What a client that runs does while it is sent nothing, or while it is sent what was stored."""

    @staticmethod
    @decision("DUR-REC-01")
    def waits_for_replay(kind: OperationKind, stored: bool) -> bool:  # noqa: ARG004
        """Whether a call of a client waits while stored events are replayed: it does not (003, L22).

        Args:
            kind: what it calls.
            stored: whether an event of the key is among those that are still to be replayed.
        """
        return False

    @staticmethod
    @decision("DUR-CRASH-02")
    def stays_ready(secured: bool) -> bool:  # noqa: ARG004
        """Whether a running client that was ready is so at its next server, unasked: it is (003, L16).

        Args:
            secured: whether the next server holds its queue.
        """
        return True

    @staticmethod
    @decision("DUR-MARKER-05")
    def registers_before_ready(again: bool) -> bool:  # noqa: ARG004
        """Whether a ready client's interest is in force at its next server before it is ready there: it is.

        Source: 003, L36 to L37; 001, L70 s2 to s3.

        Args:
            again: whether the client has changed its server before.
        """
        return True

    @staticmethod
    @decision("DUR-OFFL-01", free=lambda held: Free(_READS))  # noqa: ARG005
    def read_offline(held: bool) -> Free | Offline:
        """How a get ends that reaches no server: with what the client holds, if it does (003, L17 s1).

        How a get of anything else ends is not said.
        """
        return Offline.SERVED if held else Free((Offline.FAILS, Offline.ABSENT))

    @staticmethod
    @decision("DUR-OFFL-02", free=lambda: Free(_UPDATES))
    def update_offline() -> Offline:
        """How an update ends that reaches no server: it fails and changes nothing (003, L17 s2 to s3)."""
        return Offline.FAILS


FAULTS = (
    variant(
        "replay-holds-up-calls",
        "DUR-REC-01",
        "calls of a client wait until the replay is over",
        waits_for_replay=lambda kind, stored: True,  # noqa: ARG005
    ),
    variant(
        "replay-holds-up-its-keys",
        "DUR-REC-01",
        "calls of a client wait until stored events of their key have been replayed",
        waits_for_replay=lambda kind, stored: stored,  # noqa: ARG005
    ),
    variant(
        "replay-holds-up-gets",
        "DUR-REC-01",
        "gets of a client wait until the replay is over",
        waits_for_replay=lambda kind, stored: kind is OperationKind.GET,  # noqa: ARG005
    ),
    variant(
        "ready-once-more",
        "DUR-CRASH-02",
        "a client that has found a server again is sent nothing before it says once more that it is ready",
        stays_ready=lambda secured: secured,
    ),
    variant(
        "ready-before-registered",
        "DUR-MARKER-05",
        "a client is ready at its next server before its interest is in force, and events between are lost",
        registers_before_ready=lambda again: False,  # noqa: ARG005
    ),
    variant(
        "ready-before-registered-again",
        "DUR-MARKER-05",
        "from its second change of server on, a client is ready before its interest is in force",
        registers_before_ready=lambda again: not again,
    ),
    variant(
        "gets-ask-in-vain",
        "DUR-OFFL-01",
        "a get that reaches no server fails, whatever the client holds",
        read_offline=lambda held: Offline.FAILS,  # noqa: ARG005
    ),
    variant(
        "offline-copy-is-hidden",
        "DUR-OFFL-01",
        "a client that reaches no server finds nothing in its copy",
        read_offline=lambda held: Offline.ABSENT,  # noqa: ARG005
    ),
    variant(
        "offline-updates-are-kept",
        "DUR-OFFL-02",
        "an update that reaches no server succeeds in the client's copy",
        update_offline=lambda: Offline.SUCCEEDS,
    ),
    variant(
        "failed-updates-stay",
        "DUR-OFFL-02",
        "an update that reaches no server fails, and its value stays in the client's copy",
        update_offline=lambda: Offline.STAYS_CHANGED,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
