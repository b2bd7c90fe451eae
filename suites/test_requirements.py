"""Every requirement of the catalogue, as an item whose outcome is the merged verdict of all the others."""

from __future__ import annotations

from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.pytest_plugin.plugin import end


def test_requirement(requirement_id: str, requirement_verdict: tuple[Verdict, str]) -> None:
    """What scenarios and machines have found about the requirement."""
    end(*requirement_verdict, (requirement_id,))
