"""Creations behind a destroy: when a log says that they are told as updates, and when it says nothing."""

from __future__ import annotations

import pytest

from plumbline.reference.explain.mistold import Mistold, mistold
from plumbline.reference.history.bulk import Share
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation, OrderStrength
from plumbline.reference.history.moments import Called, FaultBegun, Moment, Registered, Returned
from plumbline.reference.history.operations import (
    Client,
    Event,
    EventKind,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

KINDS = {
    "C": EventKind.CREATE,
    "U": EventKind.UPDATE,
    "D": EventKind.DESTROY,
    "I": EventKind.INVALIDATE,
    "E": EventKind.CLEAR,
}


def told(
    kinds: str,
    *,
    region: RegionAttributes = RegionAttributes(name="r"),  # noqa: B008 - frozen
    strength: OrderStrength = OrderStrength.TOTAL,
    timeline: tuple[Moment, ...] = (),
) -> Event | None:
    """What is found in a log that tells of one key: each letter an event."""
    events = [
        Event(member="A", region="r", key="" if one == "E" else "x", kind=KINDS[one], token=f"{at}")
        for at, one in enumerate(kinds)
    ]
    log = tuple(Observation(event, 0, 1) for event in events)
    topology = Topology((Site(1, ("A",)),))
    history = History(
        topology=topology, regions=(region,), timeline=timeline, logs={"A": log}, order_strength=strength
    )
    found = mistold(history)
    if found is None:
        return None
    assert isinstance(found.event, Event)
    return found.event


@pytest.mark.parametrize("kinds", ["CUDU", "CUUDU", "CUDCDU", "CUIDU"])
def test_an_update_behind_a_destroy_is_found_where_creates_are_told_apart(kinds: str):
    found = told(kinds)
    assert found is not None
    assert (found.kind, found.token) == (EventKind.UPDATE, f"{len(kinds) - 1}")


@pytest.mark.parametrize("kinds", ["", "CUDC", "UUDU", "CCDU", "CDU", "UCDU", "CUIU", "CUEU", "CUDIU"])
def test_nothing_is_found_where_creates_are_told_as_such_or_are_not_told_apart(kinds: str):
    assert told(kinds) is None


def test_nothing_is_found_where_no_order_is_told_something_failed_or_nothing_is_checked():
    assert told("CUDU", strength=OrderStrength.PER_KEY_AND_THREAD) is None
    crash = FaultBegun(1, Fault(kind=FaultKind.CRASH, member="B"))
    assert told("CUDU", timeline=(crash,)) is None
    assert told("CUDU", region=RegionAttributes(name="r", checks=False)) is None


def test_when_the_member_was_told_of_its_own_bulk_operation_says_nothing():
    entry = Operation(
        op_id=2, thread="A1.1", member="A", region="r", kind=OperationKind.PUT, key="x", token=None
    )
    assert told("CUDU", timeline=(Called(entry, Share(1, 1, 1)),)) is None


def at_client(
    kinds: str,
    *,
    strength: OrderStrength | None = None,
    timeline: tuple[Moment, ...] = (),
    own: bool = False,
    registers_late: bool = False,
    calls: int | None = None,
) -> Mistold | None:
    """What is found in a client's log that tells of one key: each letter an event, and a call of a member."""
    events = [
        Event(member="K", region="r", key="x", kind=KINDS[one], token=f"{at}") for at, one in enumerate(kinds)
    ]
    called = tuple(
        moment
        for at in range(len(kinds) if calls is None else calls)
        for moment in (
            Called(
                Operation(
                    op_id=at,
                    thread="t",
                    member="K" if own else "A",
                    region="r",
                    kind=OperationKind.PUT,
                    key="x",
                )
            ),
            Returned(at, Outcome(Status.OK)),
        )
    )
    late = (Registered(Interest(client="K", region="r")),) if registers_late else ()
    history = History(
        topology=Topology((Site(1, ("A",)),)),
        regions=(RegionAttributes(name="r"),),
        timeline=(*called, *late, *timeline),
        logs={"K": tuple(Observation(event, 0, 1) for event in events)},
        clients=(Client(name="K", servers=("A",)),),
        client_order_strength=strength,
    )
    return mistold(history)


@pytest.mark.parametrize(
    ("kinds", "at"),
    [("CUDU", 3), ("UC", 0), ("CCU", 1), ("CUC", 2), ("CIC", None), ("CUIC", 3), ("CUDUI", 3)],
)
def test_a_client_that_tells_creates_apart_receives_them_of_what_it_lacks_alone(kinds: str, at: int | None):
    found = at_client(kinds)
    assert (None if found is None else (found.requirement, found.event.token)) == (
        None if at is None else ("S2C-RECV-01", f"{at}")
    )


@pytest.mark.parametrize("kinds", ["", "UUDU", "CCDC", "CUDC", "CUUDCU", "CUIU", "CUDIU"])
def test_nothing_is_found_at_a_client_that_receives_the_right_kinds_or_one_kind(kinds: str):
    assert at_client(kinds) is None


def test_nothing_is_found_at_a_client_whose_log_does_not_show_all_that_it_held():
    crash = FaultBegun(1, Fault(kind=FaultKind.CRASH, member="B"))
    assert at_client("CUDU", timeline=(crash,)) is None
    assert at_client("CUDU", strength=OrderStrength.PER_KEY_AND_THREAD) is None
    assert at_client("CUDU", own=True) is None
    assert at_client("CUDU", registers_late=True) is None
    assert at_client("CUDU", calls=5) is None
