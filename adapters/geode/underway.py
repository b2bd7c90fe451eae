"""What is under way: operations that were begun, each on the thread of the suite that calls it.

Knows when all have returned and their messages have arrived, as far as members and listeners show it; knows
nothing of queues between sites and of what clients are sent.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode import transacting
from plumbline.adapters.geode.caller import Caller
from plumbline.adapters.geode.calls import carry_out, tells
from plumbline.adapters.geode.client import ClientCache
from plumbline.adapters.geode.cluster import Cluster, broken
from plumbline.adapters.geode.jvm import BridgeError, GoneError
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.adapters.geode.member import Member
from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL_EXPIRES,
    OF_TRANSACTIONS,
    READS,
    Operation,
    OperationKind,
    Outcome,
    Scope,
    Status,
)

LEFTOVER_LIMIT_S = 10.0
"""How long what an example left open may take to end once nothing holds it back."""

# A call that takes longer may be waiting for a member that has died.
PATIENCE_S = 0.05


class Underway:
    """The calls of an example, and the threads that make them; these are kept from one to the next.

    Args:
        cluster: the members.
        require_alive: raises AdapterError if a member or a client has died that was not killed on purpose.
    """

    def __init__(self, cluster: Cluster, require_alive: Callable[[], None]) -> None:
        self._cluster = cluster
        self._require_alive = require_alive
        self._callers: dict[str, Caller] = {}
        self.begin_example(GeodeExample({}))

    def begin_example(self, stage: GeodeExample) -> None:
        """Forget what was called before; listeners are on this stage from here on."""
        self._stage = stage
        self._running: dict[int, Future[Outcome]] = {}
        self._used: set[str] = set()

    def begin(
        self, operation: Operation, member: Member, scope: Scope, holders: tuple[str, ...] = ()
    ) -> None:
        """Call an operation on its thread, behind what that thread was given before.

        Args:
            operation: what is called.
            member: on which it is called.
            scope: of its region.
            holders: of its key, where the region is partitioned.
        """
        self._used.add(operation.thread)
        if operation.thread not in self._callers:
            self._callers[operation.thread] = Caller(operation.thread)
        caller = self._callers[operation.thread]
        if scope is Scope.NO_ACK and operation.kind not in READS:
            caller.unflushed.add(member.name)
        self._stage.expect(operation)
        if member.crashed():
            never = Outcome(Status.FAILED, detail=f"{member.name} was crashed before the call")
            running = caller.submit(lambda: never)
        else:
            running = caller.submit(partial(_call, self._stage, caller, member, operation, holders))
        running.add_done_callback(self._stage.note)
        self._running[operation.op_id] = running

    def finish(self, op_id: int, limit_s: float) -> Outcome | None:
        """The outcome of a begun operation; None if it has not returned within the time.

        Raises AdapterError.
        """
        if op_id not in self._running:
            raise AdapterError(f"operation {op_id} was not begun in this example")
        running = self._running[op_id]
        try:
            with contextlib.suppress(TimeoutError):
                return running.result(min(limit_s, PATIENCE_S))
            self._cluster.count_out_the_dead()
            return running.result(max(0.0, limit_s - PATIENCE_S))
        except TimeoutError:
            self._require_alive()
            return None
        except BridgeError as error:
            raise AdapterError(f"operation {op_id}: {error}", self._cluster.last_words()) from error

    def has_ended(self, op_id: int) -> bool:
        """Whether an operation has returned that was begun."""
        return op_id in self._running and self._running[op_id].done()

    def busy(self) -> bool:
        """Whether a thread has something to do, or has sent what may not have arrived."""
        return any(caller.busy() or caller.unflushed for caller in self._callers.values())

    def all_done(self, deadline: float) -> bool:
        """Whether all operations have returned and their messages arrived; False once a listener parks."""
        stage = self._stage
        while True:
            self._require_alive()
            seen = stage.changes
            if stage.held():
                return False
            if not any(caller.busy() for caller in self._callers.values()) and not self._flush():
                return True
            if not stage.wait_change(seen, deadline):
                return False

    def give_up(self) -> None:
        """Let everything of the last example run to its end, and drop the threads that it did not use."""
        self._stage.release_all()
        if not self.all_done(time.monotonic() + LEFTOVER_LIMIT_S):
            stuck = sum(not future.done() for future in self._running.values())
            words = f"{stuck} operations do not return, even with all gates open"
            raise AdapterError(words, self._cluster.last_words())
        for caller in self._callers.values():
            if caller.transacts_on is not None:
                caller.submit(caller.roll_back).result(LEFTOVER_LIMIT_S)
        for name in self._callers.keys() - self._used:
            self._callers.pop(name).stop()

    def stop(self) -> None:
        """Have all threads end when they have done what they were given."""
        for caller in self._callers.values():
            caller.stop()

    def join(self) -> None:
        """Wait until all threads have ended, and forget them; behind `stop`."""
        for caller in self._callers.values():
            caller.worker.join(LEFTOVER_LIMIT_S)
        self._callers = {}

    def _flush(self) -> bool:
        """Send a flush behind all that was sent without acknowledgement; False if nothing was.

        A put into an acknowledged region returns when all have applied it, and what the same Java thread sent
        before went over the same sockets and was applied before.
        """
        flushes = [
            caller.submit(partial(caller.flush, self._cluster.members[name]))
            for caller in self._callers.values()
            for name in caller.take_unflushed()
        ]
        for flush in flushes:
            flush.add_done_callback(self._stage.note)
        return bool(flushes)


def _call(
    stage: GeodeExample, caller: Caller, member: Member, operation: Operation, holders: tuple[str, ...]
) -> Outcome:
    """On the caller's thread: carry an operation out."""
    if member.crashed():
        # Its thread has come to it too late. For the harness it looks like a call that was overtaken.
        return Outcome(Status.INDEFINITE, detail=f"{member.name} was crashed before the call was made")
    # Of a partitioned region any holder may be asked, and no other member can tell of an entry.
    places = [(name, operation.region, operation.key) for name in holders or (member.name,)]
    before = {place: stage.told(place) for place in places}
    try:
        if isinstance(member, ClientCache) and member.several:
            member.call_first()
        if operation.kind in EXPIRES | LOCAL_EXPIRES:
            return member.expire(operation)
        if operation.kind is OperationKind.EVICT:
            return member.evict(operation, caller.client(member))
        if operation.kind in OF_TRANSACTIONS:
            begins = operation.kind is OperationKind.TX_BEGIN
            caller.transacts_on = member if begins else None
            return transacting.carry_out(member.transactions(caller.client(member)), operation)
        outcome = carry_out(member.region(operation.region, caller.client(member)), operation)
    except GoneError as error:
        if not member.crashed():
            raise broken(member, str(error)) from error
        return Outcome(Status.INDEFINITE, detail=str(error))
    if isinstance(member, ClientCache) and operation.kind not in READS:
        return outcome  # its result is of the server's entry
    if caller.transacts_on is member:
        return outcome  # its result may be of its transaction alone
    if member.keeps_less(operation.region) and not holders:
        return outcome  # its result may be of another member's entry
    if (fits := tells(operation, outcome)) is not None:
        stage.await_told(before, fits)
    return outcome
