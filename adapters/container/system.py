"""A system in containers: an adapter in one and each member in one of its own, on a network without exit.

The suite starts, kills and restarts members; the adapter is asked afterwards, and finds them by their names.
Knows containers and the protocol's methods for members, not what members do.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping
from typing import Any

import msgspec
from docker.types import Mount

from plumbline.adapters.container.container_adapter import Container, fate
from plumbline.adapters.container.engine import ENGINE_ERRORS, Engine, Image, labels, told, user_of
from plumbline.adapters.container.system_file import SystemFile, command_of
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.client import RemoteAdapter, ReplyLimits
from plumbline.adapters.process.messages import readable
from plumbline.adapters.protocol import Deployed
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import Topology

_LOOK_S = 0.05
_END_S = 10
_TAIL_LINES = 5
_LOG = {"Type": "json-file", "Config": {"max-size": "1m", "max-file": "1"}}


class _Running(msgspec.Struct):
    """What a member has in the engine."""

    container: str = ""
    volume: str = ""
    is_killed: bool = False


class Members:
    """The containers of all members, on a network of their own. Not thread-safe.

    Attributes:
        network: its id.
    """

    def __init__(self, engine: Engine, system: SystemFile, image: Image, start_ms: int) -> None:
        """Make the network; raises AdapterError."""
        self._engine = engine
        self._system = system
        self._image = image
        self._start_s = start_ms / 1000
        with told("network"):
            made = engine.client.api.create_network(
                f"plumbline-{time.time_ns():x}", driver="bridge", internal=True, labels=labels()
            )
        self.network = str(made["Id"])
        self._running: dict[str, _Running] = {}
        self._topology = Topology(sites=())
        self._ended = weakref.finalize(self, _remove_all, engine, self._running, self.network)

    def deploy(self, topology: Topology) -> None:
        """Have the members of a topology run, each from an empty start; raises AdapterError."""
        _remove_members(self._engine, self._running)
        self._topology = topology
        for member in topology.members:
            self._start_anew(member)
        self._until_ready(topology.members)

    def kill(self, member: str) -> None:
        """Kill a member without a word; raises AdapterError."""
        running = self._of(member)
        running.is_killed = True
        with told(f"member {member}"):
            self._engine.client.api.kill(running.container, "SIGKILL")
            self._engine.client.api.wait(running.container, timeout=_END_S)

    def restart(self, member: str, from_disk: bool) -> None:
        """Have a killed member run again, with what its volume holds or empty; raises AdapterError."""
        running = self._of(member)
        if from_disk:
            with told(f"member {member}"):
                self._engine.client.api.start(running.container)
        else:
            _remove_member(self._engine, running)
            self._start_anew(member)
        self._of(member).is_killed = False
        self._until_ready((member,))

    def fates(self) -> str:
        """Why members have ended that nothing has killed, with the end of what they printed; never raises."""
        ended = []
        api = self._engine.client.api
        for member, running in self._running.items():
            try:
                state = api.inspect_container(running.container)["State"]
                if running.is_killed or state["Running"]:
                    continue
                printed = api.logs(running.container, tail=_TAIL_LINES).decode(errors="replace").strip()
            except ENGINE_ERRORS:
                continue
            why = fate(api, running.container, self._system.member.limits.memory)
            ended.append(f"member {member} {why}\n{readable(printed)}".strip())
        return "\n".join(ended)

    def end(self) -> None:
        """Remove all containers, volumes and the network; never raises, may be called twice."""
        self._ended()

    def _of(self, member: str) -> _Running:
        try:
            return self._running[member]
        except KeyError:
            raise AdapterError(f"member {member} is not deployed") from None

    def _start_anew(self, member: str) -> None:
        api = self._engine.client.api
        running = self._running[member] = _Running()
        site = self._topology.site_of(member).number
        name = self._system.member
        with told(f"member {member}"):
            mounts = []
            if self._system.volume:
                running.volume = api.create_volume(labels=labels())["Name"]
                mounts.append(Mount(self._system.volume, running.volume))
            settings = self._engine.host_settings(name.limits) | {"log_config": _LOG, "mounts": mounts}
            made = api.create_container(
                self._image.key,
                command=list(command_of(name, member, site)) or None,
                user=user_of(name, self._image),
                hostname=member.lower(),
                environment={"PLUMBLINE_MEMBER": member, "PLUMBLINE_SITE": str(site)},
                labels=labels(),
                host_config=api.create_host_config(network_mode=self.network, **settings),
                networking_config=api.create_networking_config(
                    {self.network: api.create_endpoint_config(aliases=[member.lower()])}
                ),
            )
            running.container = made["Id"]
            api.start(running.container)

    def _until_ready(self, members: tuple[str, ...]) -> None:
        """Wait until each member runs and is healthy, if its image has a check; raises AdapterError."""
        waiting = set(members)

        def all_ready() -> bool:
            for member in sorted(waiting):
                with told(f"member {member}"):
                    running = self._running[member].container
                    state = self._engine.client.api.inspect_container(running)["State"]
                if not state["Running"]:
                    raise AdapterError("a member has ended before it was ready", self.fates())
                if (state.get("Health") or {}).get("Status", "healthy") == "healthy":
                    waiting.discard(member)
            return not waiting

        if not wait_until(all_ready, self._start_s, _LOOK_S):
            raise AdapterError(f"not healthy within {self._start_s:g} s: {', '.join(sorted(waiting))}")


class _SystemChannel:
    """The adapter's streams; with them end the members."""

    def __init__(self, container: Container, members: Members) -> None:
        self._container = container
        self._members = members
        self._fates = ""

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the next one; raises ChannelError."""
        return self._container.exchange(line, limit_ms)

    def last_words(self) -> str:
        """What the adapter has printed to its error stream, and why members have ended."""
        fates = self._fates or self._members.fates()
        return "\n".join(filter(None, (self._container.last_words(), fates)))

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        """Remove the adapter's container, then the members; never raises, may be called twice."""
        self._fates = self._fates or self._members.fates()
        self._container.end(patience_ms, asked=asked)
        self._members.end()


