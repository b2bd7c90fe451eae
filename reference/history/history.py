"""A history: everything that was asked of a candidate in one example, and everything it showed.

The harness's own clock is the timeline: a list of moments in the order in which the harness sent or
received them. Each listener log entry carries the window of the timeline in which it must have been
shown. Knows nothing of what is right.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from plumbline.reference.history.listener_calls import SeenCall
from plumbline.reference.history.moments import Moment
from plumbline.reference.history.operations import (
    Client,
    Event,
    QueueAttributes,
    RegionAttributes,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.substitutes import ShownValue


class OrderStrength(StrEnum):
    """How much order a member's listener log carries, as the candidate declares it."""

    TOTAL = "total"
    PER_KEY = "per_key"
    PER_KEY_AND_THREAD = "per_key_and_thread"


class Observation(msgspec.Struct, frozen=True):
    """One listener log entry and the window of the timeline in which it was shown.

    Attributes:
        event: what the listener was told.
        after: shown only once this many moments of the timeline had passed.
        before: shown while at most this many had passed.
    """

    event: Event
    after: int
    before: int


class History(msgspec.Struct, frozen=True, kw_only=True):
    """One example as it was seen.

    Attributes:
        topology: the sites and members.
        regions: the regions in use.
        timeline: what the harness sent and received, in order.
        logs: for each member or client whose listeners were observed, what they were told, in log order.
        order_strength: how much order the logs carry.
        client_order_strength: the same for logs of clients, where it differs.
        member_order: members from the lowest to the highest id, or None where the candidate does not say.
        conflated_weight_least: least that one discarded update adds to the statistic conflatedEvents.
        conflated_weight_most: most that it adds.
        callback_arguments: whether destroys and invalidates carry their token.
        queues: the gateway senders and asynchronous queues that regions may be attached to.
        clients: the clients, which ran from the beginning.
        registers: whether they registered for all keys of all regions when they started; else they began
            without any interest.
        tombstones: how long tombstones were kept, where it was asked for.
        resolver: the policy of the conflict resolver on every member (see `resolvers`); "" for none.
        batches_wait: whether batches that are not full waited while clocks were held; else they left as ever.
        retries_wait: whether senders that found no receiver waited while clocks were held; else they tried at
            any time.
        sends_on: whether an event that came from another site was sent on to those that had not been sent it.
        calls: calls of the listeners of asynchronous queues, those of each queue and member in their order.
        values: the values that were shown, where some queue has a substitution filter; logs, calls and the
            timeline have the values that were put in place of substitutes.
    """

    topology: Topology
    regions: tuple[RegionAttributes, ...]
    timeline: tuple[Moment, ...]
    logs: dict[str, tuple[Observation, ...]]
    order_strength: OrderStrength = OrderStrength.TOTAL
    client_order_strength: OrderStrength | None = None
    member_order: tuple[str, ...] | None = None
    conflated_weight_least: int = 1
    conflated_weight_most: int = 1
    callback_arguments: bool = True
    queues: tuple[QueueAttributes, ...] = ()
    clients: tuple[Client, ...] = ()
    registers: bool = True
    tombstones: TombstoneSettings | None = None
    resolver: str = ""
    batches_wait: bool = True
    retries_wait: bool = False
    sends_on: bool = False
    calls: tuple[SeenCall, ...] = ()
    values: tuple[ShownValue, ...] = ()
