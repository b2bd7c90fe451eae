"""Decisions about replays: what a durable client that is ready is sent, and what it does with it (003, L36).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from plumbline.reference.history.operations import DESTROYS, STORES_VALUE, OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

_FEW = 6


class Kept(NamedTuple):
    """One event in the queue of a durable client."""

    kind: OperationKind
    thread: str
    region: str
    key: str


def _some_in_any_order(places: tuple[int, ...], kept: tuple[Kept, ...]) -> Free:
    """All or some of a queue in order; or all the other way round, or key by key."""
    sizes = range(len(kept), -1, -1) if len(kept) <= _FEW else (len(kept), len(kept) - 1)
    some = (one for size in sizes for one in combinations(places, size))
    return Free(tuple(dict.fromkeys((places, places[::-1], _by_key(places, kept), *some))))


def _any_live(regions: tuple[str, ...]) -> Free:
    return Free((regions, regions[:1], (*regions, *regions), ()))


def _latest_of_key(places: tuple[int, ...], kept: tuple[Kept, ...]) -> tuple[int, ...]:
    """The places of the last event of each key."""
    last = {(kept[at].region, kept[at].key): at for at in places}
    return tuple(sorted(last.values()))


def _not_undone(places: tuple[int, ...], kept: tuple[Kept, ...]) -> tuple[int, ...]:
    """The places of all events but those of keys that are destroyed in the end."""
    last = {(one.region, one.key): one.kind for one in kept}
    return tuple(at for at in places if last[kept[at].region, kept[at].key] not in DESTROYS)


def _by_key(places: tuple[int, ...], kept: tuple[Kept, ...]) -> tuple[int, ...]:
    """The places sorted by key."""
    return tuple(sorted(places, key=lambda at: (kept[at].region, kept[at].key)))


class ReplayDecisions(Subject):
    """In which order stored events, the marker and new events come, and what they do."""

    @staticmethod
    @decision("DUR-REPLAY-03", "DUR-REPLAY-09", free=_some_in_any_order)
    def replayed(places: tuple[int, ...], kept: tuple[Kept, ...]) -> tuple[int, ...]:  # noqa: ARG004
        """The places of what is replayed, in this order: all, as it was queued (003, L38).

        Args:
            places: all of them, in the order of the queue.
            kept: what is there.
        """
        return places

    @staticmethod
    @decision("RIR-RULE-06")
    def replays_absent(destroys: bool) -> bool:  # noqa: ARG004
        """Whether events of keys that the server lacks by now are replayed: they are (003, L52 s2).

        Args:
            destroys: whether the event is of a destroy.
        """
        return True

    @staticmethod
    @decision("DUR-REPLAY-06", free=lambda stored: Free(tuple(range(stored, -1, -1))))
    def marker_behind(stored: int) -> int:
        """Behind how many of the stored events the marker is queued: behind all (003, L36 s3, L40)."""
        return stored

    @staticmethod
    @decision("DUR-REPLAY-01")
    def overtakes_stored(same_key: bool) -> bool:  # noqa: ARG004
        """Whether a new event is sent in front of stored ones: it comes behind them (003, L36 s1).

        Args:
            same_key: whether the stored event is of the same key.
        """
        return False

    @staticmethod
    @decision("DUR-REPLAY-06")
    def marker_stays_behind_new() -> bool:
        """Whether events that come later enter the queue in front of the marker: they do not (003, L36)."""
        return False

    @staticmethod
    @decision("DUR-REPLAY-02")
    def marks(secondary: bool) -> bool:  # noqa: ARG004
        """Whether a server with a queue for the client puts a marker into it: each does (003, L37)."""
        return True

    @staticmethod
    @decision("DUR-MARKER-04")
    def marks_after_failover() -> bool:
        """Whether a server without a marker that takes over puts one behind what it has: it does.

        Source: 003, L40 to L42.
        """
        return True

    @staticmethod
    @decision("DUR-REPLAY-02")
    def old_marker_counts() -> bool:
        """Whether a marker of an earlier life of the client counts in this one: it does not (003, L37)."""
        return False

    @staticmethod
    @decision("DUR-MARKER-01")
    def marks_first_start(stored: int) -> bool:  # noqa: ARG004
        """Whether a client that starts for the first time is sent a marker: it is (003, L44 s1).

        Args:
            stored: how many events wait in its queue.
        """
        return True

    @staticmethod
    @decision("DUR-TIMEOUT-04")
    def marks_forgotten() -> bool:
        """Whether a client that comes back, and that its servers know no more, is sent a marker: it is.

        Source: 003, L18 s5, L44 s1.
        """
        return True

    @staticmethod
    @decision("DUR-MARKER-02")
    def applies_first(kind: OperationKind, held: bool) -> bool:  # noqa: ARG004
        """Whether what comes before the marker of a first life changes the client's copy: no (003, L44 s2).

        Args:
            kind: what it does.
            held: whether the client holds the key with a value.
        """
        return False

    @staticmethod
    @decision("DUR-REPLAY-04", "DUR-REC-02")
    def applies_stored(kind: OperationKind, held: bool) -> bool:  # noqa: ARG004
        """Whether what comes before the marker of a later life does: it does not (003, L36 s2, L39 s1)."""
        return False

    @staticmethod
    @decision("DUR-REPLAY-05")
    def tells_stored(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether listeners receive what comes before the marker: they do (003, L39 s2)."""
        return True

    @staticmethod
    @decision("DUR-REPLAY-07", free=_any_live)
    def told_live(regions: tuple[str, ...]) -> tuple[str, ...]:
        """The regions whose listeners hear, at the marker, that they are live: each, once (003, L42 s1)."""
        return regions

    @staticmethod
    @decision("DUR-REPLAY-08")
    def applies_when_live(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether events behind the marker are applied as usual: they are (003, L42 s2)."""
        return True

    @staticmethod
    @decision("DUR-MARKER-03")
    def replays_after_failover(last: bool) -> bool:  # noqa: ARG004
        """Whether a server that takes over in a replay sends the stored events that remain: it does.

        Source: 003, L37 to L42; 001, L71.

        Args:
            last: whether it is the last stored event.
        """
        return True


FAULTS = (
    variant(
        "replays-the-latest-only",
        "DUR-REPLAY-03 DUR-REPLAY-09",
        "of several stored events of a key only the last is replayed",
        replayed=_latest_of_key,
    ),
    variant(
        "replays-backwards",
        "DUR-REPLAY-03",
        "stored events are replayed the latest first",
        replayed=lambda places, kept: tuple(reversed(places)),  # noqa: ARG005
    ),
    variant(
        "replays-by-key",
        "DUR-REPLAY-03",
        "stored events are replayed key by key",
        replayed=_by_key,
    ),
    variant(
        "destroyed-leaves-no-trace",
        "DUR-REPLAY-09",
        "stored events of keys that were destroyed in the end are not replayed",
        replayed=_not_undone,
    ),
    variant(
        "replay-skips-absent",
        "RIR-RULE-06",
        "stored events of keys that the server lacks by now are not replayed",
        replays_absent=lambda destroys: False,  # noqa: ARG005
    ),
    variant(
        "replay-skips-last-destroys",
        "RIR-RULE-06",
        "stored destroys of keys that the server lacks by now are not replayed",
        replays_absent=lambda destroys: not destroys,
    ),
    variant(
        "new-overtakes-stored",
        "DUR-REPLAY-01",
        "new events are sent in front of stored ones",
        overtakes_stored=lambda same_key: True,  # noqa: ARG005
    ),
    variant(
        "new-overtakes-other-keys",
        "DUR-REPLAY-01",
        "new events are sent in front of stored ones of other keys",
        overtakes_stored=lambda same_key: not same_key,
    ),
    variant(
        "marker-comes-first",
        "DUR-REPLAY-06",
        "the marker is sent in front of what is stored",
        marker_behind=lambda stored: 0,  # noqa: ARG005
    ),
    variant(
        "marker-before-the-last",
        "DUR-REPLAY-06",
        "the marker is queued in front of the last stored event",
        marker_behind=lambda stored: max(stored - 1, 0),
    ),
    variant(
        "new-overtakes-marker",
        "DUR-REPLAY-06",
        "what is queued before the marker has left goes in front of it",
        marker_stays_behind_new=lambda: True,
    ),
    variant(
        "primary-alone-marks",
        "DUR-REPLAY-02",
        "only the primary marks its queue, and the one that takes over marks the end of its own",
        marks=lambda secondary: not secondary,
    ),
    variant(
        "old-markers-count",
        "DUR-REPLAY-02",
        "the marker of an earlier life ends the replay",
        old_marker_counts=lambda: True,
    ),
    variant(
        "marker-dies-with-primary",
        "DUR-MARKER-04",
        "only the primary marks its queue, and the one that takes over does not",
        marks=lambda secondary: not secondary,
        marks_after_failover=lambda: False,
    ),
    variant(
        "marker-lost-without-secondary",
        "DUR-MARKER-04",
        "a new server without a queue sends no marker",
        marks_after_failover=lambda: False,
    ),
    variant(
        "empty-start-unmarked",
        "DUR-MARKER-01",
        "a client that starts for the first time is sent a marker only behind events",
        marks_first_start=lambda stored: stored > 0,
    ),
    variant(
        "first-start-unmarked",
        "DUR-MARKER-01",
        "a client that starts for the first time is sent no marker",
        marks_first_start=lambda stored: False,  # noqa: ARG005
    ),
    variant(
        "timed-out-unmarked",
        "DUR-TIMEOUT-04",
        "a client that comes back after its time-out is sent no marker",
        marks_forgotten=lambda: False,
    ),
    variant(
        "first-events-applied",
        "DUR-MARKER-02",
        "what comes before the first marker of all is applied",
        applies_first=lambda kind, held: True,  # noqa: ARG005
    ),
    variant(
        "first-values-applied",
        "DUR-MARKER-02",
        "values that come before the first marker of all are applied to keys that the client holds",
        applies_first=lambda kind, held: held and kind in STORES_VALUE,
    ),
    variant(
        "stored-values-applied",
        "DUR-REPLAY-04",
        "values that are replayed are applied",
        applies_stored=lambda kind, held: kind in STORES_VALUE,  # noqa: ARG005
    ),
    variant(
        "stored-values-may-be-applied",
        "DUR-REPLAY-04",
        "values that are replayed are applied at times",
        applies_stored=lambda kind, held: Free((True, False)) if kind in STORES_VALUE else False,  # noqa: ARG005
    ),
    variant(
        "stored-destroys-applied",
        "DUR-REPLAY-04",
        "destroys that are replayed are applied",
        applies_stored=lambda kind, held: kind in DESTROYS,  # noqa: ARG005
    ),
    variant(
        "stored-invalidates-applied",
        "DUR-REPLAY-04",
        "invalidates that are replayed are applied",
        applies_stored=lambda kind, held: kind is OperationKind.INVALIDATE,  # noqa: ARG005
    ),
    variant(
        "replay-overwrites",
        "DUR-REC-02",
        "replayed values replace values of the client",
        applies_stored=lambda kind, held: held and kind in STORES_VALUE,
    ),
    variant(
        "replay-brings-back",
        "DUR-REC-02",
        "replayed values enter a copy that lacks the key",
        applies_stored=lambda kind, held: not held and kind in STORES_VALUE,
    ),
    variant(
        "replays-silently",
        "DUR-REPLAY-05",
        "listeners receive nothing of what is replayed",
        tells_stored=lambda kind: False,  # noqa: ARG005
    ),
    variant(
        "replays-destroys-silently",
        "DUR-REPLAY-05",
        "listeners do not receive destroys that are replayed",
        tells_stored=lambda kind: kind not in DESTROYS,
    ),
    variant(
        "first-region-is-live",
        "DUR-REPLAY-07",
        "only the listener of the first region hears that it is live",
        told_live=lambda regions: regions[:1],
    ),
    variant(
        "live-is-told-twice",
        "DUR-REPLAY-07",
        "listeners hear twice that their regions are live",
        told_live=lambda regions: (*regions, *regions),
    ),
    variant(
        "never-normal",
        "DUR-REPLAY-08",
        "events behind the marker are not applied either",
        applies_when_live=lambda kind: False,  # noqa: ARG005
    ),
    variant(
        "values-alone-are-normal",
        "DUR-REPLAY-08",
        "destroys and invalidates behind the marker are not applied",
        applies_when_live=lambda kind: kind in STORES_VALUE,
    ),
    variant(
        "replay-ends-with-primary",
        "DUR-MARKER-03",
        "a server that takes over in a replay sends the marker only",
        replays_after_failover=lambda last: False,  # noqa: ARG005
    ),
    variant(
        "replay-ends-early",
        "DUR-MARKER-03",
        "a server that takes over in a replay sends the marker in place of the last stored event",
        replays_after_failover=lambda last: not last,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
