"""The stage of three sites, each with a gateway sender to each other.

Site 1 has two members, the others one each. Knows literal expectations; asks neither model nor rulebook.
"""

from __future__ import annotations

from itertools import permutations

from plumbline.reference.history import Fault, FaultKind
from plumbline.reference.operations import QueueAttributes, Site, Topology
from plumbline.suites.driving import Driver
from plumbline.suites.scenarios.sites import BATCH_SIZE, INTERVAL_MS, Sites

TOPOLOGY = Topology((Site(1, ("A", "B")), Site(2, ("C",)), Site(3, ("D",))))

LINKS: tuple[tuple[int, int], ...] = tuple(permutations((1, 2, 3), 2))
"""From which site to which there is a link."""

Link = tuple[int, int]


def queues(batch_size: int = BATCH_SIZE) -> tuple[QueueAttributes, ...]:
    """The gateway senders; another batch size makes other senders."""
    sized = "" if batch_size == BATCH_SIZE else f" by {batch_size}"
    return tuple(
        QueueAttributes(
            id=f"{site} to {remote}{sized}",
            site=site,
            remote_site=remote,
            batch_size=batch_size,
            batch_interval_ms=INTERVAL_MS,
        )
        for site, remote in LINKS
    )


class Mesh(Sites):
    """One scenario of three sites under way; `here` and `there` are sites 1 and 2.

    Attributes:
        sites: the members of each site by its number.
    """

    def __init__(self, driver: Driver, order: tuple[str, ...], senders: tuple[QueueAttributes, ...]) -> None:
        super().__init__(driver, order, senders)
        self.sites = {site.number: site.members for site in driver.topology.sites}

    def cut_links(self, *links: Link) -> None:
        """Cut these links, each from one site to another; all of them if none is named."""
        for site, remote in links or LINKS:
            self._do_fault(Fault(kind=FaultKind.LINK_DOWN, site=site, remote_site=remote))

    def heal_links(self, *links: Link) -> None:
        """Mend these links; all of them if none is named."""
        for site, remote in links or LINKS:
            self._do_fault(Fault(kind=FaultKind.LINK_UP, site=site, remote_site=remote))

    def heal_from(self, *sites: int) -> None:
        """Mend what leads away from these sites, one after the other, and let all come to rest each time."""
        for site in sites:
            self.heal_links(*(link for link in LINKS if link[0] == site))
            self.settle()
