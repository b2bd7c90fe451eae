"""Copies of regions that members of real Geode take while others write."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plumbline.adapters.errors import AdapterError
from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter

pytestmark = pytest.mark.java

LIMIT_MS = 15_000
WHERE = ("C", "r")
PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def cluster(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        yield adapter


@pytest.fixture
def adapter(cluster: GeodeAdapter) -> GeodeAdapter:
    """An example with two values, in which C has given up its copy."""
    cluster.deploy(Topology((Site(1, ("A", "B", "C")),)))
    cluster.reset((RegionAttributes(name="r"),))
    for number, key in enumerate("xd", 1):
        call(cluster, number, "A", PUT, key)
    cluster.settle(LIMIT_MS)
    cluster.leave(*WHERE)
    return cluster


def call(adapter: GeodeAdapter, number: int, caller: str, kind: OperationKind, key: str) -> Outcome | None:
    token = f"t{number}" if kind is PUT else None
    adapter.begin(
        Operation(
            op_id=number, thread=f"of {caller}", member=caller, region="r", kind=kind, key=key, token=token
        )
    )
    return adapter.finish(number, LIMIT_MS)


def held(adapter: GeodeAdapter, member: str = "C") -> dict[str, str | None]:
    return {content.key: content.token for content in adapter.contents(member, "r") or ()}


def test_a_held_copy_undoes_nothing_of_what_comes_meanwhile(adapter: GeodeAdapter):
    adapter.begin_join(*WHERE, held=True)
    assert adapter.await_copy(*WHERE, LIMIT_MS)
    call(adapter, 3, "B", PUT, "x")
    call(adapter, 4, "B", PUT, "new")
    call(adapter, 5, "A", DESTROY, "d")
    assert adapter.settle(LIMIT_MS).settled, "all else is done"
    assert not adapter.finish_join(*WHERE, 0), "the copy is held"
    adapter.release_copy(*WHERE)
    assert adapter.finish_join(*WHERE, LIMIT_MS)
    assert held(adapter) == held(adapter, "A") == {"x": "t3", "new": "t4"}
    assert call(adapter, 6, "C", PUT, "x") == Outcome(Status.OK)


def test_a_copy_that_is_not_held_comes_by_itself(adapter: GeodeAdapter):
    adapter.begin_join(*WHERE, held=False)
    assert adapter.finish_join(*WHERE, LIMIT_MS)
    assert held(adapter) == {"x": "t1", "d": "t2"}
    with pytest.raises(AdapterError, match="takes no copy"):
        adapter.finish_join(*WHERE, 0)


def test_the_next_example_begins_though_a_copy_is_held(adapter: GeodeAdapter):
    adapter.begin_join(*WHERE, held=True)
    assert adapter.await_copy(*WHERE, LIMIT_MS)
    adapter.reset((RegionAttributes(name="r"),))
    call(adapter, 1, "C", PUT, "x")
    assert held(adapter) == {"x": "t1"}


def test_a_copy_dies_with_its_member(adapter: GeodeAdapter):
    adapter.begin_join(*WHERE, held=True)
    assert adapter.await_copy(*WHERE, LIMIT_MS)
    adapter.crash("C")
    assert call(adapter, 3, "A", PUT, "x") == Outcome(Status.OK)
    assert adapter.settle(LIMIT_MS).settled


def test_another_provider_is_asked_where_one_dies(adapter: GeodeAdapter):
    adapter.begin_join(*WHERE, held=True)
    assert adapter.await_copy(*WHERE, LIMIT_MS)
    adapter.crash("A")
    adapter.release_copy(*WHERE)
    assert adapter.finish_join(*WHERE, LIMIT_MS)
    assert held(adapter) == {"x": "t1", "d": "t2"}


def test_a_member_that_was_killed_starts_again_beside_all_else(adapter: GeodeAdapter):
    adapter.begin_join(*WHERE, held=False)
    assert adapter.finish_join(*WHERE, LIMIT_MS)
    adapter.crash("C")
    assert adapter.settle(LIMIT_MS).settled
    adapter.begin_join(*WHERE, held=True)
    assert adapter.await_copy(*WHERE, LIMIT_MS)
    call(adapter, 3, "B", PUT, "x")
    call(adapter, 4, "A", DESTROY, "d")
    assert not adapter.finish_join(*WHERE, 0), "the copy is held"
    adapter.release_copy(*WHERE)
    assert adapter.finish_join(*WHERE, LIMIT_MS)
    assert held(adapter) == held(adapter, "A") == {"x": "t3"}
    assert call(adapter, 5, "C", PUT, "x") == Outcome(Status.OK)
    assert adapter.settle(LIMIT_MS).settled
    assert held(adapter, "B") == {"x": "t5"}


def test_the_next_example_begins_though_a_member_starts_again(adapter: GeodeAdapter):
    adapter.crash("B")
    adapter.begin_join("B", "r", held=True)
    assert adapter.await_copy("B", "r", LIMIT_MS)
    adapter.reset((RegionAttributes(name="r"),))
    call(adapter, 1, "B", PUT, "x")
    assert held(adapter, "A") == {"x": "t1"}
