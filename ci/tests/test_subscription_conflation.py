"""Clients whose subscription conflates: right ones are never accused, and what is left out wrongly shows."""

from __future__ import annotations

import pytest

from plumbline.ci.selftest.generators.drawn_plans import play_drawn
from plumbline.ci.selftest.histories.history_builder import HistoryBuilder
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.operations import Client
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget

MEMBERS = "A B C D"
EXPLAINED, REFUTED = Answer.EXPLAINED, Answer.REFUTED
K = Client(name="K", servers=("B",), conflate=True)
CALM = Client(name="K", servers=("B",))
BESIDE = (CALM, Client(name="L", servers=("B",), conflate=True))
SECURED = Client(name="K", servers=("B", "C"), redundancy=1, conflate=True)


def answer(t: HistoryBuilder) -> Answer:
    return search(t.settle().sample().history, Rulebook(), Budget(states=20_000)).answer


def called(clients: tuple[Client, ...], *calls: tuple[str, bool], settles: bool = False) -> HistoryBuilder:
    """A put of x that all receive, and then calls on x; of each whether K receives it, behind all calls."""
    t = HistoryBuilder(clients=clients).put("A", "x").settle()
    others = " ".join((MEMBERS, *(client.name for client in clients if client.name != "K")))
    told: dict[int, str] = {}
    before = "put"
    for kind, is_told in calls:
        op_id = t.call(kind, "A", "x")
        shown_as = "create" if before == "destroy" else "" if kind != "put" else "update"
        t.shown(op_id, others, kind=shown_as).ends(op_id)
        if settles:
            t.settle()
        if is_told:
            told[op_id] = shown_as
        before = kind
    for op_id, shown_as in told.items():
        t.shown(op_id, "K", kind=shown_as)
    return t


LEFT_OUT = (("put", False), ("put", True))


@pytest.mark.parametrize(
    ("clients", "calls", "says"),
    [
        ((K,), LEFT_OUT, EXPLAINED),
        ((K,), (("put", True), ("put", True)), EXPLAINED),
        ((SECURED,), LEFT_OUT, EXPLAINED),
        ((CALM,), LEFT_OUT, REFUTED),
        (BESIDE, LEFT_OUT, REFUTED),
        ((K,), (("put", True), ("put", False)), REFUTED),
        ((K,), (("invalidate", False), ("put", True)), REFUTED),
        ((K,), (("destroy", False), ("put", True), ("put", True)), REFUTED),
        ((K,), (("destroy", True), ("put", False), ("put", True)), REFUTED),
        ((K,), (("put", False), ("destroy", True)), REFUTED),
        ((K,), (("put", False), ("invalidate", True)), REFUTED),
        ((K,), (("put", False), ("destroy", True), ("put", True)), REFUTED),
        ((K,), (("put", False), ("destroy", True), ("put", True), ("put", True)), EXPLAINED),
        ((K,), (("put", False), ("invalidate", True), ("put", True)), EXPLAINED),
    ],
)
def test_only_an_update_makes_way_and_for_a_later_one_alone(
    clients: tuple[Client, ...], calls: tuple[tuple[str, bool], ...], says: Answer
):
    assert answer(called(clients, *calls)) is says


def test_an_update_does_not_make_way_for_one_that_is_called_once_all_rests():
    assert answer(called((K,), *LEFT_OUT, settles=True)) is REFUTED


def test_an_update_does_not_make_way_for_one_of_another_key():
    t = HistoryBuilder(clients=(K,)).put("A", "x").put("A", "y").settle()
    assert answer(t.put("A", "x", MEMBERS).put("A", "y")) is REFUTED


def test_what_is_left_keeps_its_order():
    t = called((K,), *((kind, False) for kind in ("put", "destroy", "put", "put")))
    for op_id, kind in ((5, "update"), (3, "destroy"), (4, "create")):
        t.shown(op_id, "K", kind=kind)
    assert answer(t) is REFUTED


def away(*stored: int, how: str, kinds: tuple[str, ...] = ("put", "put", "put")) -> HistoryBuilder:
    """K, durable, misses three changes of x, of which it is sent these as it comes back."""
    client = Client(name="K", servers=("B",), durable_id="k", conflate=True)
    t = HistoryBuilder(clients=(client,), registers=False).put("A", "x", MEMBERS).settle()
    t.register("K", durable=True).fault("client_ready", client="K").live("K").settle()
    t.fault(how, client="K")
    before = "put"
    for kind in kinds:
        op_id = t.call(kind, "A", "x")
        t.shown(op_id, MEMBERS, kind="create" if before == "destroy" else "").ends(op_id)
        before = kind
    t.settle().fault("client_start", client="K").register("K", policy="none", durable=True)
    t.fault("client_ready", client="K")
    for op_id in stored:
        t.shown(op_id, "K")
    return t.live("K")


@pytest.mark.parametrize("how", ["client_detach", "client_crash"])
@pytest.mark.parametrize(
    ("stored", "says"),
    [((4,), EXPLAINED), ((2, 3, 4), REFUTED), ((3, 4), REFUTED), ((2,), REFUTED), ((), REFUTED)],
)
def test_of_what_is_stored_for_an_absent_client_the_last_update_alone_is_replayed(
    stored: tuple[int, ...], says: Answer, how: str
):
    assert answer(away(*stored, how=how)) is says


def test_what_is_stored_and_is_no_update_is_replayed():
    kinds = ("destroy", "put", "put")
    assert answer(away(2, 3, 4, how="client_detach", kinds=kinds)) is EXPLAINED
    assert answer(away(2, 4, how="client_detach", kinds=kinds)) is REFUTED


def test_drawn_plans_are_explained():
    drawn = play_drawn("subscription_conflation", "reference:chaotic", 40, 7, checks_runs=True)
    assert (drawn.examples, drawn.refuted, drawn.unknown, drawn.broken_runs) == (40, (), (), ())
