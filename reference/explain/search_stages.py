"""Efforts: one search after another, until a history is decided or the budget is spent.

Knows how many states each way of searching is worth, and in which order they are tried; knows nothing of
what a wrong history breaks.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

import msgspec

from plumbline.reference.explain.certificates import noted
from plumbline.reference.explain.decision_log import Asked, listening
from plumbline.reference.explain.groundless import groundless
from plumbline.reference.explain.index import Index
from plumbline.reference.explain.key_decomposition import Where, counting, parts, timetable_of
from plumbline.reference.explain.key_priority import suspects
from plumbline.reference.explain.mistold import mistold
from plumbline.reference.explain.projection import HistoryPart
from plumbline.reference.explain.question import Late, Question, ask
from plumbline.reference.explain.queue_orders import late_events
from plumbline.reference.explain.remembered import remembered
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultBegun
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.garbage import uncollected
from plumbline.reference.search.ordering import GuidedOrder, Order, RandomOrder, by_what_shows
from plumbline.reference.search.search import Answer, Budget, Explanation, Search, explain

SOON, FEW_KEYS, FURTHER, LONGER, TWICE, PATIENT = 3, 4, 7, 15, 24, 60
"""So many states are looked at for each entry of the logs: of all keys before few are asked, of single keys,
of all once more, of two, of two that are still undecided then, and of the few that are so at last. Of right
histories a key alone is nearly always explained with few."""

IMPATIENT, COMPOSED = 3, 12
"""An impatient search stops once such a part of all states was visited without progress: a third. Sooner
where runs of single keys lead, since only a few steps are to be found that go otherwise."""

COUNTING = 3
"""Of so many keys it is tried whether they have moved all counters."""

LEAST_PATIENCE = 200
"""No search stops before it has visited so many states without progress."""

MOST_SITES, SHORT = 2, 500
"""Of more sites, and more entries of the logs, single keys are asked before all."""

BRIEF = 2
"""So many states for each entry are looked at in another order of the choices: where that is a lucky one, it
is the straight way, and many brief ones find it sooner than few long ones."""

SEEDS, FIRST = range(10, 18), 2
"""Of orders that are drawn, and how many of them are tried before pairs of keys are asked; most runs are
found soon in some of them."""

ALL_STUCK = 4
"""Where so many orders got no further than to one and the same place, others hardly will: it is wrong."""

AGAIN = ((8, range(40, 45)), (32, range(96, 99)))
"""Before all of the budget is spent, further ones have so many states for each entry."""


Decided = tuple[Explanation, History]
"""What was found, and of what."""


def search(
    history: History, book: Rulebook, budget: Budget | None = None, asked: Asked | None = None
) -> Explanation:
    """Whether the model with this rulebook can show the history.

    Where that is soon found, `asked` notes what the decisions were asked meanwhile; else it stays empty.
    """
    return searched(history, book, budget or Budget(), asked)[0]


def searched(history: History, book: Rulebook, budget: Budget, asked: Asked | None = None) -> Decided:
    """The answer of the search, and its subject: the whole history, or a few of its keys that refute it.

    It has no answer where the model does not follow the set-up. A call that ends without an answer on a
    healthy system is wrong in any case (`groundless`). A history that is not explained soon is often wrong,
    and a few keys are refuted long before all are. Or the first choices were unlucky, and others soon explain
    it. What is allowed and multiplies the runs is tried last (`_wider`), where no run without it shows the
    history.
    """
    memory = remembered() if asked is None else None
    if memory is not None and (known := memory.get(history, book)):
        return known, history
    found, of = _searched_anew(history, book, budget, asked)
    if memory is not None:
        memory.note(history, book, found)
    return found, of


def _searched_anew(history: History, book: Rulebook, budget: Budget, asked: Asked | None) -> Decided:
    if unmodelled(history):
        return Explanation(Answer.UNKNOWN, 0), history
    if groundless(history) is not None or mistold(history) is not None:
        return Explanation(Answer.REFUTED, 0), history
    found, of = sought(history, book, budget, asked)
    if found.answer is not Answer.REFUTED or book.replaced():
        return found, of
    before = found.visited
    for wider in _wider(history):
        # A few keys that refute it are looked at first: what does not explain them explains no more.
        if of is not history:
            some = wider.explained(of, book, budget)
            before += some.states
            if some.answer is Answer.REFUTED:
                continue
        tried = wider.explained(history, book, budget)
        if tried.answer is Answer.EXPLAINED:
            return _after(before, tried), history
        before += tried.states
    return _after(before - found.states, found), of


def _after(states: int, found: Explanation) -> Explanation:
    """What was found behind searches that visited so many states and gave no answer."""
    return msgspec.structs.replace(found, before=states)


class _Wider(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked beyond the first question, and how many states for each entry it is worth."""

    tries_again: bool = False
    wanders: bool = False
    late: Late = Late.AS_SEEN
    patience: int

    def explained(self, history: History, book: Rulebook, budget: Budget) -> Explanation:
        question = ask(history, book, tries_again=self.tries_again, wanders=self.wanders, late=self.late)
        most = min(budget.states, self.patience * question.logs.total)
        return noted(question, explain(question.system, question.logs, Budget(most, budget.time_ms)))


