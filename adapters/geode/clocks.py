"""The clocks of all caches of a topology, held still together, and how long tombstones are kept by them.

Knows nothing of regions, operations and listeners.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.geode.clock import COLLECTIONS
from plumbline.adapters.geode.cluster import Cluster
from plumbline.adapters.geode.member import Member
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import TombstoneSettings

T = TypeVar("T")

LOOK_EVERY_S = 0.005


class Clocks:
    """The clocks of the members and clients in use; they run at first.

    Args:
        cluster: asks them.
        in_use: all caches that live: members, and clients.
        site: the number of the site of a member, or of a client's servers, by name.
    """

    def __init__(
        self, cluster: Cluster, in_use: Callable[[], Iterable[Member]], site: Callable[[str], int]
    ) -> None:
        self._cluster = cluster
        self._in_use = in_use
        self._site = site
        self._named = self._settings = TombstoneSettings()
        self.forget()

    def forget(self) -> None:
        """All caches are gone."""
        self._held = False
        self._offsets: dict[int, int] = {}
        self._shows_ms = 0
        self._moved = False

    def keep_tombstones(self, settings: TombstoneSettings) -> None:
        """Keep tombstones so from the next `begin_example` to the one after."""
        self._named = settings

    def begin_example(self) -> None:
        """All clocks run, and show what they would if never held; tombstones are kept as named."""
        if self._held or self._moved:
            self._ask(lambda cache: cache.clock.let_run(0))
        self._held, self._moved = False, False
        self._offsets = {}
        self._settings, self._named = self._named, TombstoneSettings()
        self._ask(self._keep)

    def set(self, site: int, offset_ms: int, *, frozen: bool) -> None:
        """Hold the clocks of all sites, of which this one's show so much more; or let all run again.

        The harness holds the clocks of all sites one after the other, with no call in between. So the first
        request holds them all, and each further one sets the offset of its site.
        """
        if offset_ms and not frozen:
            raise UnsupportedError("clock: on Apache Geode clocks are set while they are held only")
        if frozen:
            if not self._held:
                shown = self._ask(lambda cache: cache.clock.now_ms())
                self._shows_ms = max(shown) + 1
                self._held = True
            self._offsets[site] = offset_ms
            self._show()
        elif self._held:
            self._held = False
            self._offsets = {}
            ahead_ms = max(0, self._shows_ms - int(time.time() * 1000))
            self._moved = True
            self._ask(lambda cache: cache.clock.let_run(ahead_ms))

    def advance(self, milliseconds: int) -> None:
        """Let so much time pass for clocks that are held."""
        if not self._held:
            raise AdapterError("advance: the clocks are not held")
        self._shows_ms += milliseconds
        self._show()
        self._ask(lambda cache: cache.clock.look())

    def take_in(self, cache: Member) -> None:
        """Have a cache that is in use from here on show what the others show, and keep tombstones so."""
        self._cluster.ask(cache, self._keep)
        if self._held:
            self._cluster.ask(cache, self._hold)

    def at_rest(self, deadline: float, since: Mapping[str, int] | None = None) -> bool:
        """Whether tombstones have been dealt with as far as time goes, by the deadline.

        Args:
            deadline: of the monotonic clock.
            since: where no member acknowledges a collection: for each member, how many it had counted when
                the example began. All count each of them, so they have all heard of all when all have counted
                as many, and have applied it when no thread is at that.
        """
        if not self._held:  # an expiry while time runs takes minutes, so the harness does not wait
            return True

        def rest() -> bool:
            if not all(self._ask(lambda cache: cache.clock.at_rest())):
                return False
            if since is None:
                return True
            counted = self._cluster.ask_all(
                [cache for cache in self._in_use() if cache.name in since],
                lambda cache: cache.statistic(COLLECTIONS) - since[cache.name],
            )
            return len(set(counted.values())) <= 1 and not any(
                self._ask(lambda cache: cache.clock.collecting())
            )

        # One that was at rest when it was asked may have received a collection since, by one asked later.
        return wait_until(lambda: rest() and rest(), deadline - time.monotonic(), LOOK_EVERY_S)

    def _keep(self, cache: Member) -> None:
        cache.clock.keep_tombstones(self._settings, cache.name)

    def _show(self) -> None:
        self._ask(self._hold)

    def _hold(self, cache: Member) -> None:
        cache.clock.hold(self._shows_ms + self._offsets.get(self._site(cache.name), 0))

    def _ask(self, question: Callable[[Member], T]) -> list[T]:
        return list(self._cluster.ask_all(self._in_use(), question).values())
