"""The examination of an adapter: every method of the protocol, one by one, each in the plainest way.

Its requests are trivial on purpose: a failure is a mistake of the adapter, not of the candidate behind it.
Each answer is checked, so that an adapter that says yes and does nothing is found out. Judges no requirement,
and never raises for what an adapter does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from plumbline.adapters.candidates import Candidate
from plumbline.adapters.protocol import (
    Advance,
    Attributes,
    AwaitCopy,
    AwaitInterest,
    AwaitParked,
    Begin,
    BeginCopy,
    BeginInterest,
    ClientAction,
    ClientLook,
    ClientStart,
    ClockParams,
    ConfigurationText,
    Contents,
    Crash,
    CreateQueue,
    FinishRequest,
    GateParams,
    HostingParams,
    HostingRequest,
    InterestNumber,
    InterestParams,
    Link,
    LogRequest,
    MemberParams,
    MovePrimary,
    Nothing,
    Observe,
    Placement,
    QueueAction,
    QueueLook,
    RedeliverRequest,
    Reset,
    ScriptRequest,
    StampParams,
    Statistic,
    TombstoneParams,
)
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Content,
    Interest,
    OperationKind,
    QueueRole,
    RegionAttributes,
    RegionPolicy,
    Status,
    TombstoneSettings,
)
from plumbline.suites.adapter_check.clients import ClientExaminer
from plumbline.suites.adapter_check.examiner import (
    CLIENT,
    ENOUGH_MS,
    ONE_SITE,
    QUEUE,
    REGION,
    SHORT_MS,
    TWO_SITES,
    Examination,
    Standing,
    StopError,
    said_if,
)
from plumbline.suites.adapter_check.joining import JoinExaminer
from plumbline.suites.adapter_check.listeners import ListenerExaminer
from plumbline.suites.adapter_check.lives import LifeExaminer
from plumbline.suites.adapter_check.logs import LogExaminer
from plumbline.suites.adapter_check.other_operations import OperationExaminer
from plumbline.suites.adapter_check.registering import RegistrationExaminer

PARTITIONED = RegionAttributes(name=REGION.name, policy=RegionPolicy.PARTITION, redundancy=1)

PLAIN: dict[str, msgspec.Struct] = {
    "arm": GateParams(gate=Gate("B", 99)),
    "await_parked": AwaitParked(gate=Gate("B", 99), timeout_ms=0),
    "release": GateParams(gate=Gate("B", 99)),
    "statistic": Statistic(member="A", name="conflatedEvents"),
    "views": Contents(member="A", region=REGION.name),
    "queries": Contents(member="A", region=REGION.name),
    "attributes": Attributes(member="A", region=REGION.name),
    "leave": HostingRequest(member="B", region=REGION.name),
    "join": HostingRequest(member="B", region=REGION.name),
    "begin_join": BeginCopy(member="B", region=REGION.name),
    "await_copy": AwaitCopy(member="B", region=REGION.name, timeout_ms=0),
    "release_copy": HostingRequest(member="B", region=REGION.name),
    "finish_join": AwaitCopy(member="B", region=REGION.name, timeout_ms=0),
    "host": HostingParams(member="B", region=REGION.name, checks=True),
    "redeliver": RedeliverRequest(op_id=1, member="B"),
    "crash": Crash(member="B"),
    "restart": MemberParams(member="B"),
    "link": Link(source="1", target="2", state="up"),
    "advance": Advance(milliseconds=1),
    "keep_tombstones": TombstoneParams(settings=TombstoneSettings()),
    "clock": ClockParams(site=1),
    "create_queue": CreateQueue(queue=QUEUE),
    "queue_action": QueueAction(member="A", queue=QUEUE.id, action="pause"),
    "look_at_queue": QueueLook(member="A", queue=QUEUE.id),
    "script": ScriptRequest(member="A", region=REGION.name, callback="writer", answers=("k",)),
    "start_client": ClientStart(client=CLIENT),
    "client_action": ClientAction(client=CLIENT.name, action="close"),
    "interest": InterestParams(interest=Interest(client=CLIENT.name, region=REGION.name)),
    "begin_interest": BeginInterest(number=1, interest=Interest(client=CLIENT.name, region=REGION.name)),
    "await_answer": AwaitInterest(number=1, timeout_ms=0),
    "release_answer": InterestNumber(number=1),
    "finish_interest": AwaitInterest(number=1, timeout_ms=0),
    "pending_events": ClientLook(client=CLIENT.name),
    "configure": ConfigurationText(member="A", text="<cache/>"),
    "server_log": LogRequest(member="A"),
    "placement": Placement(region=REGION.name, key="k"),
    "move_primary": MovePrimary(region=REGION.name, key="k", member="A"),
    "stamp": StampParams(member="A", region=REGION.name, key="k"),
}
"""What is asked of a method whose capability is not declared, or that the suite does not call yet."""


def examine(
    candidate: Candidate, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> Examination:
    """Play every method of the protocol against a candidate; `progress` receives parts done."""
    examiner = _Parts(candidate)
    try:
        parts = examiner.parts()
        for done, part in enumerate(parts):
            progress(done, len(parts))
            # Where the core does not stand, what is built on it would be blamed for nothing.
            if examiner.core_stands or part in parts[:1] + parts[-2:]:
                examiner.play(part)
    finally:
        examiner.close()
    return examiner.result()


class _Parts(
    OperationExaminer,
    ClientExaminer,
    ListenerExaminer,
    LifeExaminer,
    RegistrationExaminer,
    JoinExaminer,
    LogExaminer,
):
    """What is asked, part by part; each sets its own stage."""

    core_stands = False

    def parts(self) -> tuple[Callable[[], None], ...]:
        """All parts in order; the last two call all methods that are left."""
        return (
            self._core,
            self.bulks,
            self.conditionals,
            self.views,
            self.local_actions,
            self.gates,
            self._scripts,
            self._buckets,
            self._statistics,
            self._hosting,
            self.copies,
            self._messages,
            self._gateways,
            self.listeners,
            self.logs,
            self._times,
            self._ages,
            self.clients,
            self.lives,
            self.lives_meanwhile,
            self.registrations,
            self.held_gets,
            self._crashes,
            self.restarts_meanwhile,
            self._plain,
            self._closing,
        )

    # What is asked.

    def _core(self) -> None:
        self._stage(ONE_SITE)
        put = self._put("A", "k")
        self._settle()
        position = self._told(("A", "B"), put).position
        self._ask(
            "observe", Observe(since=position), lambda told: said_if(told.events, "tells old events again")
        )
        for member in ("A", "B"):
            self._holds(member, (Content("k", put.token),))
        read = self._operation("B", OperationKind.GET, "k", None)
        self._ends(read, Status.OK, put.token)
        self._ends(self._operation("B", OperationKind.DESTROY, "k"), Status.OK)
        self._settle()
        self._holds("A", ())
        self._put("A", "left")
        self._stage(ONE_SITE)
        complaint = "tells events of before the reset"
        self._ask("observe", Observe(since=0), lambda told: said_if(told.events, complaint), "reset")
        self._holds("A", (), "reset")
        self.core_stands = True

    def _scripts(self) -> None:
        if not self._declares(Capability.CALLBACK_SCRIPTS):
            return
        self._stage(ONE_SITE)
        self._ask("script", PLAIN["script"])
        refused = self._operation("A", OperationKind.PUT, "k")
        self._ask("begin", Begin(operation=refused))
        told = self._ask("finish", FinishRequest(op_id=refused.op_id, timeout_ms=self._limit_ms)).outcome
        if told is None or told.status is not Status.FAILED:
            self._complain("script", f"a put that the writer refuses ended with {told}, not with failed")
        other = self._put("A", "other")
        self._settle()
        self._holds("B", (Content("other", other.token),), "script")
        self._ask("script", ScriptRequest(member="A", region=REGION.name, callback="writer", answers=()))
        put = self._put("A", "k")
        self._settle()
        self._holds("B", (Content("k", put.token), Content("other", other.token)), "script")
        if self._declares(Capability.LISTENER_GATES):
            put = self._operation("A", OperationKind.PUT, "k")
            self._parks(put, Gate("A", put.op_id, "writer"))
            self._holds("B", (Content("k", put.token), Content("other", other.token)), "release")

    def _buckets(self) -> None:
        if not self._declares(Capability.PARTITIONED_REGIONS):
            return
        self._stage(ONE_SITE, region=PARTITIONED)
        placed = self._ask("placement", PLAIN["placement"], _placement_complaint)
        put = self._put("A", "k")
        self._settle()
        for member in (placed.primary, *placed.redundant):
            self._holds(member, (Content("k", put.token),), "placement")
        if self._declares(Capability.BUCKET_MOVES):
            other = "B" if placed.primary == "A" else "A"
            self._ask("move_primary", MovePrimary(region=PARTITIONED.name, key="k", member=other))
            complaint = f"{other} is not primary behind it"
            self._ask(
                "placement",
                PLAIN["placement"],
                lambda told: said_if(told.primary != other, complaint),
                "move_primary",
            )
            again = self._put("A", "k")
            self._settle()
            for member in ("A", "B"):
                self._holds(member, (Content("k", again.token),), "move_primary")

    def _statistics(self) -> None:
        if self._declares(Capability.STATISTICS):
            self._stage(ONE_SITE)
            self._put("A", "k")
            self._settle()
            complaint = "counts conflated events where there was no conflict"
            self._ask("statistic", PLAIN["statistic"], lambda told: said_if(told.value != 0, complaint))

    def _hosting(self) -> None:
        if not self._declares(Capability.CONFIGURATION):
            return
        self._stage(ONE_SITE)
        self._ask("attributes", PLAIN["attributes"], _attributes_complaint)
        self._ask("leave", PLAIN["leave"])
        put = self._put("A", "k")
        self._settle()
        self._ask("join", PLAIN["join"])
        self._holds("B", (Content("k", put.token),), "join")
        self._ask("leave", PLAIN["leave"])
        self._ask("host", PLAIN["host"])
        self._holds("B", (Content("k", put.token),), "host")

    def _messages(self) -> None:
        if self._declares(Capability.MESSAGE_CONTROL):
            self._stage(ONE_SITE)
            put = self._put("A", "k")
            self._settle()
            self._ask("redeliver", RedeliverRequest(op_id=put.op_id, member="B"))
            self._settle()
            self._holds("B", (Content("k", put.token),), "redeliver")

    def _gateways(self) -> None:
        if not self._declares(Capability.GATEWAYS):
            return
        self._stage(TWO_SITES, QUEUE)
        put = self._put("A", "k")
        self._settle()
        self._holds("C", (Content("k", put.token),), "create_queue")
        if self._declares(Capability.QUEUE_INSPECTION):
            sights = [
                self._ask("look_at_queue", QueueLook(member=member, queue=QUEUE.id)) for member in ("A", "B")
            ]
            roles = sorted(str(sight.role) for sight in sights)
            if roles != sorted([QueueRole.PRIMARY, QueueRole.SECONDARY]):
                self._complain(
                    "look_at_queue", f"of two members one is primary; told are {' and '.join(roles)}"
                )
        for member in ("A", "B"):
            self._ask("queue_action", QueueAction(member=member, queue=QUEUE.id, action="pause"))
        held = self._put("A", "held")
        self._settle()
        self._holds("C", (Content("k", put.token),), "queue_action")
        for member in ("A", "B"):
            self._ask("queue_action", QueueAction(member=member, queue=QUEUE.id, action="resume"))
        self._settle()
        self._holds("C", (Content("held", held.token), Content("k", put.token)), "queue_action")
        if self._declares(Capability.LINK_FAULTS):
            self._ask("link", Link(source="1", target="2", state="down"))
            cut = self._put("A", "cut")
            self._ask("link", Link(source="1", target="2", state="up"))
            self._settle()
            self._told(("D",), put, held, cut, blamed="link")

    def _times(self) -> None:
        queue = self._answers.get("create_queue")
        # Where queues do not work, time would be blamed for it.
        if (
            not self._declares(Capability.VIRTUAL_TIME)
            or queue is None
            or queue.standing is not Standing.WORKS
        ):
            return
        self._stage(TWO_SITES, QUEUE)
        for site in TWO_SITES.sites:
            self._ask("clock", ClockParams(site=site.number, frozen=True))
        put = self._put("A", "k")
        self._settle()
        self._holds("C", (), "clock")
        self._ask("advance", Advance(milliseconds=ENOUGH_MS))
        self._settle()
        self._holds("C", (Content("k", put.token),), "advance")
        for site in TWO_SITES.sites:
            self._ask("clock", ClockParams(site=site.number, frozen=False))

    def _ages(self) -> None:
        if not self._declares(Capability.TOMBSTONES) or not self._declares(Capability.HELD_CLOCKS):
            return
        self._stage(ONE_SITE)
        settings = TombstoneSettings(timeout_ms=SHORT_MS, threshold=1)
        self._ask("keep_tombstones", TombstoneParams(settings=settings))
        self._ask("reset", Reset(regions=(REGION,)))
        # Where time does not pass, or nothing is counted, this would be blamed for it. Without gateways this
        # is the first that lets any pass.
        asked = {name: self._answers.get(name) for name in ("statistic", "clock", "advance")}
        if asked["statistic"] is None or any(
            one is not None and one.standing is not Standing.WORKS for one in asked.values()
        ):
            return
        for site in ONE_SITE.sites:
            self._ask("clock", ClockParams(site=site.number, frozen=True))
        self._put("A", "k")
        self._ends(self._operation("B", OperationKind.DESTROY, "k"), Status.OK)
        for passes, count in ((False, 1), (True, 0)):
            if passes:
                self._ask("advance", Advance(milliseconds=ENOUGH_MS))
            self._settle()
            value = self._ask("statistic", Statistic(member="A", name="tombstoneCount")).value
            if value != count:
                when = "after it has expired" if passes else "before it has expired"
                self._complain("keep_tombstones", f"one key was destroyed, and {when} {value} are counted")

    def _crashes(self) -> None:
        if not self._declares(Capability.MEMBER_FAULTS):
            return
        self._stage(ONE_SITE)
        put = self._put("A", "k")
        self._settle()
        self._ask("crash", Crash(member="B"))
        self._told(("B",), put, blamed="crash")
        self._put("A", "l")
        self._stage(ONE_SITE)
        put = self._put("A", "m")
        self._settle()
        self._holds("B", (Content("m", put.token),), "reset")
        self._ask("crash", Crash(member="B"))
        later = self._put("A", "n")
        self._settle()
        self._ask("restart", MemberParams(member="B"))
        self._settle()
        self._holds("B", (Content("m", put.token), Content("n", later.token)), "restart")

    def _plain(self) -> None:
        """Calls each method that is left with a bare request; an adapter may answer with unsupported."""
        for name, params in PLAIN.items():
            if name in self._answers or self._is_asked_for(name):
                continue  # a method that an earlier error kept from being reached stays so
            self._exchange.clear()
            try:
                self._stage(ONE_SITE)
                self._ask(name, params)
            except StopError:
                if name not in self._answers:
                    raise  # not even the stage could be set
                if self._answers[name].standing is Standing.BROKEN:
                    self.close()

    def _closing(self) -> None:
        self._stage(ONE_SITE)
        self._ask("close", Nothing())


def _placement_complaint(told: Any) -> str:
    holders = sorted(map(str, (told.primary, *told.redundant)))
    return said_if(holders != ["A", "B"], "of two members one is primary for a key, and one holds a copy")


def _attributes_complaint(told: Any) -> str:
    found = told.attributes
    if (found.name, found.policy, found.scope) != (REGION.name, REGION.policy, REGION.scope):
        return f"the region was made otherwise: {REGION}"
    return said_if(found.checks is None, "`checks` is null, where the default in force is due")
