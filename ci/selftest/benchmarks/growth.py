"""Benchmarks: how long explaining takes as examples grow, and how fast the suite and its adapters are.

Explaining is measured on chaotic examples of the reference, conforming and spoilt. Seconds belong to the
machine; what is meant to stay is the ratio of the time per operation between two sizes.
"""

from __future__ import annotations

import random
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.commands.run import GATE_SEED
from plumbline.ci.selftest.generators.corruptions import CORRUPTIONS
from plumbline.ci.selftest.generators.one_site import REGION, OneSiteShape, draw_plan, run_on_reference
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.operations import Operation, OperationKind, RegionAttributes, Site, Topology
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, run_suite

SIZES = (200, 1_000, 5_000)
QUICK_SIZES = (200, 1_000)
KEYS = {"fresh": (), "four": ("w", "x", "y", "z")}
"""Kinds of keys: one for each put, or four for everything."""

ORDERS = (OrderStrength.TOTAL, OrderStrength.PER_KEY)
SPOILT = ("", "swapped", "dropped", "wrong contents")

STATES_PER_OPERATION = 40
LEAST_STATES = 60_000

DESTRUCTIVE = (
    OperationKind.DESTROY,
    OperationKind.INVALIDATE,
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
)
"""Destroys, invalidates, and what creates a key again."""

LEAST_DESTRUCTIVE = 0.3


class MeasuredExample(msgspec.Struct, frozen=True, kw_only=True):
    """One example explained.

    Attributes:
        operations: how many.
        keys: "fresh" or "four".
        order: how much order its logs carry.
        spoilt: how it was spoilt, "" if it was not.
        seed: what it was drawn from.
        answer: of the search.
        states: visited.
        seconds: of processor time, which other programs on the machine disturb less.
    """

    operations: int
    keys: str
    order: OrderStrength
    spoilt: str
    seed: int
    answer: Answer
    states: int
    seconds: float


class GrowthRow(msgspec.Struct, frozen=True, kw_only=True):
    """All sizes of one kind of example.

    Attributes:
        keys: "fresh" or "four".
        order: how much order the logs carry.
        spoilt: how they were spoilt.
        states: states per operation, by size, of what was decided; None where nothing was.
        rates: operations per second, the same.
        unknown: how many were not decided, by size.
        refuted: how many were refuted, by size.
        ratio: time per operation at the largest size to that at the size before; None without both.
    """

    keys: str
    order: OrderStrength
    spoilt: str
    states: dict[int, float | None]
    rates: dict[int, float | None]
    unknown: dict[int, int]
    refuted: dict[int, int]
    ratio: float | None


def shape_of(operations: int, keys: str) -> OneSiteShape:
    """Half of the calls overlap, a tenth is held at gates; settled about every hundred operations."""
    return OneSiteShape(
        operations=operations, keys=KEYS[keys], mixed=0.75, parked=0.1, started=0.4, settled=0.01
    )


def draw_example(operations: int, keys: str, seed: int) -> tuple[Plan, History]:
    """A chaotic example of this size and its plan."""
    draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
    shape = shape_of(operations, keys)
    plan = draw_plan(draw, shape)
    return plan, run_on_reference(plan, shape, seed=seed)


def destructive(plan: Plan) -> float:
    """The share of destroys, invalidates and re-creates among a plan's operations."""
    operations = [operation for step in plan.steps if (operation := step.operation_called) is not None]
    return sum(operation.kind in DESTRUCTIVE for operation in operations) / len(operations)


def budget(operations: int) -> Budget:
    """How long to search for an example of this size."""
    return Budget(states=max(LEAST_STATES, STATES_PER_OPERATION * operations))


