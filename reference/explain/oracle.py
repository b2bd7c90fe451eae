"""The oracle's findings: is a history right, and what does a wrong one break?

Knows the search and the decisions; knows nothing of candidates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import partial
from itertools import combinations, permutations, product

import msgspec

from plumbline.reference.explain.asked import Asked, asked_of, listening, matters
from plumbline.reference.explain.engine import Answer, Budget, Explanation, Position, Timetable, explain
from plumbline.reference.explain.keywise import Where, parts, timetable_of
from plumbline.reference.explain.projection import Part
from plumbline.reference.explain.question import Question, ask
from plumbline.reference.explain.steps import Entry, Place, View
from plumbline.reference.history import Called, ContentsRead, History, Hosted, StatisticAsked
from plumbline.reference.model.gauges import TOMBSTONE_STATISTICS
from plumbline.reference.model.places import TIMELINE
from plumbline.reference.operations import OperationKind, RegionPolicy
from plumbline.reference.resolvers import in_place_of
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import (
    CHECKING,
    CLEARING,
    CLIENTS,
    DECISIONS,
    GATEWAYS,
    GAUGES,
    HOSTING,
    ONWARD,
    PARTITIONED,
    POLICIES,
    REPLICATED,
    RESOLVERS,
    TOMBSTONES,
    TRANSACTIONS,
    narrowest_first,
)
from plumbline.reference.rulebook.resolvers import Told
from plumbline.reference.runs import DeadEnd

SOON, FEW_KEYS, LONGER, PATIENT = 3, 4, 12, 60
"""So many states are looked at for each entry of the logs: of all keys before few are asked, of few keys, and
of those that are still undecided then. Of right histories a key alone is nearly always explained with few."""

IMPATIENT, COMPOSED = 3, 12
"""Who is impatient gives up once such a part of all states was looked at without getting any further: a
third. Sooner where runs of single keys lead, since only a few steps are to be found that go otherwise."""

LEAST_PATIENCE = 200
"""Nobody gives up before having looked at so many states without getting further."""

AGAIN = ((8, range(40, 45)), (32, range(96, 99)))
"""Before all of the budget is spent, choices are tried in other orders, each drawn from a seed: so many
states for each entry of the logs. Most runs are found soon in most orders, hardly ever in an unlucky one."""

NAMING_STATES = (1_000, 4_000, 16_000)
LIKELY_STATES = 150
NAMING_MS = 3_000
"""How long naming may take; what is not named then is told as such.

First all decisions get few states, which is enough for most: one that takes long must not hide the rest.
Those that explain a wrong key alone within even fewer are asked more before the others. The last and largest
number is for where the others named nothing.
"""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What the oracle says of one history.

    Attributes:
        answer: explained, refuted or unknown.
        states: states visited.
        requirements: ids broken, the most specific first; empty unless refuted.
        decisions: the decisions whose freeing explains the history.
        dead_ends: the furthest places where explaining ended.
    """

    answer: Answer
    states: int
    requirements: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    dead_ends: tuple[DeadEnd, ...] = ()


def search(
    history: History, book: Rulebook, budget: Budget | None = None, asked: Asked | None = None
) -> Explanation:
    """Whether the model with this rulebook can show the history.

    Where that is soon found, `asked` notes what the decisions were asked meanwhile; else it stays empty.
    """
    return _searched(history, book, budget or Budget(), asked)[0]


