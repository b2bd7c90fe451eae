"""The roster: the members and clients of an example, by name, and which of them live.

Knows the members of the topology in use and the clients; does not know what they are asked.
"""

from __future__ import annotations

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.clients import GeodeClients
from plumbline.adapters.geode.cluster import Cluster, broken
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.adapters.geode.member import Member


class Roster:
    """The members and clients of an example.

    Attributes:
        in_use: names of the members of the topology; others of the cluster may run on unused.
    """

    def __init__(self, cluster: Cluster, clients: GeodeClients) -> None:
        self.in_use: tuple[str, ...] = ()
        self._cluster = cluster
        self._clients = clients
        self._stage = GeodeExample({})

    def begin_example(self, stage: GeodeExample) -> None:
        """Listeners tell this stage from here on, also of what has gone wrong in them."""
        self._stage = stage

    def members(self) -> list[Member]:
        """The members in use, those among them that were crashed."""
        return [self._cluster.members[name] for name in self.in_use]

    def survivors(self) -> list[Member]:
        """The members in use that were not crashed."""
        return [member for member in self.members() if not member.crashed()]

    def dead(self) -> set[str]:
        """Names of the members that were crashed and have not run again."""
        return {member.name for member in self.members() if member.crashed()}

    def member(self, name: str) -> Member:
        """The member or client of this name; raises AdapterError if there is none."""
        if name in self._clients.in_use:
            return self._clients.caches[name]
        if name not in self.in_use:
            raise AdapterError(f"no member is named {name}; there are: {', '.join(self.in_use) or 'none'}")
        return self._cluster.members[name]

    def survivor(self, name: str) -> Member:
        """The member or client of this name; raises AdapterError if it was crashed or a member died."""
        self.require_alive()
        member = self.member(name)
        if member.crashed():
            raise AdapterError(f"{name} was crashed and cannot be asked any more")
        return member

    def site(self, cache: str) -> int:
        """The site's number of a member, or of a client's servers; 0 for a client connected to none."""
        client = self._clients.caches.get(cache)
        if client is None:
            return self._cluster.site(cache)
        return 0 if client.connected is None else self._cluster.site(client.connected.server)

    def require_alive(self) -> None:
        """Raises AdapterError if a member died that was not crashed on purpose, or its listener failed."""
        self._cluster.require_alive()
        self._clients.require_alive()
        for name, words in self._stage.troubles:
            if not (member := self.member(name)).crashed():
                raise broken(member, words)
