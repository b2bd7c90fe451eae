"""A calling thread of the suite: it does its tasks in turn, on one Java thread of each member.

Knows nothing of operations' meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from plumbline.adapters.geode.jvm import GoneError, JvmClient
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.worker import Worker

T = TypeVar("T")


class Caller:
    """A worker with a connection of its own to each member that it calls on.

    Attributes:
        worker: the thread.
        last: what it was given last; when that is done, everything is.
        unflushed: members on which it called something without acknowledgement since the last flush.
        transacts_on: the member on which its thread has begun a transaction; read on the worker's thread.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.worker = Worker(f"geode-caller-{name}")
        self.last: Future[Any] = Future()
        self.last.set_result(None)
        self.unflushed: set[str] = set()
        self.transacts_on: Member | None = None
        self._clients: dict[Member, JvmClient] = {}
        self._flushes = 0

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Have the thread call a function, behind what it was given before."""
        future = self.worker.submit(job)
        self.last = future
        return future

    def busy(self) -> bool:
        """Whether the thread has not yet done all that it was given."""
        return not self.last.done()

    def take_unflushed(self) -> set[str]:
        """The members in `unflushed`, which are none from here on."""
        taken, self.unflushed = self.unflushed, set()
        return taken

    def client(self, member: Member) -> JvmClient:
        """The connection to a member; used on the worker's thread only."""
        if member not in self._clients:
            self._clients[member] = member.jvm.client()
        return self._clients[member]

    def flush(self, member: Member) -> None:
        """Come back when all that this thread has sent from the member has been applied everywhere."""
        if member.crashed():
            return
        self._flushes += 1
        transacts = member is self.transacts_on
        manager = member.transactions(self.client(member)) if transacts else None
        try:
            suspended = None if manager is None else manager.suspend()
            member.flush_region(self.client(member)).put(f"{self.name} on {member.name}", self._flushes)
            if manager is not None:
                manager.resume(suspended)
        except GoneError:
            if not member.crashed():
                raise

    def roll_back(self) -> None:
        """Roll back what the thread has begun and not ended; on the worker's thread only."""
        member, self.transacts_on = self.transacts_on, None
        if member is not None and not member.crashed():
            member.transactions(self.client(member)).rollback()

    def stop(self) -> None:
        """Take nothing more; the connections are closed when the last call has returned."""
        self.worker.submit(self._disconnect)
        self.worker.stop()

    def _disconnect(self) -> None:
        for client in self._clients.values():
            client.close()
