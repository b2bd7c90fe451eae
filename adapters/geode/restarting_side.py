"""Members of a Geode candidate that were killed and run again: at rest, and beside all else.

Part of the adapter. The caches of a member that starts again are new ones: senders first, then regions, then
the receiver. Knows nothing of operations.
"""

from __future__ import annotations

from functools import partial

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.clients import GeodeClients
from plumbline.adapters.geode.clocks import Clocks
from plumbline.adapters.geode.gateways import Gateways
from plumbline.adapters.geode.hosting_side import HostingSide
from plumbline.adapters.geode.member import COUNTED, Member


class RestartingSide(HostingSide):
    """An adapter of Geode, as far as members start again."""

    _baseline: dict[str, dict[str, int]]
    _clients: GeodeClients
    _clocks: Clocks
    _gateways: Gateways
    _logged: dict[str, tuple[int, int]]
    _starting: dict[str, int | None]

    def restart(self, member: str, from_disk: bool) -> None:
        """Have a member run again that was killed, with copies of the regions, all being at rest."""
        port = self._revived(member, from_disk=from_disk)
        self._cluster.ask(self._roster.member(member), self._regions.create_all)
        self._take_in(member, port)

    def begin_join(self, member: str, region: str, held: bool) -> None:
        """Take a copy beside all else; a member that was killed starts again, and creates all its regions."""
        if not self._roster.member(member).crashed():
            super().begin_join(member, region, held)
            return
        self._regions.require(region)
        self._starting[member] = self._revived(member, from_disk=False)
        back, internal = self._roster.member(member), self._regions.internal[region]
        self._joins.begin((member, region), back, self._regions.create_all, internal, held=held)

    def finish_join(self, member: str, region: str, timeout_ms: int) -> bool:
        """Whether the region is there within the time; a member that has started again receives then, too."""
        if not super().finish_join(member, region, timeout_ms):
            return False
        if member in self._starting:
            self._take_in(member, self._starting.pop(member))
        return True

    def _end_starts(self) -> None:
        """Have members that have started again, and whose end was not waited for, receive and serve."""
        for member in list(self._starting):
            self._take_in(member, self._starting.pop(member))

    def _revived(self, member: str, *, from_disk: bool) -> int | None:
        """Give a member that was killed another process with its senders; the port at which it served."""
        dead = self._roster.member(member)
        if not dead.crashed():
            raise AdapterError(f"restart: {member} was not killed")
        self._cluster.revive(member)
        self._gateways.send_again(member, from_disk=from_disk)
        return dead.port

    def _take_in(self, member: str, port: int | None) -> None:
        """Have a member with its regions receive and serve again, and take its counters as they are."""
        back = self._roster.member(member)
        self._gateways.receive_again(member)
        self._clocks.take_in(back)
        # The state that it has taken over counts: its cache began with nothing.
        self._baseline[member] = dict.fromkeys(COUNTED, 0)
        self._logged[member] = back.jvm.printed_bytes
        if port is not None:
            self._cluster.ask(back, partial(Member.serve, port=port))
        self._clients.restarted.add(member)
        self._clients.servers_changed()
        self._regions.learn(back)
