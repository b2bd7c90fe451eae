"""What a region does itself on one member: entries that expire by a local action, or are evicted."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.selftest.generators.random_trials import draw_trial
from plumbline.ci.selftest.soundness.comparison import compare
from plumbline.reference.explain.oracle import find
from plumbline.reference.explain.projection import project
from plumbline.reference.history.actions import Do, PlanStep, Read
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, Returned
from plumbline.reference.history.operations import (
    LOCAL_ACTIONS,
    NAMELESS,
    Content,
    HostPolicy,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.plan_mistakes import mistakes
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

REGION = "region"
ONE = Topology((Site(1, ("A", "B")),))
LESS = RegionAttributes(name=REGION, policies=(HostPolicy("B", RegionPolicy.NORMAL),))
DESTROY, INVALIDATE, EVICT = (
    OperationKind.EXPIRE_LOCAL_DESTROY,
    OperationKind.EXPIRE_LOCAL_INVALIDATE,
    OperationKind.EVICT,
)


def call(op_id: int, member: str, kind: OperationKind, key: str = "") -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=kind,
        key=key,
        token=None if kind in NAMELESS else f"v{op_id}",
    )


PUTS = tuple(Do(call(op_id, "B", OperationKind.PUT, key)) for op_id, key in enumerate("xy", 1))
READS = (Read("A", REGION), Read("B", REGION))


def plan_of(*steps: PlanStep) -> Plan:
    return Plan(ONE, (LESS,), steps)


def played(plan: Plan, adapter: Callable[[], Adapter] = ReferenceAdapter) -> History:
    kind = find_candidate("reference").kind
    with Session(Candidate(name="acts", kind=kind, in_process=True, open=adapter)) as session:
        return play_plan(plan, session).history


class Names(ReferenceAdapter):
    """The reference, which names another entry than it has evicted."""

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        told = super().finish(op_id, timeout_ms)
        return msgspec.structs.replace(told, value="y") if told and told.value == "x" else told


class Shares(ReferenceAdapter):
    """The reference, which has another member lose what one has evicted."""

    evicted = ""

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        told = super().finish(op_id, timeout_ms)
        self.evicted = told.value if told and told.value else self.evicted
        return told

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        return tuple(one for one in super().contents(member, region) or () if one.key != self.evicted)


@pytest.mark.parametrize(
    ("adapter", "answer"),
    [(ReferenceAdapter, Answer.EXPLAINED), (Names, Answer.REFUTED), (Shares, Answer.REFUTED)],
)
def test_an_eviction_is_judged_by_the_entry_that_it_names(adapter: Callable[[], Adapter], answer: Answer):
    history = played(plan_of(*PUTS, Do(call(3, "B", EVICT)), *READS), adapter)
    assert find(history, Rulebook()).answer is answer


def test_the_history_names_what_was_evicted_and_its_outcome_no_more():
    history = played(plan_of(*PUTS, Do(call(3, "B", EVICT)), *READS))
    evictions = [what.operation.key for what in history.timeline if isinstance(what, Called)][2:]
    assert evictions == ["x"]
    assert [what.outcome for what in history.timeline if isinstance(what, Returned)][2] == Outcome(Status.OK)


def test_an_eviction_where_nothing_is_ends_absent():
    history = played(plan_of(Do(call(1, "B", EVICT))))
    assert [what.outcome.status for what in history.timeline if isinstance(what, Returned)] == [Status.ABSENT]
    assert find(history, Rulebook()).answer is Answer.EXPLAINED


@pytest.mark.parametrize(("kind", "left"), [(DESTROY, ()), (INVALIDATE, (Content("x", None),))])
def test_what_expires_on_one_member_stays_with_the_others(kind: OperationKind, left: tuple[Content, ...]):
    adapter = ReferenceAdapter()
    adapter.deploy(ONE)
    adapter.reset((LESS,))
    for operation in (PUTS[0].operation, call(2, "B", kind, "x")):
        adapter.begin(operation)
        assert adapter.finish(operation.op_id, 0) == Outcome(Status.OK)
    assert adapter.contents("B", REGION) == left
    assert adapter.contents("A", REGION) == (Content("x", "v1"),)


def test_an_eviction_that_says_no_key_is_an_error_of_the_adapter():
    class Silent(ReferenceAdapter):
        def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
            told = super().finish(op_id, timeout_ms)
            return told and msgspec.structs.replace(told, value=None)

    adapter = CheckedAdapter(Silent())
    adapter.deploy(ONE)
    adapter.reset((LESS,))
    adapter.begin(PUTS[0].operation)
    adapter.begin(call(2, "B", EVICT))
    with pytest.raises(AdapterError, match="gives None back for evict that ended ok"):
        adapter.finish(2, 0)


def test_a_plan_names_no_entry_to_evict():
    assert not mistakes(plan_of(*PUTS, Do(call(3, "B", EVICT))))
    assert "chooses" in " ".join(mistakes(plan_of(*PUTS, Do(call(3, "B", EVICT, "x")))))


def test_an_eviction_of_which_nobody_told_the_entry_cannot_be_judged():
    history = played(plan_of(*PUTS, Do(call(3, "B", EVICT))))
    lost = tuple(
        msgspec.structs.replace(what, operation=call(3, "B", EVICT))
        if isinstance(what, Called) and what.operation.op_id == 3
        else msgspec.structs.replace(what, outcome=Outcome(Status.INDEFINITE))
        if isinstance(what, Returned) and what.op_id == 3
        else what
        for what in history.timeline
    )
    assert not unmodelled(history)
    assert unmodelled(msgspec.structs.replace(history, timeline=lost)) == [
        "an eviction that may have taken any entry"
    ]


def test_a_history_without_an_eviction_is_without_its_event_too():
    history = played(plan_of(*PUTS, Do(call(3, "B", EVICT)), *READS))
    part = project(history, {2})
    assert part is not None
    assert {shown.event.key for log in part.logs.values() for shown in log} == {"y"}


@pytest.mark.parametrize("seed", range(60))
def test_search_and_judge_agree_on_examples_with_local_actions(seed: int):
    trial = draw_trial(seed, actions=True)
    assert not compare(trial).disagree


def test_examples_have_all_of_them():
    called = {
        what.operation.kind
        for seed in range(60)
        for what in draw_trial(seed, actions=True).history.timeline
        if isinstance(what, Called)
    }
    assert called >= LOCAL_ACTIONS
