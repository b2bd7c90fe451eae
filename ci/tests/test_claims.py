"""The claims of the model under attack: each of their conditions is needed, and some history shows it."""

from __future__ import annotations

import json
import subprocess
import sys

import msgspec
import pytest

from plumbline.ci.selftest.generators.random_trials import named_book
from plumbline.ci.selftest.soundness.comparison import SEARCH_BUDGET
from plumbline.ci.selftest.soundness.known import TABLES, WEAKENINGS
from plumbline.ci.selftest.soundness.weakening import Weakening
from plumbline.ci.selftest.soundness.witnesses import Witness, notices, read_witnesses, weakened
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.explain.question import ask
from plumbline.reference.model import replicates, system
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, Budget, explain

WITNESSES = [witness for witnesses in read_witnesses().values() for witness in witnesses]

JUDGE_BUDGET = Budget(states=15_000)
"""What the judge decides of these takes it at most 11,500 states; the others stay undecided after 60,000."""

TURNS = 4
"""One in so many witnesses is asked; `--thorough` has all of them asked."""

MOST_UNDECIDED = 4
"""So many of those asked are too long for the judge, which says nothing of them."""


UNNOTICED = {
    # A step that waits for other writers also waits for those that have sent. A step that waits for others to
    # send continues after that: sending only allows more, under each decision.
    "sending is believed though others matter",
    # A key is counted anew only where every member has it, and then every stamp of it moves alike: only
    # differences matter, even below one. Clients that have never seen it have nothing to compare with.
    "versions on their way are not counted",
    "versions of calls are not counted",
    # What comes again is told of again, and that is asked, too; but by who dies, and may not tell.
    "what comes again is read once only",
    "an event that comes again is read once only",
    # No history among 11,000 trials of one and two sites shows these. Each has a reason, and no proof says
    # that it is needless. So they stay.
    "a change is made though its event is not in the log of its key",
    "nothing is done by a member that may die before its listener is called",
    "nothing is done though it may matter when",
    "a copy of a partitioned region discards at once",
    "a loser is discarded though it may matter when",
    # Nor do 2,000 runs of queues whose members die show these.
    "a copy loses what may enter it again",
    "a copy keeps the first of what it holds twice",
    # Nor do 13,000 trials of clients, or 43,000 of partitioned regions, show these.
    "a client claims something though its interest changes, or it reads",
    "a client shows all events whatever is decided",
    "a client takes an event in any way that shows nothing",
    "a client passes over what may not have been sent, and its log still shows",
    "a client takes what may not have been sent",
    "a client knows what may never have been sent, whatever it still shows",
    "each client knows what its server left out, whatever is decided",
    "each client knows what its server left out, and another may send",
    "a secondary keeps nothing whatever is decided",
    "a server sends nothing of what it discards whatever is decided",
    "an event is sent in the form that is shown whatever is decided",
    "a primary tells at once what the log cannot tell apart",
    "a primary tells later what the log cannot tell apart",
    "a primary tells later what may be told again",
    "a copy takes over though clients are served",
    # Nor do 5,000 trials of durable clients show these. Other conditions mostly hold for the same steps.
    "a change is received whatever servers queue for durable clients",
    "a client of whose life nothing is known does not show what its server discards",
    "a durable client does not show what its server discards, whatever is queued",
    "what a server drops is decided later whatever is decided",
    "a durable client takes its queue at once whatever is decided",
    "a durable client shows what its log cannot tell apart",
    "a durable client shows an event though its marker may come first",
    "a durable client shows an event in any of several ways",
    "a durable client shows an event whatever else its copy may become",
    "a durable client passes over what may change its copy",
    "a durable client knows what passes in silence, whatever it still shows",
    "a server has dropped what its client may take",
    "a server has dropped what its client knows in this life",
    # Nor do 1,000 trials of two sites and of resolvers show these; few of them come to ask.
    "a remote event is applied whatever the log decides",
    "a remote event is applied once more at once",
    "a remote event is applied though another one may lose first",
    "a remote event is applied though timestamps may tie",
    "a remote event is applied though somebody may still read",
    "a remote event is applied though a silent change may come",
    "a remote event is refused whatever the log decides",
    "a remote event is refused though it may come by another way",
    "a remote event is refused though timestamps may tie",
    "a remote event is refused though it is sent on",
    "a remote event is refused whoever counts",
    "a remote event is refused though a resolver is asked",
    "a remote event is lost though a resolver is asked",
    "what is known already is passed over though peers tell of it later",
    "what is told again is answered at once",
    # A call that waits for no copy may be tried again, too. So sending it early hides no run.
    "copies are sent what no copy keeps when its primary dies",
    # Since an answered call holds no queue back, a queue is empty at rest. Only open decisions leave more.
    "a client registers before what is held back",
}
"""Weakenings that weaken nothing, as far as can be told by thinking and by trials against the judge."""


@pytest.fixture(scope="module")
def noticed() -> dict[str, int]:
    """How many witnesses notice each weakening, told in a process of its own."""
    command = [sys.executable, "-m", "plumbline.ci.selftest.soundness.witnesses"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.parametrize("name", sorted(WEAKENINGS.keys() - UNNOTICED))
def test_a_weakened_claim_is_noticed(noticed: dict[str, int], name: str):
    assert noticed[name] > 0


def test_what_is_said_to_go_unnoticed_does(noticed: dict[str, int]):
    assert {name for name, count in noticed.items() if not count} == UNNOTICED


def test_no_two_weakenings_have_one_name():
    assert len(WEAKENINGS) == sum(map(len, TABLES))


def test_each_weakening_changes_text_that_is_there():
    for weakening in WEAKENINGS.values():
        with weakened(weakening):  # raises where the text has moved on
            pass


def test_a_change_that_weakens_nothing_is_not_noticed():
    same = Weakening("reduction.received_changes", "return change.times == 1", "return 1 == change.times")
    assert not any(notices(same, witness) for witness in WITNESSES[:20])


def test_a_weakening_is_taken_back_afterwards():
    with weakened(WEAKENINGS["a log that nobody saw decides"]):
        assert vars(system)["Replicates"] is not replicates.Replicates
    assert vars(system)["Replicates"] is replicates.Replicates


def test_a_weakening_of_text_that_is_not_there_is_refused():
    with (
        pytest.raises(ValueError, match="does not hold this once: 'no such text'"),
        weakened(Weakening("model.replicates", "no such text", "")),
    ):
        pass


@pytest.mark.parametrize("turn", one_in(TURNS, range(TURNS)))
def test_on_every_witness_the_judge_agrees_with_the_search(turn: int):
    each_once = {msgspec.json.encode(witness): witness for witness in WITNESSES}.values()
    answers = [(witness, _answers(witness)) for witness in list(each_once)[turn::TURNS]]
    assert [witness for witness, given in answers if given >= {Answer.EXPLAINED, Answer.REFUTED}] == []
    assert sum(Answer.UNKNOWN in given for _, given in answers) <= MOST_UNDECIDED


def _answers(witness: Witness) -> set[Answer]:
    """What the search says of a witness, and what the judge says."""
    book = named_book(witness.rulebook)
    question = ask(witness.history, book)
    return {
        explain(question.system, question.logs, SEARCH_BUDGET, book.replaced()).answer,
        judge(question.system, question.logs, JUDGE_BUDGET).answer,
    }
