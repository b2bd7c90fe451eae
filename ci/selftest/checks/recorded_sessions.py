"""Recorded sessions: every line that the harness and the reference exchange over some scenarios, in files.

Authors of adapters can feed the requests to a parser of their own. `python -m
plumbline.ci.selftest.checks.recorded_sessions` rewrites the files in a clone. Knows nothing of what lines
mean.
"""

from __future__ import annotations

from pathlib import Path

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.process.client import RemoteAdapter
from plumbline.adapters.process.exchange_log import ANSWERED, SENT
from plumbline.adapters.process.server import Loopback
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "sessions"

RECORDED = (
    "a_listener_receives_events_of_attached_regions_and_of_no_other",
    "a_message_delivered_again_changes_nothing",
    "a_persistent_region_does_not_do_without_checking",
    "a_secondary_waits_for_days",
    "a_tombstone_that_a_member_takes_over_as_it_starts_is_as_old_as_its_destroy",
    "an_answer_leaves_alone_what_a_get_has_brought",
    "each_server_with_the_queue_logs_a_time_out",
    "neither_size_nor_sets_show_a_tombstone",
    "no_query_finds_a_tombstone",
    "what_waits_behind_a_listener_is_not_lost_with_its_client",
    "what_changes_while_a_copy_is_on_its_way_comes_to_its_member",
    "what_changes_while_a_member_starts_again_comes_to_it",
    "what_a_listener_has_failed_is_not_removed_from_the_copies",
    "what_was_sent_without_an_answer_survives_a_move_and_a_death",
)
"""The scenarios recorded: together they send nearly every method of the protocol."""


class _Recorded(Loopback):
    """A channel to the reference that keeps all lines."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(ReferenceAdapter())
        self._lines = lines

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        answer = super().exchange(line, limit_ms)
        self._lines += (
            f"{sign} {text.decode().strip()}" for sign, text in ((SENT, line), (ANSWERED, answer))
        )
        return answer


def record(scenario: str) -> str:
    """The lines of a scenario on the reference: `> REQUEST`, `< ANSWER`, and so on."""
    lines: list[str] = []
    candidate = Candidate(
        name="reference",
        kind=CandidateKind.PYTHON,
        in_process=True,
        open=lambda: RemoteAdapter(_Recorded(lines)),
    )
    with Session(candidate) as session:
        play(SCENARIOS[scenario], session, session.book, naming_ms=0)
    return "".join(f"{line}\n" for line in lines)


def main() -> None:
    """Rewrite the files."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.txt"):
        if file.stem not in RECORDED:
            file.unlink()
    for scenario in RECORDED:
        (FOLDER / f"{scenario}.txt").write_text(record(scenario), encoding="utf-8")


if __name__ == "__main__":
    main()
