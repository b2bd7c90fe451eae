"""What a history tells of what is still to come."""

from __future__ import annotations

import pytest

from plumbline.reference.explain.client_lookahead import ClientDeliveryLookahead
from plumbline.reference.explain.index import Index
from plumbline.reference.explain.recorded_lookahead import RecordedLookahead
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import Called, Returned, Settled
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.lookahead import Ternary
from plumbline.reference.model.world import empty_world
from plumbline.reference.rulebook.values import EntryState, Stamp

STORED = Entry(EntryState.LIVE, "old", Stamp(1, "A"))


def operation(op_id: int, kind: OperationKind, token: str | None, member: str = "B") -> Operation:
    return Operation(
        op_id=op_id, thread=f"{member}{op_id}", member=member, region="r", kind=kind, key="x", token=token
    )


def shown(kind: EventKind, token: str | None) -> Observation:
    return Observation(Event(member="B", region="r", key="x", kind=kind, token=token), 0, 4)


@pytest.mark.parametrize("names_destroys", [True, False])
def test_who_got_the_old_value_has_surely_read_before_it_was_replaced(names_destroys: bool):
    replacing = operation(1, OperationKind.PUT, "new", "A")
    token = "gone" if names_destroys else None
    history = History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=(
            Called(replacing),
            Called(operation(2, OperationKind.GET, None)),
            Returned(1, Outcome(Status.OK)),
            Returned(2, Outcome(Status.OK, "old")),
            Settled(),
        ),
        # A destroy was shown, too; without a token it could be that of any caller.
        logs={"B": (shown(EventKind.DESTROY, token), shown(EventKind.UPDATE, "new"))},
        callback_arguments=names_destroys,
    )
    index = Index(history)
    comes = RecordedLookahead(index, ClientDeliveryLookahead(index, history)).reader_to_come(
        empty_world(), 1, "B", replacing, STORED
    )
    assert comes is Ternary.YES


@pytest.mark.parametrize(("replaced", "comes"), [(False, Ternary.NO), (True, Ternary.MAYBE)])
def test_who_fails_just_so_afterwards_need_not_come_first(replaced: bool, comes: Ternary):
    replacing = operation(1, OperationKind.PUT, "new", "A")
    history = History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=(
            Called(replacing),
            Called(operation(2, OperationKind.CREATE, "too late", "A")),
            Returned(1, Outcome(Status.OK)),
            Returned(2, Outcome(Status.EXISTS)),
            Settled(),
        ),
        logs={"B": (shown(EventKind.UPDATE, "new"),)},
    )
    index = Index(history)
    recorded_lookahead = RecordedLookahead(
        index, ClientDeliveryLookahead(index, history), fails_in_silence=not replaced
    )
    assert recorded_lookahead.reader_to_come(empty_world(), 1, "A", replacing, STORED) is comes
