"""How many examples of two sites a candidate plays in a time, and how much of that is the harness's own.

    python -m plumbline.ci.selftest.benchmarks.pace CANDIDATE [--calm 40] [--crashes 8]

A calm example is twenty puts of both sites, a settle, and what all members hold; one with a crash has queued
events and a killed member, each in turn, before a put at each site that is left. Nothing is judged; that what
was put is held in the end is looked at, or the figures would be of nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable

import msgspec

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation, OperationKind, Scope
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.session import Session
from plumbline.suites.scenarios import sites
from plumbline.suites.scenarios.course import REGION

PUTS = 20
KEYS = 5
TOPOLOGY = sites.topology(here=2)
QUEUES = sites.queues(sites.BATCH_SIZE)


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """What so many examples took.

    Attributes:
        examples: how many.
        seconds: wall time of all of them, that of starting members not counted.
        own: share of these in which the harness's process had a processor, from 0 to 1 for each it had.
    """

    examples: int
    seconds: float
    own: float


def pace(session: Session, examples: int, play: Callable[[Driver, int], None]) -> Pace:
    """Play so many examples; raises AdapterError."""
    _begin(session)  # members start, and load their classes
    begun, used = time.perf_counter(), time.process_time()
    for number in range(examples):
        play(_begin(session), number)
        session.worked()
    took = time.perf_counter() - begun
    return Pace(examples=examples, seconds=took, own=(time.process_time() - used) / took)


def calm(driver: Driver, number: int) -> None:
    """Twenty puts in turn on all members, of a few keys."""
    del number
    members = TOPOLOGY.members
    last = {f"k{put % KEYS}": _put(driver, members[put % KEYS % len(members)], put) for put in range(PUTS)}
    driver.settle()
    _look(driver, last)


def with_a_crash(driver: Driver, number: int) -> None:
    """Events wait in a paused queue, a member is killed, and each site that is left puts once more."""
    doomed = TOPOLOGY.members[number % len(TOPOLOGY.members)]
    queue = QUEUES[0].id
    first = TOPOLOGY.sites[0].members[0]
    driver.inject(Fault(kind=FaultKind.PAUSE, member=first, queue=queue))
    last = {f"k{put}": _put(driver, first, put) for put in range(KEYS)}
    driver.inject(Fault(kind=FaultKind.CRASH, member=doomed))
    if doomed != first:
        driver.inject(Fault(kind=FaultKind.RESUME, member=first, queue=queue))
    for put, site in enumerate(TOPOLOGY.sites, KEYS):
        left = next(member for member in site.members if member != doomed)
        last[f"k{put}"] = _put(driver, left, put, key=f"k{put}")
    driver.settle()
    _look(driver, last)


def _begin(session: Session) -> Driver:
    driver, _ = session.begin(TOPOLOGY, sites.regions(QUEUES, Scope.ACK, None), queues=QUEUES)
    return driver


def _put(driver: Driver, member: str, put: int, key: str | None = None) -> str:
    operation = Operation(
        op_id=put + 1,
        thread=f"of {member}",
        member=member,
        region=REGION,
        kind=OperationKind.PUT,
        key=key or f"k{put % KEYS}",
        token=f"v{put}",
    )
    driver.call(operation)
    if driver.finish(operation.op_id) is None:
        raise TimeoutError(f"put {put} on {member} does not return")
    return f"v{put}"


def _look(driver: Driver, wanted: dict[str, str]) -> None:
    for member in TOPOLOGY.members:
        if member not in driver.crashed and driver.contents(member, REGION) != wanted:
            raise ValueError(f"{member} does not hold what was put last: {wanted}")


def main(arguments: Iterable[str]) -> int:
    """Print the figures of one candidate."""
    parser = argparse.ArgumentParser(
        prog="python -m plumbline.ci.selftest.benchmarks.pace", description=__doc__
    )
    parser.add_argument("candidate")
    parser.add_argument("--calm", type=int, default=40)
    parser.add_argument("--crashes", type=int, default=8)
    asked = parser.parse_args(list(arguments))
    load = os.getloadavg()[0]
    with Session(find_candidate(asked.candidate)) as session:
        found = (
            ("calm", pace(session, asked.calm, calm)),
            ("crash", pace(session, asked.crashes, with_a_crash)),
        )
    sys.stdout.write(f"{asked.candidate}, load average {load:.1f} before, {os.getloadavg()[0]:.1f} after\n")
    for name, figures in found:
        each = figures.examples / figures.seconds
        sys.stdout.write(
            f"{name}: {figures.examples} examples in {figures.seconds:.1f} s,"
            f" {each:.1f} a second, {60 * each:.0f} a minute; own share {100 * figures.own:.0f} %\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
