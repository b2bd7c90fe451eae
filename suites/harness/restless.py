"""Whether a candidate comes to rest: it is asked, and watched where its answer is missing or is no.

Knows how often an event may be told; knows nothing of requirements, nor of what an example is about.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.protocol import SettleResult
from plumbline.reference.history.history import Observation
from plumbline.reference.history.moments import FaultBegun, Moment, Redelivered, Unsettled
from plumbline.reference.history.operations import EventKind

SLICE_MS = 20
"""How long the candidate is left alone between two looks."""

WATCHED_S = 2.0
"""So many seconds a candidate is looked at that has not come to rest in all its time."""

QUIET_S = 0.3
"""So long nothing is told by a candidate that has come to rest, where it cannot be asked."""

MOST_TIMES, TIMES_A_CAUSE = 3, 2
"""A listener receives one event once.

A member sends events again only for a cause: a fault, its mending or a redelivery. It does so once for each
cause and for what follows it. No cause explains more repetitions than these numbers.
"""

Told = tuple[str, str, str, EventKind, str]
"""Member, region, key, kind and token of an event."""


class EndlessError(AdapterError):
    """An example does not come to its end; the history up to here may show that the candidate is wrong.

    Where it does not, nothing can be said: then it is an adapter error like any other.
    """


def endless(logs: Mapping[str, list[Observation]], causes: int) -> dict[Told, int]:
    """The events that a listener was told more often than so many causes allow, and how often."""
    most = MOST_TIMES + TIMES_A_CAUSE * causes
    times = Counter(told for log in logs.values() for shown in log if (told := _told(shown)) is not None)
    return {told: count for told, count in times.items() if count > most}


class Watched:
    """Listeners from here on: which events they are told more often than before, and than can be caused.

    Args:
        logs: what they were told so far.
        causes: so many things have happened that may send events again.
    """

    def __init__(self, logs: Mapping[str, list[Observation]], causes: int) -> None:
        self._causes = causes
        self._before = endless(logs, causes)

    def repeated(self, logs: Mapping[str, list[Observation]]) -> dict[Told, int]:
        """Those events and how often each was told; none where none was told once more meanwhile."""
        found = endless(logs, self._causes)
        grew = any(times > self._before.get(told, 0) for told, times in found.items())
        return found if grew else {}


def cut(logs: dict[str, list[Observation]], repeated: Mapping[Told, int]) -> str:
    """Cut each log where one of these events comes for the third time; gives in words what came again."""
    for log in logs.values():
        times: Counter[Told] = Counter()
        for index, shown in enumerate(log):
            told = _told(shown)
            if told is not None and told in repeated:
                times[told] += 1
                if times[told] == MOST_TIMES:
                    del log[index + 1 :]
                    break
    (member, region, key, kind, token), count = max(repeated.items(), key=lambda one: one[1])
    return f"the listener of {member} received {kind} {region}[{key}] {token} {count} times"


def _told(shown: Observation) -> Told | None:
    """What an event tells; None where events of several operations look alike."""
    event = shown.event
    if event.token is None or event.kind is EventKind.RESOLVE:
        return None
    return (event.member, event.region, event.key, event.kind, event.token)


class Unanswered(msgspec.Struct, frozen=True):
    """What a session knows of questions that its candidate never answered.

    Attributes:
        ever: whether there was one; then listeners are watched for a moment before each question.
        wait: the number of the wait in this example that was never answered before; 0 for none.
    """

    ever: bool = False
    wait: int = 0


NEVER = Unanswered()


class Rest:
    """Asks one candidate in one example.

    Args:
        adapter: asks it.
        poll: takes in what listeners were told.
        logs: where that goes to.
        timeline: what has happened in the example.
        unanswered: what it has left unanswered before.
    """

    def __init__(
        self,
        adapter: Adapter,
        poll: Callable[[], object],
        logs: dict[str, list[Observation]],
        timeline: list[Moment],
        unanswered: Unanswered,
    ) -> None:
        self.waits = 0
        """So many waits have begun; each asks once or several times."""
        self._adapter = adapter
        self._poll = poll
        self._logs = logs
        self._timeline = timeline
        self._unanswered = unanswered

    def wait_begins(self) -> None:
        """Note that one more wait begins."""
        self.waits += 1

    def asked(self, timeout_ms: int) -> SettleResult:
        """Ask whether the candidate has settled; where it has not answered that before, watch it instead.

        Raises AdapterError, after a watch always: EndlessError where an event was told again without end.
        """
        if self._unanswered.wait and self.waits == self._unanswered.wait:
            self._look_on(WATCHED_S)
            raise AdapterError(
                "settle: never answered, though the adapter answers otherwise. "
                f"Watched for {WATCHED_S:g} s in its place, no listener received an event again and again"
            )
        return self._adapter.settle(timeout_ms)

    def look_first(self) -> None:
        """Where a question went unanswered before, watch for a moment before the next is asked."""
        if self._unanswered.ever:
            self._look_on(QUIET_S)

    def watch(self, limit_ms: int) -> None:
        """Look on for a bounded time, since the candidate has not come to rest; always raises AdapterError.

        Endless repetitions at listeners are kept until there are more than any fault could cause.
        """
        watched = self._watched()
        deadline = time.monotonic() + WATCHED_S
        while time.monotonic() < deadline:
            settled = self.asked(SLICE_MS).settled
            self._poll()
            if settled:
                raise AdapterError(f"the candidate has settled, but not within {limit_ms} ms")
            self._require_an_end(watched)
        raise AdapterError(f"the candidate has not settled within {limit_ms} ms")

    def _look_on(self, quiet_s: float) -> None:
        """Look on, without asking whether all has settled, until nothing is told for so long."""
        watched = self._watched()
        began = time.monotonic()
        quiet = began + quiet_s
        while (now := time.monotonic()) < min(began + WATCHED_S, quiet):
            if self._poll():
                quiet = now + quiet_s
            self._require_an_end(watched)
            # Nothing but time is waited for here.
            time.sleep(SLICE_MS / 1000)

    def _watched(self) -> Watched:
        return Watched(self._logs, sum(isinstance(what, FaultBegun | Redelivered) for what in self._timeline))

    def _require_an_end(self, watched: Watched) -> None:
        if repeated := watched.repeated(self._logs):
            words = cut(self._logs, repeated)
            self._timeline.append(Unsettled(words))
            raise EndlessError(f"the candidate does not come to rest: {words}")
