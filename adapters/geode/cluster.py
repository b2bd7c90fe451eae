"""The members of one Geode cluster: starting them, asking them with a limit, and ending them for good.

Knows nothing of examples, operations and what listeners are told.
"""

from __future__ import annotations

import atexit
import contextlib
import socket
import time
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TypeVar

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.folder import Folder
from plumbline.adapters.geode.jars import Jars
from plumbline.adapters.geode.jvm import BridgeError, GoneError
from plumbline.adapters.geode.member import Member

T = TypeVar("T")

START_LIMIT_S = 60.0
END_LIMIT_S = 20.0
DEATH_LIMIT_S = 1.0

# Ids of members are compared by their ports first. Ports from ranges that ascend in the order in which the
# members are named make the ids ascend so; together the ranges are about Geode's own default range.
MOST_MEMBERS = 8
_FIRST_PORT, _PORTS_EACH = 41_000, 2_500


class Cluster:
    """Members of one site; none at first.

    Attributes:
        members: by name, in the order in which they were first named.
    """

    def __init__(self, jars: Jars, answer_limit_s: float) -> None:
        self.members: dict[str, Member] = {}
        self._jars = jars
        self._limit_s = answer_limit_s
        self._folder: Folder | None = None
        self._site = 0
        self._locator = 0

    def can_become(self, site: int, names: tuple[str, ...]) -> bool:
        """Whether `start` would do: the one list of names begins with the other, and nobody has died."""
        running = tuple(self.members)
        common = min(len(running), len(names))
        alive = all(member.jvm.alive for member in self.members.values())
        return not running or (self._site == site and running[:common] == names[:common] and alive)

    def start(self, site: int, names: tuple[str, ...]) -> tuple[str, ...]:
        """Have these members run, beside those that run already, with ids in this order.

        Tells the order that Geode sees, from the lowest to the highest. Raises AdapterError.
        """
        self._site = site
        try:
            self._start_missing(names)
            view = self._view(names)
        except BaseException:  # an interrupt too: half a cluster is of no use
            self.end()
            raise
        return tuple(name for name in view if name in names)

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
        while dead and any(self.ask_all(survivors, partial(Member.still_hears, dead=dead)).values()):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def last_words(self) -> str:
        """The tails of what all members printed."""
        return "\n".join(words for member in self.members.values() if (words := member.jvm.last_words()))

    def end(self) -> None:
        """No process, no thread and no folder any more; never raises, and may be called twice."""
        members, self.members = tuple(self.members.values()), {}
        end_all(members)
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
            atexit.unregister(self.end)

    def _start_missing(self, names: tuple[str, ...]) -> None:
        if self._folder is None:
            self._folder = Folder()
            self._locator = _free_port()
            atexit.register(self.end)
        missing = names[len(self.members) :]
        for name in missing:
            self.members[name] = Member(name, self._jars, self._folder.path / str(len(self.members)))
        self.ask_all([self.members[name] for name in missing], self._join, START_LIMIT_S)

    def _join(self, member: Member) -> None:
        place = list(self.members).index(member.name)
        first_port = _FIRST_PORT + place * _PORTS_EACH
        locator = f"127.0.0.1[{self._locator}]"
        properties = {
            "name": member.name,
            "bind-address": "127.0.0.1",
            "mcast-port": "0",
            "locators": locator,
            "locator-wait-time": f"{START_LIMIT_S:.0f}",  # the first member starts it, at the same time
            "distributed-system-id": str(self._site),
            "membership-port-range": f"{first_port}-{first_port + _PORTS_EACH - 1}",
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
        if place == 0:
            properties["start-locator"] = f"{locator},server=true,peer=true"
        member.join(properties, START_LIMIT_S)

    def _view(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The first member's view once all the named are in it, from the lowest to the highest id."""
        deadline = time.monotonic() + self._limit_s
        while not set(names) <= set(view := self.ask(self.members[names[0]], Member.neighbours)):
            if time.monotonic() > deadline:
                raise AdapterError(f"{names[0]} sees only {', '.join(view)} of {', '.join(names)}")
            time.sleep(0.01)
        return view


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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
