"""Machines of clients whose servers fail them: what they catch, and candidates that cannot bring it about."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, CandidateKind, find_candidate
from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.tests.further_cases import one_in
from plumbline.ci.tests.smoke_plays import played
from plumbline.reference.results.verdicts import Source, Verdict, merge
from plumbline.suites.harness.session import Session
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, run_suite


@pytest.mark.parametrize(
    ("machine", "variant", "requirement"),
    one_in(
        2,
        [
            ("client_restarts", "stays-cut-off", "FO-AUTO-01"),
            ("client_restarts", "stops-looking", "FO-NONHA-02"),
            ("client_attempts", "servers-forget", "TRK-HIGH-01"),
            ("client_attempts", "remembers-its-own", "TRK-HIGH-01"),
            ("client_attempts", "asks-anew", "TRK-HIGH-01"),
        ],
    ),
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
    """Kills and starts members and cuts links between sites, but loses no answer to a client."""

    def link(self, source: str, target: str, state: str) -> None:
        raise UnsupportedError(f"link: {source} to {target} is never {state}")


class Mortal(ReferenceAdapter):
    """Kills members, but starts none again, though it declares `member_faults`."""

    def restart(self, member: str, from_disk: bool) -> None:
        del from_disk
        raise UnsupportedError(f"restart: {member} stays dead")


def candidate_of(kind: type[Adapter]) -> Candidate:
    return Candidate(name="unable", kind=CandidateKind.PYTHON, in_process=True, open=kind)


def test_what_the_protocol_lets_an_adapter_refuse_is_no_failure_of_it_and_no_pass():
    with Session(candidate_of(Unable)) as session:
        trouble = played("client_attempts", session)
        again = played("client_failover", session)
    assert (trouble.played, trouble.adapter_errors) == (0, 0)
    assert trouble.lacking == 3
    assert again.played > 0
    assert again.failure is None


def test_what_the_protocol_lets_an_adapter_refuse_is_unsupported(tmp_path: Path):
    options = Options(selected=("TRK-HIGH-01",), profile=PROFILES["smoke"], seed=7)
    outcome = run_suite(candidate_of(Unable), options, tmp_path, lambda *_: None)
    rows = [row for row in outcome.rows if row.requirement == "TRK-HIGH-01"]
    (of_machine,) = [row for row in rows if row.source is Source.MACHINE]
    assert of_machine.verdict is Verdict.UNSUPPORTED
    assert "is never drop_acks" in of_machine.reason
    assert merge(row.verdict for row in rows) in (Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED)


def test_what_was_declared_and_is_then_refused_is_an_adapter_error_whatever_passes_elsewhere(tmp_path: Path):
    options = Options(selected=("FO-NONHA-02",), profile=PROFILES["smoke"], seed=7)
    outcome = run_suite(candidate_of(Mortal), options, tmp_path, lambda *_: None)
    rows = [row for row in outcome.rows if row.requirement == "FO-NONHA-02"]
    assert merge(row.verdict for row in rows) is Verdict.ADAPTER_ERROR
    refused = next(row.reason for row in rows if row.verdict is Verdict.ADAPTER_ERROR)
    assert "restart: answered as unsupported, though the candidate declares member_faults:" in refused
