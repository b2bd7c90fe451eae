"""Decisions about gateway senders, their queues, and gateway receivers (000, 002; conflicts: 004).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.values import Free


def create_crosses() -> bool:
    """Whether the creation of an entry goes to other sites: it does (000, L13)."""
    return True


def put_crosses() -> bool:
    """Whether the update of an entry goes to other sites: it does (000, L14)."""
    return True


def destroy_crosses() -> bool:
    """Whether a distributed destroy goes to other sites: it does (000, L15)."""
    return True


def get_crosses() -> bool:
    """Whether a get goes to other sites: it does not (000, L17)."""
    return False


def invalidate_crosses() -> bool:
    """Whether an invalidation goes to other sites: it does not (000, L18)."""
    return False


def local_destroy_crosses() -> bool:
    """Whether a local destroy goes to other sites: it does not (000, L19)."""
    return False


def region_operations_cross() -> bool:
    """Whether an operation on a whole region goes to other sites: it does not (000, L22)."""
    return False


def expirations_cross(recorded: bool) -> bool:  # noqa: ARG001
    """Whether what expires goes to other sites: nothing that it leads to does (000, L16, L21)."""
    return False


def no_effect_crosses() -> bool:
    """Whether an operation that changed nothing goes to other sites: it does not (000, L11)."""
    return False


def feeds_queue(attached: bool) -> bool:
    """Whether events of a region enter a queue: if, and only if, it is attached (000, L7)."""
    return attached


def sends_back(from_other_site: bool) -> bool:  # noqa: ARG001
    """Whether an event that came from another site is sent on to where it came from: it is not (000)."""
    return False


def goes_on(found: bool, by_peer: bool) -> bool:  # noqa: ARG001
    """Whether what came from another site enters queues to sites that lack it: every event does (000, L7).

    Whatever it finds there to change, and whether that member has received it or was told of it by a peer.
    """
    return True


def lists_writer() -> bool:
    """Whether the sites said to have what goes on include its writer, who queued it once (002, Serial)."""
    return True


def refused_goes_on() -> bool:
    """Whether what lost to what is stored goes on to other sites all the same: it does not (004, L24)."""
    return False


def waits_for_remote_site() -> bool:
    """Whether a call waits until the remote site has its event: it does not (000, L7; 004, L30)."""
    return False


def queues_before_return() -> bool:
    """Whether an event is held on the sending side when its call returns: it is (002, Serial)."""
    return True


def queues_discarded() -> bool:
    """Whether the primary queues an update that its own member has discarded: it does not (004, L30)."""
    return False


def group_of(policy: str, key: str, thread: str, number: int) -> str:  # noqa: ARG001
    """What events that keep their order have in common: their key or their thread (000, L7 s3).

    Args:
        policy: the sender's, `key`, `thread` or `partition`; a routing object is the key where none is named.
        key: the event's.
        thread: the one that called the operation.
        number: of the operation.
    """
    return thread if policy == "thread" else key


def queue_place(length: int) -> int:
    """Where a new event enters a queue of that length: at its end (000, L7)."""
    return length


def copies_of_queue(others: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the other members are given a queued event: all that run the sender (002, Shadow Region)."""
    return others


def waits_for_copies() -> bool:
    """Whether queueing waits until the other members have their copies: it does (002, Removing, Serial)."""
    return True


def queues_of_other_origin() -> bool:
    """Whether the primary queues operations called on another member: it does (002, Serial)."""
    return True


def times_queued(called_here: bool) -> int:  # noqa: ARG001
    """How often an event is queued, wherever its operation was called: once (002, Serial)."""
    return 1


def secondary_remembers(kind: OperationKind, of_other_site: bool) -> bool:  # noqa: ARG001
    """Whether a secondary records an operation that the primary has not queued yet: it does (002, A2)."""
    return True


def queued_clears_record() -> bool:
    """Whether the primary's queue entry removes the record at a secondary: it does (002, A7)."""
    return True


def remembers_queued_first() -> bool:
    """Whether a secondary remembers a queue entry that came before its operation: it does (002, B5)."""
    return True


def removal_clears_record() -> bool:
    """Whether the removal of an event drops what a secondary recorded of it: it does (002, Serial)."""
    return True


def starts_as_primary(first: bool) -> bool:
    """Whether a sender that starts becomes primary: the first does (002, Serial)."""
    return first


def dispatches(primary: bool) -> bool:
    """Whether a sender dispatches from its copy of the queue: the primary alone does (002, Serial)."""
    return primary


def takes_over() -> bool:
    """Whether a secondary becomes primary when there is none any more: it does (002, Serial)."""
    return True


def stays_eligible(missed: int, waited_ms: int) -> bool:  # noqa: ARG001
    """Whether a secondary that was passed over so often still waits, after so long: it does (002, Serial)."""
    return True


def keeps_inherited() -> bool:
    """Whether a new primary keeps what its copy of the queue holds: it does (002, Serial)."""
    return True


def merges_records() -> bool:
    """Whether a new primary queues what it only has a record of: it does (002, Serial)."""
    return True


def records_behind_queue() -> bool:
    """Whether the records come behind the events that were queued: they do (002, Serial)."""
    return True


def records_in_order() -> bool:
    """Whether the records are queued in the order in which they were made: they are (002, Serial)."""
    return True


def skipped_at_takeover(inherited: int) -> int:  # noqa: ARG001
    """How many of its inherited events a new primary takes for delivered: none (002, Serial)."""
    return 0


def tracks_after_takeover() -> bool:
    """Whether a new primary still records operations, as a secondary does: it queues them (002, Serial)."""
    return False


