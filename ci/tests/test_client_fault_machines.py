"""Machines of clients whose servers fail them: what they catch, and candidates that cannot bring it about."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, Kind, find_candidate
from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.reference.adapter import ReferenceAdapter
from plumbline.reference.verdicts import Source, Verdict, merge
from plumbline.suites.deviations import NOTHING
from plumbline.suites.examples import Trouble, play_plans
from plumbline.suites.machines.registry import MACHINES
from plumbline.suites.profiles import PROFILES
from plumbline.suites.running import Options, run_suite
from plumbline.suites.session import Session


def played(machine: str, session: Session) -> Trouble:
    return play_plans(
        MACHINES[machine],
        session,
        session.book,
        profile=PROFILES["smoke"],
        draw_seed=7,
        deadline=None,
        on_record=NOTHING,
        saw=lambda *_: None,
        progress=lambda _: None,
    )


@pytest.mark.parametrize(
    ("machine", "variant", "requirement"),
    [
        ("client_restarts", "stays-cut-off", "FO-AUTO-01"),
        ("client_restarts", "stops-looking", "FO-NONHA-02"),
        ("client_attempts", "servers-forget", "TRK-HIGH-01"),
        ("client_attempts", "remembers-its-own", "TRK-HIGH-01"),
        ("client_attempts", "asks-anew", "TRK-HIGH-01"),
    ],
)
def test_a_machine_alone_catches_what_servers_or_clients_get_wrong(
    machine: str, variant: str, requirement: str
):
    with Session(find_candidate(f"faulty:{variant}")) as session:
        trouble = played(machine, session)
    assert trouble.failure is not None
    assert trouble.failure.finding is not None
    assert requirement in trouble.failure.finding.requirements


def test_a_client_that_stops_looking_is_blamed_for_that_and_not_for_the_events_that_it_then_lacks():
    with Session(find_candidate("faulty:stops-looking")) as session:
        failure = played("client_restarts", session).failure
    assert failure is not None
    assert failure.requirements == ("FO-NONHA-02",)


class Unable(ReferenceAdapter):
    """Kills members and cuts links, but starts nobody again and loses no client's answers."""

    def restart(self, member: str, from_disk: bool) -> None:
        del from_disk
        raise UnsupportedError(f"restart: {member} stays dead")

    def link(self, source: str, target: str, state: str) -> None:
        raise UnsupportedError(f"link: {source} to {target} is never {state}")


@pytest.mark.parametrize("machine", ["client_restarts", "client_attempts"])
def test_what_an_adapter_cannot_bring_about_is_no_failure_of_it_and_no_pass(machine: str):
    unable: type[Adapter] = Unable
    with Session(Candidate(name="unable", kind=Kind.PYTHON, in_process=True, open=unable)) as session:
        trouble = played(machine, session)
        again = played("client_failover", session)
    assert (trouble.played, trouble.adapter_errors) == (0, 0)
    assert trouble.lacking == 3
    assert "yet the candidate says that it has" in trouble.last_error
    assert again.played > 0
    assert again.failure is None


def test_what_an_adapter_cannot_bring_about_is_unsupported(tmp_path: Path):
    unable: type[Adapter] = Unable
    candidate = Candidate(name="unable", kind=Kind.PYTHON, in_process=True, open=unable)
    options = Options(selected=("FO-NONHA-02", "TRK-HIGH-01"), profile=PROFILES["smoke"], seed=7)
    outcome = run_suite(candidate, options, tmp_path, lambda *_: None)
    of_machines = {row.requirement: row for row in outcome.rows if row.source is Source.MACHINE}
    assert of_machines.keys() == set(options.selected)
    for requirement in options.selected:
        assert of_machines[requirement].verdict is Verdict.UNSUPPORTED
        assert "yet the candidate says that it has" in of_machines[requirement].reason
        verdicts = {row.verdict for row in outcome.rows if row.requirement == requirement}
        assert merge(verdicts) in (Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED)
