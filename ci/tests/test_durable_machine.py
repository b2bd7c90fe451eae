"""The machine of durable clients: right systems pass, and it alone finds mistakes of many kinds."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators.drawn_plans import play_drawn
from plumbline.ci.tests.smoke_plays import played
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.harness.session import Session


@pytest.mark.parametrize("candidate", ["reference", "reference:chaotic"])
def test_a_right_system_is_not_accused(candidate: str):
    with Session(find_candidate(candidate)) as session:
        outcomes = played("durable_clients", session)
    assert (outcomes.failure, outcomes.unknown) == (None, 0)


def test_versions_are_not_counted_anew_while_servers_keep_events_with_the_old_ones():
    """Where they were, one of these plans was refuted: the client seemed to discard what it has applied."""
    drawn = play_drawn("durable_clients", "reference:chaotic", cases=60, seed=1)
    assert (drawn.examples, drawn.refuted, drawn.unknown) == (60, (), ())


@pytest.mark.parametrize(
    "variant",
    [
        "keep-alive-unheard",
        "close-forgets-nothing",
        "crash-is-a-close",
        "queue-emptied-at-parting",
        "waits-beyond-ready",
        "replays-backwards",
        "replays-silently",
        "marker-comes-first",
        "stored-values-applied",
        "live-is-told-twice",
        "first-start-unmarked",
        "never-normal",
    ],
)
def test_the_machine_alone_catches_and_names_mistakes_about_durable_clients(variant: str):
    with Session(find_candidate(f"faulty:{variant}")) as session:
        trouble = played("durable_clients", session)
    assert trouble.failure is not None
    assert trouble.failure.finding is not None
    assert set(trouble.failure.finding.requirements) & set(FAULTY[variant].requirements)