def _wider(history: History) -> Iterator[_Wider]:
    """What no document forbids, and multiplies the runs."""
    if late_events(history, Index(history)).of:
        yield _Wider(late=Late.PERHAPS, patience=PATIENT)
    if _loses_answers(history):
        yield _Wider(tries_again=True, patience=PATIENT)
    sites = {site.number: site.members for site in history.topology.sites}
    if any(len(sites.get(queue.remote_site or 0, ())) > 1 for queue in history.queues):
        yield _Wider(wanders=True, patience=FURTHER)


def sought(history: History, book: Rulebook, budget: Budget, asked: Asked | None = None) -> Decided:
    """The same of a part of a history; what kept its calls from their end may be in the rest."""
    with uncollected():  # else the collector would look through all that is remembered after each effort
        return _searched(history, book, budget, asked)


def _searched(history: History, book: Rulebook, budget: Budget, asked: Asked | None) -> Decided:
    shared = _Shared(book, budget)
    found, of = _in_stages(shared, history, book, budget, asked)
    return _after(shared.visited - found.states, found), of


def _in_stages(
    shared: _Shared, history: History, book: Rulebook, budget: Budget, asked: Asked | None
) -> Decided:
    whole = SearchStage(history, book, asked)
    singles = None
    if not book.replaced() and _leads_astray(whole):
        singles = shared.parts_of(whole, 1, ())
        decided = shared.refuted_of(singles, PATIENT) or shared.composed(whole, singles)
        if decided is not None:
            return decided
    found = shared.spent_on(whole, SOON, IMPATIENT)
    if asked is not None and found.answer is not Answer.EXPLAINED:
        # Noting the decisions asked takes longer, and long searches have no time for it.
        asked.clear()
        whole = SearchStage(history, book)
        found = shared.spent_on(whole, SOON, IMPATIENT)
    if found.answer is not Answer.UNKNOWN or found.states > budget.states:
        return found, history
    # Naming asks many rulebooks, and has little time for each.
    if not book.replaced():
        for decided in _tried(shared, whole, found, singles):
            if decided is not None:
                return decided
            if shared.is_over():
                break
    return shared.spent_on(whole), history


def _tried(
    shared: _Shared, whole: SearchStage, found: Explanation, begun: _Parts | None
) -> Iterator[Decided | None]:
    """What one effort after another decides, or None.

    Args:
        shared: what they share.
        whole: all keys.
        found: of all keys, which was not enough.
        begun: single keys, if they were asked before.
    """
    shared.note_where_stuck(found)
    suspected = suspects(whole.question, found.frontier)
    singles = begun or shared.parts_of(whole, 1, [frozenset((key,)) for key in suspected.keys])
    pairs = shared.parts_of(whole, 2, suspected.pairs)
    yield shared.refuted_of(singles, FEW_KEYS)
    yield shared.composed(whole, singles)
    if not shared.is_likely_wrong():
        yield shared.otherwise(whole, SOON, by_what_shows)
    yield shared.refuted_of(singles, PATIENT)
    yield shared.composed(whole, singles)
    if shared.is_likely_wrong():
        yield shared.refuted_of(pairs, LONGER, len(suspected.pairs))
    else:
        yield shared.again(whole, BRIEF, SEEDS[:FIRST])
        yield shared.refuted_of(pairs, LONGER)
    yield shared.gone_on(whole, FURTHER)
    yield shared.refuted_of(pairs, TWICE, 0)
    yield shared.refuted_of(pairs, LONGER)
    yield shared.again(whole, BRIEF, SEEDS[FIRST:])
    yield shared.refuted_of(pairs, TWICE)
    yield shared.gone_on(whole, LONGER)
    yield shared.refuted_of(pairs, PATIENT)
    for more in AGAIN:
        yield shared.again(whole, *more)


