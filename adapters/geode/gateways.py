"""Queues between sites: creating them, what is done to them and to their links, and putting all in order.

Knows nothing of examples, operations and listeners.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import TypeVar

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.geode.cluster import Cluster
from plumbline.adapters.geode.links import Links, LinkState, link_address
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.queue_listener import QueueListener
from plumbline.adapters.geode.sights import Flow
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import QueueAttributes, RegionAttributes, Scope, Topology

T = TypeVar("T")

PRIMARY_LIMIT_S = 10.0

# A gateway sender sleeps for 100 ms (see the flags of the JVM) before it reads from a new connection.
ANSWERS_LIMIT_S = 0.5

WAITS_FOR_DISK_S = 3.0
"""A sender that has not come to run within this time waits for the disk of a member that is dead."""

STARTS_S = 30.0
"""Where no member is dead, each sender comes to run within this time. Before that it drops what is put."""


class Gateways:
    """The gateway senders and receivers of all members of a cluster; none at first.

    Attributes:
        queues: those that were created, by id.
        answers_until: when the last answers that came before a fault will have been read (monotonic clock).
        turns: how often a queue, a receiver, a link or a writer was changed.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.queues: dict[str, QueueAttributes] = {}
        self.answers_until = 0.0
        self.turns = 0
        self._cluster = cluster
        self._topology = Topology(())
        self._links: Links | None = None
        self._stage = GeodeExample()
        self._internal: Mapping[str, str] = {}
        self._forget()

    def use(self, topology: Topology) -> None:
        """From here on queues are created on these members."""
        self._topology = topology

    def begin_example(self, stage: GeodeExample, internal: Mapping[str, str]) -> None:
        """Listeners of asynchronous queues note their calls here, of regions that Geode calls so."""
        self._stage, self._internal = stage, internal
        for listener in self._listeners.values():
            listener.begin_example(stage, internal)

    def listener(self, member: str, queue: str) -> QueueListener:
        """The listener of an asynchronous queue on a member; raises AdapterError where there is none."""
        if (member, queue) not in self._listeners:
            raise AdapterError(f"{member} has no listener of a queue {queue}")
        return self._listeners[member, queue]

    def create(self, queue: QueueAttributes) -> None:
        """Create and start a queue on the members of its site, one after the other, unless it is there."""
        if self.queues.get(queue.id) == queue:
            return
        self._refuse_what_is_not_driven(queue)
        self._run(queue)
        self.queues[queue.id] = queue

    def require_queues(self, attributes: RegionAttributes) -> None:
        """Raises an error if a region cannot be attached to the queues that it names."""
        named = (*attributes.senders, *attributes.queues)
        missing = [queue for queue in named if queue not in self.queues]
        if missing:
            known = ", ".join(self.queues) or "none"
            raise AdapterError(
                f"no queue is named {', '.join(missing)}; there are: {known}: create_queue comes before reset"
            )
        if named and attributes.scope is not Scope.ACK:
            # Nothing tells when the receiving site's members have applied what they do not acknowledge.
            raise UnsupportedError("regions attached to queues are driven on Geode with acknowledgement only")
        self._require_no_other_way(attributes)

    def act(self, member: str, queue: str, action: str) -> None:
        """Pause, resume, stop or start a queue on a member, or stop or start its receiver."""
        self.turns += 1
        if queue == "receiver":
            self._act_on_receiver(member, action)
            return
        if queue not in self.queues:
            raise AdapterError(f"no queue is named {queue}; there are: {', '.join(self.queues) or 'none'}")
        if member not in self._runners(self.queues[queue]):
            raise AdapterError(f"{member} does not run {queue}, which is of site {self.queues[queue].site}")
        match action:
            case "pause":
                self._ask(member, lambda it: it.gateway.pause(queue))
            case "resume":
                self._ask(member, lambda it: it.gateway.resume(queue))
            case "stop":
                self._ask(member, lambda it: it.gateway.stop(queue))
            case "start":
                self._ask(member, lambda it: it.gateway.start(queue))
            case _:
                raise UnsupportedError(f"{action} is not done to queues of Apache Geode")

    def link(self, source: str, target: str, state: str) -> None:
        """Set the state of the link from one site, given as text, to another."""
        self.turns += 1
        if state not in set(LinkState):
            raise UnsupportedError(f"a link of Apache Geode cannot be set to {state!r}")
        known = {str(site.number): site for site in self._topology.sites}
        if source not in known or target not in known or source == target:
            raise AdapterError(f"there is no link from {source} to {target}; sites are: {', '.join(known)}")
        sender, receiver = known[source].number, known[target]
        self._note_answers()
        self._states[sender, receiver.number] = LinkState(state)
        for name in receiver.members:
            self._proxies.set(_proxy(sender, name), LinkState(state))

    def gone(self, member: str) -> None:
        """A member was killed."""
        self._note_answers()
        self._shut(member)
        self._receiving.pop(member, None)
        self._dead.add(member)

    def on_disk(self) -> bool:
        """Whether any queue is kept on disk."""
        return any(queue.persistent for queue in self.queues.values())

    def send_again(self, member: str, *, from_disk: bool) -> None:
        """Give a member that runs again its senders; one may wait until other members have started, too."""
        self._dead.discard(member)
        if not from_disk:
            self._cluster.renew_disk(member)
        disk = self._cluster.disk(member)
        for queue in self.queues.values():
            if member not in self._members(queue.site):
                continue
            if queue.runs_on(member):
                listener = None if queue.remote_site else self._listener(member, queue)
                recover = partial(_recover, queue=queue, listener=listener, disk=disk)
                self._ask(member, recover)
            else:
                self._ask(member, lambda it, of=queue: it.gateway.name_sender(of.id))  # type: ignore[misc]
        self.all_send(STARTS_S)

    def receive_again(self, member: str) -> None:
        """Give a member that runs again its receiver, if it had one: its regions are there by now."""
        if any(member in self._members(queue.remote_site) for queue in self.queues.values()):
            self._start_receiver(member)

    def all_send(self, limit_s: float) -> bool:
        """Whether all senders run that were started again, or wait rightly for members that are dead."""
        if not self.queues:
            return True
        survivors = self._survivors()
        wait_s = min(limit_s, WAITS_FOR_DISK_S) if self._dead else limit_s
        started = self._cluster.ask_all(survivors, lambda one: one.gateway.started(wait_s))
        return bool(self._dead) or all(started.values())

    def waiting(self) -> list[Member]:
        """The members whose senders wait for the disk of another one."""
        if not self.queues:
            return []
        started = self._cluster.ask_all(self._survivors(), lambda one: one.gateway.started(0))
        return [self._cluster.members[name] for name, all_run in started.items() if not all_run]

    def restore(self) -> None:
        """Give members that run again their receivers and senders, with nothing in them."""
        self._dead.clear()
        for queue in self.queues.values():
            self._run(queue)

    def heal(self) -> None:
        """Links up, receivers and senders running, nothing paused, the first members primary."""
        for (site, remote), state in self._states.items():
            if state is not LinkState.UP:
                self.link(str(site), str(remote), LinkState.UP)
        for name, running in self._receiving.items():
            if not running:
                self._start_receiver(name)
        self._cluster.ask_all(self._survivors(), lambda member: member.gateway.resume_all())
        for queue, flows in self.flows().items():
            for name, flow in flows.items():
                forgetful = flow.running and not flow.primary and flow.unprocessed > 0
                if forgetful:  # all calls have returned: events that it remembers now are never queued
                    self.act(name, queue, "stop")
                if forgetful or not flow.running:
                    self.act(name, queue, "start")
            first = self._runners(self.queues[queue])[0]
            parallel = self.queues[queue].parallel
            if not parallel and [name for name, flow in flows.items() if flow.primary] != [first]:
                self._have_first_dispatch(self.queues[queue])

    def flows(self) -> dict[str, dict[str, Flow]]:
        """For every queue what each surviving member of its site has of it."""
        survivors = self._survivors()
        senders = {queue.site for queue in self.queues.values()}
        asked = [member for member in survivors if self._cluster.site(member.name) in senders]
        found = self._cluster.ask_all(asked, lambda member: member.gateway.flow())
        return {
            queue: {name: flows[queue] for name, flows in found.items() if queue in flows}
            for queue in self.queues
        }

    def refuse(self, member: str, region: str, *, some: bool) -> None:
        """From here on the writer of a member refuses some keys of a region, or none."""
        self.turns += 1
        (self._refusing.add if some else self._refusing.discard)((member, region))

    def accept_all(self) -> None:
        """No writer refuses anything."""
        self._refusing.clear()

    def retries(self, queue: str) -> bool:
        """Whether a receiver may try an event of a queue again and again, as a writer there refuses it."""
        attributes = self.queues[queue]
        there = self._members(attributes.remote_site)
        return not attributes.remove_on_exception and any(member in there for member, _ in self._refusing)

    def failures(self) -> dict[str, int]:
        """For each member with a receiver how many events that has failed to apply."""
        asked = [member for member in self._survivors() if member.name in self._receiving]
        return self._cluster.ask_all(asked, lambda member: member.gateway.failures())

    def blocked(self, queue: str, primary: str) -> bool:
        """Whether a fault keeps the primary of a queue from getting rid of its events."""
        attributes = self.queues[queue]
        if attributes.remote_site is None:
            paused = queue in self._cluster.members[primary].gateway.paused
            return paused or self._listeners[primary, queue].stands
        return (
            not any(self._receiving.get(name) for name in self._members(attributes.remote_site))
            or self._state(attributes) is not LinkState.UP
            or queue in self._cluster.members[primary].gateway.paused
        )

    def faulty(self) -> bool:
        """Whether a link is not up, or a receiver does not run."""
        return any(state is not LinkState.UP for state in self._states.values()) or not all(
            self._receiving.values()
        )

    def done(self, queue: str, primary: str, size: int) -> bool:
        """Whether nothing of a blocked queue is still to be sent, nor an answer still on its way.

        While a queue is only paused answers come: then all that was sent must have been answered. While
        answers are lost events are sent: then all must have been.
        """
        attributes = self.queues[queue]
        if attributes.remote_site is None:
            return True
        if not any(self._receiving.get(name) for name in self._members(attributes.remote_site)):
            return True
        paused = queue in self._cluster.members[primary].gateway.paused
        match self._state(attributes), paused:
            case LinkState.UP, _:
                return self._unanswered(queue, primary) == 0
            case LinkState.DROP_ACKS, False:
                return self._unanswered(queue, primary) == size
            case _:
                return True

    def applying(self) -> bool:
        """Whether any member is applying a batch of another site now."""
        asked = [member for member in self._survivors() if member.name in self._receiving]
        return any(self._cluster.ask_all(asked, lambda member: member.gateway.applying()).values())

    @property
    def onward(self) -> bool:
        """Whether there are sites enough for an event to go on from where it has come to."""
        return len(self._topology.sites) > 2

    def passed(self) -> int:
        """How many bytes have passed on all links."""
        return 0 if self._links is None else self._links.passed()

    def close(self) -> None:
        """No proxy any more, and nothing known of queues. May be called twice."""
        if self._links is not None:
            self._links.close()
            self._links = None
        self._forget()

    def _forget(self) -> None:
        self.queues.clear()
        self._listeners: dict[tuple[str, str], QueueListener] = {}
        self._dead: set[str] = set()
        self._states: dict[tuple[int, int], LinkState] = {}
        self._refusing: set[tuple[str, str]] = set()
        self._receiving: dict[str, bool] = {}  # members that have a receiver: whether it runs

    @property
    def _proxies(self) -> Links:
        if self._links is None:
            self._links = Links()
        return self._links

    def _state(self, queue: QueueAttributes) -> LinkState:
        return self._states.get((queue.site, queue.remote_site or 0), LinkState.UP)

    def _members(self, site: int | None) -> tuple[str, ...]:
        return next((each.members for each in self._topology.sites if each.number == site), ())

    def _runners(self, queue: QueueAttributes) -> tuple[str, ...]:
        """The members that run a queue."""
        return tuple(filter(queue.runs_on, self._members(queue.site)))

    def _survivors(self) -> list[Member]:
        return [
            self._cluster.members[name]
            for name in self._topology.members
            if not self._cluster.members[name].crashed()
        ]

    def _run(self, queue: QueueAttributes) -> None:
        """Have a queue on all members of its site that lack it, and receivers where it sends to."""
        for name in self._members(queue.remote_site):
            if name not in self._receiving:
                self._start_receiver(name)
        for name in self._members(queue.site):
            if queue.runs_on(name) and queue.remote_site is None:
                listener, disk = self._listener(name, queue), self._cluster.disk(name)
                self._ask(name, partial(_create_listened, queue=queue, listener=listener, disk=disk))
            elif queue.runs_on(name):
                disk = self._cluster.disk(name)
                self._ask(name, lambda member, on=disk: member.gateway.create_sender(queue, on))  # type: ignore[misc]
            else:
                self._ask(name, lambda member: member.gateway.name_sender(queue.id))
        self._have_first_dispatch(queue)

    def _listener(self, member: str, queue: QueueAttributes) -> QueueListener:
        """The listener of an asynchronous queue on a member, which hears of this example."""
        listener = self._listeners.setdefault((member, queue.id), QueueListener(member, queue.id))
        listener.begin_example(self._stage, self._internal)
        return listener

    def _note_answers(self) -> None:
        """A fault is about to happen: answers that have come before it may be read after it."""
        for queue, flows in self.flows().items():
            for name, flow in flows.items():
                if flow.primary and self._unanswered(queue, name):
                    self.answers_until = time.monotonic() + ANSWERS_LIMIT_S

    def _unanswered(self, queue: str, name: str) -> int:
        return self._ask(name, lambda member: member.gateway.unanswered(queue))

    def _ask(self, name: str, question: Callable[[Member], T]) -> T:
        return self._cluster.ask(self._cluster.members[name], question)

    def _act_on_receiver(self, member: str, action: str) -> None:
        if member not in self._receiving:
            raise AdapterError(f"{member} has no gateway receiver: no gateway sender sends to its site")
        match action, self._receiving[member]:
            case "stop", True:
                self._note_answers()
                self._shut(member)
                self._ask(member, lambda it: it.gateway.stop_receiver())
                self._receiving[member] = False
            case "start", False:
                self._start_receiver(member)
            case "stop" | "start", _:  # as it is already
                return
            case _:
                raise UnsupportedError(f"{action} is not done to receivers of Apache Geode")

    def _start_receiver(self, name: str) -> None:
        self._shut(name)
        port = self._ask(name, lambda member: member.gateway.start_receiver())
        self._receiving[name] = True
        for site in self._others(name):
            self._proxies.open(_proxy(site, name), port, link_address(site))

    def _require_no_other_way(self, attributes: RegionAttributes) -> None:
        """Raise UnsupportedError if Geode would not send on what is to go by way of another site.

        It takes a site that a sender leads to for one that has been sent to, though the region is not
        attached to that sender.
        """
        sites = [site.number for site in self._topology.sites]
        attached = [self.queues[name] for name in attributes.senders]
        ways = {(queue.site, queue.remote_site) for queue in attached}
        if not self.onward or not ways or ways == set(permutations(sites, 2)):
            return
        others = [
            queue.id
            for queue in self.queues.values()
            if queue.remote_site is not None and (queue.site, queue.remote_site) not in ways
        ]
        if others:
            raise UnsupportedError(
                f"{attributes.name} is not attached to {', '.join(others)}: events would not be sent on to"
                " where these lead; deploy another topology first"
            )

    def _shut(self, name: str) -> None:
        """Break what comes from all other sites to the member's receiver, and let nothing more come."""
        if self._links is None:
            return
        for site in self._others(name):
            self._links.shut(_proxy(site, name))

    def _others(self, name: str) -> tuple[int, ...]:
        """The numbers of all sites but the member's own."""
        return tuple(each.number for each in self._topology.sites if name not in each.members)

    def _have_first_dispatch(self, queue: QueueAttributes) -> None:
        """Have the first member of the site alone be the queue's primary, as it is until it is killed.

        Only who dispatches is stopped, one after the other until it is the first's turn: a secondary that is
        stopped goes on waiting for its turn, and becomes primary beside the first when that comes.
        """
        if queue.parallel:  # each member dispatches what it is primary for
            return
        first, *others = members = self._runners(queue)
        stopped: list[str] = []
        for _ in members:
            wait_until(lambda: any(self._dispatches(name, queue) for name in members), PRIMARY_LIMIT_S)
            ahead = [name for name in others if self._dispatches(name, queue)]
            if not ahead:
                break
            for name in ahead:
                self._ask(name, lambda member: member.gateway.stop(queue.id))
            stopped += ahead
        self._await_primary(first, queue)
        for name in stopped:
            self._ask(name, lambda member: member.gateway.start(queue.id))

    def _await_primary(self, name: str, queue: QueueAttributes) -> None:
        if not wait_until(lambda: self._dispatches(name, queue), PRIMARY_LIMIT_S):
            raise AdapterError(
                f"{name} has not become primary of {queue.id} within {PRIMARY_LIMIT_S:g} s",
                self._cluster.last_words(),
            )

    def _dispatches(self, name: str, queue: QueueAttributes) -> bool:
        return self._ask(name, lambda member: member.gateway.flow()[queue.id].primary)

    def _refuse_what_is_not_driven(self, queue: QueueAttributes) -> None:
        if queue.id in self.queues:
            raise AdapterError(
                f"{queue.id} exists with other attributes: deploy another topology before it changes"
            )
        if queue.remote_site is None and queue.dispatchers > 1:
            raise UnsupportedError("asynchronous event queues are driven on Geode with one dispatcher")
        if queue.parallel and (queue.members or queue.persistent or queue.dispatchers > 1):
            raise UnsupportedError("parallel queues are driven on Geode in memory, on all members of a site")
        if queue.manual_start:
            raise UnsupportedError("senders that start later than their regions are not driven on Geode yet")
        if not self._members(queue.site):
            raise AdapterError(f"{queue.id} is of site {queue.site}, which is not deployed")


def _create_listened(member: Member, queue: QueueAttributes, listener: QueueListener, disk: Path) -> None:
    """On the member's own thread: create an asynchronous queue with its listener, unless it is there."""
    member.gateway.create_listened(queue, listener, disk)


def _recover(member: Member, queue: QueueAttributes, listener: QueueListener | None, disk: Path) -> None:
    """On the member's own thread: create a queue in the background, with what the disk holds of it."""
    member.gateway.recover(queue, listener, disk)


def _proxy(site: int, receiver: str) -> str:
    """The name of the proxy between the senders of a site and a member's receiver."""
    return f"{site} to {receiver}"
