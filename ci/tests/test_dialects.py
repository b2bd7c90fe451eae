"""Histories on which the dialects part: one explains what another refutes, and names the requirement."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.checks.kills import UNHURRIED_MS
from plumbline.ci.selftest.generators import one_site
from plumbline.ci.selftest.generators.two_sites import REGION, TOPOLOGY, run_on_reference
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.oracle import find
from plumbline.reference.explain.question import ask
from plumbline.reference.history.actions import Do, Inject, PlanStep, Script, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultBegun
from plumbline.reference.history.operations import (
    Client,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rulebook.dialects import MODELLED
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session

UNANSWERED = Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2)
MENDED = msgspec.structs.replace(UNANSWERED, kind=FaultKind.LINK_UP)


def put(op_id: int, key: str) -> Do:
    return Do(
        Operation(
            op_id=op_id,
            thread=f"A{op_id}",
            member="A",
            region=REGION,
            kind=OperationKind.PUT,
            key=key,
            token=f"v{op_id}",
        )
    )


def behind_an_unanswered_batch(dialect: Dialect) -> History:
    """Two puts, each a batch, the second of them while no answer to the first comes; on a reference."""
    return on_reference(
        dialect, Inject(UNANSWERED), put(1, "x"), Settle(), put(2, "y"), Settle(), Inject(MENDED), Settle()
    )


PAUSED = Fault(kind=FaultKind.PAUSE, member="A", queue="to 2")
RESUMED = msgspec.structs.replace(PAUSED, kind=FaultKind.RESUME)


def refused_and_then_accepted(dialect: Dialect) -> History:
    """A writer of site 2 refuses a put of a sender that keeps what fails, and accepts it later."""
    refuses, accepts = (
        tuple(Script(member, REGION, keys) for member in TOPOLOGY.sites[1].members) for keys in (("x",), ())
    )
    return on_reference(dialect, *refuses, put(1, "x"), Settle(), *accepts, Settle(), keeps=True)


def on_reference(dialect: Dialect, *steps: PlanStep, seed: int | None = None, keeps: bool = False) -> History:
    """The steps, on two sites whose senders put one event into a batch."""
    plan = Plan(
        TOPOLOGY,
        (RegionAttributes(name=REGION, senders=("to 2", "to 1")),),
        steps,
        (
            QueueAttributes(id="to 2", site=1, remote_site=2, batch_size=1, remove_on_exception=not keeps),
            QueueAttributes(id="to 1", site=2, remote_site=1, batch_size=1),
        ),
    )
    return run_on_reference(plan, book=rulebook_of(dialect), seed=seed)


def invalidated_by_a_client(dialect: Dialect) -> History:
    """A client invalidates what its server holds; on a reference."""
    held = Operation(
        op_id=1,
        thread="A1",
        member="A",
        region=REGION,
        kind=OperationKind.PUT,
        key="x",
        token="v1",  # noqa: S106
    )
    gone = msgspec.structs.replace(
        held,
        op_id=2,
        thread="K2",
        member="K",
        kind=OperationKind.INVALIDATE,
        token="v2",  # noqa: S106
    )
    clients = (Client(name="K", servers=("B",)),)
    plan = Plan(
        Topology((Site(1, ("A", "B")),)),
        (RegionAttributes(name=REGION),),
        (Do(held), Settle(), Do(gone), Settle()),
        clients=clients,
    )
    shape = one_site.OneSiteShape(operations=2, clients=clients)
    return one_site.run_on_reference(plan, shape, book=rulebook_of(dialect))


HISTORIES = {
    "sends_while_unanswered": behind_an_unanswered_batch,
    "forwards_invalidates": invalidated_by_a_client,
    "retries_kept": refused_and_then_accepted,
}
"""For each decision that parts the dialects, a history of it as a dialect makes it."""


def test_there_is_a_history_for_each_decision_that_parts_the_dialects():
    assert HISTORIES.keys() == MODELLED.keys()


@pytest.mark.parametrize("decision", MODELLED)
@pytest.mark.parametrize("judging", Dialect)
@pytest.mark.parametrize("shown_by", Dialect)
def test_what_a_dialect_shows_is_refuted_by_those_that_do_not_allow_it(
    decision: str, judging: Dialect, shown_by: Dialect
):
    history = HISTORIES[decision](shown_by)
    point = MODELLED[decision]
    finding = find(history, rulebook_of(judging), naming_ms=UNHURRIED_MS)
    question = ask(history, rulebook_of(judging))
    assert judge(question.system, question.logs).answer is finding.answer
    # A member that may send at will may also wait: the newer document allows what the older demands.
    allowed = point.saying(judging) is point.saying(shown_by) or (
        point.saying(shown_by) is point.earlier and decision == "sends_while_unanswered"
    )
    assert finding.answer is (Answer.EXPLAINED if allowed else Answer.REFUTED)
    if not allowed:
        assert decision in finding.decisions
        assert set(point.saying(judging).requirements) <= set(finding.requirements)


@pytest.mark.parametrize("seed", [None, *range(8)])
def test_whoever_need_not_wait_for_answers_sends_no_batch_either_while_it_is_paused(seed: int | None):
    history = on_reference(
        Dialect.GEODE,
        *(Inject(UNANSWERED), put(1, "x"), Settle(), Inject(PAUSED), put(2, "y"), Settle()),
        *(Inject(RESUMED), Settle(), Inject(MENDED), Settle()),
        seed=seed,
    )
    resumed = next(
        at
        for at, what in enumerate(history.timeline)
        if isinstance(what, FaultBegun) and what.fault == RESUMED
    )
    sent = [shown for member in "CD" for shown in history.logs[member] if shown.event.key == "y"]
    assert sent
    assert all(shown.before > resumed for shown in sent)
    assert find(history, rulebook_of(Dialect.GEODE)).answer is Answer.EXPLAINED


@pytest.mark.parametrize(
    ("name", "dialect"),
    [("reference", "geode"), ("reference:gemfire6", "gemfire6"), ("reference:chaotic:gemfire8", "gemfire8")],
)
def test_a_candidate_is_judged_by_the_dialect_that_it_introduces_itself_with(name: str, dialect: str):
    with Session(find_candidate(name)) as session:
        assert session.introduction.dialect == session.dialect == dialect
        assert session.book == rulebook_of(Dialect(dialect))
    with Session(find_candidate(name), "gemfire6") as session:
        assert session.book == rulebook_of(Dialect.GEMFIRE6)
