"""Registrations of a client with real Geode, which may go on while all else does (001, L53 to L61).

The proxy between the client and the server that sends it events holds an answer back. Geode sends what a
client registers for over one connection, one after the other. Knows nothing of keys and values.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.geode.client import ClientCache, NoServerError
from plumbline.adapters.geode.cluster import Cluster, broken
from plumbline.adapters.geode.jvm import BridgeError, GoneError
from plumbline.adapters.geode.listener import GATE_LIMIT_S, GeodeExample
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.worker import Worker
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import Interest, Status

LIMIT_S = 10.0
"""For so long a registration waits for the one before it, and the next example for those of the last."""


class _Registration:
    """One that was begun.

    Attributes:
        interest: what is registered for.
        client: its cache.
        server: the one whose answer counts; None where the client has none.
        arrived: set once that answer is there.
        let_go: set once it may go on to the client.
        ended: how it ended.
    """

    def __init__(self, interest: Interest, client: ClientCache, server: str | None, *, held: bool) -> None:
        self.interest = interest
        self.client = client
        self.server = server
        self.arrived = threading.Event()
        self.let_go = threading.Event()
        if not held:
            self.let_go.set()
        self.ended: Future[Status] = Future()

    def is_held(self) -> bool:
        """Whether its answer is, or will be, held back."""
        return not self.let_go.is_set() and not self.ended.done()

    def has_come(self) -> bool:
        """Whether its answer is there, or it has ended without one."""
        return self.arrived.is_set() or self.ended.done()


class BegunRegistrations:
    """The registrations of one example that were begun, by number.

    Args:
        cluster: asks a client what it holds.
        sender_of: the server that sends a client its events.
        require_alive: raises AdapterError if a member or a client has died that was not killed on purpose.
    """

    def __init__(
        self,
        cluster: Cluster,
        sender_of: Callable[[str], str | None],
        require_alive: Callable[[], None],
    ) -> None:
        self._cluster = cluster
        self._sender_of = sender_of
        self._require_alive = require_alive
        self.begin_example(GeodeExample())

    def begin_example(self, stage: GeodeExample) -> None:
        """Forget those of the last example; this stage is told what happens from here on."""
        self._stage = stage
        self._begun: dict[int, _Registration] = {}
        self._in_turn: dict[str, list[_Registration]] = {}  # of each client, those without an answer so far

    def begin(self, number: int, interest: Interest, client: ClientCache, *, held: bool) -> None:
        """Call a registration and come back at once.

        Raises:
            AdapterError: the number is in use, or the interest is withdrawn.
            UnsupportedError: the client waits for an answer that is held, and sends no other meanwhile.
        """
        if number in self._begun or not interest.register:
            raise AdapterError(f"begin_interest: {number} is under way, or the interest is withdrawn")
        if client.name in self.holders():
            raise UnsupportedError("begin_interest: a client of Geode has one answer under way at a time")
        one = _Registration(interest, client, self._sender_of(client.name), held=held)
        turns = self._in_turn.setdefault(client.name, [])
        before = turns[-1] if turns else None
        turns.append(one)
        self._begun[number] = one
        worker = Worker(f"geode-registration-{number}")
        one.ended = worker.submit(partial(_register, one, before))
        one.ended.add_done_callback(self._stage.note)
        worker.stop()

    def asked(self, client: str, server: str) -> Callable[[], None] | None:
        """A client registers with a server: what the answer waits for, if it is one that counts."""
        turns = [one for one in self._in_turn.get(client, []) if not one.has_come()]
        self._in_turn[client] = turns
        if not turns or turns[0].server != server:
            return None
        return partial(self._hold, turns.pop(0))

    def await_answer(self, number: int, limit_s: float) -> bool:
        """Whether the answer is held within the time; False once the registration has ended."""
        one = self._known(number)
        wait_until(one.has_come, limit_s)
        self._require_alive()
        if one.arrived.is_set() and one.is_held():
            self._learn(one)
            return True
        return False

    def release(self, number: int) -> None:
        """Let the answer go on, now or when it comes."""
        self._known(number).let_go.set()

    def finish(self, number: int, limit_s: float) -> Status | None:
        """How a registration has ended; None if it has not within the time. Raises AdapterError."""
        one = self._known(number)
        try:
            status = one.ended.result(limit_s)
        except TimeoutError:
            self._require_alive()
            return None
        except (GoneError, BridgeError) as error:
            raise broken(one.client, str(error)) from error
        self._learn(one)
        del self._begun[number]
        return status

    def holders(self) -> frozenset[str]:
        """The clients of which an answer is held: Geode has all their events wait meanwhile."""
        return frozenset(one.client.name for one in self._begun.values() if one.is_held())

    def is_registering(self, client: str) -> bool:
        """Whether the client has begun to register in this example."""
        return client in self._in_turn

    def at_rest(self, deadline: float) -> bool:
        """Whether by the deadline all have ended of clients that live and of which no answer is held."""
        held = self.holders()
        free = [one for one in self._begun.values() if one.client.name not in held and one.client.jvm.alive]
        return wait_until(lambda: all(one.ended.done() for one in free), deadline - time.monotonic())

    def give_up(self) -> None:
        """Let go all answers, and wait until all have ended; raises AdapterError."""
        for one in self._begun.values():
            one.let_go.set()
        if not self.at_rest(time.monotonic() + LIMIT_S):
            raise AdapterError("a registration does not return, even with its answer let go")

    def _known(self, number: int) -> _Registration:
        if number not in self._begun:
            raise AdapterError(f"registration {number} is not under way")
        return self._begun[number]

    def _hold(self, one: _Registration) -> None:
        """On a thread of the proxy: an answer is there; comes back when it may go on."""
        one.arrived.set()
        self._stage.note()
        if not one.let_go.wait(GATE_LIMIT_S):
            words = f"an answer was not let go within {GATE_LIMIT_S:.0f} s"
            self._stage.trouble(one.client.name, words)

    def _learn(self, one: _Registration) -> None:
        """Take what the client holds for known: no listener receives what it has dropped and loaded."""
        name, region = one.client.name, one.interest.region
        held = self._cluster.ask(one.client, partial(Member.contents, name=region))
        self._stage.learn(name, region, held or ())


def _register(one: _Registration, before: _Registration | None) -> Status:
    """On a thread of its own: register, once the answer to the one before is there."""
    if before is not None:
        wait_until(before.has_come, LIMIT_S)
    try:
        one.client.register(one.interest)
    except RefusedError:
        return Status.REFUSED
    except NoServerError:
        return Status.FAILED
    return Status.OK
