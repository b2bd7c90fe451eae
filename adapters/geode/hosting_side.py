"""The copies of regions that members of a Geode candidate give up and take: at rest, and beside all else.

Part of the adapter; `joining.py` has the copies that are under way. Knows nothing of operations.
"""

from __future__ import annotations

from functools import partial

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import RefusedError
from plumbline.adapters.geode.cluster import Cluster
from plumbline.adapters.geode.joining import BegunJoins
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.regions import Regions
from plumbline.adapters.geode.roster import Roster


class HostingSide(Adapter):
    """An adapter of Geode, as far as members give up copies and take them."""

    _cluster: Cluster
    _joins: BegunJoins
    _regions: Regions
    _roster: Roster

    def leave(self, member: str, region: str) -> None:
        """Destroy the region on this member only."""
        self._regions.require(region)
        self._cluster.ask(self._roster.survivor(member), partial(Member.drop_region, name=region))

    def join(self, member: str, region: str) -> None:
        """Create the region once more; back when its initial image is complete."""
        create = partial(self._regions.create, self._regions[region])
        self._cluster.ask(self._roster.survivor(member), create)

    def begin_join(self, member: str, region: str, held: bool) -> None:
        """Create the region once more, and come back at once; its initial image is held if asked for."""
        self._roster.require_alive()
        create = partial(self._regions.create, self._regions[region])
        taker = self._roster.survivor(member)
        self._joins.begin((member, region), taker, create, self._regions.internal[region], held=held)

    def await_copy(self, member: str, region: str, timeout_ms: int) -> bool:
        """Whether the initial image is held within the time."""
        return self._joins.await_copy((member, region), timeout_ms / 1000)

    def release_copy(self, member: str, region: str) -> None:
        """Let the initial image be taken over."""
        self._joins.release((member, region))

    def finish_join(self, member: str, region: str, timeout_ms: int) -> bool:
        """Whether the region is there within the time."""
        return self._joins.finish((member, region), timeout_ms / 1000)

    def host(self, member: str, region: str, checks: bool, persistent: bool) -> None:
        """Create the region once more, with another attribute; Geode refuses what does not fit."""
        attributes = msgspec.structs.replace(self._regions[region], checks=checks)
        create = partial(self._regions.refusal, attributes, persistent=persistent)
        refusal = self._cluster.ask(self._roster.survivor(member), create)
        if refusal is not None:
            raise RefusedError(f"host: {refusal}")
