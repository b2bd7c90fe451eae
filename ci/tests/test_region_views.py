"""Views of a region: its size, its sets and queries leave tombstones out, and are read in quiescence."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import Count, Do, Park, PlanStep
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import StatisticRead
from plumbline.reference.history.operations import (
    HostPolicy,
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Site,
    Topology,
)
from plumbline.reference.history.plan_needs import needs
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.views import QUERIES, VIEWS, RegionViews, name_of, view_of
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

REGION = "region"
ONE = Topology((Site(1, ("A", "B")),))
WHOLE, LESSER = (
    RegionAttributes(name=REGION),
    RegionAttributes(name=REGION, policies=(HostPolicy("B", RegionPolicy.EMPTY),)),
)


def call(op_id: int, member: str, kind: OperationKind, key: str) -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=kind,
        key=key,
        token=f"v{op_id}",
    )


PUTS = tuple(call(op_id, "A", OperationKind.PUT, key) for op_id, key in enumerate("xyz", 1))
GONE = call(4, "B", OperationKind.DESTROY, "y")
READS = tuple(Count("B", name_of(view, REGION)) for view in (*VIEWS, *QUERIES))


def plan_of(*steps: PlanStep, region: RegionAttributes = WHOLE) -> Plan:
    return Plan(ONE, (region,), steps)


def played(plan: Plan, adapter: Callable[[], Adapter] = ReferenceAdapter) -> History:
    kind = find_candidate("reference").kind
    with Session(Candidate(name="views", kind=kind, in_process=True, open=adapter)) as session:
        return play_plan(plan, session).history


def sizes(history: History) -> list[int]:
    return [what.delta for what in history.timeline if isinstance(what, StatisticRead) and view_of(what.name)]


class Miscounts(ReferenceAdapter):
    """The reference, whose size is one too many."""

    def views(self, member: str, region: str) -> RegionViews:
        right = super().views(member, region)
        return msgspec.structs.replace(right, size=right.size + 1)


class FindsMore(ReferenceAdapter):
    """The reference, whose queries find a key that is not there."""

    def queries(self, member: str, region: str) -> RegionViews:
        right = super().queries(member, region)
        return msgspec.structs.replace(right, keys=(*right.keys, "another"))


class NamesTwice(ReferenceAdapter):
    """The reference, whose key set has a key twice."""

    def views(self, member: str, region: str) -> RegionViews:
        return msgspec.structs.replace(super().views(member, region), keys=("x", "x"))


@pytest.mark.parametrize(
    ("adapter", "answer"),
    [(ReferenceAdapter, Answer.EXPLAINED), (Miscounts, Answer.REFUTED), (FindsMore, Answer.REFUTED)],
)
def test_a_size_is_judged_by_what_the_member_holds(adapter: Callable[[], Adapter], answer: Answer):
    history = played(plan_of(*map(Do, (*PUTS, GONE)), *READS), adapter)
    assert sizes(history)[1:4] == [2, 2, 2]
    assert find(history, Rulebook()).answer is answer


def test_no_view_is_read_while_a_call_stands_in_a_listener():
    assert sizes(played(plan_of(Park(PUTS[0], "A"), *READS))) == []


def test_a_set_that_names_a_key_twice_is_an_error_of_the_adapter():
    adapter = CheckedAdapter(NamesTwice())
    adapter.deploy(ONE)
    adapter.reset((WHOLE,))
    with pytest.raises(AdapterError, match="names the key 'x' twice"):
        adapter.views("A", REGION)


def test_views_are_judged_where_each_member_is_a_replicate():
    assert not unmodelled(plan_of(*READS))
    assert unmodelled(plan_of(*READS, region=LESSER))


@pytest.mark.parametrize("name", ["size", "size of ", "tombstoneCount", "weight of region"])
def test_other_statistics_are_no_views(name: str):
    assert view_of(name) is None


@pytest.mark.parametrize(
    ("views", "needed"), [(VIEWS, Capability.REGION_VIEWS), (QUERIES, Capability.QUERIES)]
)
def test_sets_and_queries_are_offered_each_by_itself(views: tuple[str, ...], needed: Capability):
    for view in views:
        assert needed in needs(plan_of(Count("B", name_of(view, REGION))))
