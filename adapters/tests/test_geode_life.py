"""Members as processes: they start, crash, hang and end, and nothing of them stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.cluster import Cluster, PartedError
from plumbline.adapters.geode.folder import Folder
from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.geode.underway import LEFTOVER_LIMIT_S
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Content,
    Operation,
    OperationKind,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

pytestmark = pytest.mark.java

LIMIT_MS = 15_000
REGION = (RegionAttributes(name="r"),)


def topology(names: str) -> Topology:
    return Topology((Site(1, tuple(names)),))


def put(op_id: int, member: str) -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"of {member}",
        member=member,
        region="r",
        kind=OperationKind.PUT,
        key="k",
        token=f"t{op_id}",
    )


def runs(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def pids(adapter: GeodeAdapter) -> list[int]:
    return [member.jvm.pid for member in adapter._cluster.members.values()]


@pytest.fixture
def pair() -> Iterator[GeodeAdapter]:
    with GeodeAdapter("1.15.1") as adapter:
        adapter.deploy(topology("AB"))
        adapter.reset(REGION)
        yield adapter


def test_closing_leaves_no_process_no_thread_and_no_folder():
    threads = set(threading.enumerate())
    adapter = GeodeAdapter("1.15.1")
    adapter.deploy(topology("AB"))
    adapter.reset(REGION)
    adapter.begin(put(1, "A"))
    started, folder = pids(adapter), adapter._cluster._folder
    assert folder is not None
    assert all(map(runs, started))
    adapter.close()
    adapter.close()
    assert not any(map(runs, started))
    assert not folder.path.exists()
    assert wait_until(lambda: set(threading.enumerate()) <= threads, 5)


def test_closing_with_a_parked_listener_does_not_wait_for_it(pair: GeodeAdapter):
    pair.arm(Gate("A", 1))
    pair.begin(put(1, "A"))
    assert pair.await_parked(Gate("A", 1), LIMIT_MS)
    began = time.monotonic()
    pair.close()
    assert time.monotonic() - began < LEFTOVER_LIMIT_S


def test_members_are_kept_while_one_list_of_names_begins_with_the_other():
    with GeodeAdapter("1.15.1") as adapter:
        assert adapter.deploy(topology("A")).member_order == ("A",)
        first = pids(adapter)
        assert adapter.deploy(topology("AB")).member_order == ("A", "B")
        both = pids(adapter)
        assert both[:1] == first
        assert adapter.deploy(topology("A")).member_order == ("A",)
        assert pids(adapter) == both
        adapter.reset(REGION)
        adapter.begin(put(1, "A"))
        assert adapter.settle(LIMIT_MS).settled
        assert {event.member for event in adapter.observe(0).events} == {"A"}
        assert adapter.deploy(topology("BA")).member_order == ("B", "A")
        assert not set(pids(adapter)) & set(both)


@pytest.mark.thorough
def test_a_site_that_comes_up_in_two_parts_is_started_again_a_few_times(monkeypatch: pytest.MonkeyPatch):
    whole, views = Cluster._view, iter([False, True, False, False, False])

    def view(cluster: Cluster, names: tuple[str, ...]) -> tuple[str, ...]:
        if next(views):
            return whole(cluster, names)
        raise PartedError("A sees only A of A, B")

    monkeypatch.setattr(Cluster, "_view", view)
    with GeodeAdapter("1.15.1") as adapter:
        assert adapter.deploy(topology("AB")).member_order == ("A", "B")
        adapter.close()
        with pytest.raises(AdapterError, match="A sees only A of A, B"):
            adapter.deploy(topology("AB"))
        assert pids(adapter) == []


def test_a_crash_is_an_indefinite_outcome_there_and_a_delay_elsewhere(pair: GeodeAdapter):
    pair.arm(Gate("B", 1))
    pair.arm(Gate("B", 2))
    pair.begin(put(1, "B"))
    assert pair.await_parked(Gate("B", 1), LIMIT_MS)
    pair.begin(put(2, "A"))
    pair.crash("B")
    pair.begin(put(3, "B"))
    outcomes = [pair.finish(op_id, LIMIT_MS) for op_id in (1, 2, 3)]
    assert [outcome and outcome.status for outcome in outcomes] == [
        Status.INDEFINITE,
        Status.OK,
        Status.FAILED,
    ]
    assert pair.settle(LIMIT_MS).settled
    assert pair.contents("A", "r") == (Content("k", "t2"),)
    assert [(event.member, event.token) for event in pair.observe(0).events] == [("B", "t1"), ("A", "t2")]
    with pytest.raises(AdapterError, match="B was crashed"):
        pair.contents("B", "r")
    survivor = pids(pair)[0]
    pair.reset(REGION)
    assert pair.contents("B", "r") == ()
    assert pids(pair)[0] == survivor
    assert pair.deploy(topology("AB")).member_order == ("A", "B")
    assert pids(pair)[0] == survivor


def test_a_member_that_dies_by_itself_is_an_adapter_error_with_its_last_words(pair: GeodeAdapter):
    member = pair._cluster.members["B"]
    member.jvm._errors.write_text("out of breath\n")
    pair.arm(Gate("B", 1))
    pair.begin(put(1, "B"))
    assert pair.await_parked(Gate("B", 1), LIMIT_MS)
    os.kill(member.jvm.pid, signal.SIGKILL)
    with pytest.raises(AdapterError, match="member B: the JVM died with code -9") as caught:
        pair.finish(1, LIMIT_MS)
    assert "out of breath" in caught.value.last_words
    with pytest.raises(AdapterError, match="member B: the JVM died with code -9"):
        pair.settle(LIMIT_MS)


def test_a_member_that_hangs_is_an_adapter_error_and_never_a_hang(pair: GeodeAdapter):
    pair._cluster._limit_s = 0.5
    pid = pair._cluster.members["B"].jvm.pid
    os.kill(pid, signal.SIGSTOP)
    stands = os.WSTOPPED | os.WNOWAIT | os.WNOHANG
    assert wait_until(lambda: os.waitid(os.P_PID, pid, stands) is not None, 5)  # it may answer until then
    with pytest.raises(AdapterError, match="B did not answer"):
        pair.contents("B", "r")
    pair.begin(put(1, "B"))
    assert pair.finish(1, 200) is None
    assert not pair.settle(200).settled


def test_killing_the_harness_ends_its_members_and_the_next_one_sweeps_its_folder():
    script = (
        "import sys, time\n"
        "from plumbline.adapters.geode.geode_adapter import GeodeAdapter\n"
        "from plumbline.reference.history.operations import Site, Topology\n"
        "adapter = GeodeAdapter('1.15.1')\n"
        "adapter.deploy(Topology((Site(1, ('A',)),)))\n"
        "print(adapter._cluster.members['A'].jvm.pid, adapter._cluster._folder.path, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as harness:
        assert harness.stdout is not None
        pid, path = harness.stdout.readline().split()
        assert runs(int(pid))
        harness.kill()
    ended = wait_until(lambda: not runs(int(pid)), 5)
    if not ended:
        os.kill(int(pid), signal.SIGKILL)
    assert ended
    assert Path(path).exists()
    Folder().remove()  # another test may sweep as well: the one that holds the lock deletes
    assert wait_until(lambda: not Path(path).exists(), 5)
