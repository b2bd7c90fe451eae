"""Benchmarks of explaining queues: listeners that fail while members die, and queues of hundreds of events.

Examples are chaotic ones of the reference, conforming and spoilt. Seconds are of processor time; what is
meant to stay is the share decided within a limit, and states for each operation.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from plumbline.ci.selftest.benchmarks.timings import Timed, WantedExamples, timed_kinds
from plumbline.ci.selftest.generators.corruptions import spoil
from plumbline.ci.selftest.generators.queue_runs import (
    QueueForm,
    draw_queue_plan,
    run_queue,
    spoil_calls,
)
from plumbline.reference.history.history import History

STATES = 60_000
SPOILT = ("swapped", "dropped", "wrong contents")


class QueueExamples(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of example.

    Attributes:
        name: what it is called.
        form: the kind of queue.
        operations: how many.
        keys: how many keys they change.
        deaths: how many members die, each behind a listener that fails.
        backlog: whether all events wait in the queue before the first one is sent.
        within_s: an example is meant to be decided within so many seconds.
        weight: so many times as many examples as of the largest kinds.
    """

    name: str
    form: QueueForm
    operations: int = 200
    keys: int = 8
    deaths: int = 0
    backlog: bool = False
    within_s: float = 2.0
    weight: int = 2


KINDS = (
    QueueExamples(name="listened, two deaths", form=QueueForm.LISTENED, deaths=2),
    QueueExamples(name="parallel, one death", form=QueueForm.PARALLEL, deaths=1),
    QueueExamples(name="gateway, two deaths", form=QueueForm.GATEWAY, deaths=2),
    *(
        QueueExamples(
            name=f"{form}, all waiting{', primary dies' * deaths}",
            form=form,
            operations=300,
            keys=64,
            deaths=deaths,
            backlog=True,
            within_s=1.0,
            weight=1,
        )
        for form in (QueueForm.LISTENED, QueueForm.GATEWAY)
        for deaths in (0, 1)
    ),
)


def draw_example(kind: QueueExamples, seed: int, *, spoilt: bool) -> History:
    """The example of this kind and seed; spoilt once, if it is to be and can be."""
    draw = random.Random(f"{kind.name} {seed}")  # noqa: S311 - reproducible examples, not secrets
    plan = draw_queue_plan(
        draw, kind.form, kind.operations, keys=kind.keys, deaths=kind.deaths, backlog=kind.backlog
    )
    history = run_queue(plan, seed)
    if not spoilt:
        return history
    if history.calls and draw.random() < 1 / 2:
        return spoil_calls(history, draw)
    return spoil(history, draw, SPOILT)


def measure(wanted: WantedExamples) -> Iterator[Timed]:
    """Explain the examples that are wanted, right and spoilt."""
    return timed_kinds(KINDS, draw_example, wanted, STATES)
