"""Ways: over which connections an event of another site may reach the members there, and whether that shows.

Knows connections, logs to come and counters; applies nothing.
"""

from __future__ import annotations

from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites import dependences
from plumbline.reference.model.sites.site_state import WireName
from plumbline.reference.model.sites.wires import alone, in_front
from plumbline.reference.model.world import GateState, World
from plumbline.reference.search.transition import View


class DeliveryPaths:
    """The part of the model that knows by which ways an event may come."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead

    def comes_once(self, world: World, view: View, name: WireName | None, op_id: int) -> bool:
        """Whether the event that came over a connection reaches no member of the site by another way.

        By which way it is told of, and which way only counts as a discard, is a choice otherwise.
        """
        wire = None if name is None else world.wan.wires.get(name)
        if name is None or wire is None:
            return False
        again = dependences.sends_again(self._setting.queues[name.queue], name.source, wire.receiver)
        return self._comes_this_way(world, name, op_id) and again.isdisjoint(
            self._lookahead.open(world, view)
        )

    def is_shown_once(self, world: World, view: View, name: WireName | None, op_id: int) -> bool:
        """Whether the event, if it is shown as it comes, may as well have come by no other way.

        That of one which is discarded is not said here: sent again, it may be shown after all.
        """
        return self.comes_once(world, view, name, op_id) or (
            name is not None
            and not self._lookahead.comes_again(op_id)
            and in_front(world, name, op_id)
            and self.comes_any_way(world, view, name.queue, op_id)
        )

    def comes_any_way(self, world: World, view: View, queue: str, op_id: int) -> bool:
        """Whether nothing tells by which way an event reaches the members of another site.

        Either way each shows it once, with the same timestamps. Only versions name who has received it, which
        matters where several sites write the key; only counters tell that it came once more; and a listener
        that stands at a gate holds up the connection by which it came.
        """
        setting, operation = self._setting, self._setting.operations[op_id]
        remote = setting.queues[queue].remote_site
        return (
            view.reduced
            and setting.as_documented
            and setting.resolver is None
            and remote is not None
            and not setting.is_shared(operation.region, operation.key)
            and not any(
                world.gates.get((member, op_id), GateState.OPEN) is not GateState.OPEN
                or not self.has_counted(world, view, member)
                for member in setting.led_to[queue]
            )
        )

    def counted_or_not(self, world: World, view: View, member: str) -> tuple[World, ...]:
        """The states with and without a discard counted for a rejected event of another site.

        The note on conflatedEvents speaks of versions within a cluster (004, L71); whether what is refused
        for its timestamp as it comes from another site moves the counter, no document says: either is right.
        Where no reading leaves room for it, one is enough.
        """
        most = self._lookahead.most_counted(view.now, member)
        moved = world.discards.get(member, 0)
        if most is None or moved >= most:
            return (world,)
        return (world, world.but(discards=world.discards.set(member, moved + 1)))

    def counters_or_none(
        self, view: View, member: str, counters: tuple[tuple[str, ...], ...]
    ) -> tuple[tuple[str, ...], ...]:
        """The members that count an event refused for its timestamp: the same as for its version, or none.

        Without a later reading of the counter, one alternative is enough (see `counted_or_not`).
        """
        if self._lookahead.most_counted(view.now, member) is None:
            return counters
        return tuple(dict.fromkeys((*counters, ())))

    def has_counted(self, world: World, view: View, member: str) -> bool:
        """Whether a member's counters have reached what is read of them later, if anything is."""
        most = self._lookahead.most_counted(view.now, member)
        told = most is not None and world.discards.get(member, 0) >= most
        return told or not self._lookahead.is_counted(world, view.now, member)

    def may_count_again(self, world: World, now: int, queue: str, op_id: int) -> bool:
        """Whether a member where the queue leads may yet count that it was sent an event once more.

        A member that does not recognise a repetition finds that another site has written later.
        """
        operation = self._setting.operations[op_id]
        if not self._setting.is_shared(operation.region, operation.key):
            return False
        return any(
            (member, op_id) in world.wan.seen
            and (most := self._lookahead.most_counted(now, member)) is not None
            and world.discards.get(member, 0) < most
            for member in self._setting.led_to[queue]
            if member not in world.wan.dead
        )

    def _comes_this_way(self, world: World, name: WireName, op_id: int) -> bool:
        return not self._lookahead.comes_again(op_id) and alone(world, name, op_id)
