"""Benchmarks of explaining clients: interests, several servers, and a primary killed at any moment.

Examples are chaotic ones of the reference, conforming and spoilt. Seconds are of processor time; what is
meant to stay is the share decided within a limit, and states for each operation.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from plumbline.ci.selftest.benchmarks.timings import Timed, WantedExamples, timed_kinds
from plumbline.ci.selftest.generators.corruptions import spoil
from plumbline.ci.selftest.generators.durable_runs import draw_durable_plan, run_durable
from plumbline.ci.selftest.generators.one_site import OneSiteShape, draw_plan, run_on_reference
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import Client, OperationKind

STATES = 60_000
SPOILT = ("swapped", "dropped", "wrong contents")
WRITES = (OperationKind.PUT, OperationKind.DESTROY, OperationKind.INVALIDATE, OperationKind.CREATE)
READS = (*WRITES, OperationKind.GET)


class ClientExamples(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of example.

    Attributes:
        name: what it is called.
        operations: how many.
        servers: how many members; clients are connected to the first two of them.
        clients: how many.
        redundancy: how many servers keep a client's queue besides its primary; None for clients of one
            server each, which call, too, and do not only listen.
        registers: whether clients register for everything in the beginning.
        interests: how many registrations there are in a hundred operations.
        others: kinds of operations besides puts.
        killed: whether the primary is killed.
        lives: whether it is one durable client of three servers, two of which die, that goes and returns.
        within_s: an example is meant to be decided within so many seconds.
        weight: so many times as many examples as of the largest kinds.
    """

    name: str
    operations: int
    servers: int = 2
    clients: int = 1
    redundancy: int | None = None
    registers: bool = True
    interests: int = 0
    others: tuple[OperationKind, ...] = WRITES
    killed: bool = False
    lives: bool = False
    within_s: float = 2.0
    weight: int = 1


def _sizes(name: str, **attributes: object) -> tuple[ClientExamples, ...]:
    small = ClientExamples(name=name, operations=200, weight=2)
    large = ClientExamples(name=name, operations=1_000, within_s=10.0)
    return tuple(msgspec.structs.replace(kind, **attributes) for kind in (small, large))


KINDS = (
    *_sizes("one server", servers=1),
    *_sizes("all keys", clients=2),
    *_sizes("interests", clients=2, registers=False, interests=5),
    *_sizes("interests, gets", clients=2, registers=False, interests=5, others=READS),
    *_sizes("secondary", servers=3, redundancy=1),
    *_sizes("secondary, interests", servers=3, clients=2, redundancy=1, interests=5),
    *_sizes("secondary, killed", servers=3, redundancy=1, killed=True),
    *_sizes("secondary, interests, killed", servers=3, clients=2, redundancy=1, interests=5, killed=True),
    *_sizes("starts anew, killed", servers=3, redundancy=0, killed=True),
    *_sizes("starts anew, interests, killed", servers=3, clients=2, redundancy=0, interests=5, killed=True),
    ClientExamples(
        name="durable, two failovers, a reconnect",
        operations=200,
        servers=4,
        redundancy=2,
        interests=1,
        killed=True,
        lives=True,
        weight=2,
    ),
)


def draw_example(kind: ClientExamples, seed: int, *, spoilt: bool) -> History:
    """The example of this kind and seed; spoilt once, if it is to be and can be."""
    draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
    if kind.lives:
        plan = draw_durable_plan(draw, kind.operations, (*[OperationKind.PUT] * len(WRITES), *WRITES))
        history = run_durable(plan, seed)
        return spoil(history, draw, SPOILT) if spoilt else history
    servers = ("A",) if kind.servers == 1 else ("B", "A")
    checks = draw.choice((None, False))
    if kind.redundancy is None:
        clients = tuple(
            Client(name=name, servers=(servers[number % len(servers)],), checks=checks)
            for number, name in enumerate("KL"[: kind.clients])
        )
    else:
        clients = tuple(
            Client(name=name, servers=servers, redundancy=kind.redundancy, checks=checks)
            for name in "KL"[: kind.clients]
        )
    shape = OneSiteShape(
        operations=kind.operations,
        keys=("w", "x", "y", "z"),
        members=kind.servers,
        mixed=0.5,
        others=kind.others,
        parked=0.1,
        started=0.4,
        settled=0.02,
        clients=clients,
        registers=kind.registers,
        interests=kind.interests / 100,
        dying=("B",) if kind.killed else (),
        dying_at=(draw.randrange(1, kind.operations),) if kind.killed else (),
    )
    history = run_on_reference(draw_plan(draw, shape), shape, seed=seed)
    return spoil(history, draw, SPOILT) if spoilt else history


def measure(wanted: WantedExamples) -> Iterator[Timed]:
    """Explain the examples that are wanted, right and spoilt."""
    return timed_kinds(KINDS, draw_example, wanted, STATES)
