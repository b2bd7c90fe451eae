"""Entries of operations on many keys, as a history shows them.

When the listener of their own member receives them is not said: before they are sent, or when the call
ends. So its log does not tell when they were applied there. Knows nothing of worlds.
"""

from __future__ import annotations

from typing import NamedTuple

from plumbline.reference.history.bulk import Share
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import Operation, RegionPolicy
from plumbline.reference.model.setting import served


class Entries(NamedTuple):
    """What is known of the entries of one history.

    Attributes:
        shares: op id → which entry of which operation it is.
        apart: op ids of those of which their own member's log does not tell when they were applied.
        own: member, region and key → these of them.
    """

    shares: dict[int, Share]
    apart: frozenset[int]
    own: dict[tuple[str, str, str], list[Operation]]


def entries_of(history: History) -> Entries:
    """The entries of a history; on members that keep a whole copy, and hold no buckets, told apart."""
    clients = {client.name: client for client in history.clients}
    policies = {region.name: region for region in history.regions}
    shares: dict[int, Share] = {}
    own: dict[tuple[str, str, str], list[Operation]] = {}
    for what in history.timeline:
        if not isinstance(what, Called) or what.share is None:
            continue
        operation = served(what.operation, clients)
        shares[operation.op_id] = what.share
        if policies[operation.region].policy_of(operation.member) is RegionPolicy.REPLICATE:
            own.setdefault((operation.member, operation.region, operation.key), []).append(operation)
    return Entries(shares, frozenset(one.op_id for some in own.values() for one in some), own)
