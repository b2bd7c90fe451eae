"""What a scenario is: a function of a stage, the requirements it is for, and what it needs.

Knows the names of scenarios, not how they are run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    QueueAttributes,
    Scope,
    TombstoneSettings,
)
from plumbline.suites.scenarios import mesh
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.listening import Listening, listened_queues
from plumbline.suites.scenarios.mesh import Mesh, Sited
from plumbline.suites.scenarios.parallel import ParallelStage
from plumbline.suites.scenarios.parted_sites import PartedSites, senders
from plumbline.suites.scenarios.sites import BATCH_SIZE, INTERVAL_MS, Sites, queues
from plumbline.suites.scenarios.stage import Stage


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One scenario.

    Attributes:
        name: a sentence, with underscores.
        requirements: the ids whose violation makes it fail.
        needs: capabilities without which it cannot be played.
        members: how many members, of all sites.
        checks: the region's attribute.
        scope: the region's scope.
        policies: the members that keep less than a replicate; what they are called in the scenario.
        clients: who is connected to its members.
        registers: whether they register for all keys at the beginning.
        queues: the gateway senders between the sites, and asynchronous event queues.
        listens: whether some of the queues are asynchronous event queues, whose listeners are at site 1.
        sited: three sites, and how they are linked; None for two of them, or one.
        also: the names of further regions, with the same attributes.
        also_checks: the attribute that they name for checking, if another.
        tombstones: for how long tombstones are kept, where that matters.
        clocks: whether it has to know how far the clocks of the sites differ.
        redundancy: redundant copies of each key, where its region is partitioned; None where it is not.
        resolver: the policy of the conflict resolver on every member; "" for none.
        play: the scenario itself, given its stage; raises MismatchError when the outcome is not the one
            written down.
    """

    name: str
    requirements: tuple[str, ...]
    needs: tuple[Capability, ...]
    members: int
    checks: bool | None
    scope: Scope
    clients: tuple[Client, ...]
    policies: tuple[HostPolicy, ...] = ()
    queues: tuple[QueueAttributes, ...] = ()
    listens: bool = False
    sited: Sited | None = None
    clocks: bool = False
    registers: bool = True
    also: tuple[str, ...] = ()
    also_checks: bool | None = None
    tombstones: TombstoneSettings | None = None
    redundancy: int | None = None
    resolver: str = ""
    play: Callable[[Any], None]


FOUND: dict[str, Scenario] = {}
"""Every scenario registered so far, by name."""


def scenario(
    *requirements: str,
    needs: tuple[Capability, ...] = (Capability.LISTENER_GATES,),
    members: int = 3,
    checks: bool | None = None,
    scope: Scope = Scope.ACK,
    clients: tuple[Client, ...] = (),
    registers: bool = True,
    policies: tuple[HostPolicy, ...] = (),
    also: tuple[str, ...] = (),
    also_checks: bool | None = None,
    tombstones: TombstoneSettings | None = None,
) -> Callable[[Callable[[Stage], None]], Callable[[Stage], None]]:
    """Register a scenario of one site; see Scenario for the arguments."""

    def register(play: Callable[[Stage], None]) -> Callable[[Stage], None]:
        _register(
            Scenario(
                name=play.__name__,
                requirements=requirements,
                needs=(
                    Capability.REPLICATED_REGIONS,
                    *([Capability.REGION_POLICIES] if policies else ()),
                    *needs,
                ),
                members=members,
                checks=checks,
                scope=scope,
                clients=clients,
                policies=policies,
                registers=registers,
                also=also,
                also_checks=checks if also_checks is None else also_checks,
                tombstones=tombstones,
                play=play,
            )
        )
        return play

    return register


