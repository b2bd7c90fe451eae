"""Clients: their operations are carried out by a server, and they apply what they are sent.

A client's call is passed on to its server (004, L39), takes effect there exactly as a member's own, and is
answered; the answer, and whatever waits in the client's queue, arrives like an update from another member.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.explain.steps import Step, View
from plumbline.reference.model import claims
from plumbline.reference.model.places import outcome_entry, outcome_place
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, Channel, Message, Stage, World
from plumbline.reference.operations import Operation, Outcome, Status
from plumbline.reference.rulebook.values import each


class Clients:
    """The part of the model that passes on clients' calls, answers them, and empties clients' queues."""

    def __init__(self, setting: Setting, replicates: Replicates) -> None:
        self._setting = setting
        self._replicates = replicates

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Calls that reach their server, answers that leave it, and the first message of each queue."""
        for op_id, client in self._setting.originators.items():
            call = world.calls.get(op_id)
            if call is None:
                continue
            operation = self._setting.operations[op_id]
            if call.stage is Stage.ASKED:
                yield from self._passed_on(world, client, operation, call)
            elif self._is_to_be_answered(world, client, operation, call):
                yield self._answered(world, client, operation, call)
        for channel, messages in world.channels.items():
            if channel.target in self._setting.clients:
                yield from self._arrivals(world, view, channel, messages[0])

    def quiet(self, world: World, held: frozenset[tuple[str, str]]) -> bool:
        """Whether no client has anything to come, except where a parked listener may hold it back."""
        for op_id, client in self._setting.originators.items():
            call = world.calls.get(op_id)
            if call is None or call.indefinite:
                continue
            operation = self._setting.operations[op_id]
            if call.stage is Stage.ASKED and not self.waits(world, operation):
                return False
            if self._is_to_be_answered(world, client, operation, call):
                return False
        # A queue is emptied in order, so what waits at its server, or for its client's own call, may hold all
        # of it back.
        holders = {holder for holder, _ in held} | {
            client for op_id, client in self._setting.originators.items() if self._is_served(world, op_id)
        }
        return not any(
            channel.target in self._setting.clients and holders.isdisjoint((channel.source, channel.target))
            for channel in world.channels
        )

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
        """Whether a client's call is under way at its server, or beyond."""
        call = world.calls.get(op_id)
        return call is not None and call.stage in (Stage.APPLIED, Stage.SENT)

    def _passed_on(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        op_id = operation.op_id
        for checks in self._setting.client_checks(client):
            for server_checks in self._setting.checks(operation.region):
                for serves in each(self._setting.book.serves_client(checks, server_checks)):
                    if serves:
                        reached = call._replace(stage=Stage.CALLED)
                        yield Step(
                            ("passes on", client, op_id),
                            world.but(calls=world.calls.set(op_id, reached)),
                            claim=claims.PASS_ON,
                        )
                    else:
                        failed = Outcome(Status.FAILED)
                        refused = call._replace(stage=Stage.DONE, outcome=failed)
                        yield Step(
                            ("is refused", client, op_id),
                            world.but(calls=world.calls.set(op_id, refused)),
                            ((outcome_place(op_id), outcome_entry(failed)),),
                        )

    def _is_to_be_answered(self, world: World, client: str, operation: Operation, call: Call) -> bool:
        """Whether the server has done with a call, and has not answered yet."""
        return (
            call.stage is Stage.SENT
            and call.waiting == {client}
            and _answer_of(client, operation) not in world.channels
        )

    @staticmethod
    def _answered(world: World, client: str, operation: Operation, call: Call) -> Step:
        message = Message(operation.op_id, call.stamp)
        return Step(
            ("answers", client, operation.op_id),
            world.but(channels=world.channels.set(_answer_of(client, operation), (message,))),
            claim=claims.PASS_ON,
        )

    def _arrivals(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """The ways in which a client may take a message; one that does not check takes it as it comes."""
        operation = self._setting.operations[head.op_id]
        if not head.sure:
            yield self._missed(world, view, channel, operation, head)
        for checks in self._setting.client_checks(channel.target):
            versioned = head.stamp is not None
            for takes in each(self._setting.book.client_takes(checks, versioned)):
                if not takes:
                    yield self._missed(world, view, channel, operation, head)
                elif checks:
                    yield from self._replicates.checked(world, view, channel, operation, head)
                else:
                    yield from self._replicates.unchecked(world, view, channel, operation, head)

    def _missed(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Step:
        """Nothing comes of a message: always a choice, since something else may."""
        step = self._replicates.passed_over(world, view, channel, operation, head)
        step.claim = None
        return step


def _answer_of(client: str, operation: Operation) -> Channel:
    """The way by which the answer to an operation comes back."""
    return Channel(f"answer to {operation.op_id}", operation.member, client)
