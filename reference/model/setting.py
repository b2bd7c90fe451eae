"""What the parts of the model share in one example: rulebook, topology, regions, the operations called.

Knows no state and no log.
"""

from __future__ import annotations

from typing import Any

from plumbline.reference.model.claims import STAMPS_GROW
from plumbline.reference.operations import Operation, RegionAttributes, Scope, Topology
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import each


class Setting:
    """The unchanging side of an example.

    Attributes:
        book: the decisions.
        members: all members, in the order of the topology.
        order: members from the lowest to the highest id, None if it is not known.
        operations: op id → operation, for every operation called so far or ever.
        identified: whether destroys and invalidates are announced with their token.
        stamps_grow: whether all decisions are as they are on which "a loser stays one" rests.
        ambiguous: (region, key) pairs whose versions may differ between runs that show the same.
        redeliverable: op ids whose message may be delivered once more; None for all.
    """

    def __init__(
        self,
        book: Rulebook,
        topology: Topology,
        regions: tuple[RegionAttributes, ...],
        order: tuple[str, ...] | None,
        *,
        identified: bool = True,
        redeliverable: frozenset[int] | None = None,
    ) -> None:
        self.book = book
        self.members = topology.members
        self.others = {m: tuple(o for o in self.members if o != m) for m in self.members}
        self.order = order
        self.identified = identified
        self.redeliverable = redeliverable
        self.ambiguous: frozenset[tuple[str, str]] = frozenset()
        self.operations: dict[int, Operation] = {}
        self._regions = {region.name: region for region in regions}
        self._checks: dict[str, tuple[Any, ...]] = {
            region.name: each(book.checks_in_force(region.checks)) for region in regions
        }
        self.stamps_grow = STAMPS_GROW.isdisjoint(book.replaced())
        self.watches_writers = "waits_for_other_writers" in book.replaced()
        self.watches_delivery = "applies_while_another_is_under_way" in book.replaced()

    def checks(self, region: str) -> tuple[bool, ...]:
        """Whether the region checks consistency; more than one answer only where that decision is free."""
        return self._checks[region]

    def awaits_acknowledgement(self, region: str) -> bool:
        """Whether calls on the region wait until the other members have received them."""
        return self._regions[region].scope is Scope.ACK

    def keeps_stamp_of(self, op_id: int) -> bool:
        """Whether the operation's message may be needed once more."""
        return self.redeliverable is None or op_id in self.redeliverable
