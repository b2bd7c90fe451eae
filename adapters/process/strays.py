"""Strays: what an adapter has started and what has left its process group, found and ended on Linux.

The harness adopts the orphans of its adapters (it is a subreaper), so that they stay below it; whose they are
is told by a variable in their environment. Elsewhere than on Linux nothing is found.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

import msgspec

VARIABLE = "PLUMBLINE_ADAPTER"
"""The variable that every process of an adapter has in its environment."""

_PR_SET_CHILD_SUBREAPER = 36
_PROC = Path("/proc")


_adapters = 0
"""So many adapters run now. While none does, orphans of other children are left to the system."""

_counting = threading.Lock()


def adopt() -> None:
    """Have orphans of this process's children become its own while adapters run; `release` ends it."""
    global _adapters  # noqa: PLW0603 - the setting belongs to the whole process, and so does its count
    with _counting:
        _adapters += 1
        if _adapters == 1:
            _be_subreaper(on=True)


def release() -> None:
    """Leave orphans to the system again once no adapter runs."""
    global _adapters  # noqa: PLW0603 - as above
    with _counting:
        _adapters = max(0, _adapters - 1)
        if _adapters == 0:
            _be_subreaper(on=False)


def _be_subreaper(*, on: bool) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


class _Process(msgspec.Struct, frozen=True):
    """A running process, or one that has ended and waits to be collected."""

    pid: int
    parent: int
    group: int


def found(leader: int, mark: str) -> frozenset[int]:
    """The processes that descend from an adapter's command, or carry its mark, without the command itself."""
    if sys.platform != "linux":
        return frozenset()
    processes = _processes()
    ours = _below({os.getpid()}, processes)
    # One that has ended and waits to be collected has no environment left, but its group.
    of_group = {one.pid for one in processes if one.group == leader}
    of_leader = _below({leader}, processes) | of_group
    marked = {pid for pid in ours - of_leader if _carries(pid, mark)}
    return frozenset((of_leader | marked | _below(marked, processes)) - {leader})


def end(pids: frozenset[int]) -> None:
    """Kill these processes, and collect those of them that are children of this one by now."""
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with suppress(OSError):
            if int(_stat(pid)[1]) == os.getpid():
                os.waitpid(pid, 0)


def _processes() -> list[_Process]:
    listed = []
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError):
                _, parent, group = _stat(int(entry.name))[:3]
                listed.append(_Process(int(entry.name), int(parent), int(group)))
    return listed


def _stat(pid: int) -> list[str]:
    """What the system says of a process behind its name: state, parent, group and more."""
    return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()


def _below(roots: set[int], processes: list[_Process]) -> set[int]:
    """The processes that descend from some."""
    below: set[int] = set()
    reached = set(roots)
    while new := {one.pid for one in processes if one.parent in reached} - reached:
        reached |= new
        below |= new
    return below


def _carries(pid: int, mark: str) -> bool:
    with suppress(OSError):
        return f"{VARIABLE}={mark}".encode() in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    return False