def between_sites(
    *requirements: str,
    needs: tuple[Capability, ...] = (),
    checks: bool | None = None,
    scope: Scope = Scope.ACK,
    batch_size: int = BATCH_SIZE,
    interval_ms: int = INTERVAL_MS,
    back: tuple[int, int] | None = None,
    dispatchers: int = 1,
    order_policy: str = "key",
    clocks: bool = False,
    here: int = 2,
    resolver: str = "",
    also: tuple[str, ...] = (),
    clients: tuple[Client, ...] = (),
    tombstones: TombstoneSettings | None = None,
    runs_on: tuple[str, ...] = (),
    manual_start: bool = False,
    persistent: bool = False,
    keeps_failed: bool = False,
    memory_mb: int = 0,
    conflate: bool = False,
    refused: tuple[str, ...] = (),
    withheld: tuple[str, ...] = (),
    substituted: tuple[str, ...] = (),
    failing: tuple[str, ...] = (),
    groups: int = 0,
) -> Callable[[Callable[[Sites], None]], Callable[[Sites], None]]:
    """Register a scenario of two sites, with a gateway sender each way; the first has `here` members.

    All of these run its sender, or those that `runs_on` names; with `manual_start` it starts only when the
    regions are there. Its queue is kept on disk if it is `persistent`. With `keeps_failed` it keeps events
    that the other site fails to apply. Beyond `memory_mb`, where that is named, it overflows to disk. If it
    is to `conflate`, updates in its queue may make way for later ones. Its event filter names the keys that
    are `refused` before they are queued, or `withheld` before they are sent. Its substitution filter gives
    other values for the keys `substituted`, and fails at those `failing`. The sender of the site that
    `groups` transactions never splits one over two batches.

    A conflict resolver is installed everywhere if its policy is named. Further regions, `also`, share the
    senders; see `sites.queues` for the settings of these.
    """

    def register(play: Callable[[Sites], None]) -> Callable[[Sites], None]:
        _register(
            Scenario(
                name=play.__name__,
                requirements=requirements,
                needs=(
                    *(Capability.REPLICATED_REGIONS, Capability.GATEWAYS),
                    *([Capability.CALLBACK_SCRIPTS] if resolver else ()),
                    *([Capability.CLIENTS] if clients else ()),
                    *([Capability.DISK] if persistent or memory_mb else ()),
                    *([Capability.QUEUE_CONFLATION] if conflate else ()),
                    *([Capability.EVENT_FILTERS] if refused or withheld else ()),
                    *([Capability.EVENT_SUBSTITUTION] if substituted or failing else ()),
                    *([Capability.TRANSACTIONS, Capability.TRANSACTION_GROUPS] if groups else ()),
                    *needs,
                ),
                members=here + 2,
                checks=checks,
                scope=scope,
                clients=clients,
                queues=queues(
                    batch_size,
                    interval_ms,
                    back,
                    dispatchers=dispatchers,
                    order_policy=order_policy,
                    members=runs_on,
                    manual_start=manual_start,
                    persistent=persistent,
                    keeps_failed=keeps_failed,
                    memory_mb=memory_mb,
                    conflate=conflate,
                    refused=refused,
                    withheld=withheld,
                    substituted=substituted,
                    failing=failing,
                    groups=groups,
                ),
                clocks=clocks,
                resolver=resolver,
                also=also,
                tombstones=tombstones,
                play=play,
            )
        )
        return play

    return register


def with_listener(
    *requirements: str,
    needs: tuple[Capability, ...] = (),
    here: int = 2,
    there: bool = False,
    batch_size: int = BATCH_SIZE,
    runs_on: tuple[str, ...] = (),
    both: bool = False,
    also: tuple[str, ...] = (),
    checks: bool | None = None,
    refused: tuple[str, ...] = (),
    withheld: tuple[str, ...] = (),
    substituted: tuple[str, ...] = (),
    failing: tuple[str, ...] = (),
) -> Callable[[Callable[[Listening], None]], Callable[[Listening], None]]:
    """Register a scenario of an asynchronous event queue on `here` members of site 1.

    Further regions, `also`, are attached to it. With `there` another site is sent to by a gateway sender on
    the same regions; with `both` there are two asynchronous queues. See `listening.listened_queues`,
    also for `refused` and `withheld`: the keys that the event filter of the first queue names. So do
    `substituted` and `failing` of its substitution filter.
    """

    def register(play: Callable[[Listening], None]) -> Callable[[Listening], None]:
        _register(
            Scenario(
                name=play.__name__,
                requirements=requirements,
                needs=(
                    *(Capability.REPLICATED_REGIONS, Capability.ASYNC_QUEUES),
                    *([Capability.GATEWAYS] if there else ()),
                    *([Capability.EVENT_FILTERS] if refused or withheld else ()),
                    *([Capability.EVENT_SUBSTITUTION] if substituted or failing else ()),
                    *needs,
                ),
                members=here + 2 * there,
                checks=checks,
                scope=Scope.ACK,
                clients=(),
                queues=listened_queues(
                    batch_size,
                    runs_on,
                    both=both,
                    there=there,
                    refused=refused,
                    withheld=withheld,
                    substituted=substituted,
                    failing=failing,
                ),
                listens=True,
                also=also,
                play=play,
            )
        )
        return play

    return register


