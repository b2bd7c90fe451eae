"""Naming: which requirements does a history break that is known to be wrong?

Those of the decisions whose freeing, alone or two at once, makes it explainable. Knows which decisions a
kind of history may ask; knows nothing of how a search goes.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations, product

from plumbline.reference.explain.decision_log import asked_of, matters
from plumbline.reference.explain.groundless import groundless
from plumbline.reference.explain.key_decomposition import parts
from plumbline.reference.explain.listener_index import shows_marks
from plumbline.reference.explain.mistold import mistold
from plumbline.reference.explain.search_stages import sought
from plumbline.reference.history.fault_kinds import CLIENT_LIVES, STARTS_AGAIN
from plumbline.reference.history.history import History
from plumbline.reference.history.join_moments import JoinBegun
from plumbline.reference.history.moments import (
    Called,
    ContentsRead,
    FaultBegun,
    Hosted,
    Scripted,
    StatisticAsked,
    Unsettled,
)
from plumbline.reference.history.operations import CONDITIONAL, OperationKind, RegionPolicy, travels_on
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.history.resolvers import in_place_of
from plumbline.reference.model.gauges import is_gauge
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import (
    CHECKING,
    CLEARING,
    CLIENTS,
    CONFLATION,
    DECISIONS,
    DISKS,
    DISPATCHERS,
    DURABLE,
    ENTRY_OPERATIONS,
    FAILURES,
    FILTERS,
    GATEWAYS,
    GAUGES,
    GROUPS,
    HOSTING,
    JOINING,
    LISTENERS,
    MARKS,
    ONWARD,
    OVERFLOW,
    PARALLEL,
    PARTITIONED,
    POLICIES,
    REGISTRATIONS,
    REPLICATED,
    RESOLVERS,
    SUBSCRIPTION_CONFLATION,
    SUBSTITUTION,
    TOMBSTONES,
    TRANSACTIONS,
    narrowest_first,
)
from plumbline.reference.search.search import Answer, Budget, Explanation

NAMING_STATES = (1_000, 4_000, 16_000)
PAIR_STATES = (1_000, 16_000)
LIKELY_STATES = 150
NAMING_MS = 3_000
"""How long naming may take; a failure that stays without a name is reported as such.

