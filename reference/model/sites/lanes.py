"""Lanes: what a gateway sender of several dispatchers queues, apart for what each of them sends.

Such a sender does what as many senders of one dispatcher do, all of them led by one member, each of which is
handed some groups of events: those of a key, or of a thread. A lane is what one of them does. Of a parallel
sender each bucket is such a group. Knows which groups there are and which lane has which; knows nothing of
what is done to a queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from zlib import crc32

from msgspec.structs import asdict, replace

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import Operation, QueueAttributes, RegionAttributes
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import each


class DispatcherPartition(QueueAttributes, frozen=True, kw_only=True):
    """What one dispatcher of a sender does: a queue of its own, whose id no sender has.

    Attributes:
        sender: id of the sender.
        group: the only group that it is handed; None where several may be.
        place: which of the sender's dispatchers it is, where groups are dealt out to a known number of them.
        places: how many these are.
        parts_keys: whether events of one key go by several of the sender's dispatchers, and overtake.
    """

    sender: str
    group: str | None = None
    place: int = 0
    places: int = 1
    parts_keys: bool = False

    def has(self, group: str) -> bool:
        """Whether events of a group go by this dispatcher."""
        if self.group is not None:
            return group == self.group
        return crc32(group.encode()) % self.places == self.place


def sender_of(queue: QueueAttributes) -> str:
    """The id of the sender that a queue, or a lane of one, belongs to."""
    return queue.sender if isinstance(queue, DispatcherPartition) else queue.id


def is_parted(queue: QueueAttributes) -> bool:
    """Whether a queue, or a lane of it, belongs to a parallel gateway sender."""
    return queue.parallel and queue.remote_site is not None


def group_of_bucket(where: tuple[str, str]) -> str:
    """The group of all events of a region's key, in a parallel sender."""
    return "\0".join(where)


def lane_of_bucket(queue: QueueAttributes, where: tuple[str, str]) -> DispatcherPartition:
    """The lane of a parallel sender for a region's key."""
    return _lane(queue, group_of_bucket(where))


def lanes_by_sender(queues: Iterable[QueueAttributes]) -> dict[str, tuple[str, ...]]:
    """For each sender the names of its lanes: its own id, where it has one dispatcher."""
    found: dict[str, tuple[str, ...]] = {}
    for queue in queues:
        found[sender_of(queue)] = (*found.get(sender_of(queue), ()), queue.id)
    return found


def groups_of(book: Rulebook, policy: str, operation: Operation) -> tuple[str, ...]:
    """The group of an operation; more than one where that decision is free."""
    return each(book.group_of(policy, operation.key, operation.thread, operation.op_id))


Fed = tuple[tuple[QueueAttributes, ...], tuple[RegionAttributes, ...]]
"""Queues, and the regions that feed them."""


def dealt_out(queues: Sequence[QueueAttributes], regions: Sequence[RegionAttributes]) -> Fed:
    """The queues with a lane for each dispatcher where there are several, as a running system has them.

    A parallel sender stays as it is: which buckets there are, keys will show.
    """

    def lanes(queue: QueueAttributes) -> Sequence[QueueAttributes]:
        several = queue.dispatchers > 1 and not is_parted(queue)
        return [_lane(queue, number) for number in range(queue.dispatchers)] if several else [queue]

    return _laned(queues, regions, lanes)


def told_apart(history: History, book: Rulebook) -> History:
    """The history with a lane for each group, as no candidate says which dispatcher has which group.

    Two groups of one dispatcher keep their order, too. No observation shows that they share it.
    """
    if all(queue.dispatchers == 1 and not is_parted(queue) for queue in history.queues):
        return history
    called = [what.operation for what in history.timeline if isinstance(what, Called)]
    senders = {region.name: region.senders for region in history.regions}

    def lanes(queue: QueueAttributes) -> Sequence[QueueAttributes]:
        if is_parted(queue):
            feeding = [op for op in called if queue.id in senders[op.region]]
            buckets = sorted({(op.region, key) for op in feeding for key in op.keys})
            return [lane_of_bucket(queue, where) for where in buckets] or [_lane(queue, "")]
        if queue.dispatchers == 1:
            return [queue]
        parted = {(op.key, group) for op in called for group in groups_of(book, queue.order_policy, op)}
        groups = dict.fromkeys(group for _, group in sorted(parted))
        parts_keys = len(parted) > len({key for key, _ in parted})
        return [_lane(queue, group, parts_keys=parts_keys) for group in groups or ("",)]

    queues, regions = _laned(history.queues, history.regions, lanes)
    return replace(history, queues=queues, regions=regions)


def _lane(queue: QueueAttributes, of: str | int, *, parts_keys: bool = False) -> DispatcherPartition:
    own = {**asdict(queue), "id": f"{queue.id}\0{of}", "sender": queue.id, "dispatchers": 1}
    if isinstance(of, str):
        return DispatcherPartition(**own, group=of, parts_keys=parts_keys)
    return DispatcherPartition(
        **own, place=of, places=queue.dispatchers, parts_keys=queue.order_policy == "thread"
    )


def _laned(
    queues: Iterable[QueueAttributes],
    regions: Iterable[RegionAttributes],
    lanes: Callable[[QueueAttributes], Sequence[QueueAttributes]],
) -> Fed:
    parted = {queue.id: lanes(queue) for queue in queues}
    fed = tuple(
        replace(
            region,
            senders=tuple(lane.id for name in region.senders for lane in parted.get(name, ())),
        )
        for region in regions
    )
    return tuple(lane for some in parted.values() for lane in some), fed
