"""One decision: which requirements it carries, and the ways in which it could be answered at all.

Knows nothing of which decisions there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from plumbline.reference.operations import Interest, OperationKind, Status
from plumbline.reference.rulebook import interests
from plumbline.reference.rulebook.resolvers import Told
from plumbline.reference.rulebook.values import Free, Stamp


class Decision(msgspec.Struct, frozen=True):
    """What is known of one decision.

    Attributes:
        requirements: the ids that it carries, the most specific first.
        free: the decision answered in every way at once.
    """

    requirements: tuple[str, ...]
    free: Callable[..., Free]


def merged(*tables: Mapping[str, Decision]) -> dict[str, Decision]:
    """The decisions of all tables by name, in their order.

    Raises ValueError where two tables have one name: the second would take the place of the first in silence.
    """
    named: dict[str, Decision] = {}
    for table in tables:
        for name, decision in table.items():
            if name in named:
                raise ValueError(f"two decisions are called {name}")
            named[name] = decision
    return named


_YES_OR_NO = Free((True, False))


def any_status(status: Status, discarded: bool) -> Free:
    """As it is, or failed where some member discarded the update."""
    return Free((status, Status.FAILED) if discarded else (status,))


def any_recipients(others: tuple[str, ...], *_: object) -> Free:
    """All, all but one, or nobody."""
    without_one = tuple(tuple(m for m in others if m != left_out) for left_out in others)
    return Free((others, *without_one, ()))


def any_carrier(primary: str, member: str, copies: tuple[str, ...]) -> Free:
    """The primary, or the caller if it holds a copy."""
    return Free(tuple(dict.fromkeys((primary, *((member,) if member in copies else ())))))


def any_value(incoming: str | None, stored: str | None) -> Free:
    """What comes, what stood there, or nothing."""
    return Free((incoming, stored, None))


def any_told(right: Told) -> Free:
    """What is right, or with values, sites or times swapped, or without the value stored."""
    swapped = right._replace(new=right.old, old=right.new)
    sites = right._replace(site=right.stored_site, stored_site=right.site)
    times = right._replace(later=not right.later)
    nothing = right._replace(old=None)
    return Free(tuple(dict.fromkeys((right, swapped, sites, times, nothing))))


def any_stamp(stored: Stamp | None, member: str, kind: OperationKind) -> Free:
    """Counted once, twice or not at all, and signed by the caller or as before."""
    del kind
    version = 0 if stored is None else stored.version
    members = (member,) if stored is None else (member, stored.member)
    return Free(tuple(Stamp(version + step, by) for step in (1, 0, 2) for by in members))


def any_stamp_stored(incoming: Stamp, stored: Stamp | None, receiver: str) -> Free:
    """The version that comes, the next or the one stored, signed by anybody concerned."""
    versions = {incoming.version, incoming.version + 1, *(() if stored is None else (stored.version,))}
    members = {incoming.member, receiver, *(() if stored is None else (stored.member,))}
    return Free(tuple(Stamp(version, member) for version in sorted(versions) for member in sorted(members)))


def any_counters(receiver: str, caller: str) -> Free:
    """Who received it, who called it, both or nobody."""
    return Free(((receiver,), (), (caller,), (receiver, caller)))


def any_batch(waiting: int, size: int) -> Free:
    """As large as it may be, one too large, or of one event."""
    right = min(waiting, size)
    return Free(tuple(dict.fromkeys((right, min(waiting, size + 1), 1))))


def yes_or_no(*_: object) -> Free:
    """Yes, or no."""
    return _YES_OR_NO


def kept_or_replaced(earlier: tuple[Interest, ...], new: Interest) -> Free:
    """All registrations, the new one alone, or those from before."""
    return Free((interests.interests_kept(earlier, new), (new,), earlier))


def left_or_gone(earlier: tuple[Interest, ...], withdrawn: Interest) -> Free:
    """What is left, nothing, or all from before."""
    return Free((interests.interests_left(earlier, withdrawn), (), earlier))


def moved_or_not(interest: Interest) -> Free:
    """As it was, not at all, or with the other form of what is sent."""
    other = msgspec.structs.replace(interest, receive_values=not interest.receive_values)
    return Free((interest, None, other))


def any_drop(covered: tuple[str, ...], held: tuple[str, ...]) -> Free:
    """What the registration covers, all that is held, or nothing."""
    return Free((covered, held, ()))


def any_load() -> Free:
    """Values, keys, or nothing."""
    return Free((interests.LOADS_VALUES, interests.LOADS_KEYS, interests.LOADS_NOTHING))


def all_but_one(keys: tuple[str, ...]) -> Free:
    """All keys, or all but one."""
    return Free((keys, *(tuple(k for k in keys if k != without) for without in keys)))


def compared_or_not(stamp: Stamp) -> Free:
    """As it is, not at all, or as one version later."""
    return Free((stamp, None, replace(stamp, version=stamp.version + 1)))
