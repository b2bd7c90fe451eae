"""Runs send to an adapter just the requests that the page states."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.protocol import (
    METHODS,
    Begin,
    ClientStart,
    CreateQueue,
    GateParams,
    InterestParams,
    Link,
    Reset,
)
from plumbline.adapters.refusals import UNCALLED
from plumbline.adapters.scene import Scene
from plumbline.adapters.sent import VALUES, forms
from plumbline.ci.selftest.checks.requests import Requests, recorded
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Client,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.playing import shown
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

REMEDY = (
    "adapters/sent.py states what is sent: mend it where it is behind, and "
    "run `python -m plumbline.adapters.protocol_schema`"
)
DIALECTS = ("reference", "reference:gemfire6", "reference:gemfire8")
EACH = (8, 20)
MORE = {
    "client_pipeline": (15, 100),
    "lesser_members": (150, 2),
    "mixtures": (20, 20),
    "replicated_regions": (90, 2),
    "registrations_under_way": (150, 10),
    "worlds": (120, 8),
}
"""Plans of a round and rules of a plan, by machine: more where regions, or registrations, vary most."""
SENDERS = {
    "begin": ("worlds", "mixtures"),
    "begin_interest": ("registrations_under_way",),
    "create_queue": ("mixtures",),
    "interest": ("client_pipeline", "worlds"),
    "reset.regions": ("lesser_members", "replicated_regions"),
}
"""The machines that send a method in most of its forms. Any other method is sent by all machines of MORE."""
ROUNDS = 20
"""So many rounds of MORE are drawn, or fewer: the last is that in which a form is sent at last."""

V = "v"
K = Client(name="K", servers=("A",))
SCENE = Scene(topology=Topology((Site(1, ("A", "B")),)), clients={"K": K}, transacting={"transacts"})


@pytest.fixture(scope="module")
def requests() -> Requests:
    """What all scenarios send to the reference, and a round of each machine."""
    noted = Requests()
    _play_scenarios(DIALECTS[0], noted)
    with Session(recorded(find_candidate(DIALECTS[0], seed=1), noted)) as session:
        _draw(session, dict.fromkeys(MACHINES, EACH), 1)
    return noted


@pytest.fixture(scope="module")
def all_requests(requests: Requests) -> Requests:
    """The same, what scenarios send to the reference of other dialects, and more rounds of some machines."""
    for dialect in DIALECTS[1:]:
        _play_scenarios(dialect, requests)
    with Session(recorded(find_candidate(DIALECTS[0], seed=1), requests)) as session:
        _draw_until_all_is_sent(session, requests)
    return requests


def _play_scenarios(dialect: str, noted: Requests) -> None:
    with Session(recorded(find_candidate(dialect, seed=1), noted)) as session:
        for scenario in SCENARIOS.values():
            if any(map(session.owes, scenario.requirements)):
                assert shown(scenario, session) is not None, scenario.name


def _draw_until_all_is_sent(session: Session, noted: Requests) -> None:
    for draw_seed in range(1, ROUNDS + 1):
        missing = {form.split()[0].rstrip(":") for form in noted.never_sent(forms())}
        if not missing:
            return
        senders = {machine for method in missing for machine in SENDERS.get(method, tuple(MORE))}
        _draw(session, {machine: MORE[machine] for machine in MORE if machine in senders}, draw_seed)


def _draw(session: Session, amounts: dict[str, tuple[int, int]], draw_seed: int) -> None:
    def execute(plan: Plan) -> None:
        play_plan(plan, session)

    for machine, (examples, steps) in amounts.items():
        drive(
            MACHINES[machine],
            execute,
            offers=frozenset(session.introduction.capabilities),
            examples=examples,
            steps=steps,
            draw_seed=draw_seed,
            shrink=False,
        )


@pytest.mark.slow
def test_the_page_states_all_that_is_sent(requests: Requests):
    assert requests.beyond_the_page(forms()) == [], REMEDY


@pytest.mark.slow
@pytest.mark.thorough
def test_all_that_the_page_states_is_sent(all_requests: Requests):
    sent = all_requests
    assert (sent.beyond_the_page(forms()), sent.never_sent(forms())) == ([], []), REMEDY


def without(method: str, part: str) -> frozenset[tuple[str, frozenset[str]]]:
    return frozenset((of, given) for of, given in forms() if of != method or part not in given)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "part", "said"),
    [
        ("arm", "member=client", "arm: member=client"),
        ("begin", "kind=replace", "begin: key kind=replace member=client token"),
        ("create_queue", "order_policy=thread", "create_queue: dispatchers order_policy=thread remote_site"),
        ("interest", "kind=regex", "interest: kind=regex policy=none specification"),
    ],
)
def test_what_is_taken_off_the_page_is_found(requests: Requests, method: str, part: str, said: str):
    assert said in requests.beyond_the_page(without(method, part))


@pytest.mark.slow
def test_a_range_that_the_page_has_too_narrow_or_too_wide_is_found(requests: Requests):
    narrow = {**VALUES, "create_queue batch_size": "1 to 3"}
    wide = {**VALUES, "create_queue batch_size": "1 to 13"}
    assert requests.beyond_the_page(forms(), narrow) == ["create_queue batch_size: 12"]
    assert "create_queue batch_size: 13" in requests.never_sent(forms(), wide)
    assert "create_queue batch_size: 12" not in requests.never_sent(forms())


def test_the_page_has_each_method_that_is_called():
    called = METHODS.keys() - UNCALLED - {"close"}
    assert {record.split()[0].split(".")[0] for record, _ in forms()} == called


def operation(kind: OperationKind, member: str, **more: Any) -> Begin:
    fields = {"op_id": 1, "thread": "t", "region": "r", **more}
    return Begin(operation=Operation(member=member, kind=kind, **fields))


def queue(**more: Any) -> CreateQueue:
    return CreateQueue(queue=QueueAttributes(id="to 2", site=1, remote_site=2, **more))


UNSTATED: dict[str, msgspec.Struct] = {
    "begin: key kind=get member=client token": operation(OperationKind.GET, "K", key="k", token=V),
    "begin key: letters beyond ASCII": operation(OperationKind.GET, "A", key="\u00e9"),
    "begin: key kind=put member=client token transaction": operation(
        OperationKind.PUT, "K", key="k", token=V, thread="transacts"
    ),
    "create_queue: conflate=true dispatchers remote_site": queue(conflate=True, dispatchers=2),
    "create_queue: batch_interval_ms dispatchers remote_site": queue(dispatchers=2, batch_interval_ms=60_000),
    "create_queue batch_size: 101": queue(batch_size=101),
    "interest: durable=true receive_values=false": InterestParams(
        interest=Interest(client="K", region="r", durable=True, receive_values=False)
    ),
    "link: source=client state=down target=member": Link(source="K", target="A", state="down"),
    "link: source=site state=hold target=site": Link(source="1", target="2", state="hold"),
    "reset.regions: checks=true senders": Reset(
        regions=(RegionAttributes(name="r", senders=("to 2", "to 3"), checks=True),)
    ),
    "start_client: durable_id tracking_timeout_ms": ClientStart(
        client=Client(name="K", servers=("A",), durable_id="d", tracking_timeout_ms=1000)
    ),
}
"""Requests that the page would have to state, were they sent."""

METHOD_OF = {method.params: name for name, method in METHODS.items() if name not in UNCALLED}


@pytest.mark.parametrize("said", UNSTATED)
def test_what_the_page_does_not_state_is_found(said: str):
    requests = Requests()
    params = UNSTATED[said]
    requests.add(METHOD_OF[type(params)], params, SCENE)
    assert said in requests.beyond_the_page(forms())


def test_a_gate_for_a_kind_that_the_page_does_not_name_there_is_found():
    requests = Requests()
    requests.add("arm", GateParams(gate=Gate("K", 1)), SCENE)
    requests.add("begin", operation(OperationKind.CLEAR, "A", token=V), SCENE)
    assert requests.beyond_the_page(forms()) == [
        "begin at a gate: at=client callback=listener kind=clear member=member"
    ]