First all decisions get few states, which is enough for most: one that takes long must not hide the rest.
The same holds for pairs of decisions.
Those that explain a wrong key alone within even fewer are asked more before the others. The last and largest
number is for where the others named nothing.
"""


def broken(history: History, book: Rulebook, naming_ms: int, wanted: Collection[str] = ()) -> tuple[str, ...]:
    """The requirements that a history breaks which is known to be wrong; see `name` for those wanted."""
    return requirements_of(history, name(history, book, naming_ms, wanted))


def requirements_of(history: History, decisions: Iterable[str]) -> tuple[str, ...]:
    """Those of the decisions named, after what needs no naming."""
    of_decisions = (requirement for one in decisions for requirement in DECISIONS[one].requirements)
    wrong = mistold(history)
    untold = [] if wrong is None else [wrong.requirement]
    return tuple(dict.fromkeys((*untold, *_foreign(history), *of_decisions)))


def name(
    history: History, book: Rulebook, time_ms: int = NAMING_MS, wanted: Collection[str] = ()
) -> tuple[str, ...]:
    """The decisions of the smallest sets whose freeing makes the history explainable.

    Every single decision that does so is named, narrow ones first; failing that, the first pair. Empty if
    none is found in the time, which is this thread's own: the name must not depend on other work of the
    machine.

    Args:
        history: what is wrong.
        book: what is right.
        time_ms: how long to look, in milliseconds.
        wanted: requirements; once single decisions found have all of them, no others are looked for.
    """
    if groundless(history) is not None or mistold(history) is not None:
        return ()  # no decision of a run is at fault
    if any(isinstance(what, Unsettled) for what in history.timeline):
        return ()  # logs end somewhere: the observation names it
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
            # Whose freeing led furthest has the best prospects, and time may not suffice for all. Those of
            # a requirement wanted come first: a round finds the same in any order, and may end with them.
            for decision in sorted(some, key=lambda one: (_is_unwanted(one, wanted), _left(found[one]))):
                if found[decision].answer is Answer.UNKNOWN and found[decision].states <= states:
                    found[decision] = _freed(history, book, (decision,), deadline, states, each_ms)
                    if wanted and found[decision].answer is Answer.EXPLAINED:
                        singles = _explaining(among, found)
                        if set(requirements_of(history, singles)).issuperset(wanted):
                            return singles
            singles = _explaining(among, found)
        if singles:
            return singles
    if _foreign(history):
        return ()  # what shows a value that no call wrote is named by that, and no two decisions explain it
    return _pair(history, book, decisions, deadline, each_ms)


def _pair(
    history: History, book: Rulebook, decisions: tuple[str, ...], deadline: float, each_ms: int
) -> tuple[str, ...]:
    """The first two decisions whose freeing together explains the history; none if no two do."""
    pairs = list(combinations(decisions, 2))
    for states in PAIR_STATES:
        answers = {}
        for pair in pairs:
            if time.thread_time() > deadline:
                return ()
            answers[pair] = _freed(history, book, pair, deadline, states, each_ms).answer
            if answers[pair] is Answer.EXPLAINED:
                return pair
        pairs = [pair for pair in pairs if answers[pair] is Answer.UNKNOWN]
    return ()


def _is_unwanted(decision: str, wanted: Collection[str]) -> bool:
    """Whether a decision has none of the requirements wanted."""
    return set(DECISIONS[decision].requirements).isdisjoint(wanted)


def _decisions(history: History) -> tuple[str, ...]:
    """The decisions that a history of this kind may ask, the most specific first."""
    return (
        *(CONFLATION if any(queue.conflate for queue in history.queues) else ()),
        *(FILTERS if any(queue.filters for queue in history.queues) else ()),
        *(SUBSTITUTION if any(queue.substitutes for queue in history.queues) else ()),
        *(MARKS if shows_marks(history) else ()),
        *(SUBSCRIPTION_CONFLATION if any(client.conflate for client in history.clients) else ()),
        *(GROUPS if any(queue.group_transactions for queue in history.queues) else ()),
        *(RESOLVERS if history.resolver else ()),
        *(JOINING if _joins_meanwhile(history) else ()),
        *(REGISTRATIONS if _registers_meanwhile(history) else ()),
        *(DURABLE if _has_lives(history) else ()),
        *(DISKS if _starts_again(history) else ()),
        *(OVERFLOW if history.queues and _has_long_values(history) else ()),
        *(ONWARD if _travels_on(history) else ()),
        *(DISPATCHERS if any(queue.dispatchers > 1 for queue in history.queues) else ()),
        *(PARALLEL if any(queue.parallel for queue in history.queues) else ()),
        *(LISTENERS if any(queue.remote_site is None for queue in history.queues) else ()),
        *(FAILURES if _may_fail(history) else ()),
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
        *(ENTRY_OPERATIONS if _depends_on_entries(history) else ()),
    )


def _starts_again(history: History) -> bool:
    """Whether a member with queues is started again."""
    return bool(history.queues) and any(
        isinstance(what, FaultBegun) and what.fault.kind in STARTS_AGAIN for what in history.timeline
    )


def _has_lives(history: History) -> bool:
    """Whether a client is durable, or says that it is ready all the same."""
    return any(client.durable_id is not None for client in history.clients) or any(
        isinstance(what, FaultBegun) and what.fault.kind in CLIENT_LIVES for what in history.timeline
    )


def _joins_meanwhile(history: History) -> bool:
    """Whether a member takes a copy beside all else."""
    return any(isinstance(what, JoinBegun) for what in history.timeline)


def _registers_meanwhile(history: History) -> bool:
    """Whether a registration is under way beside all else."""
    return any(isinstance(what, RegistrationBegun) for what in history.timeline)


def _has_long_values(history: History) -> bool:
    """Whether any value is long enough to be counted."""
    return any(isinstance(what, Called) and what.operation.value_bytes for what in history.timeline)


def _travels_on(history: History) -> bool:
    """Whether events may travel on by way of a site that did not write them."""
    return history.sends_on and travels_on([site.number for site in history.topology.sites], history.queues)


def _may_fail(history: History) -> bool:
    """Whether a receiver may fail to apply an event, or its sender keeps those that fail."""
    refuses = any(isinstance(what, Scripted) and what.refuses for what in history.timeline)
    return bool(history.queues) and (
        refuses or not all(queue.remove_on_exception for queue in history.queues)
    )


def _sets_checks(history: History) -> bool:
    """Whether any region or client names whether it checks."""
    named = (*(region.checks for region in history.regions), *(client.checks for client in history.clients))
    return any(checks is not None for checks in named)


def _clears(history: History) -> bool:
    """Whether any call clears a region."""
    return OperationKind.CLEAR in _kinds(history)


def _depends_on_entries(history: History) -> bool:
    """Whether any call depends on what it finds, or is of many keys."""
    return any(
        isinstance(what, Called) and (what.share or what.operation.kind in _BY_ENTRY)
        for what in history.timeline
    )


_BY_ENTRY = CONDITIONAL | {
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.CONTAINS_KEY,
    OperationKind.TX_BEGIN,
}
"""What depends on the entry that it finds."""


def _begins(history: History) -> bool:
    """Whether any call begins a transaction."""
    return OperationKind.TX_BEGIN in _kinds(history)


def _kinds(history: History) -> set[OperationKind]:
    return {what.operation.kind for what in history.timeline if isinstance(what, Called)}


def _counts_tombstones(history: History) -> bool:
    """Whether the harness reads a statistic of tombstones, or the size of a region."""
    return any(isinstance(what, StatisticAsked) and is_gauge(what.name) for what in history.timeline)


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
    return sought(history, book.with_free(*free), Budget(states, min(left_ms, each_ms)))[0]


def _left(found: Explanation) -> int:
    """How many entries were left where the search got furthest."""
    return found.frontier[0].left if found.frontier else 0


def _foreign(history: History) -> list[str]:
    """The requirement broken by a value that no call ever wrote to its key, if one was held.

    A receiver has stored an update of another site.
    """
    sites = {member: site.number for site in history.topology.sites for member in site.members}
    homes = {
        what.operation.token: sites.get(what.operation.member)
        for what in history.timeline
        if isinstance(what, Called)
    }
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
                    home, here = homes.get(entry.token), sites.get(what.member)
                    if home is not None and here is not None and home != here:
                        return ["RCV-APPLY-01"]
                    return ["CFG-CHECKS-07" if what.region in unchecked else "CONS-RR-05"]
    return []
