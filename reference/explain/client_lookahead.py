"""Client lookahead: what clients of a recorded history are still told, and what they do themselves meanwhile.

Answers what the model asks of clients (see `plumbline.reference.model.lookahead`, OfClients). Knows the index
of the history and worlds; knows nothing of how the search works.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

from plumbline.reference.explain.index import Index
from plumbline.reference.explain.member_lifetimes import NEVER
from plumbline.reference.history.fault_kinds import CLIENT_GOES, CLIENT_LIVES, Fault, FaultKind
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.moments import Armed, Joined, Left, Registered, Scripted
from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL,
    LOCAL_ACTIONS,
    NAMED_BY_VALUE,
    READS,
    STORES_VALUE,
    WHOLE_REGION,
    EventKind,
    Operation,
    OperationKind,
    Status,
)
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.model.clients.queue_holders import MARKER
from plumbline.reference.model.lookahead import Ternary
from plumbline.reference.model.places import listener_entry, listener_place
from plumbline.reference.model.world import CallStage, World
from plumbline.reference.rulebook.effects import ARRIVES, BECOMES
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, View


class _Whispers(NamedTuple):
    """Operations in the order of their calls; with each when it, and all before, have come at the latest."""

    operations: tuple[Operation, ...]
    until: tuple[int, ...]


_NONE = _Whispers((), ())


class ClientDeliveryLookahead:
    """Lookahead into what clients of a recorded example are told."""

    def __init__(self, index: Index, history: History) -> None:
        self._index = index
        self._strength = history.client_order_strength or history.order_strength
        self._crashes = [(at, f.member) for at, f in index.faults if f.kind is FaultKind.CRASH]
        self._subscribers = [client for client in history.clients if client.subscription]
        self._without_values = {
            what.interest.client
            for what in history.timeline
            if isinstance(what, Registered | RegistrationBegun) and not what.interest.receive_values
        }
        durable = {client.name for client in history.clients if client.durable_id is not None}
        self._durable = durable
        self._goings = [(at, f.client) for at, f in index.faults if f.kind in CLIENT_GOES]
        self._cut_short = [(at, f.client) for at, f in index.faults if f.kind in CLIENT_GOES and f.meanwhile]
        self._lives = [(at, f.client) for at, f in index.faults if f.kind in CLIENT_LIVES]
        kinds = {operation.kind for operation in index.operations.values()}
        alone = WHOLE_REGION | EXPIRES | LOCAL_ACTIONS | {OperationKind.LOCAL_CLEAR}
        odd = any(
            isinstance(what, Scripted | Left | Joined | RegistrationBegun)
            or (isinstance(what, Armed) and what.gate.callback != "listener")
            for what in history.timeline
        )
        self.simple = (
            not odd
            and all(fault.kind in {FaultKind.CRASH, *CLIENT_LIVES} for _, fault in index.faults)
            and durable.isdisjoint(index.originators.values())
            and all(client.tracking_timeout_ms is None and not client.conflate for client in history.clients)
            and bool(history.clients)
            and not history.queues
            and not index.redelivered
            and not index.shares
            and kinds.isdisjoint(alone)
        )
        self._whispers = {m: self._find_whispers(m) for m in history.topology.members} if self.simple else {}
        self._own = self._find_own()
        self._valueless = self._find_valueless()
        self._by_thread: dict[str, list[Operation]] = {}
        for operation in index.operations.values():
            self._by_thread.setdefault(operation.thread, []).append(operation)

    def _find_whispers(self, server: str) -> _Whispers:
        logged = self._index.logged.get(server, set())
        found = [
            operation
            for operation in self._index.operations.values()
            if operation.kind not in READS | LOCAL
            and (not self._named(operation) or (operation.key, operation.token) not in logged)
            and self._may_be_heard_from(server, operation)
        ]
        until = accumulate((self._index.latest(operation, server) for operation in found), max)
        return _Whispers(tuple(found), tuple(until))

    def _may_be_heard_from(self, server: str, operation: Operation) -> bool:
        """Whether a client of the server may show an operation that the server's log does not show."""
        for client in self._subscribers:
            if server not in client.servers or self._index.originators.get(operation.op_id) == client.name:
                continue
            logged = self._index.logged.get(client.name)
            visible = operation.kind is OperationKind.INVALIDATE  # a client may become invalid in silence
            if logged is None or not self._named(operation) or visible:
                return True
            if (operation.key, operation.token) not in logged:
                continue
            if server == client.server or client.name in self._durable:
                return True  # a durable client may come back to any of its servers
            # Another server tells it something only after a crash.
            _, before = self._index.told_between(client.name, operation)
            if any(moment < before for moment, _ in self._crashes):
                return True
        return False

    def _find_own(self) -> dict[tuple[str, str, str], list[Operation]]:
        """Per client, region and key what it does there by itself: reads, and changes to its own copy."""
        own: dict[tuple[str, str, str], list[Operation]] = {}
        for op_id, client in self._index.originators.items():
            operation = self._index.operations[op_id]
            if operation.kind not in STORES_VALUE and operation.kind is not OperationKind.DESTROY:
                own.setdefault((client, operation.region, operation.key), []).append(operation)
        return own

    def _find_valueless(self) -> dict[tuple[str, str, str], _Whispers]:
        """Per client that may receive values without them, region and key: those that it shows not."""
        found: dict[tuple[str, str, str], list[Operation]] = {}
        for client in self._without_values:
            logged = self._index.logged.get(client, set())
            for operation in self._index.operations.values():
                if operation.kind in STORES_VALUE and (operation.key, operation.token) not in logged:
                    found.setdefault((client, operation.region, operation.key), []).append(operation)
        return {
            where: _Whispers(
                tuple(ops), tuple(accumulate((self._index.latest(op, where[0]) for op in ops), max))
            )
            for where, ops in found.items()
        }

    def _named(self, operation: Operation) -> bool:
        """Whether a log that tells of the operation says that it is this one."""
        if operation.token is None or (operation.kind in NAMED_BY_VALUE and self._without_values):
            return False
        return self._index.identified or operation.kind in STORES_VALUE

    def takes_over(self, world: World, now: int, client: str) -> bool:
        """Whether another server may come to serve the client (see OfClients)."""
        servers = self._index.clients[client].servers
        if not self.simple or client in self._durable:
            return True
        if len(servers) < 2:
            return False
        line = world.served.lines.get(client)
        return (
            line is None
            or line.primary in world.wan.dead
            or any(fault.member in servers for fault in self._dying(world))
            or any(now <= moment and member in servers for moment, member in self._crashes)
        )

    @staticmethod
    def _dying(world: World) -> tuple[Fault, ...]:
        return tuple(fault for fault in world.wan.faults.values() if fault.kind is FaultKind.CRASH)

    def unheard(self, view: View, client: str, operation: Operation) -> bool:
        """Whether nothing shows any more that the client receives an operation (see OfClients)."""
        if not self.simple or operation.kind is OperationKind.INVALIDATE or not self._named(operation):
            return False
        if self._strength is OrderStrength.PER_KEY_AND_THREAD:
            return False
        _, kind = ARRIVES[operation.kind]
        return not any(
            self._may_show(view, client, operation, event) for event in {kind, EventKind.INVALIDATE}
        )

    def _may_show(self, view: View, client: str, operation: Operation, event: EventKind) -> bool:
        """Whether the client's log may still tell of an operation as this kind of event."""
        place, shown = self._shown(client, operation, event)
        return view.still(place, shown) or not view.observed(place)

    def told_without_value(self, view: View, client: str, operation: Operation) -> bool | None:
        """Whether the client is told without the value (see OfClients).

        A message in the other form could only be lost or be a repetition, and so could one in this form. If
        it shows neither, it is older than what the client holds, which makes no difference, or the client has
        no value of the key. A client may also show an entry that it has fetched by itself.
        """
        if not self._named(operation):
            return None
        _, kind = ARRIVES[operation.kind]
        with_it, without = (
            self._may_show(view, client, operation, event) for event in (kind, EventKind.INVALIDATE)
        )
        return None if with_it and without else not with_it

    def gets(self, client: str, operation: Operation) -> bool:
        """Whether the client may have got by itself what the operation stored, and show that."""
        if not self.simple:
            return True
        for own in self._own.get((client, operation.region, operation.key), ()):
            if own.kind is OperationKind.GET:
                _, outcome = self._index.returned.get(own.op_id, (NEVER, None))
                if outcome is None or outcome.status is Status.INDEFINITE:
                    return True
                if outcome.value == operation.token:
                    return True
        return False

    def fetches(self, client: str, operation: Operation) -> bool:
        """Whether the client itself gets or changes what it holds of the key, at any time (see OfClients)."""
        return not self.simple or (client, operation.region, operation.key) in self._own

    def owes_earlier(self, world: World, view: View, client: str, operation: Operation) -> Ternary:
        """Whether the client still shows an earlier operation of the same thread (see OfClients)."""
        comes = Ternary.NO if self.simple else Ternary.MAYBE
        for other in self._by_thread.get(operation.thread, ()):
            if other.op_id == operation.op_id:
                break
            if other.kind not in BECOMES or self.unheard(view, client, other):
                continue
            logged = self._index.logged.get(client)
            if logged is None or other.kind is OperationKind.INVALIDATE or not self._named(other):
                comes = max(comes, Ternary.MAYBE if self._may_reach(world, client, other) else Ternary.NO)
            elif self._strength is not OrderStrength.PER_KEY_AND_THREAD:
                comes = Ternary.YES
        return comes

    @staticmethod
    def _may_reach(world: World, client: str, operation: Operation) -> bool:
        """Whether a client may still be sent an operation: it is under way, or waits with some server."""
        return (
            operation.op_id in world.calls
            or any(one.op_id == operation.op_id for sent in world.channels.values() for one in sent)
            or any(
                one.op_id == operation.op_id
                for queues in (world.served.copies, world.served.kept)
                for (_, name), queue in queues.items()
                if name == client
                for one in queue
            )
        )

    def _shown(self, client: str, operation: Operation, event: EventKind) -> tuple[Place, Observation]:
        region, key = operation.region, operation.key
        place = listener_place(self._strength, client, region, key, operation.thread, event)
        return place, listener_entry(region, key, event, operation.token)

    def whisper_to_come(self, world: World, now: int, server: str, operation: Operation) -> bool:
        """Whether a client may receive first an event that the server does not show (see OfClients)."""
        if not self.simple:
            return True
        whispers, until = self._whispers.get(server, _NONE)
        if not whispers:
            return False
        latest = self._index.latest(operation, server)
        for at in range(bisect_left(until, now), len(whispers)):
            other = whispers[at]
            called = self._index.called[other.op_id]
            if called >= latest:
                return False
            if other.op_id != operation.op_id and (called >= now or self._may_come_to(world, server, other)):
                return True
        return False

    @staticmethod
    def _may_come_to(world: World, server: str, operation: Operation) -> bool:
        """Whether an operation that was called may still have to change the server's copy."""
        call = world.calls.get(operation.op_id)
        if call is not None and call.stage in (CallStage.ASKED, CallStage.CALLED):
            return True
        if server == operation.member:
            return False
        if call is not None and (call.stage is CallStage.APPLIED or server in call.waiting):
            return True
        return any(
            channel.target == server and any(message.op_id == operation.op_id for message in messages)
            for channel, messages in world.channels.items()
        )

    def starts_anew(self, world: World, view: View, server: str) -> bool:
        """Whether a client may be about to fetch what the server holds (see OfClients)."""
        if not self._crashes:
            return False
        for client in self._subscribers:
            line = world.served.lines.get(client.name)
            if len(client.servers) < 2 or server not in client.servers or line is None:
                continue
            if line.primary == server or not self.takes_over(world, view.now, client.name):
                continue
            doomed = {fault.member for fault in self._dying(world)}
            doomed |= {member for moment, member in self._crashes if view.now <= moment}
            doomed |= set(world.wan.dead)
            if line.primary in doomed and doomed.issuperset(line.secondaries):
                return True
        return False

    def ends_life(self, world: World, now: int, client: str) -> bool:
        """Whether a durable client may go, now or later (see OfClients)."""
        under_way = any(
            fault.client == client and fault.kind in CLIENT_GOES for fault in world.wan.faults.values()
        )
        return under_way or any(now <= at and client == name for at, name in self._goings)

    def has_one_order(self) -> bool:
        """Whether each client's log has one order of all keys (see OfClients)."""
        return self._strength is OrderStrength.TOTAL

    def changes_life(self, world: World, now: int, server: str, operation: Operation) -> bool:
        """Whether a client of the server may become ready, go or come first (see OfClients).

        So it may where a marker is still to be queued: a server that takes over queues it behind all else.
        """
        if not self._durable:
            return False
        if not self.simple or any(fault.kind in CLIENT_LIVES for fault in world.wan.faults.values()):
            return True
        # A client that goes meanwhile has received the first part of its queue: its order counts until then.
        if any(now <= at and server in self._index.clients[name].servers for at, name in self._cut_short):
            return True
        latest = self._index.latest(operation, server)
        for name in self._durable:
            if server not in self._index.clients[name].servers:
                continue
            state = world.served.durable[name]
            marker = MARKER * state.life
            if (
                state.ready
                and not state.live
                and all(message.op_id != marker for message in world.served.kept.get((server, name), ()))
            ):
                return True
        at = bisect_left(self._lives, (now,))
        return at < len(self._lives) and self._lives[at][0] < latest

    def meddles(self, world: World, now: int, client: str, operation: Operation) -> bool:
        """Whether the client may itself read or change what it holds of the key first (see OfClients)."""
        if not self.simple:
            return True
        own = self._own.get((client, operation.region, operation.key))
        if not own:
            return False
        latest = self._index.latest(operation, client)
        return any(
            other.op_id in world.calls or now <= self._index.called[other.op_id] < latest for other in own
        )

    def becomes_invalid(self, now: int, client: str, operation: Operation) -> bool:
        """Whether the client may receive another value without it first (see OfClients)."""
        silent, until = self._valueless.get((client, operation.region, operation.key), _NONE)
        latest = self._index.latest(operation, client)
        return any(
            other.op_id != operation.op_id and self._index.called[other.op_id] < latest
            for other in silent[bisect_left(until, now) :]
        )
