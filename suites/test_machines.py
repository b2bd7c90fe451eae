"""Every state machine, as an item of its own."""

from __future__ import annotations

import pytest

from plumbline.reference.history.history import History
from plumbline.reference.results.totals import merged, reasons
from plumbline.reference.results.verdicts import Source, Verdict, merge
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.pytest_plugin.findings import ItemFinding
from plumbline.suites.pytest_plugin.plugin import end, keep, keep_failure, on_record
from plumbline.suites.run.clause_coverage import MOST_OF_A_MACHINE
from plumbline.suites.run.machine_run import MachineRun, take
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.rows import failures, of_machine, unplayed


@pytest.mark.parametrize("name", list(MACHINES))
def test_machine(
    name: str, candidate_name: str, candidate_session: Session, pytestconfig: pytest.Config
) -> None:
    """No plan that the machine draws shows what no run of the model shows."""
    machine = MACHINES[name]
    lacking = candidate_session.lacks(machine.needs)
    owed = tuple(name for name in machine.requirements if candidate_session.owes(name))
    if lacking:
        rows = [unplayed("", requirement, Source.MACHINE, lacking) for requirement in owed]
        keep(
            pytestconfig, candidate_name, ItemFinding(candidate=candidate_name, title=name, rows=tuple(rows))
        )
        end(Verdict.UNSUPPORTED, f"needs {', '.join(lacking)}")
    turn = MachineRun(
        machine=name,
        wanted=owed,
        profile=PROFILES[pytestconfig.getoption("--profile")],
        seed=pytestconfig.getoption("--suite-seed"),
    )
    right: list[tuple[str, History]] = []

    def saw(example: str, verdict: Verdict, history: History) -> None:
        if verdict is Verdict.PASS and len(right) < MOST_OF_A_MACHINE:
            right.append((example, history))

    taken = take(
        turn,
        candidate_session,
        on_record(pytestconfig, candidate_name),
        saw=saw,
        progress=lambda *_: None,
    )
    kept = [
        keep_failure(pytestconfig, candidate_name, judged, Source.MACHINE, number)
        for number, judged in enumerate(failures(taken), 1)
    ]
    files = tuple(file for file, _ in kept)
    offered = candidate_session.introduction.capabilities
    rows = list(of_machine("", owed, taken, offered=offered, counterexamples=files))
    first = next(iter(files), "")
    finding = ItemFinding(
        candidate=candidate_name,
        title=name,
        rows=tuple(rows),
        check=taken.check,
        counterexample=first,
        right=tuple(right),
    )
    keep(pytestconfig, candidate_name, finding)
    verdict = merge(merged(rows).values())
    told = filter(None, ["; ".join(reasons(rows, verdict)), *(words for _, words in kept)])
    end(verdict, "\n\n".join(told), [row.requirement for row in rows if row.verdict is verdict])