def _searched(
    history: History, book: Rulebook, budget: Budget, asked: Asked | None = None
) -> tuple[Explanation, History]:
    """What the search says, and of what: of the whole history, or of a few of its keys that refute it.

    What is not soon explained is wrong, and a few keys are refuted long before all are; or else the first
    choices were unlucky, and others soon explain it.
    """
    search = _Search(book, budget)
    question = ask(history, book if asked is None else listening(book, asked))
    found = search.explained(question, SOON, IMPATIENT)
    if asked is not None and found.answer is not Answer.EXPLAINED:
        # Who listens takes longer, which those that take long anyway have no time for.
        asked.clear()
        question = ask(history, book)
    if found.answer is not Answer.UNKNOWN or found.states > budget.states:
        return found, history
    # Naming asks many rulebooks, and has little time for each.
    if not book.replaced():
        singles: list[Part] = list(parts(history, 1))
        pairs: list[Part] = []
        efforts: tuple[Callable[[], tuple[Explanation, History] | None], ...] = (
            partial(search.refuted_of, singles, FEW_KEYS),
            partial(search.composed, question, history, singles),
            partial(search.refuted_of, singles, PATIENT),
            partial(search.composed, question, history, singles),
            # Taken apart only once they are asked.
            partial(pairs.extend, parts(history, 2, _neighbours(question, found))),
            partial(search.refuted_of, pairs, LONGER),
            partial(search.again, question, history, SOON, range(10, 13)),
            partial(search.of_all, question, history, LONGER),
            partial(search.again, question, history, SOON, range(13, 17)),
            partial(search.refuted_of, pairs, PATIENT),
            *(partial(search.again, question, history, *more) for more in AGAIN),
        )
        for decided in efforts:
            if answer := decided():
                return answer
    return search.explained(question), history


def _neighbours(question: Question, found: Explanation) -> set[frozenset[Where]]:
    """The pairs of keys of which some log tells one after the other where explaining got furthest.

    If one of the two is told of too early, or too late, only both together refute it.
    """
    pairs: set[frozenset[Where]] = set()
    for position in found.frontier:
        for place, shown in question.logs.entries.items():
            match place:
                case ("listener", *_):
                    at = position.used.get(place, 0)
                    pairs.add(frozenset(_key_of(entry) for entry in shown[at : at + 2]))
                case _:
                    pass
    return pairs


def _key_of(entry: Entry) -> Where:
    """The region and key of which a listener is told."""
    match entry:
        case (str(region), str(key), *_):
            return region, key
        case _:
            return "", ""


