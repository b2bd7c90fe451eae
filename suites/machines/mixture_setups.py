"""Set-ups of mixtures: what members, regions, queues and clients there are, by the names of features.

The names are those of `reports/features.py`, which counts the pairs that met. Knows no steps.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    Topology,
)
from plumbline.suites.machines.drawing import REGION
from plumbline.suites.scenarios import mesh
from plumbline.suites.scenarios.listening import topology as of_one_site
from plumbline.suites.scenarios.sites import BATCH_SIZE, queues, topology

SETUPS: dict[str, tuple[Capability, ...]] = {
    "partitioned region": (Capability.PARTITIONED_REGIONS,),
    "member with less than a replicate": (Capability.REGION_POLICIES,),
    "calls that do not wait": (),
    "checks off": (Capability.CHECKS_SETTING,),
    "gateway sender": (Capability.GATEWAYS,),
    "several dispatchers": (Capability.GATEWAYS,),
    "small batches": (Capability.GATEWAYS,),
    "parallel queue": (Capability.PARTITIONED_REGIONS, Capability.ASYNC_QUEUES, Capability.PARALLEL_QUEUES),
    "queue kept on disk": (Capability.GATEWAYS, Capability.DISK),
    "asynchronous queue": (Capability.ASYNC_QUEUES,),
    "three sites": (Capability.GATEWAYS,),
    "conflict resolver": (Capability.GATEWAYS, Capability.CALLBACK_SCRIPTS),
    "client": (Capability.CLIENTS,),
    "client with redundancy": (Capability.CLIENTS,),
    "durable client": (Capability.CLIENTS, Capability.DURABLE_CLIENTS),
    "held clocks": (Capability.HELD_CLOCKS, Capability.VIRTUAL_TIME),
}
"""What is set up, and what a candidate must offer for it."""

_SEVERAL_SITES = frozenset(
    (
        *("gateway sender", "several dispatchers", "three sites", "conflict resolver", "queue kept on disk"),
        *("event that cannot be applied", "receiver stopped", "link cut", "answers lost"),
    )
)
_CLIENT = frozenset(
    ("client", "client with redundancy", "durable client", "call of a client", "registration")
)
_LISTENER = frozenset(("asynchronous queue", "listener of a queue that fails"))
_QUEUE = frozenset(("small batches", "queue paused"))
_POLICIES = (RegionPolicy.NORMAL, RegionPolicy.EMPTY, RegionPolicy.PRELOADED)
_RESOLVERS = ("allow", "disallow", "replace", "prefer 1 within 600000 ms")
_SMALL = 2
_SERVERS = ("B", "A")


class SetUp(msgspec.Struct, frozen=True):
    """What there is before anything is called: see `plans.Plan` for what the fields mean."""

    topology: Topology
    region: RegionAttributes
    queues: tuple[QueueAttributes, ...]
    clients: tuple[Client, ...]
    resolver: str


def set_up(chosen: Collection[str], which: int) -> SetUp:
    """The set-up that has these features, with what they imply.

    Args:
        chosen: names of features, of set-up or steps.
        which: chooses among policies of a member that keeps less, and of resolvers.
    """
    on = frozenset(chosen)
    listens = bool(on & _LISTENER)
    sited, fed = _sites(on, alone=listens or "parallel queue" in on)
    size = _SMALL if "small batches" in on else BATCH_SIZE
    listened = _listened(size, parallel="parallel queue" in on) if listens or "parallel queue" in on else ()
    region = RegionAttributes(
        name=REGION,
        scope=Scope.NO_ACK if "calls that do not wait" in on else Scope.ACK,
        checks=False if "checks off" in on else None,
        senders=tuple(queue.id for queue in fed),
        queues=tuple(queue.id for queue in listened),
    )
    if on & {"partitioned region", "parallel queue"}:
        region = msgspec.structs.replace(region, policy=RegionPolicy.PARTITION, redundancy=1)
    if "member with less than a replicate" in on:
        lesser = HostPolicy(sited.members[-1], _POLICIES[which % len(_POLICIES)])
        region = msgspec.structs.replace(region, policies=(lesser,))
    resolver = _RESOLVERS[which % len(_RESOLVERS)] if "conflict resolver" in on else ""
    return SetUp(sited, region, (*fed, *listened), _clients(on), resolver)


def _sites(on: frozenset[str], *, alone: bool) -> tuple[Topology, tuple[QueueAttributes, ...]]:
    """The members, and the gateway senders between their sites."""
    size = _SMALL if "small batches" in on else BATCH_SIZE
    persistent, dispatchers = "queue kept on disk" in on, 2 if "several dispatchers" in on else 1
    if "three sites" in on:
        kept = " on disk" if persistent else ""
        parted = f" with {dispatchers} dispatchers" if dispatchers > 1 else ""
        return mesh.TOPOLOGY, tuple(
            msgspec.structs.replace(
                queue, id=queue.id + parted + kept, persistent=persistent, dispatchers=dispatchers
            )
            for queue in mesh.queues(size)
        )
    if on & _SEVERAL_SITES or (on & _QUEUE and not alone):
        return topology(2), queues(size, dispatchers=dispatchers, persistent=persistent)
    return of_one_site(3) if alone else Topology((Site(1, ("A", "B", "C")),)), ()


def _listened(size: int, *, parallel: bool) -> tuple[QueueAttributes, ...]:
    name = "listened in parallel" if parallel else "listened beside"
    sized = "" if size == BATCH_SIZE else f" by {size}"
    return (QueueAttributes(id=name + sized, site=1, parallel=parallel, batch_size=size),)


def _clients(on: frozenset[str]) -> tuple[Client, ...]:
    """The client that there is, if any."""
    if not on & _CLIENT:
        return ()
    redundancy = int("client with redundancy" in on)
    durable = "k" if "durable client" in on else None
    return (Client(name="K", servers=_SERVERS[: 1 + redundancy], redundancy=redundancy, durable_id=durable),)
