"""Substitution filters: a wrong value is found and named, and the search finds the same beside them."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.fault_localization import broken
from plumbline.reference.explain.mistold import mistold
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultBegun
from plumbline.reference.history.operations import Operation, OperationKind, QueueAttributes
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.substitutes import ShownValue, parted, substitute, substituted_words
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.rulebook import event_substitution
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.variant import FaultyVariant
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.harness.shown_values import ShownValues
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

BUDGET = Budget(states=20_000)
NAMING_MS = 3_000


@cache
def histories(
    machine: str = "event_substitution",
    candidate: str = "reference:chaotic",
    examples: int = 30,
    draw_seed: int = 4,
) -> tuple[tuple[Plan, History], ...]:
    """What a candidate shows of plans that a machine draws."""
    found: dict[Plan, History] = {}
    with Session(find_candidate(candidate, seed=7)) as session:

        def execute(plan: Plan) -> None:
            if plan not in found:
                found[plan] = play_plan(plan, session).history

        offers = frozenset(session.introduction.capabilities)
        known = MACHINES[machine]
        drive(
            known,
            execute,
            offers=offers,
            examples=examples,
            steps=10,
            draw_seed=draw_seed,
            shrink=False,
        )
    return tuple(found.items())


def with_value(history: History, at: int, by: tuple[str, ...]) -> History:
    """The history in which one value was shown as other filters give it."""
    values = list(history.values)
    values[at] = msgspec.structs.replace(values[at], by=by)
    return msgspec.structs.replace(history, values=tuple(values))


@pytest.mark.parametrize("machine", ["event_substitution", "substitution_in_parallel"])
def test_each_value_that_no_filter_on_its_way_has_given_is_refuted(machine: str):
    spoilt = 0
    for _, history in histories(machine):
        assert mistold(history) is None
        for at, shown in [*enumerate(history.values)][:4]:
            for by in ((), ("of another queue",), (*shown.by, "once more")):
                if by != shown.by:
                    assert search(with_value(history, at, by), Rulebook(), BUDGET).answer is Answer.REFUTED
                    spoilt += 1
    assert spoilt > 50


def quiet(history: History) -> bool:
    """Whether nothing broke, no filter failed, and no queue conflated."""
    return not any(isinstance(what, FaultBegun) for what in history.timeline) and not any(
        queue.failing_keys or queue.conflate for queue in history.queues
    )


@pytest.mark.parametrize(
    ("queued", "substituted", "reads", "named"),
    [
        (False, True, False, "EXT-SUBST-01"),
        (False, True, True, "EXT-SUBST-01"),
        (True, True, False, "EXT-SUBST-02"),
    ],
)
def test_a_substitute_that_is_lost_is_named_by_its_place(
    queued: bool, substituted: bool, reads: bool, named: str
):
    for _, history in histories(examples=80):
        for at, shown in enumerate(history.values if quiet(history) else ()):
            if (bool(shown.queue), bool(shown.by), shown.reads) == (queued, substituted, reads):
                assert broken(with_value(history, at, ()), Rulebook(), NAMING_MS) == (named,)
                return
    pytest.fail("no such value was shown")


def test_a_substitute_at_the_site_of_its_queue_is_named():
    for _, history in histories():
        sites = {member: site.number for site in history.topology.sites for member in site.members}
        sender = next(queue for queue in history.queues if queue.remote_site == 2)
        for at, shown in enumerate(history.values):
            if sites[shown.holder] == sender.site and shown.key in ("x", "y", "z") and not shown.queue:
                assert broken(with_value(history, at, (sender.id,)), Rulebook(), NAMING_MS) == (
                    "EXT-SUBST-03",
                )
                return
    pytest.fail("no value was shown at the site of its queue")


SHOWN_BY_SEARCH = ("leaves-out-substituted-destroys", "leaves-out-where-filter-fails")
"""Variants that lose events: the search finds them, and no value is wrong."""

SELDOM = ("sends-again-original-value",)
"""A receiver has to die in the middle of a batch for it, as it does in a scenario."""


@pytest.mark.parametrize(
    "variant",
    [one for one in event_substitution.FAULTS if one.name not in (*SHOWN_BY_SEARCH, *SELDOM)],
    ids=lambda variant: variant.name,
)
def test_drawn_plans_show_the_wrong_values_of_each_variant(variant: FaultyVariant):
    machine = "substitution_in_parallel" if "in-parallel" in variant.name else "event_substitution"
    named = set[str]()
    for draw_seed in range(4, 16):
        for _, history in histories(machine, f"faulty:{variant.name}", 20, draw_seed):
            found = mistold(history)
            named |= set() if found is None else {found.requirement}
        if named >= set(variant.requirements):
            return
    assert named >= set(variant.requirements)


def test_the_search_finds_the_same_with_substitutes_and_without():
    for _, history in histories()[:8]:
        queues = tuple(
            msgspec.structs.replace(queue, substituted_keys=(), failing_keys=()) for queue in history.queues
        )
        bare = msgspec.structs.replace(history, queues=queues, values=())
        found, of_bare = (search(one, Rulebook(), BUDGET) for one in (history, bare))
        assert (found.answer, found.visited) == (of_bare.answer, of_bare.visited)


def test_the_machine_draws_all_that_a_substitute_meets():
    plans = histories(examples=80)
    kinds = {
        what.fault.kind for _, history in plans for what in history.timeline if isinstance(what, FaultBegun)
    }
    assert kinds >= {FaultKind.CRASH, FaultKind.LINK_DOWN, FaultKind.PAUSE}
    queues = [queue for _, history in plans for queue in history.queues]
    assert any(queue.conflate and queue.substituted_keys for queue in queues)
    assert any(queue.failing_keys for queue in queues)
    assert any(queue.remote_site is None and queue.substituted_keys for queue in queues)
    assert any(shown.by for _, history in plans for shown in history.values if shown.queue)


def test_plans_in_which_a_value_has_several_ways_are_not_followed():
    plan, history = histories()[0]
    resolved = msgspec.structs.replace(plan, resolver="allow")
    assert any("resolver" in words for words in unmodelled(resolved))
    assert not any("substitutes" in words for words in unmodelled(plan))
    assert not any("substitutes" in words for words in unmodelled(history))


def test_a_substitute_shows_the_filters_that_it_has_passed():
    value = substitute(substitute("v1", "out"), "in")
    assert parted(value) == ("v1", ("out", "in"))
    assert parted("v1") == ("v1", ())
    shown = ShownValue(holder="C", key="x", token="v1", by=("out", "in"), before=1)  # noqa: S106 - a token
    assert substituted_words(shown) == "v1 as the filters of out and in gave it"
    assert substituted_words(msgspec.structs.replace(shown, by=())) == "v1 as it was put"


def test_values_are_noted_where_a_queue_has_a_filter_and_nowhere_else():
    put = Operation(op_id=1, thread="t", member="A", region="r", kind=OperationKind.PUT, key="x", token="v1")  # noqa: S106
    for keys in (("x",), ()):
        values = ShownValues((QueueAttributes(id="q", site=1, substituted_keys=keys),), [])
        assert values.told("v1~q") == ("v1" if keys else "v1~q")
        long = msgspec.structs.replace(put, value_bytes=10)
        sent = values.sent(long)
        assert values.told(substitute(sent.token or "", "q")) == ("v1" if keys else f"{sent.token}~q")
        assert values.seen == ()
