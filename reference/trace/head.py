"""The head of an example in the trace: what there was before anything was called, one row a thing.

Members, the regions and queues that each hosts, resolvers, clients and what these are registered for. A
registration made later looks the same, so its rows are made here, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from plumbline.reference.history.operations import Client, Interest, QueueAttributes, RegionPolicy, Status
from plumbline.reference.trace.layout import Layout, Row
from plumbline.reference.trace.schema import TraceKind

REMOVES_FAILED = "remove-from-queue-on-exception"
"""Whether a gateway sender's events leave its queue though the other site failed to apply them."""

DEFAULT_POLICY = "keys_values"
"""What a registration that names no policy loads (001, L59)."""


def head(layout: Layout) -> Iterator[Row]:
    """The rows that an example begins with, from its own beginning to the members whose logs are read."""
    history = layout.history
    yield {"kind": TraceKind.EXAMPLE_BEGIN, "order_strength": history.order_strength}
    order = {member: rank for rank, member in enumerate(history.member_order or ())}
    for member in history.topology.members:
        yield layout.member(TraceKind.MEMBER_START, member, rank=order.get(member))
    for region in history.regions:
        for member in history.topology.members:
            yield layout.member(
                TraceKind.REGION_HOST,
                member,
                region=region.name,
                policy=region.policy_of(member),
                scope=region.scope,
                checks=region.checks,
                redundancy=region.redundancy,
            )
        for kind, queues in (("wan", region.senders), ("async", region.queues)):
            for name in queues:
                yield {"kind": TraceKind.ATTACH, "region": region.name, "queue": name, "queue_type": kind}
    for member in history.topology.members if history.resolver else ():
        yield layout.member(TraceKind.INJECT, member, name="resolver", cause=history.resolver)
    for queue in history.queues:
        yield from _queue_hosts(layout, queue)
    for client in history.clients:
        yield from _client(layout, client)
    for member in history.logs:
        yield layout.member(TraceKind.OBSERVED, member)


def _client(layout: Layout, client: Client) -> Iterator[Row]:
    """A client as it was from the beginning: with a copy of each region, registered for all keys."""
    yield layout.member(
        TraceKind.CLIENT_START,
        client.name,
        incarnation=0,
        durable_id=client.durable_id,
        timeout_ms=client.durable_timeout_s * 1000 if client.durable_id is not None else None,
        amount=client.redundancy,
        checks=client.checks,
        conflates=bool(client.conflate),
        order_strength=layout.history.client_order_strength or layout.history.order_strength,
    )
    for place, server in enumerate(client.servers):
        yield layout.member(TraceKind.MAY_SERVE, client.name) | {"server": server, "amount": place}
    for region in layout.history.regions:
        yield layout.member(
            TraceKind.REGION_HOST,
            client.name,
            region=region.name,
            policy=RegionPolicy.LOCAL if region.is_local_at(client.name) else RegionPolicy.NORMAL,
            checks=client.checks,
        )
        if layout.history.registers:
            yield from registration(layout, Interest(client=client.name, region=region.name))


def registration(layout: Layout, interest: Interest, status: Status = Status.OK) -> Iterator[Row]:
    """A registration, or its withdrawal, from its call to its return; nothing else happened meanwhile."""
    begins, ends = (
        (TraceKind.RI_BEGIN, TraceKind.RI_END)
        if interest.register
        else (TraceKind.UNREGISTER_BEGIN, TraceKind.UNREGISTER_END)
    )
    columns = registration_columns(interest)
    yield layout.member(begins, interest.client, **columns)
    yield layout.member(ends, interest.client, **columns, status=status)
    accepted = interest.register and status is Status.OK
    for key in layout.keys.get(interest.region, {}) if accepted else ():
        if _covers(interest, key):
            yield layout.member(TraceKind.RI_KEY, interest.client, **columns, key=key)


def registration_columns(interest: Interest) -> Row:
    """What a registration is for, and how."""
    return {
        "region": interest.region,
        "interest_kind": interest.kind,
        "interest_spec": interest.specification or None,
        "interest_policy": interest.policy or DEFAULT_POLICY,
        "durable": interest.durable,
        "receive_values": interest.receive_values,
    }


def _covers(interest: Interest, key: str) -> bool:
    """Whether a registration covers a key: an expression has to match the whole of it (001, L63, L65).

    Written here because SQL engines do not agree on expressions, and apart from the rulebook: rules judge
    by themselves.
    """
    match interest.kind:
        case "all":
            return True
        case "regex":
            try:
                return re.fullmatch(interest.specification, key) is not None
            except re.error:
                return False
        case _:
            return key in interest.specification.split("\n")


def _queue_hosts(layout: Layout, queue: QueueAttributes) -> Iterator[Row]:
    """A queue runs on every member of its site, or on those that it names."""
    for site in layout.history.topology.sites:
        for member in filter(queue.runs_on, site.members if site.number == queue.site else ()):
            yield layout.member(
                TraceKind.QUEUE_HOST,
                member,
                queue=queue.id,
                queue_type="async" if queue.remote_site is None else "wan",
                peer=None if queue.remote_site is None else str(queue.remote_site),
                parallel=queue.parallel,
                dispatchers=queue.dispatchers,
                order_policy=queue.order_policy,
                batch_size=queue.batch_size,
                interval_ms=queue.batch_interval_ms,
                conflates=queue.conflate,
                filters=queue.filters or None,
                persistent=queue.persistent,
            )
            if not queue.remove_on_exception:
                yield layout.member(
                    TraceKind.CONFIG,
                    member,
                    queue=queue.id,
                    name=REMOVES_FAILED,
                    value="false",
                    status=Status.OK,
                )