def _leads_astray(whole: SearchStage) -> bool:
    """Whether the first choices of all keys hardly ever lead to a run, where those of single keys do.

    Of three sites each event takes two ways, and waits for what came before it on either. Of parallel queues
    each key has a primary of its own, which may die with others.
    """
    history = whole.history
    parted = any(queue.parallel for queue in history.queues) and any(
        isinstance(what, FaultBegun) and what.fault.kind is FaultKind.CRASH for what in history.timeline
    )
    many = len(history.topology.sites) > MOST_SITES
    return (many or parted) and whole.question.logs.total > SHORT


def _loses_answers(history: History) -> bool:
    """Whether answers between sites are lost for a time."""
    return any(
        isinstance(what, FaultBegun) and what.fault.kind is FaultKind.REPLIES_LOST
        for what in history.timeline
    )


class SearchStage:
    """A search for a run that shows a history, gone on with wherever it was given up.

    Attributes:
        history: what is to be explained.
        part: which keys of another history it tells of, if it does.
        question: the model and the logs; made once it is asked for.
        visited: how many states it has visited so far.
    """

    def __init__(
        self, history: History, book: Rulebook, asked: Asked | None = None, *, part: HistoryPart | None = None
    ) -> None:
        self.history = history
        self.part = part
        self._book = book
        self._asked = asked
        self._begun: Search | None = None
        self.visited = 0

    @cached_property
    def question(self) -> Question:
        """The model with the history's commands, and its logs."""
        return ask(self.history, self._book if self._asked is None else listening(self._book, self._asked))

    def go_on(self, budget: Budget) -> Explanation:
        """What is said once so many states were visited, those of earlier times among them."""
        if self._begun is None:
            self._begun = Search(self.question.system, self.question.logs, self._book.replaced())
        found = self._begun.go_on(budget)
        return found if self.part else noted(self.question, found)


Run = tuple[HistoryPart, Explanation]
"""A run of a part of a history."""


class _Parts:
    """Efforts for parts of a history, each made only once it is asked for.

    Of a thousand keys a wrong one is often among the first, and each part takes as long as to read the whole.

    Attributes:
        undecided: those that have been asked for and are not explained.
    """

    def __init__(self, more: Iterator[SearchStage]) -> None:
        self.undecided: list[SearchStage] = []
        self._more = more

    def upto(self, most: int | None) -> Iterator[SearchStage]:
        """The undecided ones, and then at most so many that were never begun; all of them if None."""
        yield from tuple(self.undecided)
        for effort in islice(self._more, most):
            self.undecided.append(effort)
            yield effort


