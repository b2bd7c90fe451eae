"""The stage of three sites: each with a gateway sender to each other, in a chain, or in a ring.

One site has two members, the others one each. Knows literal expectations; asks neither model nor rulebook.
"""

from __future__ import annotations

from itertools import permutations

import msgspec

from plumbline.reference.history.actions import Look
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import QueueAttributes, QueueRole, Site, Topology
from plumbline.suites.harness.driver import Driver
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.sites import BATCH_SIZE, INTERVAL_MS, Sites

Link = tuple[int, int]


class Sited(msgspec.Struct, frozen=True):
    """Three sites, and how they are linked.

    Attributes:
        topology: their members; of its own for each way to link them, as a candidate may take a site that it
            has once had a sender to for one that is sent everything.
        links: from which site to which there is a gateway sender.
    """

    topology: Topology
    links: tuple[Link, ...]


TOPOLOGY = Topology((Site(1, ("A", "B")), Site(2, ("C",)), Site(3, ("D",))))

LINKS: tuple[Link, ...] = tuple(permutations((1, 2, 3), 2))
"""From which site to which there is a link, where each is linked to each."""

MESH = Sited(TOPOLOGY, LINKS)
CHAIN = Sited(
    Topology((Site(1, ("A",)), Site(2, ("B", "C")), Site(3, ("D",)))), ((1, 2), (2, 1), (2, 3), (3, 2))
)
"""What sites 1 and 3 write reaches the other by way of site 2, if at all."""

RING = Sited(Topology((Site(1, ("A",)), Site(2, ("B",)), Site(3, ("C", "D")))), ((1, 2), (2, 3), (3, 1)))
"""What a site writes reaches one of the others by way of the third, if at all."""


def queues(batch_size: int = BATCH_SIZE, links: tuple[Link, ...] = LINKS) -> tuple[QueueAttributes, ...]:
    """The gateway senders of these links; another batch size makes other senders."""
    sized = "" if batch_size == BATCH_SIZE else f" by {batch_size}"
    return tuple(
        QueueAttributes(
            id=f"{site} to {remote}{sized}",
            site=site,
            remote_site=remote,
            batch_size=batch_size,
            batch_interval_ms=INTERVAL_MS,
        )
        for site, remote in links
    )


class Mesh(Sites):
    """One scenario of three sites under way; `here` and `there` are sites 1 and 2.

    Attributes:
        sites: the members of each site by its number.
        links: from which site to which there is a gateway sender.
        sends_on: whether the candidate says that events travel on, by way of a site that did not write them.
    """

    def __init__(self, driver: Driver, order: tuple[str, ...], senders: tuple[QueueAttributes, ...]) -> None:
        super().__init__(driver, order, senders)
        self.sites = {site.number: site.members for site in driver.topology.sites}
        self.links = tuple((queue.site, queue.remote_site) for queue in senders if queue.remote_site)
        self.sends_on = driver.introduction.sends_on
        self._names = {
            (queue.site, queue.remote_site): queue.id for queue in senders if queue.remote_site is not None
        }

    def cut_links(self, *links: Link) -> None:
        """Cut these links, each from one site to another; all of them if none is named."""
        for site, remote in links or self.links:
            self._do_fault(Fault(kind=FaultKind.LINK_DOWN, site=site, remote_site=remote))

    def heal_links(self, *links: Link) -> None:
        """Mend these links; all of them if none is named."""
        for site, remote in links or self.links:
            self._do_fault(Fault(kind=FaultKind.LINK_UP, site=site, remote_site=remote))

    def primary_between(self, site: int, remote: int) -> str:
        """The member of a site whose sender to another is primary; there must be exactly one."""
        name = self._names[site, remote]
        found = []
        for member in self.sites[site]:
            if member in self.members:
                self.steps.append(Look(name))
                if self._driver.look_at_queue(member, name).role is QueueRole.PRIMARY:
                    found.append(member)
        if len(found) != 1:
            raise MismatchError(f"exactly one member of site {site} to be primary of {name}", in_words(found))
        return found[0]

    def heal_from(self, *sites: int) -> None:
        """Mend what leads away from these sites, one after the other, and let all come to rest each time."""
        for site in sites:
            self.heal_links(*(link for link in self.links if link[0] == site))
            self.settle()
