"""Every requirement of the catalogue, as an item whose outcome is the merged verdict of all the others."""

from __future__ import annotations

import pytest

from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.verdicts import Verdict
from plumbline.suites.plugin import end, merged
from plumbline.suites.session import Session


def test_requirement(
    requirement_id: str, candidate_name: str, candidate_session: Session, pytestconfig: pytest.Config
) -> None:
    """What scenarios and machines have found about the requirement."""
    lacking = candidate_session.lacks(catalogue()[requirement_id].capabilities)
    verdict, reason = merged(pytestconfig, candidate_name, requirement_id)
    if lacking and verdict is Verdict.NOT_EXERCISED:
        verdict, reason = Verdict.UNSUPPORTED, f"needs {', '.join(lacking)}"
    end(verdict, reason)