class _Search:
    """Searches that share one time limit; each may look at as many states as the budget says."""

    def __init__(self, book: Rulebook, budget: Budget) -> None:
        self._book = book
        self._budget = budget
        time_ms = budget.time_ms
        self._deadline = None if time_ms is None else time.thread_time() + time_ms / 1000
        self._runs: list[tuple[Part, Explanation]] = []

    def refuted_of(self, undecided: list[Part], per_entry: int) -> tuple[Explanation, History] | None:
        """The first of some parts of a history that is refuted, and how; what is explained is left out."""
        for part in tuple(undecided):
            found = self.explained(ask(part.history, self._book), per_entry)
            if found.answer is Answer.REFUTED:
                return found, part.history
            if found.answer is Answer.EXPLAINED:
                undecided.remove(part)
                self._runs.append((part, found))
        return None

    def composed(
        self, question: Question, history: History, undecided: list[Part]
    ) -> tuple[Explanation, History] | None:
        """What is found in the order that runs of the parts have, once all have one; None if nothing."""
        if undecided or not self._runs:
            return None
        # Of what several name, whoever has most to find out is right most often.
        self._runs.sort(key=lambda run: run[1].states, reverse=True)
        timetable = timetable_of(self._runs)
        self._runs.clear()
        found = self.explained(question, SOON, COMPOSED, timetable=timetable)
        return None if found.answer is Answer.UNKNOWN else (found, history)

    def of_all(
        self, question: Question, history: History, per_entry: int
    ) -> tuple[Explanation, History] | None:
        """What is found of all keys by who is not impatient; None if nothing."""
        found = self.explained(question, per_entry)
        return None if found.answer is Answer.UNKNOWN else (found, history)

    def again(
        self, question: Question, history: History, per_entry: int, seeds: range
    ) -> tuple[Explanation, History] | None:
        """What is found in other orders of the choices, where there are states for more; None if nothing."""
        if per_entry * question.logs.total < self._budget.states:
            for seed in seeds:
                found = self.explained(question, per_entry, IMPATIENT, seed=seed)
                if found.answer is not Answer.UNKNOWN:
                    return found, history
        return None

    def explained(
        self,
        question: Question,
        per_entry: int | None = None,
        patience: int | None = None,
        *,
        seed: int | None = None,
        timetable: Timetable | None = None,
    ) -> Explanation:
        """What is said within so many states for each entry of the logs, or within all that there are.

        With patience it is given up once such a part of them was looked at without getting any further.
        """
        states = self._budget.states
        total = question.logs.total
        most = states if per_entry is None else min(states, per_entry * total)
        futile = max(most // patience, LEAST_PATIENCE) if patience else None
        budget = Budget(most, self._left_ms(), futile)
        return explain(
            question.system, question.logs, budget, self._book.replaced(), seed=seed, timetable=timetable
        )

    def _left_ms(self) -> int | None:
        return None if self._deadline is None else max(0, int((self._deadline - time.thread_time()) * 1000))


def find(
    history: History, book: Rulebook, budget: Budget | None = None, naming_ms: int = NAMING_MS
) -> Finding:
    """Judge a history; name what it breaks if it is wrong, within a time of its own (none: no naming)."""
    explanation, refuted = _searched(history, book, budget or Budget())
    if explanation.answer is not Answer.REFUTED:
        return Finding(answer=explanation.answer, states=explanation.states)
    decisions = name(history, book, naming_ms) if naming_ms else ()
    return Finding(
        answer=Answer.REFUTED,
        states=explanation.states,
        requirements=_requirements(history, decisions),
        decisions=decisions,
        dead_ends=tuple(_dead_ends(ask(refuted, book), explanation.frontier)),
    )


def broken(history: History, book: Rulebook, naming_ms: int, wanted: Collection[str] = ()) -> tuple[str, ...]:
    """The requirements that a history breaks which is known to be wrong; see `name` for those wanted."""
    return _requirements(history, name(history, book, naming_ms, wanted))


def _requirements(history: History, decisions: Iterable[str]) -> tuple[str, ...]:
    """Those of the decisions named, after what needs no naming."""
    of_decisions = (requirement for one in decisions for requirement in DECISIONS[one].requirements)
    return tuple(dict.fromkeys((*_foreign(history), *of_decisions)))


def name(
    history: History, book: Rulebook, time_ms: int = NAMING_MS, wanted: Collection[str] = ()
) -> tuple[str, ...]:
    """The decisions of the smallest sets whose freeing makes the history explainable.

    Every single decision that does so is named, narrow ones first; failing
    that, the first pair. Empty if none is found in the time, which is this thread's own: what is named must
    not depend on what else the machine does.

    Args:
        history: what is wrong.
        book: what is right.
        time_ms: how long to look, in milliseconds.
        wanted: requirements; once single decisions found have all of them, no others are looked for.
    """
    deadline = time.thread_time() + time_ms / 1000
    each_ms = time_ms // 5
    decisions = _decisions(history)
    asked = asked_of(history, book, Budget(NAMING_STATES[-1], each_ms))
    mattering = tuple(one for one in decisions if matters(asked, book, one, DECISIONS[one].free))
    likely = _likely(history, book, mattering, each_ms)
    found = dict.fromkeys(decisions, _NOT_ASKED)
    # Where steps wait for others, freeing one that was never asked may still help: hence the rest.
    for among in (mattering, tuple(one for one in decisions if one not in mattering)):
        singles: tuple[str, ...] = ()
        rounds = (*product(NAMING_STATES[:-1], (likely,)), *product(NAMING_STATES, (among,)))
        for states, some in rounds:
            if singles and states == NAMING_STATES[-1]:
                break
            # Whose freeing led furthest has the best prospects, and time may not suffice for all.
            for decision in sorted(some, key=lambda one: _left(found[one])):
                if found[decision].answer is Answer.UNKNOWN and found[decision].states <= states:
                    found[decision] = _freed(history, book, (decision,), deadline, states, each_ms)
                    if wanted and found[decision].answer is Answer.EXPLAINED:
                        singles = _explaining(among, found)
                        if set(_requirements(history, singles)).issuperset(wanted):
                            return singles
            singles = _explaining(among, found)
        if singles:
            return singles
    for pair in combinations(decisions, 2):
        if _freed(history, book, pair, deadline, NAMING_STATES[-1], each_ms).answer is Answer.EXPLAINED:
            return pair
    return ()


def _decisions(history: History) -> tuple[str, ...]:
    """The decisions that a history of this kind may ask, the most specific first."""
    return (
        *(RESOLVERS if history.resolver else ()),
        *(ONWARD if _travels_on(history) else ()),
        *(GATEWAYS if history.queues else ()),
        *(narrowest_first(CLIENTS) if history.clients else ()),
        *(TRANSACTIONS if _begins(history) else ()),
        *(HOSTING if any(isinstance(what, Hosted) for what in history.timeline) else ()),
        *(CHECKING if _sets_checks(history) else ()),
        *(POLICIES if any(region.policies for region in history.regions) else ()),
        *(TOMBSTONES if history.tombstones is not None else ()),
        *(CLEARING if _clears(history) else ()),
        *(GAUGES if _counts_tombstones(history) else ()),
        *(PARTITIONED if any(r.policy is RegionPolicy.PARTITION for r in history.regions) else ()),
        *REPLICATED,
    )


def _travels_on(history: History) -> bool:
    """Whether events may travel on by way of a site that did not write them."""
    sites = {site.number for site in history.topology.sites}
    links = {(queue.site, queue.remote_site) for queue in history.queues}
    return history.sends_on and bool(links) and not links.issuperset(permutations(sites, 2))


def _sets_checks(history: History) -> bool:
    """Whether any region or client names whether it checks."""
    named = (*(region.checks for region in history.regions), *(client.checks for client in history.clients))
    return any(checks is not None for checks in named)


def _clears(history: History) -> bool:
    """Whether anybody clears a region."""
    return OperationKind.CLEAR in _kinds(history)


def _begins(history: History) -> bool:
    """Whether anybody begins a transaction."""
    return OperationKind.TX_BEGIN in _kinds(history)


def _kinds(history: History) -> set[OperationKind]:
    return {what.operation.kind for what in history.timeline if isinstance(what, Called)}


def _counts_tombstones(history: History) -> bool:
    """Whether anybody asks for a statistic of tombstones."""
    return any(
        isinstance(what, StatisticAsked) and what.name in TOMBSTONE_STATISTICS for what in history.timeline
    )


def _explaining(decisions: Iterable[str], found: Mapping[str, Explanation]) -> tuple[str, ...]:
    """Those whose freeing explains the history."""
    return tuple(decision for decision in decisions if found[decision].answer is Answer.EXPLAINED)


_NOT_ASKED = Explanation(Answer.UNKNOWN, 0)


def _likely(history: History, book: Rulebook, decisions: tuple[str, ...], time_ms: int) -> tuple[str, ...]:
    """The decisions whose freeing soon explains a key that alone is soon refuted; none if no key is."""
    deadline = time.thread_time() + time_ms / 1000
    for part in parts(history, 1):
        if _freed(part.history, book, (), deadline, NAMING_STATES[0], time_ms).answer is Answer.REFUTED:
            return tuple(
                one
                for one in decisions
                if _freed(part.history, book, (one,), deadline, LIKELY_STATES, time_ms).answer
                is Answer.EXPLAINED
            )
    return ()


def _freed(
    history: History, book: Rulebook, free: tuple[str, ...], deadline: float, states: int, each_ms: int
) -> Explanation:
    """What is said where these decisions may be answered in any way; once the time is over, nothing.

    No rulebook is made for nothing: of thousands of pairs, each would take as long as a short search.
    """
    left_ms = int((deadline - time.thread_time()) * 1000)
    if left_ms <= 0:
        return _NOT_ASKED
    return search(history, book.with_free(*free), Budget(states, min(left_ms, each_ms)))


def _left(found: Explanation) -> int:
    """How many entries were left where the search got furthest."""
    return found.frontier[0].left if found.frontier else 0


def _foreign(history: History) -> list[str]:
    """The requirement broken by a value that nobody ever wrote to its key, if one was held."""
    written = {
        (what.operation.region, what.operation.key, value)
        for what in history.timeline
        if isinstance(what, Called)
        for value in (
            what.operation.token,
            *([in_place_of(what.operation.token)] if history.resolver else ()),
        )
    }
    unchecked = {region.name for region in history.regions if region.checks is False}
    for what in history.timeline:
        if isinstance(what, ContentsRead):
            for entry in what.entries:
                if entry.token is not None and (what.region, entry.key, entry.token) not in written:
                    return ["CFG-CHECKS-07" if what.region in unchecked else "CONS-RR-05"]
    return []


class _Offers:
    """A view that fits everything, for asking what the model would have shown at a dead end."""

    reduced = False

    def __init__(self, question: Question, position: Position) -> None:
        self._entries = question.logs.entries
        self._used = position.used
        self.now = position.used.get(TIMELINE, 0)

    def due(self, place: Place) -> Entry | None:
        shown = self._entries.get(place, ())
        index = self._used.get(place, 0)
        return shown[index] if index < len(shown) else None

    def fits(self, place: Place, entry: Entry) -> bool:
        del place, entry
        return True

    def still(self, place: Place, entry: Entry) -> bool:
        del place, entry
        return False

    def when(self, place: Place, entry: Entry) -> int | None:
        del place, entry
        return None

    def observed(self, place: Place) -> bool:
        return place in self._entries

    def complete(self, owner: Hashable) -> bool:
        del owner
        return True


def _dead_ends(question: Question, frontier: list[Position]) -> Iterable[DeadEnd]:
    """For each dead end, at each log with something due: what was due, and what was on offer instead."""
    total = question.logs.total
    for position in frontier:
        offers: View = _Offers(question, position)
        offered: dict[Place, list[str]] = {}
        for step in question.system.steps(position.state, offers):
            for place, entry in step.shows:
                offered.setdefault(place, []).append(_words(entry))
        places: list[Place] = [TIMELINE, *(p for p in question.logs.entries if p != TIMELINE)]
        stuck = []
        for place in places:
            due = offers.due(place)
            choices = tuple(dict.fromkeys(offered.get(place, ())))
            if due is not None and _words(due) not in choices:
                stuck.append((place, _words(due), choices))
        # A log that was offered something else tells more than one that was offered nothing, if there is any.
        telling = [end for end in stuck if end[0] == TIMELINE or end[2]] or stuck
        for place, words, choices in telling:
            yield DeadEnd(consumed=total - position.left, place=_where(place), due=words, offered=choices)


def _where(place: Place) -> str:
    match place:
        case ("listener", member):
            return f"listener of {member}"
        case ("listener", member, region, key, *_):
            return f"listener of {member}, {region}[{key}]"
        case ("outcome", op_id):
            return f"outcome of operation {op_id}"
        case _:
            return "timeline"


def _words(entry: Entry) -> str:
    match entry:
        case (str(region), str(key), kind, token):
            return f"{kind} {region}[{key}] {token}"
        case (str(region), str(key), kind, Told() as told, answer):
            when = "later" if told.later else "earlier"
            sites = f"of site {told.site}, {when}, over {told.old} of site {told.stored_site}"
            return f"{kind} {region}[{key}] {told.kind} {told.new} {sites}: {answer}"
        case (status, value):
            return f"{status}" if value is None else f"{status} {value}"
        case _:
            return _moment_words(entry)


def _moment_words(moment: object) -> str:
    data = msgspec.to_builtins(moment)
    if not isinstance(data, dict):
        return str(moment)
    kind = data.pop("type", "")
    return f"{kind} " + " ".join(f"{key}={value}" for key, value in data.items())
