"""Which process owns what a run has put into an engine, told by a label, and whether that process is gone.

Knows processes of this machine, not engines.
"""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

LABEL = "plumbline.run"
"""The label of every container, network and volume that a run makes; its value names the run's process."""

_PROC = Path("/proc")
_DEAD = "ZX"


class Owner(msgspec.Struct, frozen=True):
    """A process, named so that no other is mistaken for it.

    Attributes:
        machine: where it runs.
        boot: since which start of that machine.
        space: the namespace that its id belongs to; a container has one of its own.
        pid: its id.
        started: when it was started, in the kernel's own count.
    """

    machine: str
    boot: str
    space: str
    pid: int
    started: str

    def __str__(self) -> str:
        return "/".join(map(str, msgspec.structs.astuple(self)))


def this_process() -> Owner:
    """The owner of what this process makes."""
    machine, boot, space = _here()
    pid = os.getpid()
    return Owner(machine, boot, space, pid, _started(pid))


def is_gone(label: str) -> bool:
    """Whether the process that a label names has ended.

    False where that cannot be known from here: it runs on another machine, or in another container.
    """
    parts = label.split("/")
    if len(parts) != len(Owner.__struct_fields__) or not parts[3].isdigit():
        return False
    machine, boot, space, pid, started = parts
    here = _here()
    if machine != here[0]:
        return False
    if boot != here[1]:
        return True  # the machine has started again since, which no process outlives
    return space == here[2] and _started(int(pid)) != started


@cache
def _here() -> tuple[str, str, str]:
    machine, boot, space = platform.node().replace("/", "-"), "", ""
    with suppress(OSError):
        machine += "-" + Path("/etc/machine-id").read_text().strip()[:32]
    with suppress(OSError):
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    with suppress(OSError):
        space = str((_PROC / "self/ns/pid").readlink())
    return machine, boot, space


def _started(pid: int) -> str:
    """When a process was started; "" where there is none."""
    if not _PROC.joinpath("self").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        except PermissionError:
            pass  # another user's, which is there
        return "runs"
    with suppress(OSError):
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in _DEAD else fields[19]
    return ""
