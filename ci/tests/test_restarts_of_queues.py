"""The machine of queues whose members start again: right systems pass, and it finds each mistake alone."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.tests.further_cases import one_in
from plumbline.ci.tests.smoke_plays import played
from plumbline.suites.harness.session import Session


@pytest.mark.parametrize("candidate", ["reference", "reference:chaotic"])
def test_a_right_system_is_not_accused(candidate: str):
    with Session(find_candidate(candidate)) as session:
        assert played("gateway_restarts", session).failure is None


@pytest.mark.parametrize(
    ("variant", "requirement"),
    one_in(
        4,
        [
            ("waits-for-good", "SER-PRIMARY-04"),
            ("never-on-disk", "GWQ-PERSIST-01"),
            ("always-on-disk", "GWQ-OVERFLOW-03"),
            ("written-late", "GWQ-PERSIST-01"),
            ("resumes-behind-the-oldest", "GWQ-PERSIST-02"),
            ("recovers-the-last-first", "GWQ-PERSIST-02"),
            ("replaces-the-recovered", "GWQ-PERSIST-03"),
            ("drops-beyond-memory", "GWQ-OVERFLOW-01"),
            ("oldest-makes-room", "GWQ-OVERFLOW-01"),
            ("disk-mixes-values", "GWQ-OVERFLOW-02"),
            ("disk-reads-last-first", "GWQ-OVERFLOW-02"),
        ],
    ),
)
def test_the_machine_alone_catches_each_mistake_about_disks(variant: str, requirement: str):
    with Session(find_candidate(f"faulty:{variant}")) as session:
        trouble = played("gateway_restarts", session)
    assert trouble.failure is not None
    assert trouble.failure.finding is not None
    assert requirement in trouble.failure.finding.requirements