class _Shared:
    """Efforts that share one time limit; each may look at as many states as the budget says.

    Attributes:
        visited: states that all of them have visited.
    """

    def __init__(self, book: Rulebook, budget: Budget) -> None:
        self._book = book
        self._budget = budget
        time_ms = budget.time_ms
        self._deadline = None if time_ms is None else time.thread_time() + time_ms / 1000
        self.visited = 0
        self._runs: list[Run] = []
        self._stuck: list[int] = []

    def is_over(self) -> bool:
        """Whether all the time is spent."""
        return self._left_ms() == 0

    def note_where_stuck(self, found: Explanation) -> None:
        """Remember how far an order of all keys came."""
        self._stuck.append(found.frontier[0].left)

    def is_likely_wrong(self, orders: int = 2) -> bool:
        """Whether so many orders, and all that were tried, came to one and the same place and no further."""
        return len(self._stuck) >= orders and len(set(self._stuck)) == 1

    def parts_of(self, whole: SearchStage, keys: int, first: Collection[frozenset[Where]]) -> _Parts:
        """An effort for each so many keys, those first that are named."""
        return _Parts(
            SearchStage(part.history, self._book, part=part) for part in parts(whole.history, keys, first)
        )

    def refuted_of(self, some: _Parts, per_entry: int, more: int | None = None) -> Decided | None:
        """The first of some parts of a history that is refuted, and how; what is explained is left out.

        No more than so many are asked for that have not been so far, if it is not None.
        """
        for effort in some.upto(more):
            if self.is_over():
                break
            found = self.spent_on(effort, per_entry)
            if found.answer is Answer.REFUTED:
                return found, effort.history
            if found.answer is Answer.EXPLAINED:
                some.undecided.remove(effort)
                if effort.part is not None:
                    self._runs.append((effort.part, found))
        return None

    def composed(self, whole: SearchStage, some: _Parts) -> Decided | None:
        """What is found in the order that runs of the parts have, once all have one; None if nothing."""
        if some.undecided or not self._runs:
            return None
        # Where several name something, the ordering of the run that visited most states is right most often.
        self._runs.sort(key=lambda run: run[1].states, reverse=True)
        runs = tuple(self._runs)
        self._runs.clear()
        return self._guided(whole, runs) or self._counted(whole, runs)

    def _guided(self, whole: SearchStage, runs: Iterable[Run]) -> Decided | None:
        return self.otherwise(whole, SOON, GuidedOrder(timetable_of(runs), whole.question.logs.clock))

    def _counted(self, whole: SearchStage, runs: Sequence[Run]) -> Decided | None:
        """The same where one of the keys has moved all counters: first that of most states, then others."""
        for run in runs[:COUNTING]:
            part = counting(whole.history, run[0])
            if part is None or self.is_over():
                break
            found = self.spent_on(SearchStage(part.history, self._book, part=part), FEW_KEYS)
            if found.answer is Answer.EXPLAINED:
                others = [one for one in runs if one is not run]
                if decided := self._guided(whole, [(part, found), *others]):
                    return decided
        return None

    def gone_on(self, whole: SearchStage, per_entry: int) -> Decided | None:
        """What is found of all keys where they were given up, with more states; None if nothing."""
        found = self.spent_on(whole, per_entry)
        return None if found.answer is Answer.UNKNOWN else (found, whole.history)

    def again(self, whole: SearchStage, per_entry: int, seeds: range) -> Decided | None:
        """What is found in orders that are drawn, where there are states for more; None if nothing."""
        if per_entry * whole.question.logs.total < self._budget.states:
            for seed in seeds:
                if self.is_likely_wrong(ALL_STUCK):
                    break
                if found := self.otherwise(whole, per_entry, RandomOrder(seed)):
                    return found
        return None

    def otherwise(self, whole: SearchStage, per_entry: int, order: Order) -> Decided | None:
        """What is found from the beginning with choices in another order; None if nothing."""
        question = whole.question
        budget = self._limited(question, per_entry, COMPOSED)
        found = explain(question.system, question.logs, budget, self._book.replaced(), order=order)
        self.visited += found.states
        if found.answer is not Answer.UNKNOWN:
            return noted(question, found), whole.history
        self.note_where_stuck(found)
        return None

    def spent_on(
        self, effort: SearchStage, per_entry: int | None = None, patience: int | None = None
    ) -> Explanation:
        """What is said within so many states for each entry of the logs, or within all that there are.

        With patience it is given up once such a part of them was looked at without getting any further.
        """
        found = effort.go_on(self._limited(effort.question, per_entry, patience))
        self.visited += found.states - effort.visited
        effort.visited = found.states
        return found

    def _limited(self, question: Question, per_entry: int | None, patience: int | None) -> Budget:
        states = self._budget.states
        most = states if per_entry is None else min(states, per_entry * question.logs.total)
        futile = max(most // patience, LEAST_PATIENCE) if patience else None
        return Budget(most, self._left_ms(), futile)

    def _left_ms(self) -> int | None:
        return None if self._deadline is None else max(0, int((self._deadline - time.thread_time()) * 1000))
