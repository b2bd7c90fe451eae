"""Which rules accuse which candidate, from a trace of it alone: no search is asked, and no outcome compared.

Knows what is played so that there is a trace; the rules are those of `plumbline.reference.rules`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterator
from enum import StrEnum
from functools import cache

import msgspec
import pyarrow as pa

from plumbline.adapters.candidates import Candidate
from plumbline.adapters.errors import AdapterError
from plumbline.ci.selftest.generators import one_site, two_sites
from plumbline.reference.history.actions import Do, Inject, Look, PlanStep, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import Client, Operation, OperationKind
from plumbline.reference.history.plans import Plan, with_steps
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rules.judging import as_owed, findings
from plumbline.reference.rules.rule import RuleView, load_rules
from plumbline.reference.trace.rows import rows
from plumbline.reference.trace.schema import TRACE_SCHEMA
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import shown
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.scenario import Scenario

RUN = "run"

UNSEEN = {
    "gives-up": "what it forgets was applied at the other site all the same: only the queue's depth tells",
    "repeats-old-values": "what is sent again ends with the newest value, so that is held in the end",
    "queues-late": "in no example does a member die between the return and the queueing, so nothing is lost",
    "batch-of-one-more": "the reference shows no batches: the rule has no opportunity",
    "tells-no-removals": "no example waits to its limit after its last reading of a copy that is still full",
    "leaves-interest-behind": "what such a registration had loaded goes with it, so nothing is owed",
    "sites-in-a-circle": "clocks are held for equal timestamps, and the rule leaves such examples out",
    "first-of-others-stays": "clocks are held for equal timestamps, and the rule leaves such examples out",
    "resolver-not-told-what-goes": "where no value is told as stored the rule has no opportunity",
    "resolver-told-times-swapped": "a rule knows values and sites, and no clocks",
    "a-version-for-each-operation": "a rule sees no versions, and what is played ends as with one",
    "rollback-leaves-a-version": "as above",
    "promoted-empty": "survivors agree in the end, on nothing: the rule asks whether they agree",
    "spares-whoever-does-not-check": "what is discarded is told to none that checks, and the rule compares",
    "deals-out-by-key-alone": "each key keeps its order, and the rule compares no other",
    "keep-alive-at-primary-only": "rules leave aside examples in which a server of a durable client dies",
    "secondaries-stop-queueing": "as above",
    "crash-noticed-by-secondaries": "as above",
    "replay-skips-last-destroys": "a rule counts puts and creates alone: a destroy may come without a token",
    "replays-destroys-silently": "as above",
    "stored-destroys-applied": "a rule looks for keys that come: a copy that has loaded nothing lacks them",
    "stored-invalidates-applied": "as above",
    "first-values-applied": "as above",
    "values-alone-are-normal": "as above",
    "calls-wait-for-listener": "that a call has returned is noted when the harness asks for it",
    "parallel-removal-empties-bucket": "the copy is looked at while a listener stands, and the rule waits",
    "kept-event-is-answered-ahead": "what is answered ahead arrives in its order all the same",
    "sends-the-removed-again": "what is sent again has been shown before, in its order",
    "records-reversed": "what is only recorded has not returned when the next is called: no order is owed",
}
"""Variants that break what a rule sees from outside, and do not show it in what is played here; and why."""


class Piece(StrEnum):
    """What is played: members alone, sites with gateways between them, or servers with clients."""

    MEMBERS = "members"
    SITES = "sites"
    CLIENTS = "clients"


def _piece_of(scenario: Scenario) -> Piece:
    if scenario.queues:
        return Piece.SITES
    return Piece.CLIENTS if scenario.clients else Piece.MEMBERS


class Accused(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules say of one candidate.

    Attributes:
        candidate: its name.
        examples: how many were recorded.
        judged: the rules seen from outside that had an opportunity.
        violated: those of them that were violated.
        witnesses: for each of these, what was seen first.
        seconds: recording and judging.
    """

    candidate: str
    examples: int
    judged: tuple[str, ...]
    violated: tuple[str, ...]
    witnesses: tuple[str, ...]
    seconds: float


@cache
def seen_from_outside() -> frozenset[str]:
    """The requirements that a rule judges by what the harness asked and was shown."""
    return frozenset(name for name, rule in load_rules().items() if rule.view is RuleView.BLACK_BOX)


def accused(candidate: Candidate, name: str, pieces: Collection[Piece], plans: int, seed: int) -> Accused:
    """Record the scenarios of these pieces and so many drawn plans of each, and ask every rule."""
    began = time.monotonic()
    events = []
    examples = 0
    with Session(candidate) as session:
        dialect = session.dialect
        for example, history in _histories(session, pieces, plans, seed):
            # A rule must not see the search's verdict on an example, so all are recorded as passed.
            events += rows(RUN, example, Source.MACHINE, Verdict.PASS, history)
            examples += 1
    found = [
        as_owed(finding, dialect)
        for finding in findings(pa.Table.from_pylist(events, schema=TRACE_SCHEMA), [RUN])
        if finding.requirement in seen_from_outside()
    ]
    violated = [finding for finding in found if finding.violations]
    first = [finding.witnesses[0] for finding in violated]
    return Accused(
        candidate=name,
        examples=examples,
        judged=tuple(finding.requirement for finding in found if finding.opportunities),
        violated=tuple(finding.requirement for finding in violated),
        witnesses=tuple(f"{one.example}: {one.subject}: {one.witness}" for one in first),
        seconds=round(time.monotonic() - began, 1),
    )


