"""What the harness costs: calls a second to a candidate that does nothing, and its share of a run.

Knows adapters and machines; judges nothing but to know what judging takes.
"""

from __future__ import annotations

import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.process.client import ProcessAdapter, RemoteAdapter
from plumbline.adapters.process.service import ServiceAdapter, address_of
from plumbline.adapters.process.tcp_server import HOST
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.plans import Plan
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

_ECHO = (sys.executable, "-m", "plumbline.ci.selftest.benchmarks.echo")
_REFERENCE = (sys.executable, "-m", "plumbline.ci", "serve-reference", "--chaotic")
_STEPS = 20


class CallRate(msgspec.Struct, frozen=True, kw_only=True):
    """How fast calls are answered that do nothing.

    Attributes:
        way: stdio or tcp.
        calls: how many were made, one after the other.
        rate: calls a second of wall time.
        own_us: microseconds of processor time of the harness for each.
    """

    way: str
    calls: int
    rate: float
    own_us: float


class HarnessShare(msgspec.Struct, frozen=True, kw_only=True):
    """The processor time of one machine's examples, by who has used it.

    Attributes:
        machine: its name.
        examples: how many were played.
        harness_s: of drawing and driving, in seconds.
        oracle_s: of judging.
        candidate_s: of the candidate, a process of its own, with its start.
    """

    machine: str
    examples: int
    harness_s: float
    oracle_s: float
    candidate_s: float

    @property
    def share(self) -> float:
        """The part of the harness, from 0 to 1."""
        whole = self.harness_s + self.oracle_s + self.candidate_s
        return self.harness_s / whole if whole else 0.0


def call_rates(calls: int) -> Iterator[CallRate]:
    """The rates over standard input and output, and over TCP; raises AdapterError where none comes about."""
    stdio = ProcessAdapter(shlex.join(_ECHO))
    try:
        yield _rate("stdio", stdio, calls)
    finally:
        stdio.close()
    with _listening() as port:
        tcp = ServiceAdapter(address_of(f"{HOST}:{port}", tls=False))
        try:
            yield _rate("tcp", tcp, calls)
        finally:
            tcp.close()


def harness_share(machine: str, examples: int, seed: int = 1) -> HarnessShare:
    """Play drawn examples on the chaotic reference, a process; raises KeyError for a machine of no name."""
    played: set[Plan] = set()
    judging_s = 0.0
    before = _of_children()
    with Session(find_candidate(f"process:{shlex.join(_REFERENCE)}", seed=seed)) as session:

        def play(plan: Plan) -> None:
            nonlocal judging_s
            if plan in played:
                return
            played.add(plan)
            history = play_plan(plan, session).history
            begun = time.process_time()
            search(history, session.book)
            judging_s += time.process_time() - begun

        offers = frozenset(session.introduction.capabilities)
        used = time.process_time()
        drive(
            MACHINES[machine],
            play,
            offers=offers,
            examples=examples,
            steps=_STEPS,
            draw_seed=seed,
            shrink=False,
        )
        own = time.process_time() - used
    return HarnessShare(
        machine=machine,
        examples=len(played),
        harness_s=own - judging_s,
        oracle_s=judging_s,
        candidate_s=_of_children() - before,
    )


def _rate(way: str, adapter: RemoteAdapter, calls: int) -> CallRate:
    operations = [
        Operation(
            op_id=number,
            thread="A0",
            member="A",
            region="region",
            kind=OperationKind.PUT,
            key="x",
            token=f"v{number}",
        )
        for number in range(calls)
    ]
    adapter.begin(operations[0])  # the other side starts
    begun, used = time.perf_counter(), time.process_time()
    for operation in operations:
        adapter.begin(operation)
    own, took = time.process_time() - used, time.perf_counter() - begun
    return CallRate(way=way, calls=calls, rate=calls / took, own_us=own / calls * 1e6)


@contextmanager
def _listening() -> Iterator[int]:
    """The port of an echo that serves one session."""
    with subprocess.Popen((*_ECHO, "tcp"), stdout=subprocess.PIPE) as echo:
        try:
            if echo.stdout is None:
                raise TypeError("the echo was started without a pipe")
            yield int(echo.stdout.readline())
        finally:
            echo.kill()


def _of_children() -> float:
    """Seconds of processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
