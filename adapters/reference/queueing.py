"""Queues on the reference: gateway senders and receivers, and asynchronous event queues.

Knows the simulation; how queues are emptied is the model's own.
"""

from __future__ import annotations

from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.reference.limits import require_queue
from plumbline.adapters.reference.simulated import Simulated
from plumbline.adapters.reference.simulation import Simulation
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import QueueAttributes, QueueRole, QueueSight
from plumbline.reference.model.sites.overflow import Overflow
from plumbline.reference.model.sites.parallel_copies import held_events
from plumbline.reference.model.sites.parallel_senders import lanes_on
from plumbline.reference.rulebook.values import each


class Queueing(Simulated):
    """An adapter of a simulation, as far as queues go."""

    def create_queue(self, queue: QueueAttributes) -> None:
        """Keep the queue's attributes: its senders start with the next reset."""
        require_queue(queue)
        self._queues[queue.id] = queue
        self._named.add(queue.id)

    def queue_action(self, member: str, queue: str, action: str) -> None:
        """Stop and start receivers; start, pause and resume senders."""
        if action == "start" and queue in self._queues and self._queues[queue].manual_start:
            return
        kinds = {
            ("receiver", "stop"): FaultKind.RECEIVER_STOP,
            ("receiver", "start"): FaultKind.RECEIVER_START,
            ("queue", "pause"): FaultKind.PAUSE,
            ("queue", "resume"): FaultKind.RESUME,
        }
        receiver = queue == "receiver"
        kind = kinds.get(("receiver" if receiver else "queue", action))
        if kind is None:
            raise UnsupportedError(f"queue_action: the reference cannot {action} {queue} so far")
        self._ready().happen(Fault(kind=kind, member=member, queue="" if receiver else queue))

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        """The member's copy of the queue, whole; of several dispatchers one after the other."""
        simulation = self._ready()
        if queue in simulation.setting.parallel:
            events = held_events(simulation.world, member, queue)
            tokens = tuple(event.token for event in events)
            return QueueSight(depth=len(events), role=QueueRole.PRIMARY, tokens=tokens)
        if queue in simulation.setting.parted:
            return self._look_at_lanes(simulation, member, queue)
        lanes = simulation.setting.lanes[queue]
        if (member, lanes[0]) not in simulation.world.wan.senders:
            return QueueSight(depth=0, role=QueueRole.NONE)
        senders = [simulation.world.wan.senders[member, lane] for lane in lanes]
        depths = [each(self._book.depth_reported(len(one.queue), one.sent))[0] for one in senders]
        return QueueSight(
            depth=sum(depths),
            role=QueueRole.PRIMARY if senders[0].primary else QueueRole.SECONDARY,
            tokens=tuple(event.token for sender in senders for event in sender.queue),
            unprocessed=sum(len(sender.records) for sender in senders),
            overflowed=sum(Overflow(simulation.setting).on_disk(lanes[0], one.queue) for one in senders),
        )

    def _look_at_lanes(self, simulation: Simulation, member: str, queue: str) -> QueueSight:
        runs = simulation.setting.site_of[member] == self._queues[queue].site
        senders = lanes_on(simulation.world, simulation.setting, member, queue)
        depths = [each(self._book.depth_reported(len(one.queue), one.sent))[0] for one in senders]
        return QueueSight(
            depth=sum(depths),
            role=QueueRole.PRIMARY if runs else QueueRole.NONE,
            tokens=tuple(event.token for sender in senders for event in sender.queue),
        )
