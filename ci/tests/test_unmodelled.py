"""What the model does not follow is refused, or stays undecided: it neither passes nor accuses."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis.stateful import rule

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import (
    Do,
    Inject,
    Join,
    Leave,
    Park,
    Release,
    Script,
    ScriptQueue,
    Settle,
)
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.join_actions import BeginJoin
from plumbline.reference.history.join_moments import JoinBegun
from plumbline.reference.history.moments import FaultBegun, Moment, Settled
from plumbline.reference.history.operations import (
    BulkEntry,
    Client,
    HostPolicy,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import BeginRegistration, Register
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.results.runs import Counterexample
from plumbline.reference.results.verdicts import Source
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.machines.drawing import PlanMachine
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import play_plans
from plumbline.suites.run.playing import shown
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.replaying import CannotReplayError, Judge, play_plan, replay
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

TWO = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))
ONE = Topology((Site(1, ("A", "B")),))
SENDER = QueueAttributes(id="to 2", site=1, remote_site=2)
PARALLEL = QueueAttributes(id="listens", site=1, parallel=True)
REGION = RegionAttributes(name="r", senders=("to 2",))
VALUE = "v1"
PUT = Operation(op_id=1, thread="A1", member="A", region="r", kind=OperationKind.PUT, key="x", token=VALUE)
REPLACES_EQUAL = msgspec.structs.replace(PUT, kind=OperationKind.REPLACE_IF_EQUAL, expected="v0")
PUT_ALL = msgspec.structs.replace(
    PUT,
    op_id=10,
    kind=OperationKind.PUT_ALL,
    key="",
    entries=tuple(BulkEntry(op_id=at, key=key, token=f"v{at}") for at, key in ((11, "x"), (12, "y"))),
)
BEGINS = msgspec.structs.replace(PUT, op_id=9, kind=OperationKind.TX_BEGIN, key="", token=None)
ENDS = msgspec.structs.replace(BEGINS, op_id=8, kind=OperationKind.TX_COMMIT)
EXPIRES = msgspec.structs.replace(PUT, op_id=7, kind=OperationKind.EXPIRE_DESTROY, token=None)
PARTITIONED = RegionAttributes(name="r", policy=RegionPolicy.PARTITION)
CLIENT = Client(name="K", servers=("A",))
TAKES = (Leave("B", "r"), BeginJoin("B", "r", held=True))
CRASH = Inject(Fault(kind=FaultKind.CRASH, member="B"))
STARTS = (CRASH, Settle(), BeginJoin("B", "r", again=True))
WANTED = Interest(client="K", region="r")


def between_sites(**attributes: object) -> Plan:
    """A put that crosses to the other site by a sender with these attributes."""
    queue = msgspec.structs.replace(SENDER, **attributes)
    return Plan(TWO, (REGION,), (Do(PUT), Settle()), (queue,))


def of_one_site(region: RegionAttributes) -> Plan:
    return Plan(ONE, (region,), (Do(PUT), Settle()))


def with_client(client: Client, interest: Interest | None = None) -> Plan:
    registers = () if interest is None else (Register(interest),)
    region = RegionAttributes(name="r")
    return Plan(ONE, (region,), (*registers, Do(PUT), Settle()), clients=(client,))


BEYOND = {
    "conflates on disk": between_sites(conflate=True, persistent=True),
    "conflates in parallel": between_sites(conflate=True, parallel=True),
    "conflates and listens": between_sites(conflate=True, remote_site=None),
    "conflates and overflows": between_sites(conflate=True, maximum_memory_mb=1),
    "is parallel": between_sites(parallel=True),
    "is asynchronous and parallel": between_sites(remote_site=None, parallel=True),
    "is asynchronous and has several dispatchers": between_sites(remote_site=None, dispatchers=2),
    "orders as nobody knows": between_sites(order_policy="colour"),
    "is partitioned and feeds an asynchronous queue": of_one_site(
        msgspec.structs.replace(PARTITIONED, queues=("q",))
    ),
    "is local": of_one_site(RegionAttributes(name="r", policy=RegionPolicy.LOCAL)),
    "is partitioned and does not check": of_one_site(msgspec.structs.replace(PARTITIONED, checks=False)),
    "is partitioned and does not wait": of_one_site(msgspec.structs.replace(PARTITIONED, scope=Scope.NO_ACK)),
    "is partitioned in parts": of_one_site(
        msgspec.structs.replace(PARTITIONED, policies=(HostPolicy("B", RegionPolicy.EMPTY),))
    ),
    "is partitioned and sends": Plan(
        TWO, (msgspec.structs.replace(PARTITIONED, senders=("to 2",)),), (Do(PUT), Settle()), (SENDER,)
    ),
    "keeps less between sites": Plan(
        TWO,
        (msgspec.structs.replace(REGION, policies=(HostPolicy("B", RegionPolicy.EMPTY),)),),
        (Do(PUT), Settle()),
        (SENDER,),
    ),
    "is durable and not subscribed": with_client(
        msgspec.structs.replace(CLIENT, durable_id="d", subscription=False)
    ),
    "conflates and is not subscribed": with_client(
        msgspec.structs.replace(CLIENT, conflate=True, subscription=False)
    ),
    "conflates and forgets": with_client(
        msgspec.structs.replace(CLIENT, conflate=True, tracking_timeout_ms=1000)
    ),
    "is of interest by query": with_client(CLIENT, Interest(client="K", region="r", kind="query")),
    "begins registered without a subscription": with_client(
        msgspec.structs.replace(CLIENT, subscription=False)
    ),
    "replaces what is equal where a member keeps less": Plan(
        ONE,
        (RegionAttributes(name="r", policies=(HostPolicy("B", RegionPolicy.EMPTY),)),),
        (Do(REPLACES_EQUAL), Settle()),
    ),
    "replaces what is equal in a transaction": Plan(
        ONE,
        (RegionAttributes(name="r"),),
        (Do(BEGINS), Do(REPLACES_EQUAL)),
    ),
    "replaces what is equal by a client": Plan(
        ONE,
        (RegionAttributes(name="r"),),
        (Do(msgspec.structs.replace(REPLACES_EQUAL, member=CLIENT.name)), Settle()),
        clients=(CLIENT,),
    ),
    "begins a transaction beside a client": Plan(
        ONE, (RegionAttributes(name="r"),), (Do(BEGINS), Do(PUT), Do(ENDS)), clients=(CLIENT,)
    ),
    "expires beside a client": Plan(
        ONE, (RegionAttributes(name="r"),), (Do(PUT), Do(EXPIRES), Settle()), clients=(CLIENT,)
    ),
    "begins a transaction on a partitioned region": Plan(
        ONE, (PARTITIONED,), (Do(BEGINS), Do(PUT), Do(ENDS))
    ),
    "expires in a partitioned region, for the whole of it": Plan(
        ONE, (PARTITIONED,), (Do(msgspec.structs.replace(EXPIRES, kind=OperationKind.INVALIDATE_REGION)),)
    ),
    "destroys as a client in a partitioned region": Plan(
        ONE,
        (PARTITIONED,),
        (Do(msgspec.structs.replace(PUT, member="K", kind=OperationKind.DESTROY)),),
        clients=(CLIENT,),
    ),
    "has a client of two servers of a partitioned region": Plan(
        ONE,
        (PARTITIONED,),
        (Do(PUT),),
        clients=(msgspec.structs.replace(CLIENT, servers=("A", "B"), redundancy=1),),
    ),
    "begins to register beside a region that goes": Plan(
        ONE,
        (RegionAttributes(name="r"),),
        (BeginRegistration(WANTED, 3), Do(msgspec.structs.replace(PUT, kind=OperationKind.CLEAR, key=""))),
        clients=(CLIENT,),
    ),
    "begins to register between sites": Plan(
        TWO, (REGION,), (BeginRegistration(WANTED, 3), Do(PUT)), (SENDER,), clients=(CLIENT,)
    ),
    "begins to register for buckets": Plan(
        ONE, (PARTITIONED,), (BeginRegistration(WANTED, 3), Do(PUT)), clients=(CLIENT,)
    ),
    "gives up a copy between sites": Plan(
        TWO, (REGION,), (Do(PUT), Leave("B", "r"), Join("B", "r"), Settle()), (SENDER,)
    ),
    "gives up a copy on a server": Plan(
        ONE, (RegionAttributes(name="r"),), (Do(PUT), Leave("A", "r"), Settle()), clients=(CLIENT,)
    ),
    "takes a copy beside all else between sites": Plan(TWO, (REGION,), (*TAKES, Do(PUT)), (SENDER,)),
    "starts again beside all else and a client": Plan(
        ONE, (RegionAttributes(name="r"),), (*STARTS, Do(PUT)), clients=(CLIENT,)
    ),
    "starts again beside all else and an asynchronous queue": Plan(
        TWO,
        (msgspec.structs.replace(REGION, senders=(), queues=("to 2",)),),
        (*STARTS, Do(PUT)),
        (msgspec.structs.replace(SENDER, remote_site=None),),
    ),
    "takes buckets beside all else": Plan(ONE, (PARTITIONED,), (*TAKES, Do(PUT))),
    "takes a copy beside a clear": Plan(
        ONE,
        (RegionAttributes(name="r"),),
        (*TAKES, Do(msgspec.structs.replace(PUT, kind=OperationKind.CLEAR, key=""))),
    ),
    "takes a copy where an update is held on its way": Plan(
        ONE, (RegionAttributes(name="r"),), (*TAKES, Park(PUT, "B"))
    ),
    "takes a copy while time leaps": Plan(
        ONE, (RegionAttributes(name="r"),), (*TAKES, Inject(Fault(kind=FaultKind.HOLD_TIME)), Do(PUT))
    ),
    "takes a copy of what is destroyed": Plan(
        ONE,
        (RegionAttributes(name="r"),),
        (
            Leave("B", "r"),
            Do(msgspec.structs.replace(ENDS, kind=OperationKind.DESTROY_REGION, token=VALUE)),
            Join("B", "r"),
        ),
    ),
    "expires in a partitioned region": Plan(ONE, (PARTITIONED,), (Do(PUT), Do(EXPIRES), Settle())),
    "gives up buckets": Plan(ONE, (PARTITIONED,), (Do(PUT), Leave("B", "r"), Settle())),
    "puts all where a writer refuses": Plan(
        ONE, (RegionAttributes(name="r"),), (Script("A", "r", ("x",)), Do(PUT_ALL), Settle())
    ),
    "puts all in a transaction": Plan(
        ONE,
        (RegionAttributes(name="r"),),
        (
            Do(msgspec.structs.replace(PUT, op_id=9, kind=OperationKind.TX_BEGIN, key="", token=None)),
            Do(PUT_ALL),
        ),
    ),
    "holds what arrives in a writer": Plan(
        TWO, (REGION,), (Park(PUT, "C", "writer"), Release(PUT.op_id, "C", "writer"), Settle()), (SENDER,)
    ),
    "restarts without the disk of a queue": Plan(
        TWO,
        (REGION,),
        (Do(PUT), Inject(Fault(kind=FaultKind.RESTART, member="B")), Settle()),
        (msgspec.structs.replace(SENDER, persistent=True),),
    ),
    "restarts with queues while time is held": Plan(
        TWO,
        (REGION,),
        (
            Inject(Fault(kind=FaultKind.HOLD_TIME)),
            Do(PUT),
            Inject(Fault(kind=FaultKind.RECOVER, member="B")),
        ),
        (SENDER,),
    ),
    "restarts a member with buckets from its disk": Plan(
        ONE, (PARTITIONED,), (Do(PUT), Inject(Fault(kind=FaultKind.RECOVER, member="B")), Settle())
    ),
    "restarts a member whose listener was told what to answer": Plan(
        ONE,
        (msgspec.structs.replace(PARTITIONED, queues=(PARALLEL.id,)),),
        (
            ScriptQueue("B", PARALLEL.id, ("false",)),
            Inject(Fault(kind=FaultKind.RESTART, member="B")),
            Settle(),
        ),
        (PARALLEL,),
    ),
    "calls while no member holds the queue": Plan(
        TWO,
        (REGION,),
        (
            Inject(Fault(kind=FaultKind.CRASH, member="B")),
            Inject(Fault(kind=FaultKind.CRASH, member="A")),
            Inject(Fault(kind=FaultKind.RECOVER, member="A")),
            Do(PUT),
        ),
        (SENDER,),
    ),
}


@pytest.fixture(scope="module")
def history() -> History:
    with Session(find_candidate("reference")) as session:
        return play_plan(between_sites(), session).history


def example_of(plan: Plan, history: History) -> Counterexample:
    return Counterexample(
        requirements=(),
        candidate="some",
        product_version="1",
        suite_version="1",
        seed=0,
        source=Source.MACHINE,
        title="t",
        expected=(),
        seen=(),
        plan=(),
        history=history,
        played=plan,
    )


@pytest.mark.parametrize("plan", BEYOND.values(), ids=BEYOND.keys())
def test_a_plan_that_is_not_modelled_is_refused(plan: Plan, history: History):
    assert unmodelled(plan) != []
    example = example_of(plan, msgspec.structs.replace(history, member_order=None))
    with Session(find_candidate("reference")) as session:
        judge = Judge(session.book)
        with pytest.raises(CannotReplayError, match="does not judge so far"):
            replay(example, session, judge, 1)


@pytest.mark.parametrize("conflates", [False, True])
def test_a_history_of_a_queue_that_conflates_on_disk_is_never_judged(history: History, conflates: bool):
    """Site 2 tells of nothing: that is wrong of a queue that does not conflate."""
    queues = tuple(
        msgspec.structs.replace(queue, conflate=conflates, persistent=True) for queue in history.queues
    )
    silent = msgspec.structs.replace(history, queues=queues, logs={**history.logs, "C": ()})
    with Session(find_candidate("reference")) as session:
        finding = find(silent, session.book)
    assert finding.answer is (Answer.UNKNOWN if conflates else Answer.REFUTED)
    assert bool(finding.requirements) is not conflates


def test_a_writer_where_nothing_of_another_site_arrives_is_judged():
    script = Script(member="A", region="r", refuses=("x",))
    assert unmodelled(Plan(TWO, (REGION,), (script, Do(PUT), Settle()), (SENDER,))) == []


class _Unmodelled(PlanMachine):
    """Draws plans with a queue that conflates on disk."""

    @rule()
    def call(self) -> None:
        """One put."""
        self.steps = [Do(PUT), Settle()]

    def plan(self) -> Plan:
        """The plan so far."""
        return between_sites(conflate=True, persistent=True)


def test_a_drawn_plan_that_is_not_modelled_is_unsupported():
    machine = msgspec.structs.replace(MACHINES["gateway_order"], draws=_Unmodelled)
    with Session(find_candidate("reference")) as session:
        trouble = play_plans(
            machine,
            session,
            session.book,
            profile=PROFILES["smoke"],
            draw_seed=1,
            deadline=None,
            on_record=NOTHING,
            saw=lambda *_: None,
            progress=lambda _: None,
        )
    assert trouble.lacking
    assert (trouble.played, trouble.unknown) == (0, 0)
    assert "queues that conflate" in trouble.last_error


def test_what_shows_nowhere_is_judged():
    """Disk and memory of a queue, as no member with queues starts again."""
    for plan in (between_sites(persistent=True, maximum_memory_mb=1), between_sites(dispatchers=3)):
        assert unmodelled(plan) == []


def test_a_member_with_a_serial_sender_starts_again_beside_all_else():
    assert unmodelled(Plan(TWO, (REGION,), (*STARTS, Do(PUT)), (SENDER,))) == []


@pytest.mark.parametrize(
    ("between", "behind", "words"),
    [
        ((), (), "the start of a member behind its death, before all has settled"),
        ((Settled(),), ("B",), "deaths behind the start of a member, before all has settled"),
        ((Settled(),), ("A",), "deaths behind the start of a member, before all has settled"),
    ],
)
def test_between_a_death_and_a_start_all_comes_to_rest(
    history: History, between: tuple[Moment, ...], behind: tuple[str, ...], words: str
):
    starts = Fault(kind=FaultKind.RESTART, member="B", meanwhile=True)
    deaths = (FaultBegun(3, Fault(kind=FaultKind.CRASH, member=member)) for member in behind)
    timeline = (
        FaultBegun(1, Fault(kind=FaultKind.CRASH, member="B")),
        *between,
        FaultBegun(2, starts),
        JoinBegun("B", "r"),
        *deaths,
    )
    seen = msgspec.structs.replace(
        history, topology=TWO, regions=(REGION,), queues=(SENDER,), timeline=timeline
    )
    assert words in unmodelled(seen)


def test_the_suite_plays_nothing_that_is_not_modelled():
    for machine in MACHINES.values():
        plans: list[Plan] = []
        drive(
            machine,
            plans.append,
            offers=frozenset(Capability),
            examples=5,
            steps=8,
            draw_seed=2,
            shrink=False,
        )
        assert [words for plan in plans for words in unmodelled(plan)] == [], machine.name


@pytest.mark.slow
def test_no_scenario_shows_what_is_not_modelled():
    with Session(find_candidate("reference")) as session:
        for name, scenario in SCENARIOS.items():
            seen = shown(scenario, session)
            assert seen is None or unmodelled(seen) == [], name


def test_a_file_of_the_kind_is_refused_by_name(history: History, tmp_path: Path):
    file = tmp_path / "example.json"
    file.write_bytes(msgspec.json.encode(example_of(BEYOND["conflates on disk"], history)))
    read = msgspec.json.decode(file.read_bytes(), type=Counterexample)
    assert read.played is not None
    assert unmodelled(read.played) == [
        "queues that conflate and have listeners, are parallel, or are on disk"
    ]
