"""For every rule a tiny history with a known violation; a conforming one that all rules judge; sample runs.

Two members update one key at the same time; member B has the higher id, so B's value stays. Each violating
history breaks one requirement and no other rule's. They keep the rules honest in every engine.
"""

from __future__ import annotations

from pathlib import Path

from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import Called, ContentsAsked, ContentsRead, Moment, Returned, Settled
from plumbline.reference.history.operations import (
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.results.runs import RunRecord, write_record
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.trace.files import seal
from plumbline.reference.trace.writer import TraceWriter

_REGION = "r"
_KEY = "k"
_CREATE, _UPDATE = EventKind.CREATE, EventKind.UPDATE
_Told = tuple[tuple[EventKind, str], ...]


def _put(op_id: int, member: str, token: str) -> Called:
    operation = Operation(
        op_id=op_id,
        thread=f"t-{member}",
        member=member,
        region=_REGION,
        kind=OperationKind.PUT,
        key=_KEY,
        token=token,
    )
    return Called(operation)


def conflict(
    *,
    checks: bool | None = True,
    ends: tuple[Status, Status] = (Status.OK, Status.OK),
    held: tuple[str, str] = ("b", "b"),
    told: tuple[_Told, _Told] = (
        ((_CREATE, "old"), (_UPDATE, "a"), (_UPDATE, "b")),
        ((_CREATE, "old"), (_UPDATE, "b")),
    ),
) -> History:
    """The value `old` is put; then A puts `a` while B puts `b`; all settles and both are read.

    Args:
        checks: the region's attribute.
        ends: how the two calls ended.
        held: what A and B hold at the end.
        told: what the listeners on A and B were told.
    """
    timeline: tuple[Moment, ...] = (
        _put(1, "A", "old"),
        Returned(1, Outcome(Status.OK)),
        _put(2, "A", "a"),
        _put(3, "B", "b"),
        Returned(2, Outcome(ends[0])),
        Returned(3, Outcome(ends[1])),
        Settled(),
        ContentsAsked(1, "A", _REGION),
        ContentsRead(1, "A", _REGION, (Content(_KEY, held[0]),)),
        ContentsAsked(2, "B", _REGION),
        ContentsRead(2, "B", _REGION, (Content(_KEY, held[1]),)),
    )
    logs = {
        member: tuple(
            Observation(
                Event(member=member, region=_REGION, key=_KEY, kind=kind, token=token), after=1, before=7
            )
            for kind, token in log
        )
        for member, log in zip(("A", "B"), told, strict=True)
    }
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name=_REGION, checks=checks),),
        timeline=timeline,
        logs=logs,
        # Of members whose ids are not known in order, no rule says which update of one version wins.
        member_order=None,
    )


CONFORMING = conflict()

VIOLATING: dict[str, History] = {
    "CONS-RR-02": conflict(ends=(Status.FAILED, Status.OK)),
    "CONS-RR-04": conflict(
        held=("a", "b"), told=(((_CREATE, "old"), (_UPDATE, "a")), ((_CREATE, "old"), (_UPDATE, "b")))
    ),
    "CONS-RR-05": conflict(held=("old", "old"), told=(((_CREATE, "old"),), ((_CREATE, "old"),))),
    "DISC-LSN-01": conflict(
        told=(
            ((_CREATE, "old"), (_UPDATE, "a"), (_UPDATE, "b")),
            ((_CREATE, "old"), (_UPDATE, "b"), (_UPDATE, "a")),
        )
    ),
}
"""By requirement, a history that violates it and no other requirement that has a rule."""


def sample_run(
    directory: Path, *histories: History, run_id: str = "", version: str = "1", complete: bool = True
) -> Path:
    """Write a run directory whose examples e0, e1 … are the histories; returns it.

    Args:
        directory: where; its name is the run's id unless `run_id` is given.
        histories: the examples.
        run_id: the run's id.
        version: the product's version.
        complete: whether the run ended in order.
    """
    run_id = run_id or directory.name
    with TraceWriter(directory, run_id) as writer:
        for number, history in enumerate(histories):
            writer.write(f"e{number}", Source.MACHINE, Verdict.PASS, history)
    seal(directory)
    record = RunRecord(
        run_id=run_id,
        suite_version="0",
        candidate="sample",
        product="sample",
        product_version=version,
        dialect="geode",
        profile="smoke",
        seed=1,
        started="2026-01-01T00:00:00Z",
        complete=complete,
    )
    write_record(directory, record)
    seal_run(directory)
    return directory
