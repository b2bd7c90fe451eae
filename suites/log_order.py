"""How much order a log carries, as declared: where regions and clients check, and where one does not."""

from __future__ import annotations

from plumbline.adapters.protocol import Introduction
from plumbline.reference.history import OrderStrength
from plumbline.reference.operations import Client, RegionAttributes


def order_strength(
    introduction: Introduction,
    regions: tuple[RegionAttributes, ...],
    clients: tuple[Client, ...] = (),
) -> OrderStrength:
    """How much order logs of copies of these regions, or of these at clients, carry, as declared."""
    unchecked = introduction.order_strength_unchecked
    if unchecked is not None and False in (
        *(region.checks for region in regions),
        *(client.checks for client in clients),
    ):
        return unchecked
    return introduction.order_strength
