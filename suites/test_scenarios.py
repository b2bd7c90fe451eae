"""Every scenario, as an item of its own."""

from __future__ import annotations

import pytest

from plumbline.reference.rulebook.book import Rulebook
from plumbline.suites.plugin import end, remember
from plumbline.suites.scenarios.playing import play
from plumbline.suites.scenarios.registry import SCENARIOS
from plumbline.suites.session import Session


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_scenario(
    name: str, candidate_name: str, candidate_session: Session, pytestconfig: pytest.Config
) -> None:
    """What the document says is what is seen, and the search agrees."""
    result = play(SCENARIOS[name], candidate_session, Rulebook())
    remember(pytestconfig, candidate_name, result)
    end(result.verdict, result.reason)
