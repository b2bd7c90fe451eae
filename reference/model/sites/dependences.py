"""Hazards: the names of what steps are undone by or clash with, where a fault or a look may come in between.

A fault is named by what it breaks, so that it hinders only what depends on that. Mending breaks nothing: a
receiver that starts is one more to connect to, a link that comes back breaks what it had let through without
replies, and that it did is open while it does. Knows faults and queues; knows no state.
"""

from __future__ import annotations

from collections.abc import Collection

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.claims import TIME_PASSES
from plumbline.reference.model.sites.lanes import sender_of


def crash_of(member: str) -> str:
    """What keeps a member's messages from arriving, as long as it is to come."""
    return f"crash of {member}"


def cut_of(site: int, remote_site: int | None) -> str:
    """What breaks the connections from one site to another."""
    return f"cut from {site} to {remote_site}"


def replies_lost(site: int, remote_site: int | None) -> str:
    """What leaves a sender waiting for an answer that was given, with all that stands behind it."""
    return f"replies lost from {remote_site} to {site}"


def stop_of(member: str) -> str:
    """What breaks the connections to a member."""
    return f"stop of {member}"


def start_of(member: str) -> str:
    """What makes a member one to connect to."""
    return f"start of {member}"


def losses_in(site: int) -> str:
    """What has been sent to a site's members by one of them that has died: it may arrive, or be lost."""
    return f"lost messages in site {site}"


def pause_of(member: str, queue: str) -> str:
    """What keeps a member from beginning a batch."""
    return f"pause of {queue} on {member}"


def look_behind_fault(queue: str) -> str:
    """A look that tells what of a queue was answered before a fault."""
    return f"look at {queue} behind a fault"


def of_fault(fault: Fault) -> frozenset[str]:
    """What is open as long as the fault is to come."""
    match fault.kind:
        case FaultKind.CRASH:
            return frozenset((crash_of(fault.member),))
        case FaultKind.LINK_DOWN:
            return frozenset((cut_of(fault.site, fault.remote_site),))
        case FaultKind.REPLIES_LOST:
            link = fault.site, fault.remote_site
            return frozenset((cut_of(*link), replies_lost(*link)))
        case FaultKind.RECEIVER_STOP:
            return frozenset((stop_of(fault.member),))
        case FaultKind.RECEIVER_START:
            return frozenset((start_of(fault.member),))
        case FaultKind.PAUSE:
            return frozenset((pause_of(fault.member, fault.queue),))
        case FaultKind.HOLD_TIME | FaultKind.TIME_LEAP | FaultKind.LET_RUN:
            return TIME_PASSES
        case FaultKind.CLOCK_SET:
            return frozenset()
        case FaultKind.LINK_UP | FaultKind.RESUME | FaultKind.RESTART | FaultKind.RECOVER:
            return frozenset()
        case FaultKind.MOVE_PRIMARY:
            return frozenset()  # it is asked for when all is at rest
        case FaultKind.ANSWERS_LOST | FaultKind.ANSWERS_BACK:
            return frozenset()
        case _:
            return frozenset()  # hardly anything is claimed of durable clients


def sends_again(queue: QueueAttributes, member: str, receiver: str) -> frozenset[str]:
    """What makes an event that the member has sent to the receiver be sent again."""
    return frozenset(
        (crash_of(member), crash_of(receiver), stop_of(receiver), cut_of(queue.site, queue.remote_site))
    )


def holds_up(fault: Fault) -> frozenset[str]:
    """What a fault keeps from being sent, or from being heard of, without breaking anything."""
    match fault.kind:
        case FaultKind.PAUSE:
            return frozenset((pause_of(fault.member, fault.queue),))
        case FaultKind.REPLIES_LOST:
            return frozenset((replies_lost(fault.site, fault.remote_site),))
        case _:
            return frozenset()


def unreachable(queue: QueueAttributes, member: str, remote: Collection[str]) -> frozenset[str]:
    """What may make it matter to which receiver a member's sender has connected, and when."""
    of_remote = (name(one) for one in remote for name in (crash_of, stop_of, start_of))
    return frozenset((crash_of(member), cut_of(queue.site, queue.remote_site), *of_remote))


def breaks(fault: Fault, queue: QueueAttributes, members: Collection[str]) -> bool:
    """Whether a fault may keep what is on its way from the queue from being answered.

    Args:
        fault: to come.
        queue: which.
        members: of both its sites.
    """
    match fault.kind:
        case FaultKind.CRASH | FaultKind.RECEIVER_STOP:
            return fault.member in members
        case FaultKind.LINK_DOWN | FaultKind.REPLIES_LOST:
            return (fault.site, fault.remote_site) == (queue.site, queue.remote_site)
        case FaultKind.PAUSE:
            return fault.queue == sender_of(queue)
        case FaultKind.MOVE_PRIMARY:
            return queue.parallel
        case _:
            return False


def binds(fault: Fault, queue: QueueAttributes, receivers: Collection[str]) -> bool:
    """Whether it matters under a fault what of a queue is sent at all.

    It holds up what is behind that for good, fills a batch that leaves at a known time, or has chosen a
    receiver before others could be.

    Args:
        fault: to come.
        queue: which.
        receivers: the members of the site where it leads.
    """
    match fault.kind:
        case FaultKind.REPLIES_LOST:
            return (fault.site, fault.remote_site) == (queue.site, queue.remote_site)
        case FaultKind.PAUSE | FaultKind.RESUME:
            return fault.queue == sender_of(queue)
        case FaultKind.RECEIVER_STOP | FaultKind.RECEIVER_START:
            return fault.member in receivers
        case FaultKind.HOLD_TIME | FaultKind.TIME_LEAP | FaultKind.LET_RUN:
            return True
        case _:
            return False
