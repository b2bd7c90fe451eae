"""Every scenario, as an item of its own."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.reference.verdicts import MEANING, Verdict
from plumbline.suites.plugin import end, on_record, remember
from plumbline.suites.scenarios.playing import play
from plumbline.suites.scenarios.registry import SCENARIOS
from plumbline.suites.session import Session


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_scenario(
    name: str, candidate_name: str, candidate_session: Session, pytestconfig: pytest.Config
) -> None:
    """What the document says is what is seen, and the search agrees."""
    scenario = SCENARIOS[name]
    if not any(candidate_session.owes(requirement) for requirement in scenario.requirements):
        end(Verdict.UNSUPPORTED, f"not owed in the dialect {candidate_session.dialect}")
    known = on_record(pytestconfig, candidate_name)
    result = play(scenario, candidate_session, candidate_session.book, on_record=known)
    verdicts = []
    for requirement in result.requirements:
        verdict, reason = known.excused(requirement, result.verdict, result.reason, followed=False)
        about = msgspec.structs.replace(result, requirements=(requirement,), verdict=verdict, reason=reason)
        remember(pytestconfig, candidate_name, about)
        verdicts.append((verdict, reason))
    end(*max(verdicts, key=lambda told: MEANING[told[0]].rank))