def among_sites(
    *requirements: str,
    needs: tuple[Capability, ...] = (),
    clocks: bool = False,
    sited: Sited = mesh.MESH,
    resolver: str = "",
) -> Callable[[Callable[[Mesh], None]], Callable[[Mesh], None]]:
    """Register a scenario of three sites, each linked to each if nothing else is said."""

    def register(play: Callable[[Mesh], None]) -> Callable[[Mesh], None]:
        scripts = (Capability.CALLBACK_SCRIPTS,) if resolver else ()
        _register(
            Scenario(
                name=play.__name__,
                requirements=requirements,
                needs=(Capability.REPLICATED_REGIONS, Capability.GATEWAYS, *scripts, *needs),
                members=len(sited.topology.members),
                checks=None,
                scope=Scope.ACK,
                clients=(),
                queues=mesh.queues(links=sited.links),
                sited=sited,
                clocks=clocks,
                resolver=resolver,
                play=play,
            )
        )
        return play

    return register


def partitioned(
    *requirements: str,
    redundancy: int = 1,
    needs: tuple[Capability, ...] = (),
    members: int = 3,
    clients: tuple[Client, ...] = (),
    tombstones: TombstoneSettings | None = None,
    also: tuple[str, ...] = (),
) -> Callable[[Callable[[BucketStage], None]], Callable[[BucketStage], None]]:
    """Register a scenario of a partitioned region; its clients begin without any interest.

    Further regions are replicated.
    """

    def register(play: Callable[[BucketStage], None]) -> Callable[[BucketStage], None]:
        _register(
            Scenario(
                name=play.__name__,
                requirements=requirements,
                needs=(
                    Capability.PARTITIONED_REGIONS,
                    *([Capability.REPLICATED_REGIONS] if also else ()),
                    *needs,
                ),
                members=members,
                checks=None,
                scope=Scope.ACK,
                clients=clients,
                registers=False,
                redundancy=redundancy,
                tombstones=tombstones,
                also=also,
                play=play,
            )
        )
        return play

    return register


def in_parallel(
    *requirements: str,
    redundancy: int = 1,
    members: int = 3,
    batch_size: int = BATCH_SIZE,
    needs: tuple[Capability, ...] = (),
    substituted: tuple[str, ...] = (),
) -> Callable[[Callable[[ParallelStage], None]], Callable[[ParallelStage], None]]:
    """Register a scenario of a parallel asynchronous event queue on a partitioned region.

    Its substitution filter gives other values for the keys `substituted`.
    """

    def register(play: Callable[[ParallelStage], None]) -> Callable[[ParallelStage], None]:
        _register(
            Scenario(
                name=play.__name__,
                requirements=requirements,
                needs=(
                    *(Capability.PARTITIONED_REGIONS, Capability.ASYNC_QUEUES, Capability.PARALLEL_QUEUES),
                    *([Capability.EVENT_SUBSTITUTION] if substituted else ()),
                    *needs,
                ),
                members=members,
                checks=None,
                scope=Scope.ACK,
                clients=(),
                queues=listened_queues(batch_size, parallel=True, substituted=substituted),
                listens=True,
                redundancy=redundancy,
                play=play,
            )
        )
        return play

    return register


def from_buckets(
    *requirements: str,
    redundancy: int = 1,
    here: int = 3,
    batch_size: int = BATCH_SIZE,
    needs: tuple[Capability, ...] = (),
    also: tuple[str, ...] = (),
) -> Callable[[Callable[[PartedSites], None]], Callable[[PartedSites], None]]:
    """Register a scenario of a parallel gateway sender, from a partitioned region to a replicated one."""

    def register(play: Callable[[PartedSites], None]) -> Callable[[PartedSites], None]:
        _register(
            Scenario(
                name=play.__name__,
                requirements=requirements,
                needs=(
                    *(Capability.PARTITIONED_REGIONS, Capability.REPLICATED_REGIONS, Capability.GATEWAYS),
                    *(Capability.PARALLEL_SENDERS, *needs),
                ),
                members=here + 2,
                checks=None,
                scope=Scope.ACK,
                clients=(),
                queues=senders(batch_size),
                redundancy=redundancy,
                also=also,
                play=play,
            )
        )
        return play

    return register


def _register(found: Scenario) -> None:
    if found.name in FOUND:
        raise ValueError(f"two scenarios are named {found.name}")
    FOUND[found.name] = found
