"""Benchmarks of explaining what document 004 describes besides replicates: other systems of its rules.

Partitioned regions, tombstones that expire, clears, transactions, three sites. Examples are chaotic ones of
the reference, conforming and spoilt. Seconds are of processor time; what is meant to stay is how many
operations a second are explained, and that it is as many in longer examples.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from enum import StrEnum

import msgspec

from plumbline.ci.selftest.benchmarks.timings import Timed, WantedExamples, timed_kinds
from plumbline.ci.selftest.generators import one_site, three_sites, transacting, two_sites
from plumbline.ci.selftest.generators.corruptions import spoil
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import OperationKind, TombstoneSettings

STATES = 60_000
TIME_MS = 10_000
"""So long at most one example is looked at."""

SPOILT = ("swapped", "dropped", "wrong contents")
KEYS = ("w", "x", "y", "z")
RATE = 1_500
"""So many operations a second are meant to be explained."""

_DESTROYS = (OperationKind.DESTROY, OperationKind.DESTROY, OperationKind.CREATE, OperationKind.GET)


class SystemKind(StrEnum):
    """What the examples are about."""

    PARTITIONED = "partitioned"
    TOMBSTONES = "tombstones"
    CLEARS = "clears"
    TRANSACTIONS = "transactions"
    THREE_SITES = "three sites"


class ConsistencyExamples(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of example.

    Attributes:
        system: what it is about.
        operations: how many.
        weight: so many times as many examples as of the largest kinds.
    """

    system: SystemKind
    operations: int
    weight: int = 1

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.system)

    @property
    def within_s(self) -> float:
        """So many seconds it takes at the rate that is meant."""
        return self.operations / RATE


KINDS = tuple(
    ConsistencyExamples(system=system, operations=operations, weight=weight)
    for system in SystemKind
    for operations, weight in ((40, 4), (200, 2), (1_000, 1))
)


def draw_example(kind: ConsistencyExamples, seed: int, *, spoilt: bool) -> History:
    """The example of this kind and seed; spoilt once, if it is to be and can be."""
    draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
    history = _drawn(kind, draw, seed)
    return spoil(history, draw, SPOILT) if spoilt else history


def _drawn(kind: ConsistencyExamples, draw: random.Random, seed: int) -> History:
    if kind.system is SystemKind.THREE_SITES:
        mesh = three_sites.ThreeSitesShape(operations=kind.operations, keys=KEYS, settled=0.04, cuts=0.0)
        return two_sites.run_on_reference(three_sites.draw_plan(draw, mesh), seed=seed)
    if kind.system is SystemKind.TRANSACTIONS:
        plan, shape = transacting.draw_plan(draw, kind.operations, least=kind.operations)
        return one_site.run_on_reference(plan, shape, seed=seed)
    shape = _shape(kind)
    return one_site.run_on_reference(one_site.draw_plan(draw, shape), shape, seed=seed)


def _shape(kind: ConsistencyExamples) -> one_site.OneSiteShape:
    """Examples of one site that settle about every fifty operations."""
    shape = one_site.OneSiteShape(
        operations=kind.operations, keys=KEYS, parked=0.1, started=0.4, settled=0.02
    )
    match kind.system:
        case SystemKind.PARTITIONED:
            return msgspec.structs.replace(shape, redundancy=1, others=_DESTROYS)
        case SystemKind.CLEARS:
            clears = (*_DESTROYS[1:], OperationKind.CLEAR)
            return msgspec.structs.replace(shape, others=clears, mixed=0.2)
        case _:
            kept = TombstoneSettings(timeout_ms=20_000, threshold=2, other_timeout_ms=20_000)
            return msgspec.structs.replace(shape, others=_DESTROYS, tombstones=kept, leaps=0.05)


def measure(wanted: WantedExamples) -> Iterator[Timed]:
    """Explain the examples that are wanted, right and spoilt."""
    return timed_kinds(KINDS, draw_example, wanted, STATES, TIME_MS)
