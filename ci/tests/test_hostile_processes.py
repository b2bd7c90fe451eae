"""A table of processes that end, hang or answer slowly: at each method that the suite asks for.

Each is a real process that passes every request on to the reference, but for one method. Knows which scenario
asks for which method; the scenarios themselves are tested elsewhere.
"""

from __future__ import annotations

import shlex
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.process.client import ProcessAdapter, ReplyLimits
from plumbline.adapters.process.server import serve
from plumbline.adapters.protocol import METHODS
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.adapters.refusals import UNCALLED
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.harness import restless, session
from plumbline.suites.run import running
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, run_suite
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

# A process of few imports, since there are many: the reference answers in the process that tests.
FORWARDER = """
import os, signal, socket, sys, time
place, method, way = sys.argv[1:]
link = socket.socket(socket.AF_UNIX)
link.connect(place)
link = link.makefile("rwb")
for line in iter(sys.stdin.buffer.readline, b""):
    it = b'"method":"%s"' % method.encode() in line
    if it and way == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if it and way == "ends":
        sys.exit(0)
    while it and way == "hangs":
        signal.pause()
    link.write(line)
    link.flush()
    answer = link.readline()
    if it and way == "cuts":
        answer = answer[: len(answer) // 2]
    pause = 0.05 if way == "drips for too long" else 0
    for at in range(len(answer)) if it and "drips" in way else ():
        os.write(1, answer[at : at + 1])
        time.sleep(pause)
        answer = answer if at + 1 < len(answer) else b""
    os.write(1, answer)
    if it and way == "cuts":
        sys.exit(0)
"""

GATES = "another_replicate_is_asked_when_one_dies_before_it_has_distributed"
HELD = "no_member_refuses_an_unacknowledged_create_of_a_collector"
QUEUES = "a_secondary_comes_to_forget_all_that_was_sent"
PLAIN = "a_message_delivered_again_changes_nothing"

ASKED_BY = {
    **dict.fromkeys(("hello", "deploy", "reset", "begin", "finish", "observe", "settle"), PLAIN),
    **dict.fromkeys(("contents", "redeliver", "close"), PLAIN),
    **dict.fromkeys(("arm", "await_parked", "crash"), GATES),
    "release": "what_is_applied_and_overwritten_is_announced_too",
    "client_action": "a_crash_keeps_queue_and_interest",
    "statistic": "without_checking_no_update_counts_as_discarded",
    "server_log": "the_log_has_the_exception_of_the_other_site",
    "views": "neither_size_nor_sets_show_a_tombstone",
    "queries": "no_query_finds_a_tombstone",
    "keep_tombstones": "a_clear_leaves_no_tombstones_and_drops_those_that_were_there",
    "attributes": "a_region_reports_checking_by_default",
    **dict.fromkeys(("leave", "join"), "a_new_copy_knows_versions_and_tombstones"),
    **dict.fromkeys(
        ("begin_join", "await_copy", "release_copy", "finish_join"),
        "what_changes_while_a_copy_is_on_its_way_comes_to_its_member",
    ),
    "host": "a_member_may_not_host_a_region_checked_that_others_do_not_check",
    "restart": "what_a_member_calls_after_a_restart_is_new_to_all",
    "link": "what_a_client_tries_again_at_another_server_happens_once",
    **dict.fromkeys(("advance", "clock"), HELD),
    **dict.fromkeys(("create_queue", "look_at_queue"), QUEUES),
    "queue_action": "a_secondary_never_dispatches",
    "script": "what_a_clients_writer_refuses_changes_nothing_anywhere",
    "start_client": "a_destroy_reaches_the_server_though_the_client_lacks_the_key",
    "interest": "what_another_registration_covers_is_still_sent_after_one_is_withdrawn",
    **dict.fromkeys(
        ("begin_interest", "await_answer", "release_answer", "finish_interest"),
        "an_answer_undoes_no_event_that_came_before_it",
    ),
    "move_primary": "a_copy_that_becomes_primary_carries_out_what_is_called",
    "placement": "copies_apply_what_is_called_at_the_primary_in_its_order",
}
"""A scenario that asks for each method."""


