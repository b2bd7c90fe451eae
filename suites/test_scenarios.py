"""Every scenario, as an item of its own."""

from __future__ import annotations

import pytest

from plumbline.reference.results.deciding import decide
from plumbline.reference.results.runs import Check
from plumbline.reference.results.totals import merged, reasons
from plumbline.reference.results.verdicts import FAILED, Source, Verdict, merge
from plumbline.suites.harness.session import Session
from plumbline.suites.pytest_plugin.findings import ItemFinding
from plumbline.suites.pytest_plugin.plugin import end, keep, keep_failure, on_record
from plumbline.suites.run.machine_run import Stopwatch
from plumbline.suites.run.playing import play_often
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.rows import CountedResult, of_scenario, tally_of
from plumbline.suites.scenarios.all_scenarios import SCENARIOS


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_scenario(
    name: str, candidate_name: str, candidate_session: Session, pytestconfig: pytest.Config
) -> None:
    """What the document says is what is seen, and the search agrees."""
    scenario = SCENARIOS[name]
    if not any(candidate_session.owes(requirement) for requirement in scenario.requirements):
        end(Verdict.UNSUPPORTED, f"not owed in the dialect {candidate_session.dialect}")
    known = on_record(pytestconfig, candidate_name)
    replays = PROFILES[pytestconfig.getoption("--profile")].replays
    clock = Stopwatch()
    judged = CountedResult(*play_often(scenario, candidate_session, candidate_session.book, replays, known))
    told = ""
    if judged.result.verdict in FAILED and judged.result.history is not None:
        file, told = keep_failure(pytestconfig, candidate_name, judged, Source.SCENARIO)
        judged = judged._replace(counterexample=file)
    rows = [row for row in of_scenario("", judged, known) if candidate_session.owes(row.requirement)]
    history, decided = judged.result.history, decide(tally_of(judged)).verdict
    check = Check(name=name, examples=int(history is not None), seconds=clock.seconds, own_s=clock.own_s)
    finding = ItemFinding(
        candidate=candidate_name,
        title=name,
        rows=tuple(rows),
        check=check,
        counterexample=judged.counterexample,
        right=((name, history),) if history is not None and decided is Verdict.PASS else (),
    )
    keep(pytestconfig, candidate_name, finding)
    verdict = merge(merged(rows).values())
    about = [row.requirement for row in rows if row.verdict is verdict]
    end(verdict, "\n\n".join(filter(None, ["; ".join(reasons(rows, verdict)), told])), about)
