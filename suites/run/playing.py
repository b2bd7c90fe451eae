"""Plays a scenario on a candidate, and has the same example explained.

Two judges that know nothing of each other: the outcome written down in the scenario, and the search. They
must agree; where they do not, the reason says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import msgspec

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.reference.explain.fault_localization import NAMING_MS
from plumbline.reference.explain.oracle import Finding, find
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import RegionAttributes, Site, Topology
from plumbline.reference.history.plans import Plan, with_steps
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.results.deviations import words
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.restless import EndlessError
from plumbline.suites.harness.session import Session
from plumbline.suites.run.known_deviations import NOTHING, KnownDeviations
from plumbline.suites.run.results import Result
from plumbline.suites.run.words import Sentences, finding_words
from plumbline.suites.scenarios import buckets, listening, sites
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.listening import Listening
from plumbline.suites.scenarios.mesh import Mesh
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.parallel import ParallelStage, parallel_region
from plumbline.suites.scenarios.parted_sites import PartedSites, parted_region
from plumbline.suites.scenarios.scenario import Scenario
from plumbline.suites.scenarios.sites import Sites
from plumbline.suites.scenarios.stage import Stage

BUDGET = Budget(states=100_000, time_ms=20_000)


def play(
    scenario: Scenario,
    session: Session,
    book: Rulebook,
    naming_ms: int = NAMING_MS,
    on_record: KnownDeviations = NOTHING,
) -> Result:
    """Play one scenario; never raises for what a candidate or its adapter does.

    Args:
        scenario: what to play.
        session: the candidate.
        book: what is right.
        naming_ms: how long to look for the requirement that a failure breaks, besides those of the scenario.
        on_record: the deviations on record; what it takes one of them to explain is a deviation.
    """
    started = time.monotonic()
    try:
        result = session.watching(lambda: _play(scenario, session, book, naming_ms))
        result = _deviating(result, book, on_record)
    except AdapterError as error:
        session.failed(error)
        result = _result(scenario, Verdict.ADAPTER_ERROR, _with_last_words(error))
    except UnsupportedError as error:
        result = _result(scenario, Verdict.UNSUPPORTED, str(error))
    return msgspec.structs.replace(result, seconds=time.monotonic() - started)


def play_often(
    scenario: Scenario,
    session: Session,
    book: Rulebook,
    replays: int,
    on_record: KnownDeviations = NOTHING,
    until: Callable[[], bool] = lambda: False,
) -> tuple[Result, int, int]:
    """Play one scenario, and again where it fails, until the time is over.

    Gives what it showed first, how often it failed, and how often it was played for that. An error of
    Plumbline's own is told in the result; one in a replay leaves what was seen before.
    """
    failed, tried = 0, 0
    first: Result | None = None
    while first is None or (first.verdict is Verdict.FAIL and tried <= replays and not until()):
        try:
            naming_ms = NAMING_MS if first is None else 0
            result = play(scenario, session, book, naming_ms, on_record)
        except Exception as error:  # noqa: BLE001 - what adapters raise is told by `play`: this is ours
            session.close()
            own = OwnError.of(f"the scenario {scenario.name}", error)
            result = msgspec.structs.replace(_result(scenario, Verdict.UNKNOWN, own.words), own_error=own)
        first = first or result
        if first is not result and result.own_error is not None:
            break
        failed, tried = failed + (result.verdict is Verdict.FAIL), tried + 1
    return first, failed, tried


def _play(scenario: Scenario, session: Session, book: Rulebook, naming_ms: int) -> Result:
    lacking = session.lacks(scenario.needs)
    if lacking:
        return _result(scenario, Verdict.UNSUPPORTED, f"needs {', '.join(lacking)}")
    if scenario.clocks and session.introduction.clock_error_ms is None:
        reason = "the candidate does not declare how far the clocks of its sites differ (clock_error_ms)"
        return _result(scenario, Verdict.UNSUPPORTED, reason)
    stage = _stage(scenario, session)
    if stage is None:
        return _result(scenario, Verdict.UNSUPPORTED, "the candidate does not tell the order of member ids")
    driver = stage.driver
    mismatch: MismatchError | None = None
    hangs: AdapterError | None = None
    try:
        try:
            scenario.play(stage)
        except MismatchError as error:
            mismatch = error
            stage.mend()
        _wind_up(stage)
        session.worked()
    except AdapterError as error:
        waited_in_vain = mismatch is not None and isinstance(error.__cause__, MismatchError)
        if not waited_in_vain and not isinstance(error, EndlessError):
            raise
        # An observation that never came may hang for good. It is judged if it is wrong without the end, too.
        hangs = error
        session.close()
    history = driver.history()
    if beyond := unmodelled(history):
        return _result(scenario, Verdict.UNSUPPORTED, f"has {', '.join(beyond)}, which is not judged so far")
    finding = find(history, book, BUDGET, naming_ms)
    if hangs is not None and finding.answer is not Answer.REFUTED:
        raise hangs
    return _judged(scenario, stage, driver, mismatch, finding)


def shown(scenario: Scenario, session: Session) -> History | None:
    """The unjudged history of a scenario on a candidate; None where it cannot be played there.

    Raises AdapterError.
    """
    if session.lacks(scenario.needs):
        return None
    stage = _stage(scenario, session)
    if stage is None:
        return None
    try:
        scenario.play(stage)
    except MismatchError:
        stage.mend()
    except UnsupportedError:
        return None
    _wind_up(stage)
    session.worked()
    return stage.driver.history()


def _stage(scenario: Scenario, session: Session) -> Stage | None:
    """The stage of the scenario; None where it needs an order of member ids that is not told."""
    if scenario.listens and scenario.redundancy is not None:
        topology = listening.topology(scenario.members)
        region = parallel_region(scenario.queues, scenario.redundancy)
        driver, order = session.begin(topology, (region,), queues=scenario.queues)
        return ParallelStage(driver, order or topology.members, scenario.queues)
    if scenario.listens:
        there = any(queue.remote_site is not None for queue in scenario.queues)
        topology = listening.topology(scenario.members - 2 * there, there=there)
        driver, order = session.begin(
            topology,
            listening.regions(scenario.queues, scenario.scope, scenario.checks, scenario.also),
            queues=scenario.queues,
        )
        return Listening(driver, order or topology.members, scenario.queues)
    if scenario.queues and scenario.redundancy is not None:
        topology = sites.topology(scenario.members - 2)
        parted = partial(parted_region, topology, scenario.queues, scenario.redundancy)
        regions = tuple(parted(name) for name in (REGION, *scenario.also))
        driver, order = session.begin(topology, regions, queues=scenario.queues)
        return PartedSites(driver, order or topology.members, scenario.queues)
    if scenario.queues:
        sited = scenario.sited
        topology = sites.topology(scenario.members - 2) if sited is None else sited.topology
        driver, order = session.begin(
            topology,
            sites.regions(scenario.queues, scenario.scope, scenario.checks, scenario.also),
            queues=scenario.queues,
            clients=scenario.clients,
            tombstones=scenario.tombstones,
            resolver=scenario.resolver,
        )
        return (Sites if sited is None else Mesh)(driver, order or topology.members, scenario.queues)
    regions = tuple(
        RegionAttributes(name=name, scope=scenario.scope, checks=checks, policies=scenario.policies)
        for name, checks in (
            (REGION, scenario.checks),
            *((other, scenario.also_checks) for other in scenario.also),
        )
    )
    kind: type[Stage] = Stage
    if scenario.redundancy is not None:
        regions, kind = (buckets.region(scenario.redundancy), *regions[1:]), BucketStage
    topology = Topology((Site(1, tuple("ABCD"[: scenario.members])),))
    driver, order = session.begin(
        topology,
        regions,
        clients=scenario.clients,
        registers=scenario.registers,
        tombstones=scenario.tombstones,
    )
    return None if order is None else kind(driver, order)


def _deviating(result: Result, book: Rulebook, on_record: KnownDeviations) -> Result:
    """The result; a deviation if the model shows what was seen once it decides as the product does."""
    # Where the model shows it as it is, scenario and model disagree, and no record excuses that.
    if result.history is None or result.finding is None or result.finding.answer is not Answer.REFUTED:
        return result
    needed = on_record.needed(result.history, book, BUDGET)
    if not needed:
        return result
    return msgspec.structs.replace(result, verdict=Verdict.DEVIATION, reason=words(needed))


def _wind_up(stage: Stage) -> None:
    """End the example in order, so that nothing is left under way and the search sees the whole of it."""
    try:
        stage.settle()
        stage.look()
    except MismatchError as error:
        # An operation that never returns cannot be waited for; the adapter has to be opened afresh.
        raise AdapterError(f"the example did not end in order: {error}") from error


def _judged(
    scenario: Scenario, stage: Stage, driver: Driver, mismatch: MismatchError | None, finding: Finding
) -> Result:
    expected: Sentences = ()
    seen: Sentences = ()
    history = driver.history()
    blamed = mismatch.blames if mismatch else ()
    # No decision explains it: the observation has priority over the scenario's subject.
    unlike = finding.requirements[:1] if finding.sight and not (finding.decisions or blamed) else ()
    if mismatch is not None:
        verdict = Verdict.FAIL
        expected, seen = (mismatch.expected,), (mismatch.seen,)
        reason = str(mismatch)
        if finding.answer is Answer.EXPLAINED:
            reason += " (although the model has a run that shows this)"
    elif finding.answer is Answer.REFUTED:
        verdict = Verdict.FAIL
        expected, seen = finding_words(finding)
        first = finding.sight or (seen[0] if seen else "see the example")
        reason = f"the written expectation holds, but no correct run shows this: {first}"
    elif finding.answer is Answer.UNKNOWN:
        verdict = Verdict.UNKNOWN
        reason = (
            f"the written expectation holds, but the search found no correct run in {finding.states} states"
        )
    else:
        verdict, reason = Verdict.PASS, ""
    return Result(
        title=scenario.name,
        verdict=verdict,
        requirements=tuple(dict.fromkeys((*unlike, *(blamed or scenario.requirements)))),
        reason=reason,
        expected=expected,
        seen=seen,
        plan=tuple(stage.done),
        played=with_steps(
            Plan(
                driver.topology,
                history.regions,
                (),
                history.queues,
                history.clients,
                history.registers,
                history.tombstones,
                history.resolver,
            ),
            stage.steps,
        ),
        history=history,
        finding=finding,
    )


def _result(scenario: Scenario, verdict: Verdict, reason: str) -> Result:
    return Result(title=scenario.name, verdict=verdict, requirements=scenario.requirements, reason=reason)


def _with_last_words(error: AdapterError) -> str:
    words = error.last_words.strip()
    return f"{error}; last words: {words[-300:]}" if words else str(error)
