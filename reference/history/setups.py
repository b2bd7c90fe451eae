"""The set-up of an example in words: all that is configured before its first step.

One line for each site, region, queue and client, and one for each setting of the whole example that differs
from its default. Knows nothing of what a setting leads to, nor of where the lines are shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.operations import (
    Client,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Site,
    TombstoneSettings,
)
from plumbline.reference.history.plans import Plan

_QUEUE = QueueAttributes(id="", site=0)
_CLIENT = Client(name="", servers=("",))
_CHECKS = {None: "checks left at the default", True: "checks on", False: "checks off"}


def setup_words(example: Plan | History) -> tuple[str, ...]:
    """The set-up, one line each; of a history also what the candidate has declared of itself."""
    lines = [*map(_site, example.topology.sites), *map(_region, example.regions)]
    lines += map(_queue, example.queues)
    lines += map(_client, example.clients)
    if example.clients:
        if example.registers:
            lines.append("clients register for all keys of all regions when they start")
        else:
            lines.append("clients start without any interest")
    if example.tombstones is not None:
        lines.append(_tombstones(example.tombstones))
    if example.resolver:
        lines.append(f"conflict resolver on every member: {example.resolver}")
    return (*lines, *(_declared(example) if isinstance(example, History) else ()))


def _site(site: Site) -> str:
    return f"site {site.number}: {_listed('member', site.members)}"


def _region(region: RegionAttributes) -> str:
    others: dict[RegionPolicy, list[str]] = {}
    for host in region.policies:
        others.setdefault(host.policy, []).append(host.member)
    parts = [str(region.policy)]
    parts += [f"{policy} on {', '.join(members)}" for policy, members in others.items()]
    parts += [str(region.scope), _CHECKS[region.checks]]
    if region.redundancy or region.policy is RegionPolicy.PARTITION:
        parts.append(f"redundancy {region.redundancy}")
    if region.senders:
        parts.append(_listed("gateway sender", region.senders))
    if region.queues:
        parts.append(_listed("asynchronous event queue", region.queues))
    return f"region {region.name}: {'; '.join(parts)}"


def _queue(queue: QueueAttributes) -> str:
    if queue.remote_site is None:
        head = f"asynchronous event queue {queue.id}: site {queue.site}"
    else:
        head = f"gateway sender {queue.id}: site {queue.site} to site {queue.remote_site}"
    parts = ["parallel" if queue.parallel else "serial"]
    if (queue.dispatchers, queue.order_policy) != (_QUEUE.dispatchers, _QUEUE.order_policy):
        threads = f"{queue.dispatchers} dispatcher{'s' * (queue.dispatchers != 1)}"
        parts.append(f"{threads}, order policy {queue.order_policy}")
    parts.append(f"batch size {queue.batch_size}, batch interval {queue.batch_interval_ms:,} ms")
    parts += ["conflation on"] * queue.conflate + ["persistent"] * queue.persistent
    if queue.maximum_memory_mb != _QUEUE.maximum_memory_mb:
        parts.append(f"maximum memory {queue.maximum_memory_mb:,} MB")
    parts += ["started when its regions were there"] * queue.manual_start
    if queue.refused_keys:
        parts.append(f"filter refuses {_listed('key', queue.refused_keys)} before they are queued")
    if queue.withheld_keys:
        parts.append(f"filter withholds {_listed('key', queue.withheld_keys)} before they are sent")
    if queue.substituted_keys:
        parts.append(f"filter gives substitutes for {_listed('key', queue.substituted_keys)}")
    if queue.failing_keys:
        parts.append(f"filter fails at {_listed('key', queue.failing_keys)}")
    parts += ["transactions never split"] * queue.group_transactions
    if queue.members:
        parts.append(f"on {', '.join(queue.members)} alone")
    if not queue.remove_on_exception:
        parts.append("keeps events that the other site failed to apply")
    return f"{head}, {'; '.join(parts)}"


def _client(client: Client) -> str:
    parts = [_listed("server", client.servers)]
    parts += ["no subscription"] * (not client.subscription)
    if client.redundancy:
        parts.append(f"subscription redundancy {client.redundancy}")
    if client.durable_id is not None:
        parts.append(f"durable id {client.durable_id}")
    if client.durable_id is not None or client.durable_timeout_s != _CLIENT.durable_timeout_s:
        parts.append(f"durable timeout {client.durable_timeout_s:,} s")
    parts.append(_CHECKS[client.checks])
    if client.tracking_timeout_ms is not None:
        parts.append(f"event tracking timeout {client.tracking_timeout_ms:,} ms")
    parts += ["conflation on"] * bool(client.conflate)
    return f"client {client.name}: {'; '.join(parts)}"


def _tombstones(settings: TombstoneSettings) -> str:
    parts = []
    if settings.timeout_ms is not None:
        parts.append(f"timeout {settings.timeout_ms:,} ms in replicates and buckets")
    if settings.other_timeout_ms is not None:
        parts.append(f"timeout {settings.other_timeout_ms:,} ms in clients and other members")
    if settings.threshold is not None:
        parts.append(f"collected once {settings.threshold:,} have expired")
    parts += [f"on {member} once {most:,} have expired" for member, most in settings.thresholds]
    return f"tombstones: {'; '.join(parts) or 'settings left at the default'}"


def _declared(history: History) -> Iterator[str]:
    """What the candidate has declared that decides how its observations are read."""
    if history.member_order is None:
        yield "order of member ids: not declared"
    else:
        yield f"member ids from lowest to highest: {', '.join(history.member_order)}"
    if history.order_strength is not OrderStrength.TOTAL:
        yield f"order of listener logs: {history.order_strength}"
    if history.client_order_strength is not None and history.clients:
        yield f"order of clients' listener logs: {history.client_order_strength}"
    if not history.callback_arguments:
        yield "destroys and invalidates carry no callback argument"
    weights = history.conflated_weight_least, history.conflated_weight_most
    if weights != (1, 1):
        yield f"conflatedEvents counts a discarded update {weights[0]} to {weights[1]} times"
    if not history.batches_wait and history.queues:
        yield "batches that are not full are sent while clocks are held"
    if history.retries_wait and history.queues:
        yield "senders that have found no receiver wait while clocks are held"
    if history.sends_on and history.queues:
        yield "events received from another site are sent on to sites that lack them"


def _listed(noun: str, names: tuple[str, ...]) -> str:
    return f"{noun}{'s' * (len(names) != 1)} {', '.join(names) or 'none'}"