class _Late(random.Random):
    """Draws from the last tenth: the fault shows only when nearly the whole example has been explained."""

    def randrange(self, count: int) -> int:  # type: ignore[override]
        return count - 1 - super().randrange(-(-count // 10))

    def choice(self, things: Sequence[Any]) -> Any:  # type: ignore[override]
        return things[self.randrange(len(things))]


def measure(sizes: tuple[int, ...], draws: int) -> Iterator[MeasuredExample]:
    """Explain `draws` examples of every kind and size, one by one."""
    book = Rulebook()
    for keys in KEYS:
        for operations in sizes:
            for seed in range(draws):
                _, history = draw_example(operations, keys, seed)
                for spoilt in SPOILT:
                    seen = CORRUPTIONS[spoilt](history, _Late(seed)) if spoilt else history
                    if seen is None:
                        continue
                    for order in ORDERS:
                        asked = msgspec.structs.replace(seen, order_strength=order)
                        started = time.process_time()
                        found = search(asked, book, budget(operations))
                        yield MeasuredExample(
                            operations=operations,
                            keys=keys,
                            order=order,
                            spoilt=spoilt,
                            seed=seed,
                            answer=found.answer,
                            states=found.visited,
                            seconds=time.process_time() - started,
                        )


def count(sizes: tuple[int, ...], draws: int) -> int:
    """How many measurements `measure` makes at most."""
    return len(KEYS) * len(sizes) * draws * len(SPOILT) * len(ORDERS)


def summarize(measured: list[MeasuredExample]) -> list[GrowthRow]:
    """One row for each kind of example."""
    kinds = dict.fromkeys((each.keys, each.order, each.spoilt) for each in measured)
    return [
        _row([each for each in measured if (each.keys, each.order, each.spoilt) == kind]) for kind in kinds
    ]


def _row(measured: list[MeasuredExample]) -> GrowthRow:
    by_size: dict[int, list[MeasuredExample]] = {}
    for each in measured:
        by_size.setdefault(each.operations, []).append(each)
    decided = {
        size: [each for each in found if each.answer is not Answer.UNKNOWN] for size, found in by_size.items()
    }
    rates = {size: _rate(found) for size, found in decided.items()}
    before, last = ([None, None] + [rates[size] for size in sorted(rates)])[-2:]
    return GrowthRow(
        keys=measured[0].keys,
        order=measured[0].order,
        spoilt=measured[0].spoilt,
        states={
            size: sum(each.states for each in found) / (size * len(found)) if found else None
            for size, found in decided.items()
        },
        rates=rates,
        unknown={size: len(found) - len(decided[size]) for size, found in by_size.items()},
        refuted={
            size: sum(each.answer is Answer.REFUTED for each in found) for size, found in by_size.items()
        },
        ratio=before / last if before and last else None,
    )


def _rate(measured: list[MeasuredExample]) -> float | None:
    if not measured:
        return None
    return sum(each.operations for each in measured) / sum(each.seconds for each in measured)


def profile_seconds(name: str) -> float:
    """How long a profile takes on the reference, run directory and all."""
    options = Options(profile=PROFILES[name], seed=GATE_SEED)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        run_suite(find_candidate("reference"), options, Path(folder), lambda *_: None)
    return time.perf_counter() - started


def round_trips(calls: int) -> float:
    """Round trips a second of the process adapter, with the reference behind it: put by put."""
    served = shlex.join((sys.executable, "-m", "plumbline.ci", "serve-reference"))
    adapter = find_candidate(f"process:{served}").open()
    try:
        adapter.hello()
        adapter.deploy(Topology((Site(1, ("A", "B")),)))
        adapter.reset((RegionAttributes(name=REGION),))
        started = time.perf_counter()
        for op_id in range(calls // 2):
            adapter.begin(
                Operation(
                    op_id=op_id,
                    thread="A0",
                    member="A",
                    region=REGION,
                    kind=OperationKind.PUT,
                    key="x",
                    token=f"t{op_id}",
                )
            )
            adapter.finish(op_id, 1_000)
        return calls / (time.perf_counter() - started)
    finally:
        adapter.close()
