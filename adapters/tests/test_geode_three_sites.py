"""Three sites of real members: links that are cut one by one, clocks held together, events that travel on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plumbline.adapters.errors import UnsupportedError
from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter

pytestmark = [pytest.mark.java, pytest.mark.slow]

SITES = Topology((Site(1, ("A",)), Site(2, ("B",)), Site(3, ("C",))))
CHAIN = ((1, 2), (2, 1), (2, 3), (3, 2))
MESH = (*CHAIN, (1, 3), (3, 1))
LIMIT_MS = 15_000


class Play:
    """An example on running sites, linked so, in few words."""

    def __init__(self, adapter: GeodeAdapter, links: tuple[tuple[int, int], ...]) -> None:
        self.adapter = adapter
        self.last = 0
        queues = [QueueAttributes(id=f"{one} to {two}", site=one, remote_site=two) for one, two in links]
        for queue in queues:
            adapter.create_queue(queue)
        adapter.reset((RegionAttributes(name="r", senders=tuple(queue.id for queue in queues)),))

    def put(self, member: str, key: str = "k") -> str:
        """Put a fresh value, wait for the call, and tell the value."""
        self.last += 1
        token = f"t{self.last}"
        self.adapter.begin(
            Operation(
                op_id=self.last,
                thread=f"of {member}",
                member=member,
                region="r",
                kind=OperationKind.PUT,
                key=key,
                token=token,
            )
        )
        outcome = self.adapter.finish(self.last, LIMIT_MS)
        assert outcome is not None
        assert outcome.status is Status.OK
        return token

    def settle(self) -> None:
        assert self.adapter.settle(LIMIT_MS).settled

    def hold(self, *, frozen: bool = True) -> None:
        for site in SITES.sites:
            self.adapter.clock(site.number, 0, frozen=frozen)

    def held(self, key: str = "k") -> list[str | None]:
        """What each member holds."""
        every = [self.adapter.contents(member, "r") or () for member in SITES.members]
        return [next((one.token for one in held if one.key == key), None) for held in every]


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def geode(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        yield adapter


@pytest.fixture
def chain(geode: GeodeAdapter) -> Play:
    geode.close()  # other queues may be there
    geode.deploy(SITES)
    return Play(geode, CHAIN)


@pytest.fixture
def mesh(geode: GeodeAdapter) -> Play:
    geode.deploy(SITES)
    return Play(geode, MESH)


def test_a_link_is_cut_for_one_sites_senders_alone(mesh: Play):
    mesh.adapter.link("1", "3", "down")
    cut, passed = mesh.put("A", "cut"), mesh.put("B", "passed")
    mesh.settle()
    assert mesh.held("cut") == [cut, cut, None]
    assert mesh.held("passed") == [passed] * 3
    mesh.adapter.link("1", "3", "up")
    mesh.settle()
    assert mesh.held("cut") == [cut] * 3


def test_clocks_of_all_sites_show_the_same_or_what_they_are_set_apart(mesh: Play):
    every = [(str(one), str(two)) for one, two in MESH]
    for ahead_ms, winner in ((0, 2), (1, 1), (-1, 2)):
        key = f"k{ahead_ms}"
        for link in every:
            mesh.adapter.link(*link, "down")
        mesh.hold()
        mesh.adapter.clock(2, ahead_ms, frozen=True)
        puts = [mesh.put(member, key) for member in SITES.members]
        mesh.hold(frozen=False)
        for link in every:
            mesh.adapter.link(*link, "up")
        mesh.settle()
        assert mesh.held(key) == [puts[winner]] * 3, f"{ahead_ms} ms"


def test_an_event_goes_on_to_a_site_that_nobody_has_sent_it_and_settled_means_it_is_there(chain: Play):
    for turn in range(10):
        for writer in ("A", "C", "B"):
            put = chain.put(writer, f"{writer}{turn % 3}")
            chain.settle()
            assert chain.held(f"{writer}{turn % 3}") == [put] * 3


def test_where_a_sender_leads_that_the_region_is_not_attached_to_nothing_would_be_sent_on(chain: Play):
    chain.adapter.create_queue(QueueAttributes(id="1 to 3", site=1, remote_site=3))
    with pytest.raises(UnsupportedError, match="1 to 3: events would not be sent on"):
        chain.adapter.reset((RegionAttributes(name="r", senders=("1 to 2", "2 to 3")),))