class Line(NamedTuple):
    """One line of the table: at a method the process does something, and its requirement gets a verdict."""

    method: str
    way: str
    verdict: Verdict
    phrase: str


ERROR = Verdict.ADAPTER_ERROR
TABLE = [
    *(Line(name, "dies", ERROR, f"{name}: the adapter was killed by SIGKILL") for name in ASKED_BY),
    *(Line(name, "hangs", ERROR, f"{name}: the adapter did not answer") for name in ASKED_BY),
    Line("contents", "ends", ERROR, "contents: the adapter ended with exit status 0"),
    Line("observe", "cuts", ERROR, "ended with exit status 0 in the middle of a line"),
    Line("contents", "drips", Verdict.PASS, ""),
    Line("contents", "drips for too long", ERROR, "did not answer within its time limit, only beginning"),
]
REPLACED = {
    ("close", "dies"): (Verdict.PASS, ""),
    ("close", "hangs"): (Verdict.PASS, ""),
    ("settle", "hangs"): (ERROR, "settle: never answered, though the adapter answers otherwise"),
}
"""Closing comes behind all that is judged; and without an answer of `settle` listeners are watched."""
TABLE = [Line(line.method, line.way, *REPLACED.get(line[:2], line[2:])) for line in TABLE]


class Quick(ReferenceAdapter):
    """The reference, with short limits for its answers."""

    def hello(self):
        return msgspec.structs.replace(super().hello(), settle_limit_ms=300)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Where the reference answers each process that connects, one after the other."""
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()

        def answer() -> None:
            while True:
                try:
                    link, _ = listening.accept()
                except OSError:
                    return
                with link, link.makefile("rb") as source, link.makefile("wb") as sink:
                    try:
                        serve(Quick(), source, sink)
                    except (BrokenPipeError, ConnectionResetError, ValueError):
                        continue

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield path
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)
        assert not thread.is_alive()


def test_each_method_that_the_suite_asks_for_is_in_the_table():
    assert set(ASKED_BY) == set(METHODS) - set(UNCALLED)


@pytest.mark.parametrize("line", one_in(2, TABLE), ids=lambda line: f"{line.method} {line.way}")
def test_a_process_gets_the_verdict_that_it_must_get(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch, line: Line
):
    name = ASKED_BY[line.method]
    monkeypatch.setattr(running, "SCENARIOS", {name: SCENARIOS[name]})
    monkeypatch.setattr(running, "MACHINES", {})
    monkeypatch.setattr(session, "MOST_FAILURES_IN_A_ROW", 1)
    monkeypatch.setattr(restless, "WATCHED_S", 0.2)
    words = [sys.executable, "-I", "-S", "-c", FORWARDER, str(place), line.method, line.way]
    # Time is given where it is not the matter: the machine may be busy.
    short_ms = 500 if "hangs" in line.way or "long" in line.way else 20_000
    limits = ReplyLimits(call_ms=short_ms, deploy_ms=short_ms, grace_ms=short_ms)
    candidate = Candidate(
        name="process:forwarder",
        kind=CandidateKind.PROCESS,
        in_process=False,
        open=lambda: ProcessAdapter(shlex.join(words), limits),
    )
    options = Options(selected=SCENARIOS[name].requirements, profile=PROFILES["smoke"])
    outcome = run_suite(candidate, options, tmp_path / "runs", lambda *_: None)
    rows = [row for row in outcome.rows if row.requirement in SCENARIOS[name].requirements]
    assert line.verdict in {row.verdict for row in rows}, rows
    assert line.phrase in " ".join(row.reason for row in rows)
    assert outcome.record.complete
