"""Every state machine, as an item of its own."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.reference.history import History
from plumbline.reference.verdicts import Verdict
from plumbline.suites.examples import play_plans
from plumbline.suites.machines.registry import MACHINES
from plumbline.suites.plugin import end, on_record, remember
from plumbline.suites.profiles import PROFILES
from plumbline.suites.proof import Proof
from plumbline.suites.results import Result
from plumbline.suites.session import Session


@pytest.mark.parametrize("name", list(MACHINES))
def test_machine(
    name: str, candidate_name: str, candidate_session: Session, pytestconfig: pytest.Config
) -> None:
    """No plan that the machine draws shows what no run of the model shows."""
    machine = MACHINES[name]
    lacking = candidate_session.lacks(machine.needs)
    if lacking:
        pytest.skip(f"{Verdict.UNSUPPORTED}: needs {', '.join(lacking)}")
    owed = [name for name in machine.requirements if candidate_session.owes(name)]
    proof = Proof(owed, candidate_session.book, enough=1)

    def saw(_: str, verdict: Verdict, history: History) -> None:
        if verdict is Verdict.PASS:
            proof.add(history)

    trouble = play_plans(
        machine,
        candidate_session,
        candidate_session.book,
        profile=PROFILES[pytestconfig.getoption("--profile")],
        draw_seed=pytestconfig.getoption("--suite-seed"),
        deadline=None,
        on_record=on_record(pytestconfig, candidate_name),
        saw=saw,
        progress=lambda _: None,
        listens=proof.listens,
    )
    proven = tuple(sorted(requirement for requirement in owed if proof.count(requirement)))
    whole = Result(title=name, verdict=Verdict.PASS, requirements=proven)
    deviating = Result(
        title=name,
        verdict=Verdict.DEVIATION,
        requirements=tuple(known.requirement for known in trouble.deviations),
        reason=trouble.deviating_words,
    )
    remember(pytestconfig, candidate_name, deviating)
    if trouble.failure is not None:
        failure = trouble.failure
        steps = "\n  ".join(("", *failure.plan))
        shown = msgspec.structs.replace(failure, reason=f"{failure.reason}{steps}")
        remember(pytestconfig, candidate_name, shown)
        end(Verdict.FAIL, f"{', '.join(failure.requirements)}: {shown.reason}\n" + "\n".join(failure.seen))
    elif trouble.adapter_errors:
        whole = Result(
            title=name,
            verdict=Verdict.ADAPTER_ERROR,
            requirements=machine.requirements,
            reason=f"{trouble.adapter_errors} examples: {trouble.last_error}",
        )
    elif trouble.lacking and not trouble.played:
        end(Verdict.UNSUPPORTED, trouble.last_error)
    elif trouble.unknown:
        whole = Result(
            title=name,
            verdict=Verdict.UNKNOWN,
            requirements=machine.requirements,
            reason=f"{trouble.unknown} examples were not explained within the budget",
        )
    remember(pytestconfig, candidate_name, whole)
    if trouble.deviations and whole.verdict is Verdict.PASS:
        whole = deviating
    end(whole.verdict, whole.reason)
