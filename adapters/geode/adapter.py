"""Real Apache Geode as a candidate: members in JVMs of their own, driven over py4j.

The methods of `plumbline.adapters.adapter.Adapter` for replicated regions on the members of one site. How
each answer is got, and why it can be trusted, is told in docs/geode.md.
"""

from __future__ import annotations

import atexit
import contextlib
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.geode.caller import Caller
from plumbline.adapters.geode.calls import CALLS, carry_out
from plumbline.adapters.geode.folder import Folder
from plumbline.adapters.geode.jars import find_jars
from plumbline.adapters.geode.jvm import BridgeError, GoneError
from plumbline.adapters.geode.listener import RegionListener, Stage
from plumbline.adapters.geode.member import Member
from plumbline.adapters.protocol import Deployed, Introduction, MemberParams, Nothing, Observed, SettleResult
from plumbline.reference.capabilities import Capability
from plumbline.reference.history import Gate, OrderStrength
from plumbline.reference.operations import (
    READS,
    Content,
    Operation,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Status,
    Topology,
)

T = TypeVar("T")

START_LIMIT_S = 60.0
ANSWER_LIMIT_S = 20.0
LEFTOVER_LIMIT_S = 10.0
DEATH_LIMIT_S = 1.0
QUIET_S = 0.06
MOST_MEMBERS = 8

# Ids of members are compared by their ports first. Ports from ranges that ascend in the order of the topology
# make the ids ascend so; together they are Geode's own default range.
_FIRST_PORT, _PORTS_EACH = 41_000, 2_500

_CAPABILITIES = (
    Capability.REPLICATED_REGIONS,
    Capability.CHECKS_SETTING,
    Capability.LOCAL_OPERATIONS,
    Capability.LISTENER_GATES,
    Capability.MEMBER_FAULTS,
    Capability.STATISTICS,
    Capability.CONFIGURATION,
)