def next_of_queue(unsent: int) -> int:  # noqa: ARG001
    """Which of the unsent events is sent next, counted from the oldest: the oldest (002, Local)."""
    return 0


def batch_of(waiting: int, size: int) -> int:
    """How many of the waiting events a batch takes: all, up to its size (000, L34)."""
    return min(waiting, size)


def settings_of(queue: str, others: tuple[str, ...]) -> str:  # noqa: ARG001
    """Whose batch size and interval count for a queue: its own (000, L34)."""
    return queue


def full_batch_waits() -> bool:
    """Whether a batch that is full waits until the interval is over: it does not (000, L34)."""
    return False


def leaves_partial(since_ms: int, interval_ms: int) -> bool:
    """Whether a batch that is not full may leave, so long after the last: when its interval is over (000)."""
    return since_ms >= interval_ms


def leaves_at_interval(waiting: int) -> bool:  # noqa: ARG001
    """Whether a batch of so many events, not full, leaves when the interval is over: it does (000, L34)."""
    return True


def sends_while_unanswered() -> bool:
    """Whether a batch is sent before the one in front of it was answered: it is not (000, L31)."""
    return False


def sends_at_will() -> Free:
    """The same where answers are heard by a thread of their own: it may be, or wait (002, L27)."""
    return Free((False, True))


def removes_when_sent() -> bool:
    """Whether an event leaves the queue before it was answered: it does not (000, L30)."""
    return False


def removed_by_reply(answered: int) -> int:
    """How many events an answer to so many removes: exactly those (000, L28; 002, Remote)."""
    return answered


def resends_unanswered() -> bool:
    """Whether what was not answered when a connection broke is sent again: all of it (000, L35)."""
    return True


def resends_first() -> bool:
    """Whether what was not answered is sent again before what came after it: it is (000, L34, L40)."""
    return True


def keeps_trying(connections: int) -> bool:  # noqa: ARG001
    """Whether unanswered events stay, over however many connections they were sent: they do (002, Remote)."""
    return True


def stays_without_receiver() -> bool:
    """Whether what is queued stays where no receiver is to be had: it does (000, L41)."""
    return True


def reconnects() -> bool:
    """Whether a sender connects again by itself: it does (000, L36)."""
    return True


def collects_while_unconnected() -> bool:
    """Whether new events are queued while no receiver can be reached: they are (000, L36)."""
    return True


def replies_after_applying() -> bool:
    """Whether a receiver answers only what it has applied: it does (000, L27, L30)."""
    return True


def answers_when_stopped() -> bool:
    """Whether a receiver that shuts down answers what it has not applied: it does not (002, Remote)."""
    return False


def tells_removals() -> bool:
    """Whether a primary tells the others what it has removed: it does (002, Removing, Serial)."""
    return True


def tells_removal_when_sent() -> bool:
    """Whether the others are told of a removal before the event was answered: they are not (002, Serial)."""
    return False


def range_removed(last: int) -> int:
    """Up to which position a removal message empties a copy: to the last dispatched one (002, Serial)."""
    return last


def depth_reported(queued: int, unanswered: int) -> int:  # noqa: ARG001
    """How deep a queue is said to be: as many as are queued and not removed (002)."""
    return queued


def next_of_wire(waiting: int) -> int:  # noqa: ARG001
    """Which of the events that have arrived a receiver applies next: the first (000, L7)."""
    return 0


def applies_to_present(present: bool) -> bool:  # noqa: ARG001
    """Whether a received update is applied to a key that is there, or is not: either way (000, L13, L14)."""
    return True


def value_received(value: str | None, stored: str | None) -> str | None:  # noqa: ARG001
    """What an event from another site stores: exactly its own value (000, L14)."""
    return value


def applies_repeated() -> bool:
    """Whether a repeated event that is older than what is stored is applied: it is not (000, L30)."""
    return False


def receiver_tells(peers: tuple[str, ...]) -> tuple[str, ...]:
    """Which members of its site a receiver distributes an event to: all (004, L30)."""
    return peers


def applies_unrecorded() -> bool:
    """Whether an event for a key that is not recorded here is applied: it is (004, L30)."""
    return True


def applies_same_site() -> bool:
    """Whether an event of the site that wrote last is applied without comparing: it is (004, L32)."""
    return True


def applies_later_time() -> bool:
    """Whether an event of another site with a later timestamp is applied: it is (004, L33)."""
    return True


def applies_earlier_time() -> bool:
    """Whether an event of another site with an earlier timestamp is applied: it is not (004, L33)."""
    return False


def applies_tie_of_higher_site() -> bool:
    """Whether an event of the same time from a site with the higher id is applied: it is (004, L34)."""
    return True


def applies_tie_of_lower_site() -> bool:
    """Whether an event of the same time from a site with the lower id is applied: it is not (004, L34)."""
    return False


def keeps_later_time() -> bool:
    """Whether an entry keeps the later timestamp of two local updates, whichever wins: it does (004, L30)."""
    return True


def received_keeps_origin() -> bool:
    """Whether an event keeps the site and timestamp that it came with: it does (004, L30)."""
    return True


def dated_after_stored(behind: bool) -> bool:  # noqa: ARG001
    """Whether a change is dated after what it replaces, even by a clock that is behind: it is (004, L26)."""
    return True


def decided_by_time(apart_ms: int) -> bool:  # noqa: ARG001
    """Whether timestamps decide between sites, however far apart: they do (004, note, L29)."""
    return True


def is_higher_site(one: int, other: int) -> bool:
    """Whether a site has the higher id, of two that wrote at one time: all see one order (004, L119)."""
    return one > other


def decides_ties_of_others() -> bool:
    """Whether a site that wrote neither of two updates of one time goes by site ids: it does (004, L26)."""
    return True
