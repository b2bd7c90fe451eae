"""The reference does what the dialect says that it declares, whether or not it is given a rulebook."""

from __future__ import annotations

import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.operations import (
    Client,
    Content,
    Operation,
    OperationKind,
    RegionAttributes,
    Site,
    Topology,
)


def at_the_server(adapter: Adapter) -> tuple[Content, ...] | None:
    """What a server holds once its client has put a value and invalidated it."""
    adapter.deploy(Topology((Site(1, ("A",)),)))
    adapter.reset((RegionAttributes(name="r"),))
    adapter.start_client(Client(name="K", servers=("A",)))
    for number, kind in enumerate((OperationKind.PUT, OperationKind.INVALIDATE), 1):
        token = "v" if kind is OperationKind.PUT else None
        adapter.begin(
            Operation(op_id=number, thread="t", member="K", region="r", kind=kind, key="x", token=token)
        )
        adapter.settle(1000)
    return adapter.contents("A", "r")


KEPT, INVALID = (Content("x", "v"),), (Content("x", None),)


@pytest.mark.parametrize("dialect", Dialect)
def test_without_a_rulebook_the_reference_has_that_of_its_dialect(dialect: Dialect):
    adapter = ReferenceAdapter(dialect=dialect)
    assert adapter.hello().dialect is dialect
    assert at_the_server(adapter) == (KEPT if dialect is Dialect.GEMFIRE6 else INVALID)


def test_without_anything_the_reference_is_of_one_dialect_too():
    adapter = ReferenceAdapter()
    assert adapter.hello().dialect is Dialect.GEODE
    assert at_the_server(adapter) == INVALID
