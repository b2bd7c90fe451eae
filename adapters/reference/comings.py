"""How events come to listeners of the reference: again, by an heir, or in place of others that made way.

A rulebook may have an event lose something on these ways, as none should. Knows what was sent and shown;
does not know what may be lost.
"""

from __future__ import annotations

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import STORES_VALUE, Operation
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import World

Place = tuple[str, ...]
"""A member or client; or a member and the queue whose listener it has."""


class Comings:
    """What has become of the events of one example so far."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._offered: set[tuple[Place, int]] = set()
        self._sent: set[int] = set()
        self._old: set[int] = set()
        self._shown: set[tuple[Place, int]] = set()

    def breaks(self, before: World, fault: Fault) -> None:
        """Something is about to break: what was sent by then may be sent again, and queues may be inherited.

        Args:
            before: the world as it is.
            fault: what happens.
        """
        for wire in before.wan.wires.values():
            busy = () if wire.busy is None else (wire.busy,)
            self._sent.update(event.op_id for event in (*wire.events, *busy))
        for sender in before.wan.senders.values():
            self._sent.update(event.op_id for event in sender.queue[: sender.sent])
        if fault.kind is FaultKind.CRASH:
            self._old.update(self._setting.operations)

    def comes(self, at: Place, op_id: int) -> None:
        """An event is about to be shown at a place."""
        self._shown.add((at, op_id))

    def is_offered_again(self, at: Place, op_id: int) -> bool:
        """Whether the listener of a queue has received an event before; from here on it has."""
        again = (at, op_id) in self._offered
        self._offered.add((at, op_id))
        return again

    def is_inherited(self, sender: Sender, op_id: int) -> bool:
        """Whether a sender has an event from another one that has died."""
        return sender.heir and op_id in self._old

    def is_sent_again(self, sender: Sender, op_id: int) -> bool:
        """Whether a sender may send an event that was sent before."""
        return sender.wires > 1 and op_id in self._sent

    def sending(self, before: World, operation: Operation) -> list[Sender]:
        """The copies of queues from which an operation's event may cross to another site."""
        home = self._setting.home(operation.member)
        return [
            sender
            for (member, name), sender in before.wan.senders.items()
            if sender.primary
            and self._setting.home(member) == home
            and (queue := self._setting.queues.get(name)) is not None
            and queue.remote_site is not None
        ]

    def displaced(self, at: Place, operation: Operation) -> list[Operation]:
        """Earlier updates of the entry that have not been shown at a place, in a queue that conflates."""
        conflates = any(
            queue.conflate and queue.site == self._setting.home(operation.member)
            for queue in self._setting.queues.values()
        )
        return [
            one
            for one in (self._setting.operations.values() if conflates else ())
            if (one.region, one.key) == (operation.region, operation.key)
            and one.op_id < operation.op_id
            and one.kind in STORES_VALUE
            and (at, one.op_id) not in self._shown
        ]
