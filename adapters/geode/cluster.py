"""The members of all sites: starting them, asking them with a limit, and ending them for good.

Knows nothing of examples, operations and what listeners are told.
"""

from __future__ import annotations

import atexit
import contextlib
import re
import time
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.classes import kept, making, using
from plumbline.adapters.geode.folder import Folder
from plumbline.adapters.geode.jars import Jars
from plumbline.adapters.geode.jvm import BridgeError, GoneError
from plumbline.adapters.geode.links import LINK_NAME, link_address
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.ports import free_ports
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import Topology

T = TypeVar("T")

START_LIMIT_S = 60.0
TWISTED_WAIT_S = 5
END_LIMIT_S = 20.0
DEATH_LIMIT_S = 1.0

LOCATORS = 3
"""So many members of each site run a locator, where there are so many: all but one of them may be crashed."""

SPARES = 1
"""So many JVMs more than were crashed stand ready once one was: who crashes members mostly goes on to."""

# Ids of members are compared by their ports first. Ports from ranges that ascend in the order in which the
# members are named make the ids ascend so; together the ranges are about Geode's own default range.
MOST_MEMBERS = 8
_FIRST_PORT, _PORTS_EACH = 41_000, 2_500


_PROPERTIES = {
    "bind-address": "127.0.0.1",
    "mcast-port": "0",
    "member-timeout": "1000",
    # Each Java thread has sockets of its own, so what a thread sends arrives in order.
    "conserve-sockets": "false",
    "disable-auto-reconnect": "true",
    # Else the death of the oldest members takes the others down with them.
    "enable-network-partition-detection": "false",
    "enable-cluster-configuration": "false",
    "use-cluster-configuration": "false",
    "jmx-manager": "false",
    "statistic-sampling-enabled": "false",
    "log-level": "warning",
}


class PartedError(AdapterError):
    """Members that were started together do not see each other."""


class _Seat(NamedTuple):
    """Where a member belongs: its site, and its number in the order in which members were first named."""

    site: int
    number: int


