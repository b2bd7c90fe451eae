"""Right but unusual members: copies, transactions, buckets, tombstones and clears of one site.

Knows what each does; whether the suite accepts it, ci/tests/test_right_behaviours.py asks.
"""

from __future__ import annotations

from plumbline.ci.selftest.checks.behaviour import (
    Behaviour,
    first,
    leaning,
    of_members,
    of_queues_in_parts,
    usual,
)
from plumbline.reference.history.actions import Inject, Park, Release, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.places import outcome_entry
from plumbline.reference.model.transactions import FAILS
from plumbline.reference.model.world import GateState, World
from plumbline.reference.search.transition import Step

MEMBERS = (
    "replicated_regions",
    "lesser_members",
    "clears",
    "tombstones",
    "transactions",
    "partitioned_regions",
    "lost_primaries",
    "copies_under_way",
)
REFUSED = outcome_entry(Outcome(Status.REFUSED))


def _refuses(world: World, step: Step) -> int | None:
    """Refuses each operation that may be refused, except a commit, which a scenario wants to end well."""
    refused = any(entry == REFUSED for _, entry in step.shows)
    return -1 if refused and step.name[0] != FAILS else usual(world, step)


def _silent(world: World, step: Step) -> int | None:
    """Takes steps that show no event first."""
    return usual(world, step) if step.shows else -1


_OF_COPIES = ("takes part", "is read for", "takes over")


def _copies_last(world: World, step: Step) -> int | None:
    """Takes the steps of a copy behind all others, and none while a listener holds something."""
    if step.name[0] not in _OF_COPIES:
        return usual(world, step)
    return None if GateState.PARKED in set(world.gates.values()) else 1


def _retries_last(world: World, step: Step) -> int | None:
    """Has the event of a call that is tried again enter its queue once more, behind all that follows it."""
    if step.name[0] == "enters the queue once more":
        return 1
    of_queue = step.name[0] == "recognises" and step.name[2] in world.wan.parallel
    return None if of_queue else usual(world, step)


def retried(key: str) -> Plan:
    """A primary is killed while its copy's listener holds an update; others of its key follow."""
    puts = [
        Operation(
            op_id=number,
            thread=f"B{number}",
            member="B",
            region="region",
            kind=OperationKind.PUT,
            key=key,
            token=f"v{number}",
        )
        for number in (1, 2, 3)
    ]
    queue = QueueAttributes(id="listened", site=1, parallel=True, batch_size=100, batch_interval_ms=10)
    region = RegionAttributes(
        name="region", policy=RegionPolicy.PARTITION, redundancy=1, queues=("listened",)
    )
    return Plan(
        Topology((Site(1, ("A", "B")),)),
        (region,),
        (
            Park(puts[0], "B"),
            Start(puts[1]),
            Start(puts[2]),
            Inject(Fault(kind=FaultKind.CRASH, member="A")),
            Release(1, "B"),
            Settle(),
        ),
        (queue,),
    )


BEHAVIOURS = (
    Behaviour(
        name="lazy",
        does="no step is taken before a request waits for it",
        allowed="004 L73: changes may be stored and not yet distributed for any time",
        machines=MEMBERS,
        concerns=of_members,
        open=leaning(lazy=True),
    ),
    Behaviour(
        name="backwards",
        does="of all that may happen next the last by name happens: the highest member is told first",
        allowed="no document orders members, threads or calls",
        machines=MEMBERS,
        concerns=of_members,
        open=leaning(backwards=True),
    ),
    Behaviour(
        name="refuses-what-it-may",
        does="local operations on replicates are refused, and all others that may be",
        allowed="no document says that a replicate offers local operations",
        machines=MEMBERS,
        concerns=of_members,
        open=leaning(_refuses),
    ),
    Behaviour(
        name="tells-as-little-as-it-may",
        does="listeners are not told where that is left open: of nothing destroyed, of what was fetched",
        allowed="no document says whether a listener is told of a destroy that finds nothing",
        machines=MEMBERS,
        concerns=of_members,
        open=leaning(_silent),
    ),
    Behaviour(
        name="copies-come-last",
        does="a copy is read and taken over when nothing else can happen, and waits for what is parked",
        allowed="004 L63 does not say when a copy is complete",
        machines=("copies_under_way",),
        concerns=of_members,
        open=leaning(_copies_last),
    ),
    Behaviour(
        name="retries-enter-last",
        does="a call that is tried again on a new primary enters the parallel queue behind later ones",
        allowed="002 L73 orders first deliveries; a listener bears repetitions behind a failure",
        machines=("parallel_queues",),
        concerns=of_queues_in_parts,
        open=leaning(_retries_last),
        plans=tuple(map(retried, "xyzw")),
    ),
    Behaviour(
        name="clears-and-commits-outwards",
        does="clears and commits are sent to the others before their own member changes its copy",
        allowed="004 L105 orders no members in a clear; 004 L65 and L109 put neither first in a commit",
        machines=("clears", "transactions"),
        concerns=of_members,
        open=leaning(first("sends ahead")),
    ),
)
"""All of them."""
