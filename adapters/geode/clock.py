"""The clock of one Geode cache, which gives changes their times, and its tombstones, which grow old by it.

Every method talks to the JVM and may hang with it. Knows nothing of other members and of sites.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from plumbline.adapters.geode.jvm import stack_words
from plumbline.adapters.geode.reflection import declared, number_setter
from plumbline.reference.history.operations import TombstoneSettings

SERVICE = "org.apache.geode.internal.cache.TombstoneService"

# Geode looks for what has expired every ten seconds at least, of the real time, however its clock goes. While
# that stands, it would find changes that are a millisecond ahead of it, and takes these for expired.
LOOK_EVERY_MS = 3_600_000

_SWEEPERS = ("replicatedTombstoneSweeper", "nonReplicatedTombstoneSweeper")
_TIMEOUTS = ("REPLICATE_TOMBSTONE_TIMEOUT", "NON_REPLICATE_TOMBSTONE_TIMEOUT")

COLLECTIONS = "tombstoneGCCount"

# The class on the stack of a thread that applies a collection of another member.
_COLLECTING = "TombstoneMessage"

SIZES = {
    "replicatedTombstonesSize": "replicatedTombstoneSweeper",
    "nonReplicatedTombstonesSize": "nonReplicatedTombstoneSweeper",
}
"""Of these statistics: whose they are."""


class _Shipped(NamedTuple):
    """What a cache was created with: milliseconds of either sweeper, and the threshold."""

    timeouts_ms: tuple[int, ...]
    threshold: int


def look_when_told(java: Any) -> None:
    """Have caches created from here on look for expired tombstones when told that time passes."""
    field = declared(java.java.lang.Class.forName(SERVICE), "MAX_SLEEP_TIME")
    field.set(None, java.java.lang.Long(LOOK_EVERY_MS))


class Clock:
    """The clock of a cache, and what becomes of tombstones by it.

    Args:
        java: the view of the cache's JVM.
        cache: the cache.

    What it asks for in the beginning outlives examples if it is made before `keep_for_good` is called.
    """

    def __init__(self, java: Any, cache: Any) -> None:
        self._java = java
        self._clock = cache.getDistributedSystem().getClock()
        self._stand = number_setter(java, declared(self._clock.getClass(), "suspendedTime"))
        self._offset = declared(self._clock.getClass(), "cacheTimeDelta")
        service = cache.getTombstoneService()
        self._sweepers = [declared(service.getClass(), name).get(service) for name in _SWEEPERS]
        kind = self._sweepers[0].getClass()
        self._expiry, self._memory = declared(kind, "EXPIRY_TIME"), declared(kind, "memoryUsedEstimate")
        queue, thread = declared(kind, "tombstones"), declared(kind, "sweeperThread")
        self._queues = [queue.get(sweeper) for sweeper in self._sweepers]
        self._threads = [thread.get(sweeper) for sweeper in self._sweepers]
        self._expired = declared(kind, "expiredTombstones").get(self._sweepers[0])
        self._collects = declared(kind, "batchExpirationInProgress")
        self._limit = declared(service.getClass(), "EXPIRED_TOMBSTONE_LIMIT")
        self._timeouts = [declared(service.getClass(), name) for name in _TIMEOUTS]
        self._shipped = _Shipped(
            tuple(int(self._expiry.get(sweeper)) for sweeper in self._sweepers), int(self._limit.get(None))
        )
        self._settings = TombstoneSettings()
        self._own_offset: int | None = None

    def now_ms(self) -> int:
        """What it shows."""
        return int(self._clock.cacheTimeMillis())

    def hold(self, time_ms: int) -> None:
        """Have it stand at this time."""
        self._stand_at(time_ms - int(self._clock.getCacheTimeOffset()))

    def look(self) -> None:
        """Have it look for what has expired by now, unless it is at that."""
        for thread in self._threads:
            if _sleeps(thread):
                thread.interrupt()

    def let_run(self, ahead_ms: int) -> None:
        """Have it go on, so far ahead of what it would show if it had never been held."""
        if self._own_offset is None:
            self._own_offset = int(self._clock.getCacheTimeOffset())
        self._offset.set(self._clock, self._java.java.lang.Long(self._own_offset + ahead_ms))
        self._stand_at(0)

    def _stand_at(self, time_ms: int) -> None:
        """At which time it stands, its offset apart; 0 if it runs."""
        self._stand.invokeWithArguments([self._clock, self._java.java.lang.Long(time_ms)])

    def keep_tombstones(self, settings: TombstoneSettings, name: str) -> None:
        """Keep tombstones so from here on, on the member of this name; other settings are as shipped."""
        if settings == self._settings:
            return
        self._settings = settings
        times = (settings.timeout_ms, settings.other_timeout_ms)
        shipped = self._shipped.timeouts_ms
        for sweeper, timeout, named, other in zip(
            self._sweepers, self._timeouts, times, shipped, strict=True
        ):
            time_ms = self._java.java.lang.Long(other if named is None else named)
            self._expiry.set(sweeper, time_ms)
            timeout.set(None, time_ms)  # what is asked when a change meets a tombstone
        threshold = dict(settings.thresholds).get(name, settings.threshold)
        limit = self._shipped.threshold if threshold is None else threshold
        self._limit.set(None, self._java.java.lang.Integer(limit))

    def at_rest(self) -> bool:
        """Whether its tombstones have been dealt with as far as its time goes.

        A sweeper sleeps only when it has looked at all that has expired. It reports its collections to the
        others in the background, and they acknowledge them; tombstones that have expired meanwhile are
        collected when it wakes again. It does so by itself after ten seconds, and here at once.
        """
        now = self.now_ms()
        for sweeper, queue in zip(self._sweepers, self._queues, strict=True):
            oldest = queue.peek()
            if oldest is not None and oldest.getVersionTimeStamp() + int(self._expiry.get(sweeper)) <= now:
                self.look()  # it has come since, and was old enough then
                return False
        if not all(map(_sleeps, self._threads)):
            return False
        if self._collects.get(self._sweepers[0]):
            return False
        enough = int(self._expired.size()) >= int(self._limit.get(None))
        if enough:  # it was about to collect while it still told of what it had collected, and went to sleep
            self.look()
        return not enough

    def collecting(self) -> bool:
        """Whether a thread is applying what another member has collected."""
        beans = self._java.java.lang.management.ManagementFactory.getThreadMXBean()
        threads = beans.getThreadInfo(beans.getAllThreadIds(), 2**31 - 1)  # with whole stacks
        return any(
            thread is not None and _COLLECTING in stack_words(self._java, thread.getStackTrace())
            for thread in threads
        )

    def size(self, name: str) -> int:
        """The memory that tombstones take as their sweeper counts it, by the name of the statistic of it.

        The statistic takes over what the sweeper has counted when that looks the next time.
        """
        return int(self._memory.get(self._sweepers[_SWEEPERS.index(SIZES[name])]))


def _sleeps(thread: Any) -> bool:
    return bool(thread.getState().toString() == "TIMED_WAITING")