class GeodeAdapter(Adapter):
    """Apache Geode of one version.

    Args:
        name: what stands behind `geode:`, a version or a directory of jars.
        answer_limit_s: how long a member may take to answer what never takes long.

    Raises:
        UnknownCandidateError: there are no such jars.
        MissingToolError: they could not be fetched.
    """

    def __init__(self, name: str, *, answer_limit_s: float = ANSWER_LIMIT_S) -> None:
        self._jars = find_jars(name)
        self._limit_s = answer_limit_s
        self._version = self._jars.version
        self._folder: Folder | None = None
        self._site = 0
        self._locator = 0
        self._members: dict[str, Member] = {}
        self._in_use: tuple[str, ...] = ()
        self._callers: dict[str, Caller] = {}
        self._regions: dict[str, RegionAttributes] = {}
        self._baseline: dict[str, int] = {}
        self._running: dict[int, Future[Outcome]] = {}
        self._stage = Stage()
        self._example = 0

    def hello(self) -> Introduction:
        """Introduce Geode; the version is that of the jar's name until a member runs."""
        return Introduction(
            name="Apache Geode",
            version=self._version,
            capabilities=_CAPABILITIES,
            order_strength=OrderStrength.PER_KEY,
            conflated_weight_least=1,
            conflated_weight_most=2,
        )

    def deploy(self, topology: Topology) -> Deployed:
        """Start the members, in the order of their names in the topology, which becomes that of their ids.

        Members that run already are kept if the one list of names begins with the other and none of them
        has died; else all are ended and started anew.
        """
        if len(topology.sites) != 1:
            raise UnsupportedError("Apache Geode is driven here on one site only")
        if not 1 <= len(topology.members) <= MOST_MEMBERS:
            raise UnsupportedError(f"Apache Geode is driven here on 1 to {MOST_MEMBERS} members")
        site, names = topology.sites[0].number, topology.members
        running = tuple(self._members)
        common = min(len(running), len(names))
        dead = not all(member.jvm.alive for member in self._members.values())
        if self._site != site or running[:common] != names[:common] or dead:
            self._end()
        self._site = site
        try:
            self._start(names)
        except BaseException:  # an interrupt too: half a cluster is of no use
            self._end()
            raise
        self._in_use = names
        return Deployed(member_order=tuple(name for name in self._view(names) if name in names))

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Give up what the last example left open, drop its regions everywhere, and create fresh ones."""
        for attributes in regions:
            _refuse_what_is_not_driven(attributes)
        self._require_alive()
        if any(self._members[name].crashed() for name in self._in_use):
            raise AdapterError("a member was crashed: deploy again before the next example")
        self._give_up()
        self._example += 1
        self._stage = Stage()
        self._regions = {attributes.name: attributes for attributes in regions}
        self._on_all(Member.drop_regions)
        for number, attributes in enumerate(regions):
            self._create(attributes, f"example{self._example}_{number}")
        self._baseline = self._on_all(Member.discards)

    def begin(self, operation: Operation) -> None:
        """Call an operation on its thread, behind what that thread was given before."""
        if operation.kind not in CALLS:
            raise UnsupportedError(f"{operation.kind} is not driven on Apache Geode yet")
        self._require_alive()
        member = self._member(operation.member)
        scope = self._region(operation.region).scope
        if operation.thread not in self._callers:
            self._callers[operation.thread] = Caller(operation.thread)
        caller = self._callers[operation.thread]
        if scope is Scope.NO_ACK and operation.kind not in READS:
            caller.unflushed.add(member.name)
        caller.used_in = self._example
        self._stage.expect(operation)
        future = caller.submit(partial(_call, caller, member, operation))
        future.add_done_callback(self._stage.note)
        self._running[operation.op_id] = future

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        """The outcome of a begun operation; None if it has not returned within the time."""
        if op_id not in self._running:
            raise AdapterError(f"operation {op_id} was not begun in this example")
        try:
            return self._running[op_id].result(timeout_ms / 1000)
        except TimeoutError:
            self._require_alive()
            return None
        except BridgeError as error:
            raise AdapterError(f"operation {op_id}: {error}", self._words()) from error

    def observe(self, since: int) -> Observed:
        """All listeners' events in the order in which they reached this process."""
        self._require_alive()
        events = tuple(self._stage.events[since:])
        return Observed(events=events, position=since + len(events))

    def settle(self, timeout_ms: int) -> SettleResult:
        """Wait until all operations have returned and all their messages have arrived.

        While listeners are parked only a short calm is waited for, and `settled` is False.
        """
        deadline = time.monotonic() + timeout_ms / 1000
        if self._calm(deadline):
            return SettleResult(settled=self._rid_of_the_dead(deadline))
        if self._stage.held():
            self._stage.wait_quiet(QUIET_S, deadline)
        return SettleResult(settled=False, held=self._stage.held())

    def contents(self, member: str, region: str) -> tuple[Content, ...]:
        """What the member itself holds."""
        self._region(region)
        return self._ask(self._survivor(member), lambda one: one.contents(region))

    def arm(self, gate: Gate) -> None:
        """Park the listener of `gate.member` when it is told of the operation."""
        self._stage.arm(gate)

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        """Whether it has parked within the time."""
        parked = self._stage.await_parked(gate, timeout_ms / 1000)
        self._require_alive()
        return parked

    def release(self, gate: Gate) -> None:
        """Let the listener return, now or whenever it is told."""
        self._stage.release(gate)

    def statistic(self, member: str, name: str) -> int:
        """How far `conflatedEvents` of the member's cache has moved since the last reset."""
        if name != "conflatedEvents":
            raise UnsupportedError(f"the statistic {name} is not read from Apache Geode yet")
        return self._ask(self._survivor(member), Member.discards) - self._baseline[member]

    def attributes(self, member: str, region: str) -> RegionAttributes:
        """The attributes that the running region tells of itself."""
        self._region(region)
        return self._ask(self._survivor(member), lambda one: one.attributes(region))

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct:
        """`crash` kills a member's JVM; nothing else yet."""
        if method == "crash" and isinstance(params, MemberParams):
            self._member(params.member).kill()
            self._stage.release_all(params.member)  # its listeners hold nothing back any more
            return Nothing()
        return super().call(method, params)

    def close(self) -> None:
        """Kill the JVMs, and end all threads."""
        self._end()

    # Starting and ending

    def _start(self, names: tuple[str, ...]) -> None:
        """Start those members that do not run yet."""
        if self._folder is None:
            self._folder = Folder()
            self._locator = _free_port()
            atexit.register(self._end)
        for name in names[len(self._members) :]:
            self._members[name] = Member(name, self._jars, self._folder.path / str(len(self._members)))
        starting = [member for member in self._members.values() if not member.joined]
        self._together(starting, self._join, START_LIMIT_S)
        self._version = self._ask(self._members[names[0]], Member.version)

    def _join(self, member: Member) -> None:
        slot = list(self._members).index(member.name)
        first_port = _FIRST_PORT + slot * _PORTS_EACH
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
        if slot == 0:
            properties["start-locator"] = f"{locator},server=true,peer=true"
        member.join(properties, START_LIMIT_S)

    def _view(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The first member's view once all the named are in it, from the lowest to the highest id."""
        deadline = time.monotonic() + self._limit_s
        while time.monotonic() < deadline:
            view = self._ask(self._members[names[0]], Member.neighbours)
            if set(names) <= set(view):
                return view
            time.sleep(0.01)
        raise AdapterError(f"{names[0]} does not see all of {', '.join(names)}, only {', '.join(view)}")

    def _end(self) -> None:
        """Back to what a new adapter is: no process, no thread, no folder. Never raises."""
        self._stage.release_all()
        self._stage = Stage()
        members, self._members = tuple(self._members.values()), {}
        callers, self._callers = tuple(self._callers.values()), {}
        for member in members:
            member.kill()
        for caller in callers:
            caller.close()
        for member in members:
            with contextlib.suppress(Exception):  # py4j's last words; the process is dead already
                member.close()
        for worker in (*(caller.worker for caller in callers), *(member.control for member in members)):
            worker.join(self._limit_s)
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
            atexit.unregister(self._end)
        self._running.clear()
        self._regions.clear()
        self._in_use = ()

    # Examples

    def _give_up(self) -> None:
        """Let everything of the last example run to its end, and drop threads that it did not use."""
        self._stage.release_all()
        if not self._calm(time.monotonic() + LEFTOVER_LIMIT_S):
            stuck = sum(not future.done() for future in self._running.values())
            raise AdapterError(f"{stuck} operations do not return, even with all gates open", self._words())
        self._running.clear()
        for name, caller in tuple(self._callers.items()):
            if caller.used_in < self._example:
                self._callers.pop(name).close()

    def _create(self, attributes: RegionAttributes, internal: str) -> None:
        """Create a region on every member in use."""
        stage = self._stage

        def create(member: Member) -> None:
            member.create_region(attributes, internal, RegionListener(stage, member.name, attributes.name))

        self._together([self._members[name] for name in self._in_use], create)

    def _calm(self, deadline: float) -> bool:
        """Whether all operations have returned and their messages arrived; False once a listener parks."""
        stage = self._stage
        while True:
            self._require_alive()
            seen = stage.changes
            if stage.held():
                return False
            if not self._busy() and not self._flush():
                return True
            if not stage.wait_change(seen, deadline):
                return False

    def _busy(self) -> bool:
        """Whether an operation or a flush is under way."""
        return any(not caller.last.done() for caller in self._callers.values())

    def _flush(self) -> bool:
        """Send a flush behind all that was sent without acknowledgement; False if there is nothing to flush.

        A put into an acknowledged region returns when all have applied it, and what the same Java thread sent
        before went over the same sockets and was applied before.
        """
        sent = False
        for caller in self._callers.values():
            for name in caller.unflushed:
                flush = caller.submit(partial(caller.flush, self._members[name]))
                flush.add_done_callback(self._stage.note)
                sent = True
            caller.unflushed.clear()
        return sent

    def _rid_of_the_dead(self, deadline: float) -> bool:
        """Whether every survivor has done with the members that were crashed, by the deadline."""
        dead = [member for member in self._members.values() if member.crashed()]
        survivors = [member for member in self._members.values() if not member.crashed()]
        while any(self._ask(one, lambda m: m.still_hears(dead)) for one in survivors if dead):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    # Members

    def _member(self, name: str) -> Member:
        if name not in self._in_use:
            raise AdapterError(f"no member is named {name}; there are: {', '.join(self._in_use) or 'none'}")
        return self._members[name]

    def _survivor(self, name: str) -> Member:
        self._require_alive()
        member = self._member(name)
        if member.crashed():
            raise AdapterError(f"{name} was crashed and cannot be asked any more")
        return member

    def _region(self, name: str) -> RegionAttributes:
        if name not in self._regions:
            raise AdapterError(f"no region is named {name}; there are: {', '.join(self._regions) or 'none'}")
        return self._regions[name]

    def _require_alive(self) -> None:
        """Raises AdapterError if a member died that was not crashed on purpose, or its listener failed."""
        for member in self._members.values():
            if not member.crashed() and not member.jvm.alive:
                raise _broken(member, "")
        for name, words in self._stage.troubles:
            if not (member := self._members[name]).crashed():
                raise _broken(member, words)

    def _ask(self, member: Member, question: Callable[[Member], T], limit_s: float | None = None) -> T:
        """The answer of one member, on its own thread; raises AdapterError if it fails or takes too long."""
        return self._together([member], question, limit_s)[member.name]

    def _on_all(self, question: Callable[[Member], T]) -> dict[str, T]:
        return self._together(list(self._members.values()), question)

    def _together(
        self, members: list[Member], question: Callable[[Member], T], limit_s: float | None = None
    ) -> dict[str, T]:
        """The answers of several members, asked at the same time."""
        limit_s = self._limit_s if limit_s is None else limit_s
        futures = {member: member.control.submit(partial(question, member)) for member in members}
        answers = {}
        for member, future in futures.items():
            try:
                answers[member.name] = future.result(limit_s)
            except TimeoutError:
                words = f"member {member.name} did not answer within {limit_s:g} s"
                raise AdapterError(words, member.jvm.last_words()) from None
            except (GoneError, BridgeError) as error:
                raise _broken(member, str(error)) from error
        return answers

    def _words(self) -> str:
        return "\n".join(words for member in self._members.values() if (words := member.jvm.last_words()))


def _call(caller: Caller, member: Member, operation: Operation) -> Outcome:
    """On the caller's thread: carry an operation out."""
    if member.crashed():
        return Outcome(Status.FAILED, detail=f"{member.name} was crashed before the call")
    try:
        return carry_out(member.region(operation.region, caller.client(member)), operation)
    except GoneError as error:
        if not member.crashed():
            raise _broken(member, str(error)) from error
        return Outcome(Status.INDEFINITE, detail=str(error))


def _broken(member: Member, words: str) -> AdapterError:
    """What to say when talking to a member failed: that it died, if it did."""
    if member.jvm.ended_within(DEATH_LIMIT_S):
        words = f"the JVM died with code {member.jvm.exit_code}"
    return AdapterError(f"member {member.name}: {words}", member.jvm.last_words())


def _refuse_what_is_not_driven(attributes: RegionAttributes) -> None:
    if attributes.policy is not RegionPolicy.REPLICATE:
        raise UnsupportedError(f"regions with the policy {attributes.policy} are not driven on Geode yet")
    if attributes.senders or attributes.queues:
        raise UnsupportedError("gateway senders and asynchronous queues are not driven on Geode yet")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
