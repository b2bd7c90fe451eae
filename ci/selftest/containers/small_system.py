"""A system of a process a member, for tests of containers: `python small_system.py NAME` is a member.

Without a name it is the system's adapter, which reaches members by their names in small letters. Each holds
its entries in `/data`. Knows no engine and no suite.
"""

from __future__ import annotations

import json
import socket
import socketserver
import sys
from pathlib import Path

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.process.server import serve_stdio
from plumbline.adapters.protocol import Deployed, Introduction, Observed, SettleResult
from plumbline.adapters.waiting import wait_until
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    Content,
    Operation,
    Outcome,
    RegionAttributes,
    Status,
    Topology,
)

PORT = 7000
DISK = Path("/data/entries.json")


class MemberServer(socketserver.StreamRequestHandler):
    """Answers one line a connection: `null` for what it holds, else entries that it takes."""

    held: dict[str, str] = json.loads(DISK.read_text()) if DISK.is_file() else {}

    def handle(self) -> None:
        """Take what is sent, and answer with all that is held then."""
        said = json.loads(self.rfile.readline())
        if said is not None:
            self.held.update(said)
            DISK.write_text(json.dumps(self.held))
        self.wfile.write(json.dumps(self.held).encode() + b"\n")


class SmallSystemAdapter(Adapter):
    """Puts on all members that live, reads from one."""

    def __init__(self) -> None:
        self.members: tuple[str, ...] = ()
        self.dead: set[str] = set()

    def hello(self) -> Introduction:
        """Members may die, and come back from their disks."""
        offered = (Capability.REPLICATED_REGIONS, Capability.MEMBER_FAULTS, Capability.DISK)
        return Introduction(name="small system", version="1", capabilities=offered)

    def deploy(self, topology: Topology) -> Deployed:
        """Wait until all members answer."""
        self.members, self.dead = topology.members, set()
        for member in self.members:
            ask(member, None)
        return Deployed()

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Nothing: each deployment is empty."""

    def begin(self, operation: Operation) -> None:
        """Put on every member that lives."""
        for member in self.members:
            if member not in self.dead:
                ask(member, {operation.key: operation.token or ""})

    def finish(self, op_id: int, timeout_ms: int) -> Outcome:
        """It is done."""
        del op_id, timeout_ms
        return Outcome(Status.OK)

    def observe(self, since: int) -> Observed:
        """No listeners."""
        return Observed(events=(), position=since)

    def settle(self, timeout_ms: int) -> SettleResult:
        """Nothing is under way."""
        del timeout_ms
        return SettleResult(settled=True)

    def contents(self, member: str, region: str) -> tuple[Content, ...]:
        """What a member holds."""
        del region
        return tuple(Content(key, token) for key, token in sorted(ask(member, None).items()))

    def crash(self, member: str) -> None:
        """It is gone already."""
        self.dead.add(member)

    def restart(self, member: str, from_disk: bool) -> None:
        """It runs again already; without a disk it takes a copy from a member that lives."""
        held = ask(member, None)
        if held and not from_disk:
            raise ValueError(f"{member} has found {held}")
        self.dead.discard(member)
        for other in self.members:
            if not from_disk and other not in self.dead and other != member:
                ask(member, ask(other, None))

    def close(self) -> None:
        """Nothing: the members are not its own."""


def ask(member: str, said: object, limit_s: float = 10) -> dict[str, str]:
    """A member's answer, once it listens; TimeoutError where it does not within the limit."""
    answers: list[dict[str, str]] = []

    def is_answered() -> bool:
        try:
            with socket.create_connection((member.lower(), PORT), 5) as connection:
                connection.sendall(json.dumps(said).encode() + b"\n")
                answers.append(json.loads(connection.makefile().readline()))
        except OSError:
            return False
        return True

    if not wait_until(is_answered, limit_s, every_s=0.05):
        raise TimeoutError(f"member {member} does not answer on port {PORT}")
    return answers[0]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        socketserver.TCPServer(("0.0.0.0", PORT), MemberServer).serve_forever()  # noqa: S104 - on a network of its own
    else:
        serve_stdio(SmallSystemAdapter)
