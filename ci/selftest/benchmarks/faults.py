"""Benchmarks of explaining two sites: crashes at any moment, two faults, and what both sites write.

Examples are chaotic ones of the reference, conforming and spoilt. Seconds are of processor time; what is
meant to stay is the share decided within a limit, and states for each operation.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from plumbline.ci.selftest.benchmarks.timings import Timed, WantedExamples, timed_kinds
from plumbline.ci.selftest.generators.corruptions import spoil
from plumbline.ci.selftest.generators.two_sites import (
    MENDING,
    TwoSitesShape,
    any_fault,
    draw_plan,
    run_on_reference,
)
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.history import History

SPOILT = ("swapped", "dropped", "wrong contents", "moved past a settle")
STATES = 200_000
TIME_MS = 20_000
"""So long at most one example is looked at."""


class FaultExamples(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of example.

    Attributes:
        name: what it is called.
        operations: how many.
        faults: how many.
        crashes: whether each fault is a crash.
        writers: on which members operations are called.
        keys: few keys, or empty for a fresh one each.
        within_s: an example is meant to be decided within so many seconds.
        weight: so many times as many examples as of the largest kinds.
    """

    name: str
    operations: int
    faults: int = 0
    crashes: bool = False
    writers: tuple[str, ...] = ("A", "B")
    keys: tuple[str, ...] = ()
    within_s: float = 2.0
    weight: int = 1


KINDS = (
    FaultExamples(name="calm", operations=200, weight=2),
    FaultExamples(name="calm", operations=1_000, within_s=10.0),
    FaultExamples(name="crash", operations=40, faults=1, crashes=True, weight=10),
    FaultExamples(name="crash", operations=200, faults=1, crashes=True, weight=5),
    FaultExamples(name="crash", operations=1_000, faults=1, crashes=True, within_s=10.0),
    FaultExamples(name="two faults", operations=40, faults=2, keys=("w", "x", "y", "z"), weight=10),
    FaultExamples(name="two faults", operations=200, faults=2, keys=("w", "x", "y", "z"), weight=5),
    FaultExamples(
        name="both sites write",
        operations=40,
        writers=("A", "B", "C", "D"),
        keys=("w", "x", "y", "z"),
        within_s=5.0,
        weight=5,
    ),
)


def draw_example(kind: FaultExamples, seed: int, *, spoilt: bool) -> History:
    """The example of this kind and seed; spoilt once, if it is to be and can be."""
    draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
    kinds = (FaultKind.CRASH,) if kind.crashes else (FaultKind.CRASH, *MENDING)
    shape = TwoSitesShape(
        operations=kind.operations,
        keys=kind.keys,
        writers=kind.writers,
        settled=0.05 if len(kind.writers) > 2 else 0.02,
        faults=tuple(any_fault(draw, kinds) for _ in range(kind.faults)),
        batch_size=5,
    )
    history = run_on_reference(draw_plan(draw, shape), seed=seed)
    return spoil(history, draw, SPOILT) if spoilt else history


def measure(wanted: WantedExamples) -> Iterator[Timed]:
    """Explain the examples that are wanted, right and spoilt."""
    return timed_kinds(KINDS, draw_example, wanted, STATES, TIME_MS)
