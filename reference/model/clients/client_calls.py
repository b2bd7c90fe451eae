"""What clients call: carried out by a server, but for what is only a client's own.

A call is passed on to the client's server (004, L39), takes effect there exactly as a member's own, and is
answered. Knows nothing of what becomes of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.operations import (
    WHOLE_REGION,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.model.clients.arrivals import answer_of
from plumbline.reference.model.clients.attempts import carried_out, reachable, tried_again, unanswered
from plumbline.reference.model.clients.registrations import PRESENT
from plumbline.reference.model.clients.without_servers import held_up, is_alone, read_alone, updated_alone
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.independence import Independence
from plumbline.reference.model.messages import Message
from plumbline.reference.model.places import outcome_entry, outcome_place
from plumbline.reference.model.region_operations import RegionOperations
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.tombstones import changed
from plumbline.reference.model.world import Call, CallStage, World
from plumbline.reference.model.writers import ASKS, refuses, stands, stood
from plumbline.reference.rulebook.effects import BECOMES, effects_at_client
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step


class ClientCalls:
    """The part of the model that passes on clients' calls, and has them answered."""

    def __init__(
        self,
        setting: Setting,
        replicates: Replicates,
        region_operations: RegionOperations,
        independence: Independence,
    ) -> None:
        self._independence = independence
        self._setting = setting
        self._replicates = replicates
        self._region_operations = region_operations

    def steps(self, world: World) -> Iterator[Step]:
        """Calls that reach their server, and answers that leave it."""
        for op_id, client in self._setting.originators.items():
            call = world.calls.get(op_id)
            if call is None:
                continue
            operation = carried_out(self._setting.operations[op_id], call)
            if call.again:
                yield from tried_again(world, self._setting, client, operation, call)
            elif call.stage is CallStage.ASKED:
                if not all(held_up(world, self._setting, client, operation)):
                    yield from self._asked(world, client, operation, call)
            elif self._is_to_be_answered(world, client, operation, call):
                if (client, operation.member) in world.served.lost:
                    yield unanswered(world, client, operation, call)
                else:
                    yield self._answered(world, client, operation, call)

    def quiet(self, world: World) -> bool:
        """Whether no call of a client goes on by itself."""
        for op_id, client in self._setting.originators.items():
            call = world.calls.get(op_id)
            if call is None or call.indefinite:
                continue
            operation = carried_out(self._setting.operations[op_id], call)
            stays = stands(world, client, operation) or self.waits(world, operation)
            stays = stays or any(held_up(world, self._setting, client, operation))
            if call.again:
                stays = not reachable(world, self._setting, client)
            if call.stage is CallStage.ASKED and not stays:
                return False
            if self._is_to_be_answered(world, client, operation, call):
                return False
        return True

    def callers(self, world: World) -> set[str]:
        """The clients with a call under way at their server, which may hold their queues back.

        A call that has its answer holds nothing back, also before it is asked for.
        """
        return {
            client
            for op_id, client in self._setting.originators.items()
            if self._is_served(world, op_id) and not _is_answered(world.calls[op_id])
        }

    def waits(self, world: World, operation: Operation) -> bool:
        """Whether a call may have to wait for another call of its client on the same key."""
        client = self._setting.originators.get(operation.op_id)
        return client is not None and any(
            op_id != operation.op_id
            and self._setting.operations[op_id].key == operation.key
            and self._is_served(world, op_id)
            for op_id, caller in self._setting.originators.items()
            if caller == client
        )

    def _is_served(self, world: World, op_id: int) -> bool:
        """Whether a client's call is under way at its server, or beyond; or held in a writer."""
        call = world.calls.get(op_id)
        if call is None:
            return False
        operation = self._setting.operations[op_id]
        holders = (self._setting.originators[op_id], operation.member)
        held = any(stands(world, holder, operation) for holder in holders)
        return held or call.again or call.stage in (CallStage.APPLIED, CallStage.SENT)

    def _asked(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """A client carries out itself what is only its own, and has its server do the rest."""
        alone = is_alone(world, self._setting, client)
        if operation.kind is OperationKind.GET:
            if alone:
                yield from read_alone(world, self._setting, client, operation, call)
            else:
                yield from self._got(world, client, operation, call)
            return
        entry = world.entry(client, operation.region, operation.key)
        for forwards in each(self._forwards(operation, client, entry)):
            if forwards and alone:
                told = self._replicates.shown(client, operation)
                yield from updated_alone(world, self._setting, client, operation, call, told)
            elif forwards:
                yield from self._passed_on(world, client, operation, call)
            else:
                yield from self._kept(world, client, operation, call, entry)

    def _forwards(self, operation: Operation, client: str, entry: Entry) -> object:
        """Whether a client's operation goes to its server."""
        book = self._setting.book
        if self._setting.without_pool(client, operation.region):
            return book.forwards_without_pool()
        held = entry.state in PRESENT
        match operation.kind:
            case OperationKind.CONTAINS_KEY:
                return False
            case OperationKind.LOCAL_INVALIDATE | OperationKind.LOCAL_DESTROY:
                return book.forwards_local()
            case OperationKind.INVALIDATE | OperationKind.INVALIDATE_REGION:
                return book.forwards_invalidates()
            case OperationKind.DESTROY:
                return book.forwards_destroy_of_held() if held else book.forwards_destroy_of_absent()
            case OperationKind.DESTROY_REGION:
                return book.forwards_region_destroy()
            case OperationKind.LOCAL_DESTROY_REGION:
                return book.forwards_local_region_destroy()
            case OperationKind.LOCAL_INVALIDATE_REGION:
                return book.forwards_local_region_invalidate()
            case OperationKind.LOCAL_CLEAR:
                return book.forwards_local_clear()
            case OperationKind.CLEAR:
                return True
            case _:
                return book.forwards_updates(held)

    def _kept(
        self, world: World, client: str, operation: Operation, call: Call, entry: Entry
    ) -> Iterator[Step]:
        """An operation takes effect in the client's own copy, and nowhere else."""
        kind = _OWN.get(operation.kind, operation.kind)
        name = ("does itself", client, operation.op_id)
        if operation.kind in WHOLE_REGION:
            after, told = (
                self._region_operations.gone(world, client, operation),
                self._region_operations.at_client(client, operation),
            )
            yield self._done(name, after, operation, call, Outcome(Status.OK), ())
            yield self._done(name, after, operation, call, Outcome(Status.OK), (told,))
            if operation.kind is OperationKind.LOCAL_CLEAR:
                # Whether a client can clear its own copy alone is not said.
                yield self._done(name, world, operation, call, Outcome(Status.REFUSED), ())
            return
        for effect in effects_at_client(kind, entry.state, entry.token):
            outcome = Outcome(effect.status, effect.value)
            if effect.becomes is None:
                yield self._done(name, world, operation, call, outcome, ())
                continue
            where = (client, operation.region, operation.key)
            stamp = entry.stamp if effect.becomes is not EntryState.TOMBSTONE else None
            entries = changed(world, where, effect.becomes, operation.token, stamp, checks=False)
            told = self._replicates.shown(client, msgspec.structs.replace(operation, kind=kind))
            yield self._done(name, world.but(entries=entries), operation, call, outcome, (told,))

    @staticmethod
    def _done(
        name: tuple[object, ...],
        world: World,
        operation: Operation,
        call: Call,
        outcome: Outcome,
        told: tuple[tuple[Place, Observation], ...],
    ) -> Step:
        done = replace(call, stage=CallStage.DONE, outcome=outcome)
        shows = (*told, (outcome_place(operation.op_id), outcome_entry(outcome)))
        return Step(name, world.but(calls=world.calls.set(operation.op_id, done)), shows)

    def _passed_on(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """The client's writer is asked, and then the server."""
        book = self._setting.book
        refused = refuses(world, client, operation)
        for first in each(book.writer_runs_first()):
            held = stood(world, client, operation) if first else None
            if held is not None:
                yield Step(("stands in the writer", client, operation.op_id), held)
            elif not first or not stands(world, client, operation):
                for aborts in each(book.client_writer_aborts(operation.kind)) if refused else (False,):
                    if aborts:
                        yield self._failed(("is vetoed", client, operation.op_id), world, operation, call)
                    else:
                        yield from self._reached(world, client, operation, call)

    @staticmethod
    def _failed(name: tuple[object, ...], world: World, operation: Operation, call: Call) -> Step:
        failed = Outcome(Status.FAILED)
        ended = replace(call, stage=CallStage.DONE, outcome=failed)
        shows = ((outcome_place(operation.op_id), outcome_entry(failed)),)
        return Step(name, world.but(calls=world.calls.set(operation.op_id, ended)), shows)

    def _reached(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        op_id = operation.op_id
        for checks in self._setting.client_checks(client):
            for server_checks in self._setting.checks(operation.region):
                for serves in each(self._setting.book.serves_client(checks, server_checks)):
                    if serves:
                        yield from self._asks_server(world, client, operation, call)
                    else:
                        yield self._failed(("is refused", client, op_id), world, operation, call)

    def _asks_server(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """The call is on its way to the server; the client's own copy has changed already, or not yet."""
        op_id = operation.op_id
        reached = replace(call, stage=CallStage.CALLED)
        for early in each(self._setting.book.client_applies_first()) if operation.kind in ASKS else (False,):
            if not early:
                after = world.but(calls=world.calls.set(op_id, reached))
                yield Step(("passes on", client, op_id), after, claim=self._independence.passing_on())
                continue
            where, becomes = (client, operation.region, operation.key), BECOMES[operation.kind][0]
            entries = changed(world, where, becomes, operation.token, None, checks=False)
            calls = world.calls.set(op_id, replace(reached, early=True))
            told = self._replicates.shown(client, operation)
            yield Step(
                ("passes on behind its own change", client, op_id),
                world.but(entries=entries, calls=calls),
                (told,),
            )

    def _is_to_be_answered(self, world: World, client: str, operation: Operation, call: Call) -> bool:
        """Whether the server has done with a call, and has not answered yet."""
        return (
            call.stage is CallStage.SENT
            and call.waiting == {client}
            and answer_of(client, operation) not in world.channels
        )

    def _answered(self, world: World, client: str, operation: Operation, call: Call) -> Step:
        message = Message(operation.op_id, call.stamp)
        return Step(
            ("answers", client, operation.op_id),
            world.but(channels=world.channels.set(answer_of(client, operation), (message,))),
            claim=self._independence.passing_on(),
        )

    def _got(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """A client gets what it holds; what it does not hold, or without a value, it asks its server for."""
        entry = world.entry(client, operation.region, operation.key)
        live = entry.state is EntryState.LIVE
        alone = self._setting.without_pool(client, operation.region)
        decides = self._setting.book.forwards_without_pool if alone else self._setting.book.get_asks_server
        for asks in (False,) if live else each(decides()):
            if asks:
                reached = replace(call, stage=CallStage.CALLED)
                yield Step(
                    ("passes on", client, operation.op_id),
                    world.but(calls=world.calls.set(operation.op_id, reached)),
                )
                continue
            outcome = Outcome(Status.OK, entry.token if live else None)
            read = replace(call, stage=CallStage.DONE, outcome=outcome)
            yield Step(
                ("reads its own", client, operation.op_id),
                world.but(calls=world.calls.set(operation.op_id, read)),
                ((outcome_place(operation.op_id), outcome_entry(outcome)),),
            )


_OWN = {
    OperationKind.LOCAL_INVALIDATE: OperationKind.INVALIDATE,
    OperationKind.LOCAL_DESTROY: OperationKind.DESTROY,
}
"""What a local operation does to a client's own copy, where no cache writer refuses it."""


def _is_answered(call: Call) -> bool:
    """Whether a call waits for nothing more: only its caller has yet to ask for the outcome."""
    return call.stage is CallStage.SENT and not call.waiting and not call.again