def _histories(
    session: Session, pieces: Collection[Piece], plans: int, seed: int
) -> Iterator[tuple[str, History]]:
    for scenario in SCENARIOS.values():
        if _piece_of(scenario) not in pieces:
            continue
        try:
            history = shown(scenario, session)
        except AdapterError as error:
            # A faulty variant may block for good; the next example opens another.
            session.failed(error)
            session.worked()
            continue
        if history is not None:
            yield scenario.name, history
    for name, plan in (drawn for piece in pieces for drawn in _PLANS[piece](plans, seed)):
        try:
            yield name, play_plan(plan, session).history
        except AdapterError as error:
            session.failed(error)
            session.worked()


def _of_sites(plans: int, seed: int) -> Iterator[tuple[str, Plan]]:
    yield "gets between looks", _gets()
    for number in range(plans):
        draw = random.Random(seed + number)  # noqa: S311 - an example, not a secret
        yield f"plan {number}", two_sites.draw_plan(draw, _shape(seed + number))


def _of_clients(plans: int, seed: int) -> Iterator[tuple[str, Plan]]:
    for number in range(plans):
        draw = random.Random(f"clients {seed + number}")  # noqa: S311 - as above
        yield f"clients {number}", one_site.draw_plan(draw, _shape_of_clients(draw))


def _of_members(plans: int, seed: int) -> Iterator[tuple[str, Plan]]:
    for number in range(plans):
        draw = random.Random(f"members {seed + number}")  # noqa: S311 - as above
        shape = one_site.OneSiteShape(
            operations=draw.choice((6, 9, 12)),
            keys=draw.choice((("x",), ("x", "y"))),
            mixed=draw.choice((0.3, 0.6)),
            settled=draw.choice((0.1, 0.3)),
        )
        yield f"members {number}", one_site.draw_plan(draw, shape)


_PLANS = {Piece.MEMBERS: _of_members, Piece.SITES: _of_sites, Piece.CLIENTS: _of_clients}


def _gets() -> Plan:
    """A paused queue is looked at, a value is read on each member, and it is looked at again."""
    drawn = two_sites.draw_plan(random.Random(0), two_sites.TwoSitesShape(operations=0))  # noqa: S311 - as above
    paused = (Fault(kind=FaultKind.PAUSE, member=member, queue="to 2") for member in "AB")
    put, *gets = (
        Do(
            Operation(
                op_id=number,
                thread=f"{member}{number}",
                member=member,
                region=two_sites.REGION,
                kind=OperationKind.GET if number > 1 else OperationKind.PUT,
                key="x",
                token=None if number > 1 else "v1",
            )
        )
        for number, member in enumerate("AAB", 1)
    )
    steps: list[PlanStep] = [*map(Inject, paused), put, Settle(), Look("to 2"), *gets, Settle(), Look("to 2")]
    return with_steps(drawn, steps)


def _shape(seed: int) -> two_sites.TwoSitesShape:
    """Mostly with a fault; now and then both sites write."""
    draw = random.Random(seed)  # noqa: S311 - as above
    return two_sites.TwoSitesShape(
        operations=8,
        keys=("x", "y"),
        writers=draw.choice((("A", "B"), ("A", "B"), ("A", "B", "C", "D"))),
        mixed=0.4,
        settled=0.2,
        looks=0.2,
        faults=tuple(two_sites.any_fault(draw) for _ in range(draw.choice((0, 1, 1)))),
    )


_OF_CLIENTS = (
    *[(OperationKind.PUT, OperationKind.DESTROY, OperationKind.INVALIDATE)] * 2,
    (OperationKind.PUT, OperationKind.GET, OperationKind.DESTROY),
    (
        OperationKind.CREATE,
        OperationKind.INVALIDATE,
        OperationKind.LOCAL_DESTROY,
        OperationKind.LOCAL_INVALIDATE,
    ),
)
"""Operations of which a plan of clients takes some besides puts."""


def _shape_of_clients(draw: random.Random) -> one_site.OneSiteShape:
    """Mostly one call after the other: nothing is owed where calls overlap. Sometimes a server is killed."""
    shape = one_site.OneSiteShape(
        operations=draw.choice((6, 9, 12)),
        keys=draw.choice((("x",), ("x", "y"), ("x", "y"))),
        checks=draw.choice((None, False)),
        mixed=draw.choice((0.0, 0.3, 0.6)),
        others=draw.choice(_OF_CLIENTS),
        started=draw.choice((0.0, 0.0, 0.3)),
        parked=draw.choice((0.0, 0.1)),
        settled=draw.choice((0.3, 0.6)),
        registers=draw.random() < 0.4,
        interests=draw.choice((0.2, 0.4)),
    )
    checks = draw.choice((None, False, False))
    if draw.random() < 0.5:
        clients = tuple(
            Client(name=name, servers=(server,), checks=checks)
            for name, server in zip("KL", "BC", strict=True)
        )
        return msgspec.structs.replace(shape, clients=clients)
    spares = draw.choice((0, 0, 1, 1, 2))
    client = Client(name="K", servers=("B", "C", "D"), redundancy=spares, checks=checks)
    dying = draw.choice((("B",), ("B",), ("B", "C")))
    return msgspec.structs.replace(shape, members=4, clients=(client,), dying=dying)
