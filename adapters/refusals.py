"""What an adapter may refuse as unsupported (-32001), and what it has promised.

A capability promises its methods in their plain form. Requests beyond that may be refused, by the particulars
named here; they stand in docs/protocol.md. Knows requests, not what becomes of a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from plumbline.adapters.protocol import (
    METHODS,
    Begin,
    BeginInterest,
    ClientStart,
    ClockParams,
    CreateQueue,
    Deploy,
    GateParams,
    HostingParams,
    InterestParams,
    Link,
    MemberParams,
    QueueAction,
    Reset,
    ScriptRequest,
    Statistic,
    TombstoneParams,
)
from plumbline.adapters.scene import Scene
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.listener_calls import QUEUE
from plumbline.reference.history.operations import (
    CONDITIONAL,
    LOCAL,
    LOCAL_EXPIRES,
    OF_TRANSACTIONS,
    WHOLE_REGION,
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Scope,
    travels_on,
)

UNCALLED = frozenset({"configure", "pending_events", "stamp"})
"""The methods that the suite does not call so far. They may be unsupported even if declared."""

_PROMISED = {
    OperationKind.CLEAR: Capability.CLEAR,
    OperationKind.LOCAL_INVALIDATE: Capability.LOCAL_OPERATIONS,
    OperationKind.LOCAL_DESTROY: Capability.LOCAL_OPERATIONS,
    **dict.fromkeys(CONDITIONAL, Capability.CONDITIONAL_OPERATIONS),
    **dict.fromkeys(LOCAL_EXPIRES, Capability.LOCAL_EXPIRATION),
    OperationKind.EVICT: Capability.EVICTION,
    **dict.fromkeys(BULK, Capability.BULK_OPERATIONS),
    **dict.fromkeys(OF_TRANSACTIONS, Capability.TRANSACTIONS),
}
"""The kinds of operations, besides put, that a capability promises."""

_SITES = 2
_STATES = ("up", "down")
_RECEIVER_ACTIONS = ("start", "stop")
_QUEUE_ACTIONS = ("pause", "resume")
_KEPT_LESS = frozenset({RegionPolicy.NORMAL, RegionPolicy.PRELOADED, RegionPolicy.EMPTY})


class Particular(msgspec.Struct, frozen=True):
    """Something about a request for which an adapter may refuse it.

    Attributes:
        words: what it is, for the page.
        holds: whether it is so of a request.
    """

    words: str
    holds: Callable[[Any, Scene], bool]


def _one(words: str, holds: Callable[[Any, Scene], bool]) -> Particular:
    return Particular(words, holds)


def _policies(region: RegionAttributes) -> set[RegionPolicy]:
    return {region.policy, *(host.policy for host in region.policies)}


def _of_buckets(region: RegionAttributes) -> bool:
    return RegionPolicy.PARTITION in _policies(region)


def _is_replicated(name: str, scene: Scene) -> bool:
    region = scene.regions.get(name)
    return region is not None and _policies(region) == {RegionPolicy.REPLICATE}


def _unpromised_policy(region: RegionAttributes, scene: Scene) -> bool:
    promised = {RegionPolicy.REPLICATE, RegionPolicy.PARTITION}
    if scene.declares(Capability.REGION_POLICIES):
        promised |= _KEPT_LESS
    return not _policies(region) <= promised


def _of_a_client(operation: Operation, scene: Scene) -> bool:
    return operation.member in scene.clients


def _in_buckets(operation: Operation, scene: Scene) -> bool:
    region = scene.regions.get(operation.region)
    return region is not None and _of_buckets(region)


def _unpromised_kind(operation: Operation, scene: Scene) -> bool:
    if operation.kind is OperationKind.PUT:
        return False
    capability = _PROMISED.get(operation.kind)
    return capability is None or not scene.declares(capability)


def _beside_others(operation: Operation, scene: Scene) -> bool:
    if operation.kind not in WHOLE_REGION and not scene.transacts(operation):
        return False
    lesser = any(_policies(region) & _KEPT_LESS for region in scene.regions.values())
    return bool(scene.clients or scene.queues or scene.partitioned or lesser)


def _has_cleared(crash: Any, scene: Scene) -> bool:
    called = scene.called.values()
    return any(one.kind is OperationKind.CLEAR and one.member == crash.member for one in called)


def _is_secured(begin: Any, scene: Scene) -> bool:
    client = scene.clients.get(begin.interest.client)
    return client is not None and (client.durable_id is not None or len(client.servers) > 1)


PARTICULARS: dict[str, tuple[Particular, ...]] = {
    "deploy": (
        _one(
            "several sites, of a candidate without `gateways`",
            lambda p, scene: len(p.topology.sites) > 1 and not scene.declares(Capability.GATEWAYS),
        ),
        _one("more than two sites", lambda p, _: len(p.topology.sites) > _SITES),
    ),
    "reset": (
        _one("several regions", lambda p, _: len(p.regions) > 1),
        _one("`scope` `distributed_no_ack`", lambda p, _: any(r.scope is Scope.NO_ACK for r in p.regions)),
        _one(
            "`checks` named, of a candidate without `checks_setting`",
            lambda p, scene: (
                any(r.checks is not None for r in p.regions) and not scene.declares(Capability.CHECKS_SETTING)
            ),
        ),
        _one(
            "the policy `local`, and without `region_policies` all but `replicate` and `partition`",
            lambda p, scene: any(_unpromised_policy(region, scene) for region in p.regions),
        ),
        _one(
            "members that keep less than a replicate, where there are several sites",
            lambda p, scene: (
                len(scene.topology.sites) > 1 and any(_policies(r) & _KEPT_LESS for r in p.regions)
            ),
        ),
        _one(
            "a partitioned region with `checks` off, members of another policy, senders, queues or "
            "several sites",
            lambda p, scene: any(
                _of_buckets(r)
                and (
                    r.checks is False
                    or len(_policies(r)) > 1
                    or bool(r.senders or r.queues)
                    or len(scene.topology.sites) > 1
                )
                for r in p.regions
            ),
        ),
        _one(
            "asynchronous event queues, of a candidate without `async_queues`",
            lambda p, scene: any(r.queues for r in p.regions) and not scene.declares(Capability.ASYNC_QUEUES),
        ),
        _one(
            "a region with senders that is not attached to all queues of the topology",
            lambda p, scene: any(r.senders and set(r.senders) != set(scene.queues) for r in p.regions),
        ),
        _one(
            "sites that reach each other by way of a third one",
            lambda _, scene: travels_on([s.number for s in scene.topology.sites], scene.queues.values()),
        ),
    ),
    "begin": (
        _one(
            "a kind of operation that no declared capability promises",
            lambda p, scene: _unpromised_kind(p.operation, scene),
        ),
        _one(
            "an operation of a client, except a put of one that has one server",
            lambda p, scene: (
                _of_a_client(p.operation, scene)
                and (
                    p.operation.kind is not OperationKind.PUT
                    or len(scene.clients[p.operation.member].servers) > 1
                )
            ),
        ),
        _one(
            "an operation of a transaction between its begin and its end",
            lambda p, scene: scene.transacts(p.operation) and p.operation.kind not in OF_TRANSACTIONS,
        ),
        _one(
            "a transaction or an operation on a whole region beside clients, queues, partitioned regions or "
            "members that keep less than a replicate",
            lambda p, scene: _beside_others(p.operation, scene),
        ),
        _one(
            "an operation on a whole region while others are under way",
            lambda p, scene: p.operation.kind in WHOLE_REGION and bool(scene.under_way),
        ),
        _one(
            "a local operation on a partitioned region",
            lambda p, scene: p.operation.kind in LOCAL and _in_buckets(p.operation, scene),
        ),
        _one(
            "an operation that expects a value, on a partitioned region or beside clients",
            lambda p, scene: (
                p.operation.kind in CONDITIONAL and (bool(scene.clients) or _in_buckets(p.operation, scene))
            ),
        ),
        _one(
            "an operation of a client on a partitioned region",
            lambda p, scene: _of_a_client(p.operation, scene) and _in_buckets(p.operation, scene),
        ),
        _one("an operation behind a fault of the same example", lambda _, scene: scene.faults),
    ),
    "arm": (
        _one(
            "a `callback` other than `listener`, of a candidate without `callback_scripts`",
            lambda p, scene: (
                p.gate.callback != "listener" and not scene.declares(Capability.CALLBACK_SCRIPTS)
            ),
        ),
        _one("a gate in a callback of a client", lambda p, scene: p.gate.member in scene.clients),
    ),
    **dict.fromkeys(
        ("views", "queries"),
        (
            _one(
                "a region that not each member replicates, or a client",
                lambda p, scene: p.member in scene.clients or not _is_replicated(p.region, scene),
            ),
        ),
    ),
    "statistic": (_one("a `name` other than `conflatedEvents`", lambda p, _: p.name != "conflatedEvents"),),
    "keep_tombstones": (
        _one("a member with a threshold of its own", lambda p, _: bool(p.settings.thresholds)),
        _one("queues in the same topology", lambda _, scene: bool(scene.queues)),
    ),
    "host": (
        _one(
            "`persistent`, of a candidate without `disk`",
            lambda p, scene: p.persistent and not scene.declares(Capability.DISK),
        ),
    ),
    "restart": (
        _one("`from_disk`", lambda p, _: p.from_disk),
        _one("a member with queues or partitioned regions", lambda _, s: bool(s.queues) or s.partitioned),
    ),
    "crash": (
        _one("a fault of the same example before it", lambda _, scene: scene.faults),
        _one("a member that has called `clear` in the same example", _has_cleared),
        _one("a client", lambda p, scene: p.member in scene.clients),
    ),
    "link": (
        _one("a `state` other than `up` and `down`", lambda p, _: p.state not in _STATES),
        _one(
            "a client as one of the two", lambda p, s: not s.clients.keys().isdisjoint((p.source, p.target))
        ),
    ),
    "clock": (_one("`offset_ms` of a clock that runs", lambda p, _: bool(p.offset_ms) and not p.frozen),),
    "create_queue": (
        _one(
            "`parallel`, of a candidate without `parallel_queues`; for a gateway sender without "
            "`parallel_senders`",
            lambda p, scene: (
                p.queue.parallel
                and not scene.declares(
                    Capability.PARALLEL_QUEUES if p.queue.remote_site is None else Capability.PARALLEL_SENDERS
                )
            ),
        ),
        _one(
            "an asynchronous event queue, of a candidate without `async_queues`",
            lambda p, scene: p.queue.remote_site is None and not scene.declares(Capability.ASYNC_QUEUES),
        ),
        _one("several `dispatchers`", lambda p, _: p.queue.dispatchers > 1),
        _one(
            "`conflate`, of a candidate without `queue_conflation`; with it, of a queue on disk, a parallel "
            "one or one with a listener",
            lambda p, scene: (
                p.queue.conflate
                and (
                    not scene.declares(Capability.QUEUE_CONFLATION)
                    or p.queue.persistent
                    or p.queue.parallel
                    or p.queue.remote_site is None
                )
            ),
        ),
        _one(
            "`refused_keys` or `withheld_keys`, of a candidate without `event_filters`",
            lambda p, scene: p.queue.filters and not scene.declares(Capability.EVENT_FILTERS),
        ),
        _one(
            "`substituted_keys` or `failing_keys`, of a candidate without `event_substitution`",
            lambda p, scene: p.queue.substitutes and not scene.declares(Capability.EVENT_SUBSTITUTION),
        ),
        _one(
            "`group_transactions`, of a candidate without `transaction_groups`",
            lambda p, scene: p.queue.group_transactions and not scene.declares(Capability.TRANSACTION_GROUPS),
        ),
        _one("`persistent`", lambda p, _: p.queue.persistent),
        _one("`remove_on_exception` set to false", lambda p, _: not p.queue.remove_on_exception),
        _one("`members` or `manual_start` named", lambda p, _: bool(p.queue.members) or p.queue.manual_start),
    ),
    "queue_action": (
        _one(
            "anything but `pause` and `resume` of a queue, and `start` and `stop` of a receiver",
            lambda p, _: p.action not in (_RECEIVER_ACTIONS if p.queue == "receiver" else _QUEUE_ACTIONS),
        ),
    ),
    "script": (
        _one(
            "a `callback` other than `writer`, and `queue` of a candidate with `async_queues`",
            lambda p, scene: (
                p.callback not in ("writer", *([QUEUE] if scene.declares(Capability.ASYNC_QUEUES) else []))
            ),
        ),
        _one("a callback of a client", lambda p, scene: p.member in scene.clients),
        _one("a partitioned region", lambda _, scene: scene.partitioned),
    ),
    "start_client": (
        _one(
            "several `servers`, or `redundancy`",
            lambda p, _: len(p.client.servers) > 1 or p.client.redundancy > 0,
        ),
        _one(
            "`durable_id`, of a candidate without `durable_clients`",
            lambda p, scene: (
                p.client.durable_id is not None and not scene.declares(Capability.DURABLE_CLIENTS)
            ),
        ),
        _one(
            "`conflate`, of a candidate without `subscription_conflation`",
            lambda p, scene: p.client.conflate and not scene.declares(Capability.SUBSCRIPTION_CONFLATION),
        ),
        _one("`subscription` set to false", lambda p, _: not p.client.subscription),
        _one("`checks` or `tracking_timeout_ms` named", lambda p, _: _named(p.client)),
        _one("queues in the same topology", lambda _, scene: bool(scene.queues)),
        _one("partitioned regions", lambda _, scene: bool(scene.partitioned)),
        _one(
            "regions with `scope` `distributed_no_ack`",
            lambda _, scene: any(r.scope is Scope.NO_ACK for r in scene.regions.values()),
        ),
    ),
    "interest": (
        _one(
            "anything but a registration for all keys, with values, that does not outlive the client",
            lambda p, _: p.interest.kind != "all" or p.interest.durable or not p.interest.receive_values,
        ),
        _one("a named `policy`", lambda p, _: p.interest.policy is not None),
        _one("a withdrawal", lambda p, _: not p.interest.register),
    ),
    "begin_interest": (
        _one("a client that is durable, or has several servers", _is_secured),
        _one(
            "a client that has begun another registration",
            lambda p, scene: p.interest.client in scene.registering.values(),
        ),
    ),
    "client_action": (
        _one(
            "`ready` of a client that has begun a registration",
            lambda p, scene: p.action == "ready" and p.client in scene.registering.values(),
        ),
    ),
}
"""For what each method may be refused, though it is declared; other requests may not be."""


def _named(client: Any) -> bool:
    return client.checks is not None or client.tracking_timeout_ms is not None


_SAYS_WHAT: dict[type[msgspec.Struct], Callable[[Any], object]] = {
    Begin: lambda p: p.operation.kind,
    CreateQueue: lambda p: msgspec.structs.replace(p.queue, id=""),
    Deploy: lambda p: tuple(len(site.members) for site in p.topology.sites),
    GateParams: lambda p: p.gate.callback,
    HostingParams: lambda p: (p.checks, p.persistent),
    BeginInterest: lambda p: (p.interest.kind, p.interest.policy, p.held),
    InterestParams: lambda p: (p.interest.kind, p.interest.policy, p.interest.durable, p.interest.register),
    Link: lambda p: p.state,
    MemberParams: lambda p: p.from_disk,
    QueueAction: lambda p: (p.queue == "receiver", p.action),
    Reset: lambda p: tuple(msgspec.structs.replace(region, name="") for region in p.regions),
    ScriptRequest: lambda p: (p.callback, p.answers if p.callback == "resolver" else ()),
    Statistic: lambda p: p.name,
    ClockParams: lambda p: p.frozen,
    ClientStart: lambda p: msgspec.structs.replace(p.client, name="", servers=("",) * len(p.client.servers)),
    TombstoneParams: lambda p: bool(p.settings.thresholds),
}
"""What tells requests of one method apart, besides the particulars that hold."""


def may_be_refused_for(method: str, params: msgspec.Struct, scene: Scene) -> tuple[str, ...]:
    """The particulars for which a request may be refused; empty where it may not be."""
    return tuple(one.words for one in PARTICULARS.get(method, ()) if one.holds(params, scene))


def form(method: str, params: msgspec.Struct, scene: Scene) -> tuple[object, ...]:
    """The common form of requests that an adapter refuses either all or not at all."""
    says = _SAYS_WHAT.get(type(params), lambda _: None)
    return (method, says(params), may_be_refused_for(method, params, scene))


def promised(method: str, params: msgspec.Struct, scene: Scene) -> str:
    """Why a request may not be answered *unsupported*; "" where it may be."""
    capability = METHODS[method].capability
    if method in UNCALLED or not scene.declares(capability):
        return ""
    if form(method, params, scene) in scene.done:
        return "it has carried out the same before"
    if may_be_refused_for(method, params, scene):
        return ""
    return f"the candidate declares {capability}" if capability else "every adapter has it"


def table() -> Iterator[str]:
    """What may be refused, as a table of docs/protocol.md."""
    yield "| method | -32001 is allowed for |"
    yield "|---|---|"
    for method in METHODS:
        if method in PARTICULARS:
            yield f"| `{method}` | {'; '.join(one.words for one in PARTICULARS[method])} |"