class Cluster:
    """Members of one or more sites; none at first.

    Attributes:
        members: by name, in the order in which they were first named.
    """

    def __init__(self, jars: Jars, answer_limit_s: float) -> None:
        self.members: dict[str, Member] = {}
        self._jars = jars
        self._limit_s = answer_limit_s
        self._folder: Folder | None = None
        self._locators: dict[int, tuple[int, ...]] = {}
        self._seats: dict[str, _Seat] = {}
        self._spares: list[Member] = []
        self._disks: dict[str, int] = {}
        self._started = 0
        self._classes: Path | None = None

    def can_become(self, topology: Topology) -> bool:
        """Whether `start` would do.

        That is so if the sites are the same, of each the one list of names begins with the other, and no
        member has died unasked.
        """
        if not self.members:
            return True
        if {site.number for site in topology.sites} != set(self._locators):
            return False
        for site in topology.sites:
            running = tuple(member.name for member in self._of(site.number))
            common = min(len(running), len(site.members))
            if running[:common] != site.members[:common]:
                return False
        return all(member.crashed() or member.jvm.alive for member in self.members.values())

    def start(self, topology: Topology) -> tuple[str, ...]:
        """Have these members run, beside those that run already, with ids in this order.

        Tells the order that Geode sees, site by site, from the lowest to the highest. Raises AdapterError,
        and PartedError if a site comes up in two parts.
        """
        try:
            self._start_missing(topology)
            views = [self._view(site.members) for site in topology.sites]
        except BaseException:  # an interrupt too: half a cluster is of no use
            self.end()
            raise
        return tuple(name for view in views for name in view if name in topology.members)

    def prepare(self) -> None:
        """Have a JVM for every member that was crashed, and for those that come next, in the background.

        Most of what joining costs is starting and the loading of classes. Each loads its classes while other
        examples are played, or while survivors notice a death.
        """
        dead = sum(member.crashed() for member in self.members.values())
        while len(self._spares) < dead + SPARES:
            spare = self._boot("spare", using(self._classes))
            self._spares.append(spare)
            spare.control.submit(partial(Member.warm_up, spare, _alone(), START_LIMIT_S))

    def revive(self, name: str = "") -> bool:
        """Have every member that was crashed, or this one, run again; whether there was any.

        Raises AdapterError.
        """
        dead = [member for member in self.members.values() if member.crashed() and name in ("", member.name)]
        if not dead:
            return False
        self.prepare()
        for member in dead:
            spare = self._spares.pop(0)
            spare.name = member.name
            self.members[member.name] = spare
        end_all(dead)
        self.ask_all([self.members[member.name] for member in dead], self._join, START_LIMIT_S)
        return True

    def disk(self, name: str) -> Path:
        """The folder in which a member keeps what is persistent."""
        if self._folder is None:
            raise AdapterError(f"{name} has no disk: nothing is deployed")
        return self._folder.path / "disks" / f"{name} {self._disks.get(name, 0)}"

    def dead(self) -> list[str]:
        """The members that were crashed and have not run again."""
        return [member.name for member in self.members.values() if member.crashed()]

    def renew_disk(self, name: str) -> None:
        """Have a member that starts again begin with an empty disk."""
        self._disks[name] = self._disks.get(name, 0) + 1

    def site(self, name: str) -> int:
        """The number of a member's site."""
        return self._seats[name].site

    def ask(self, member: Member, question: Callable[[Member], T]) -> T:
        """The answer of one member; raises AdapterError if it fails or takes too long."""
        return self.ask_all([member], question)[member.name]

    def ask_all(
        self, members: Iterable[Member], question: Callable[[Member], T], limit_s: float | None = None
    ) -> dict[str, T]:
        """The answers of several members by name, each asked on its own thread, all at the same time."""
        limit_s = self._limit_s if limit_s is None else limit_s
        futures = [(member, member.control.submit(partial(question, member))) for member in members]
        answers = {}
        for member, future in futures:
            try:
                answers[member.name] = future.result(limit_s)
            except TimeoutError:
                words = f"member {member.name} did not answer within {limit_s:g} s"
                raise AdapterError(words, member.jvm.last_words()) from None
            except (GoneError, BridgeError) as error:
                raise broken(member, str(error)) from error
        return answers

    def require_alive(self) -> None:
        """Raises AdapterError if a member has died that was not crashed on purpose."""
        for member in self.members.values():
            if not member.crashed() and not member.jvm.alive:
                raise broken(member, "")

    def rid_of_the_dead(self, deadline: float) -> bool:
        """Whether every survivor has done with the members that were crashed, by the deadline."""
        dead = [member for member in self.members.values() if member.crashed()]
        survivors = [member for member in self.members.values() if not member.crashed()]

        def rid() -> bool:
            heard = self.ask_all(survivors, partial(Member.still_hears, dead=dead))
            return not any(heard.values()) and not any(self.ask_all(survivors, Member.repairs).values())

        self.count_out_the_dead()
        # A task that one thread hands to another may be with neither for a moment.
        return not dead or wait_until(lambda: rid() and rid(), deadline - time.monotonic(), 0.02)

    def count_out_the_dead(self) -> None:
        """Have survivors remove now from their view who was crashed: they do so themselves a second later."""
        dead = [member for member in self.members.values() if member.crashed() and not member.counted_out]
        survivors = [member for member in self.members.values() if not member.crashed()]
        for member in dead:
            member.counted_out = True
        if dead:
            self.ask_all(survivors, partial(Member.count_out, names={member.name for member in dead}))

    def last_words(self) -> str:
        """The tails of what all members printed."""
        return "\n".join(words for member in self.members.values() if (words := member.jvm.last_words()))

    def end(self) -> None:
        """No process, no thread and no folder any more; never raises, and may be called twice."""
        members = (*self.members.values(), *self._spares)
        self.members, self._spares, self._seats, self._locators = {}, [], {}, {}
        end_all(members)
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
            atexit.unregister(self.end)

    def _of(self, site: int) -> list[Member]:
        return [member for name, member in self.members.items() if self.site(name) == site]

    def _start_missing(self, topology: Topology) -> None:
        if self._folder is None:
            self._folder = Folder()
            atexit.register(self.end)
        if not self._locators:
            # After a crash of all its locators, no member could find the site any more. New members would
            # found another one beside the survivors.
            ports = iter(free_ports(LOCATORS * len(topology.sites)))
            self._locators = {site.number: tuple(islice(ports, LOCATORS)) for site in topology.sites}
        if self._classes is None:
            self._classes = kept(self._jars, self._keep_classes)
        missing = []
        for site in topology.sites:
            for name in site.members[len(self._of(site.number)) :]:
                self._seats[name] = _Seat(site.number, len(self.members))
                self.members[name] = self._boot(name, using(self._classes))
                missing.append(self.members[name])
        self.ask_all(missing, self._join, START_LIMIT_S)

    def _boot(self, name: str, options: Collection[str]) -> Member:
        if self._folder is None:
            raise AdapterError(f"{name} cannot be started: nothing is deployed")
        self._started += 1
        return Member(name, self._jars, self._folder.path / str(self._started), options)

    def _keep_classes(self, archive: Path) -> None:
        """Have a JVM load what a member loads, and leave it in the archive; raises AdapterError."""
        loading = self._boot("classes", making(archive))
        try:
            warm_up = partial(Member.warm_up, properties=_alone(), limit_s=START_LIMIT_S)
            self.ask_all([loading], warm_up, START_LIMIT_S)
            ended = self.ask_all([loading], lambda member: member.jvm.leave(END_LIMIT_S), START_LIMIT_S)
            if not all(ended.values()):
                raise AdapterError("the JVM did not end in order", loading.jvm.last_words())
        finally:
            end_all([loading])

    def _join(self, member: Member) -> None:
        site, number = self._seats[member.name]
        first_port = _FIRST_PORT + number * _PORTS_EACH
        in_site = [other.name for other in self._of(site)].index(member.name)
        # A joining member waits for every locator named, so those of members that may come later, or that
        # have died, are not.
        named = {
            other: [
                f"127.0.0.1[{port}]"
                for port, one in zip(ports, self._of(other), strict=False)
                if not one.crashed()
            ]
            for other, ports in self._locators.items()
        }
        locators = named.pop(site)
        remote = [locator for others in named.values() for locator in others]
        properties = {
            **_PROPERTIES,
            "name": member.name,
            "locator-wait-time": f"{_wait_s(self._jars.version):.0f}",
            "locators": ",".join(locators),
            "remote-locators": ",".join(remote),
            "distributed-system-id": str(site),
            "membership-port-range": f"{first_port}-{first_port + _PORTS_EACH - 1}",
        }
        if in_site < len(self._locators[site]):
            own = f"127.0.0.1[{self._locators[site][in_site]}]"
            properties["start-locator"] = f"{own},server=true,peer=true"
        member.jvm.name(LINK_NAME, link_address(site))
        member.join(properties, START_LIMIT_S)

    def _view(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The first member's view once all the named are in it, from the lowest to the highest id."""
        view: tuple[str, ...] = ()

        def complete() -> bool:
            nonlocal view
            view = self.ask(self.members[names[0]], Member.neighbours)
            return set(names) <= set(view)

        if not wait_until(complete, self._limit_s, 0.01):
            raise PartedError(f"{names[0]} sees only {', '.join(view)} of {', '.join(names)}")
        return view


def _alone() -> dict[str, str]:
    """The properties of a member that joins no cluster."""
    locator = f"127.0.0.1[{free_ports(1)[0]}]"
    return {**_PROPERTIES, "locators": locator, "start-locator": locator, "locator-wait-time": "0"}


def _wait_s(version: str) -> float:
    """Returns how long a joining member waits for locators, which others of its site start at the same time.

    From 1.13.1 to 1.13.8 the first member of a site waits for all of that time, for any answers: a
    parenthesis stands wrong in `GMSJoinLeave.join`. It is right again in 1.14.0.
    """
    return TWISTED_WAIT_S if re.fullmatch(r"1\.13\.[1-8]", version) else START_LIMIT_S


def end_all(members: Collection[Member]) -> None:
    """Kill these members' JVMs and end the threads that spoke with them; never raises."""
    for member in members:
        member.kill()
    for member in members:
        with contextlib.suppress(Exception):  # py4j's own last words; the process is dead already
            member.close()
    for member in members:
        member.control.join(END_LIMIT_S)


def broken(member: Member, words: str) -> AdapterError:
    """What to say when talking to a member failed: that it died, if it did."""
    if member.jvm.ended_within(DEATH_LIMIT_S):
        words = f"the JVM died with code {member.jvm.exit_code}"
    return AdapterError(f"member {member.name}: {words}", member.jvm.last_words())
