"""Copies of regions that members of real Geode take while all else goes on (004, L16, L63).

A hook of Geode holds a copy as its first part has reached its member. Knows nothing of keys and values.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, ClassVar

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.cluster import Cluster, broken
from plumbline.adapters.geode.jvm import BridgeError, GoneError
from plumbline.adapters.geode.listener import GATE_LIMIT_S, GeodeExample
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.worker import Worker
from plumbline.adapters.waiting import wait_until

LIMIT_S = 20.0
"""For so long the next example waits for the copies of the last."""

Where = tuple[str, str]
"""A member and a region."""


class _Join:
    """One copy that was begun.

    Attributes:
        member: who takes it.
        arrived: set once its first part is there.
        let_go: set once it may be taken over.
        ended: done once the member has it.
    """

    def __init__(self, member: Member, *, held: bool) -> None:
        self.member = member
        self.arrived = threading.Event()
        self.let_go = threading.Event()
        if not held:
            self.let_go.set()
        self.ended: Future[None] = Future()

    def has_come(self) -> bool:
        """Whether it is held, or has ended."""
        return self.arrived.is_set() or self.ended.done()


class Hold:
    """What Geode runs as a part of a copy reaches its member; py4j has it called on Geode's own thread."""

    def __init__(self, join: _Join, stage: GeodeExample) -> None:
        self._join = join
        self._stage = stage

    def run(self) -> None:
        """Come back when the copy may be taken over."""
        self._join.arrived.set()
        self._stage.note()
        if not self._join.let_go.wait(GATE_LIMIT_S):
            self._stage.trouble(self._join.member.name, f"a copy was not let go within {GATE_LIMIT_S:.0f} s")

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["java.lang.Runnable"]


class BegunJoins:
    """The copies of one example that were begun.

    Args:
        cluster: asks a member what it holds.
        require_alive: raises AdapterError if a member has died that was not killed on purpose.
    """

    def __init__(self, cluster: Cluster, require_alive: Callable[[], None]) -> None:
        self._cluster = cluster
        self._require_alive = require_alive
        self.begin_example(GeodeExample())

    def begin_example(self, stage: GeodeExample) -> None:
        """Forget those of the last example; this stage is told what happens from here on."""
        self._stage = stage
        self._begun: dict[Where, _Join] = {}

    def begin(
        self, where: Where, member: Member, create: Callable[[Member], None], internal: str, *, held: bool
    ) -> None:
        """Have a member begin to take a copy, and come back at once.

        Args:
            where: the member and the region.
            member: the member.
            create: creates the region, and comes back when its copy is complete.
            internal: what Geode calls the region.
            held: whether the copy is to be held.
        """
        if where in self._begun:
            raise AdapterError(f"begin_join: {where[0]} takes a copy of {where[1]} already")
        one = self._begun[where] = _Join(member, held=held)
        worker = Worker(f"geode-join-{where[0]}")
        one.ended = worker.submit(partial(self._taken, one, create, internal))
        one.ended.add_done_callback(self._stage.note)
        worker.stop()

    def await_copy(self, where: Where, limit_s: float) -> bool:
        """Whether the copy is held within the time; False once the member has it."""
        one = self._known(where)
        wait_until(one.has_come, limit_s)
        self._require_alive()
        if one.ended.done() and one.ended.exception() is not None:
            self.finish(where, limit_s)  # which says why
        return one.arrived.is_set() and not one.let_go.is_set()

    def release(self, where: Where) -> None:
        """Let the copy be taken over, now or when it comes."""
        self._known(where).let_go.set()

    def finish(self, where: Where, limit_s: float) -> bool:
        """Whether the member has its copy within the time; raises AdapterError."""
        one = self._known(where)
        try:
            one.ended.result(limit_s)
        except TimeoutError:
            self._require_alive()
            return False
        except (GoneError, BridgeError) as error:
            raise broken(one.member, str(error)) from error
        held = self._cluster.ask(one.member, partial(Member.contents, name=where[1]))
        self._stage.learn(*where, held or ())
        del self._begun[where]
        return True

    def gone(self, member: str) -> None:
        """A member was killed, and what it has begun with it; what it held back goes on."""
        for where in [where for where in self._begun if where[0] == member]:
            self._begun.pop(where).let_go.set()

    def at_rest(self, deadline: float) -> bool:
        """Whether by the deadline each copy that is not held has been taken."""
        free = [one for one in self._begun.values() if one.let_go.is_set()]
        return wait_until(lambda: all(one.ended.done() for one in free), deadline - time.monotonic())

    def give_up(self) -> None:
        """Let go all copies, and wait until all members have theirs; raises AdapterError."""
        for one in self._begun.values():
            one.let_go.set()
        if not self.at_rest(time.monotonic() + LIMIT_S):
            raise AdapterError("a member does not get its copy, even with nothing held")

    def _known(self, where: Where) -> _Join:
        if where not in self._begun:
            raise AdapterError(f"{where[0]} takes no copy of {where[1]}")
        return self._begun[where]

    def _taken(self, one: _Join, create: Callable[[Member], None], internal: str) -> None:
        """On a thread of its own: create the region, the copy being held where that is asked for."""
        place: Any = None
        if not one.let_go.is_set():
            place = one.member.hold_copy(internal, Hold(one, self._stage))
        try:
            create(one.member)
        finally:
            if place is not None and one.member.jvm.alive:
                one.member.let_copies_go(place)
