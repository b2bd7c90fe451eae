"""Operations on many keys: each entry is judged as an operation of its own, in any order, under one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.protocol import Observed
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.explain.oracle import find
from plumbline.reference.explain.question import ask
from plumbline.reference.history.actions import Await, Do, Inject, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.bulk import BULK, singly, with_tied
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, Returned, Waited
from plumbline.reference.history.operations import (
    BulkEntry,
    Client,
    HostPolicy,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.plan_mistakes import mistakes
from plumbline.reference.history.plans import Plan, plan_words, restricted
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.sites import queues, regions, topology

REGION = "region"
ONE = Topology((Site(1, ("A", "B", "C")),))
REPLICATED = (RegionAttributes(name=REGION),)
PARTITIONED = (RegionAttributes(name=REGION, policy=RegionPolicy.PARTITION, redundancy=1),)
LESSER = (RegionAttributes(name=REGION, policies=(HostPolicy("A", RegionPolicy.EMPTY),)),)
CLIENTS = (Client(name="K", servers=("B",)),)
TO_EACH = queues(100)
LISTENED = QueueAttributes(id="listened", site=1)


def bulk(op_id: int, member: str, kind: OperationKind, *keys: str) -> Operation:
    entries = tuple(
        BulkEntry(op_id=op_id + place, key=key, token=f"v{op_id + place}")
        for place, key in enumerate(keys, 1)
    )
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=kind,
        token=f"v{op_id}",
        entries=entries,
    )


def put(op_id: int, member: str, key: str) -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=OperationKind.PUT,
        key=key,
        token=f"v{op_id}",
    )


PUT_ALL = bulk(10, "A", OperationKind.PUT_ALL, "x", "y")
REMOVE_ALL = bulk(20, "B", OperationKind.REMOVE_ALL, "x", "nothing")


class OneArgument(ReferenceAdapter):
    """The reference, telling one callback argument of all keys that a call removes, as Apache Geode does."""

    def begin(self, operation: Operation) -> None:
        self._alike = getattr(self, "_alike", {})
        if operation.kind is OperationKind.REMOVE_ALL:
            self._alike |= {entry.token: operation.token for entry in operation.entries}
        super().begin(operation)

    def observe(self, since: int) -> Observed:
        told = super().observe(since)
        alike = getattr(self, "_alike", {})

        def as_told(one: Any) -> Any:
            return msgspec.structs.replace(one, token=alike.get(one.token, one.token))

        calls = (
            msgspec.structs.replace(call, events=tuple(map(as_told, call.events))) for call in told.calls
        )
        return msgspec.structs.replace(told, events=tuple(map(as_told, told.events)), calls=tuple(calls))


class NeverReturns(ReferenceAdapter):
    """The reference, but no operation on many keys returns."""

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        ended = super().finish(op_id, timeout_ms)
        return None if op_id == PUT_ALL.op_id else ended


class SaysAbsent(ReferenceAdapter):
    """The reference, but it tells of single keys how an operation on many ended."""

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        ended = super().finish(op_id, timeout_ms)
        return ended and msgspec.structs.replace(ended, status=Status.ABSENT)


def candidate(adapter: Callable[[], Adapter]) -> Candidate:
    return Candidate(name="bulk", kind=find_candidate("reference").kind, in_process=True, open=adapter)


def played(plan: Plan, adapter: Callable[[], Adapter] = ReferenceAdapter) -> History:
    with Session(candidate(adapter)) as session:
        return play_plan(plan, session).history


def of_one_site(*steps: PlanStep, regions: tuple[RegionAttributes, ...] = REPLICATED, **more: object) -> Plan:
    return Plan(ONE, regions, steps, **more)  # type: ignore[arg-type]


PLANS = {
    "replicates": of_one_site(Do(PUT_ALL), Do(REMOVE_ALL), Settle()),
    "beside puts": of_one_site(Start(put(1, "C", "x")), Start(PUT_ALL), Start(REMOVE_ALL), Settle()),
    "behind a gate": of_one_site(Park(put(1, "B", "x"), "B"), Start(PUT_ALL), Do(put(2, "C", "y")), Settle()),
    "buckets": of_one_site(Start(PUT_ALL), Start(REMOVE_ALL), Settle(), regions=PARTITIONED),
    "an empty member": of_one_site(Do(PUT_ALL), Do(REMOVE_ALL), Settle(), regions=LESSER),
    "to clients": of_one_site(Do(PUT_ALL), Do(REMOVE_ALL), Settle(), clients=CLIENTS),
    "of a client": of_one_site(
        Do(bulk(10, "K", OperationKind.PUT_ALL, "x", "y")),
        Do(bulk(20, "K", OperationKind.REMOVE_ALL, "x", "nothing")),
        Settle(),
        clients=CLIENTS,
    ),
    "a member dies": of_one_site(
        Start(PUT_ALL), Inject(Fault(kind=FaultKind.CRASH, member="A")), Do(REMOVE_ALL), Settle()
    ),
    "to the listener of a queue": of_one_site(
        Do(PUT_ALL),
        Do(REMOVE_ALL),
        Settle(),
        regions=(RegionAttributes(name=REGION, queues=(LISTENED.id,)),),
        queues=(LISTENED,),
    ),
    "sites": Plan(
        topology(2), regions(TO_EACH, REPLICATED[0].scope, None), (Do(PUT_ALL), Do(REMOVE_ALL)), TO_EACH
    ),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
@pytest.mark.parametrize("adapter", [ReferenceAdapter, OneArgument], ids=["tokens", "one argument"])
def test_what_the_reference_does_is_explained(plan: Plan, adapter: Callable[[], ReferenceAdapter]):
    assert find(played(plan, adapter), Rulebook()).answer is Answer.EXPLAINED


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
@pytest.mark.parametrize("seed", range(6))
def test_so_is_what_it_does_in_any_order_and_the_judge_agrees(plan: Plan, seed: int):
    history = played(plan, lambda: ReferenceAdapter(chaotic=True, seed=seed))
    assert find(history, Rulebook()).answer is Answer.EXPLAINED
    if len(plan.topology.sites) == 1 and not plan.clients:
        question = ask(history, Rulebook())
        judged = judge(question.system, question.logs, Budget(states=20_000))
        assert judged.answer is not Answer.REFUTED


def test_the_entries_are_called_and_answered_one_by_one():
    history = played(PLANS["replicates"])
    called = [(what.operation, what.share) for what in history.timeline if isinstance(what, Called)]
    assert [one for one, _ in called] == [*singly(PUT_ALL), *singly(REMOVE_ALL)]
    assert [(share.op_id, share.place, share.of) for _, share in called if share] == [
        (10, 1, 2),
        (10, 2, 2),
        (20, 1, 2),
        (20, 2, 2),
    ]
    assert len({one.thread for one, _ in called[:2]}) == 2
    returned = [what.outcome.status for what in history.timeline if isinstance(what, Returned)]
    assert returned == [Status.OK] * 4


def without(history: History, member: str, key: str) -> History:
    log = tuple(shown for shown in history.logs[member] if shown.event.key != key)
    return msgspec.structs.replace(history, logs={**history.logs, member: log})


@pytest.mark.parametrize("key", ["x", "y"])
def test_an_entry_that_a_member_is_not_told_of_is_missed(key: str):
    history = played(of_one_site(Do(PUT_ALL), Settle()))
    assert find(without(history, "B", key), Rulebook()).answer is Answer.REFUTED


def told_last(history: History, member: str, told: str) -> History:
    """The history in which the listener of a member is told of something last."""
    log = sorted(history.logs[member], key=lambda shown: shown.event.token == told)
    return msgspec.structs.replace(history, logs={**history.logs, member: tuple(log)})


@pytest.mark.parametrize(("member", "answer"), [("A", Answer.EXPLAINED), ("B", Answer.REFUTED)])
def test_only_the_caller_may_tell_of_an_entry_when_it_has_been_replaced_already(member: str, answer: Answer):
    later = put(1, "C", "x")
    plan = of_one_site(Park(later, "C"), Start(PUT_ALL), Await(11, "B"), Release(1, "C"), Settle())
    history = told_last(played(plan), member, PUT_ALL.entries[0].token)
    assert [shown.event.token for shown in history.logs[member] if shown.event.key == "x"] == ["v1", "v11"]
    assert find(history, Rulebook()).answer is answer


def test_a_removal_that_happened_nowhere_is_missed():
    history = played(of_one_site(Do(PUT_ALL), Do(REMOVE_ALL), Settle()))
    removal = REMOVE_ALL.entries[0].token
    kept = {
        member: tuple(shown for shown in log if shown.event.token != removal)
        for member, log in history.logs.items()
    }
    assert find(msgspec.structs.replace(history, logs=kept), Rulebook()).answer is Answer.REFUTED


def test_a_call_that_never_returns_is_refuted():
    plan = of_one_site(Start(PUT_ALL), Settle())
    with Session(candidate(NeverReturns)) as session:
        history = play_plan(plan, session).history
    assert any(isinstance(what, Waited) and what.op_id == PUT_ALL.op_id for what in history.timeline)
    assert find(history, Rulebook()).answer is Answer.REFUTED


def test_how_single_keys_fared_is_no_outcome():
    with pytest.raises(AdapterError, match="tells nothing of single keys"):
        played(of_one_site(Do(PUT_ALL)), lambda: CheckedAdapter(SaysAbsent()))


def test_a_plan_is_made_smaller_entry_by_entry():
    plan = of_one_site(Do(put(1, "A", "x")), Do(PUT_ALL), Settle(), Do(REMOVE_ALL))
    (called,) = restricted(plan, {12}).steps
    assert isinstance(called, Do)
    assert called.operation.entries == PUT_ALL.entries[1:]


def test_the_words_of_a_step_name_each_key_with_its_value():
    words, _ = plan_words(of_one_site(Do(PUT_ALL), Settle(), Do(REMOVE_ALL)))[0:2]
    assert words == "A (A10): put_all x v11, y v12 (operation 10), and wait for it"


WRONG: dict[str, list[PlanStep]] = {
    "put_all of 0 entries": [Do(msgspec.structs.replace(PUT_ALL, entries=()))],
    "put of 2 entries": [Do(msgspec.structs.replace(PUT_ALL, kind=OperationKind.PUT))],
    "an operation on many keys is parked nowhere": [Park(PUT_ALL, "A")],
    "a key twice": [Do(bulk(10, "A", OperationKind.PUT_ALL, "x", "x"))],
    "operation 11 once more": [Do(put(11, "A", "x")), Do(PUT_ALL)],
}


@pytest.mark.parametrize("words", WRONG)
def test_a_plan_from_elsewhere_is_looked_through(words: str):
    assert any(words in wrong for wrong in mistakes(of_one_site(*WRONG[words])))
    assert mistakes(PLANS["replicates"]) == []


def test_what_holds_one_entry_up_may_hold_up_the_others_anywhere():
    held = frozenset({("B", "x")})
    assert with_tied(held, [("x", "y"), ("z",)], ("A", "B")) == {
        ("B", "x"),
        *((holder, key) for holder in ("A", "B") for key in ("x", "y")),
    }
    assert with_tied(held, [("z",)], ("A", "B")) == held


def test_every_kind_has_a_single_one():
    assert {*BULK} == {OperationKind.PUT_ALL, OperationKind.REMOVE_ALL}