class SystemAdapter(RemoteAdapter):
    """An adapter whose members are containers that the suite starts and kills.

    The adapter is asked each time afterwards: by `deploy` to reach members by their names in small letters,
    by `crash` that a member is gone, by `restart` that it runs again and has to get its regions.
    """

    def __init__(
        self,
        engine: Engine,
        system: SystemFile,
        images: tuple[Image, Image],
        limits: ReplyLimits | None,
        environment: Mapping[str, str] | None,
    ) -> None:
        """Start the adapter's container; raises AdapterError."""
        self._members = Members(engine, system, images[1], (limits or ReplyLimits()).deploy_ms)
        try:
            container = Container(engine, images[0], system.adapter, environment, self._members.network)
        except BaseException:
            self._members.end()
            raise
        super().__init__(_SystemChannel(container, self._members), limits)

    def deploy(self, topology: Topology) -> Deployed:
        """Start the members, then have the adapter reach them."""
        self._members.deploy(topology)
        return super().deploy(topology)

    def crash(self, member: str) -> None:
        """Kill the member's container, then tell the adapter."""
        self._members.kill(member)
        super().crash(member)

    def restart(self, member: str, from_disk: bool) -> None:
        """Start the member's container again, then have the adapter bring it back."""
        self._members.restart(member, from_disk)
        super().restart(member, from_disk)


def _remove_member(engine: Engine, running: _Running) -> None:
    engine.remove(running.container, volume=running.volume)


def _remove_members(engine: Engine, running: dict[str, _Running]) -> None:
    for one in running.values():
        _remove_member(engine, one)
    running.clear()


def _remove_all(engine: Engine, running: dict[str, Any], network: str) -> None:
    _remove_members(engine, running)
    engine.remove("", network)
