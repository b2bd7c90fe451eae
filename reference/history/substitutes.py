"""Substitutes: values that a queue's substitution filter gives events in place of their own, an extension.

A substitute is the value and the id of the queue whose filter has given it. So each value shows which filters
it has passed. Knows how substitutes are written; does not know where one is due.
"""

from __future__ import annotations

import msgspec

_BEHIND = "~"
"""No token has it."""


class ShownValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that a candidate has shown, in an example of which some queue has a substitution filter.

    Attributes:
        holder: the member or client that has shown it.
        queue: the queue whose listener has received it; "" where a region's listener has, or a call reads it.
        reads: whether a call or a look at the region has read it.
        key: of which key.
        token: the value that was put.
        by: the queues whose filters have given it, the first one first; none for the value that was put.
        before: it was shown while at most this many moments of the timeline had passed.
    """

    holder: str
    queue: str = ""
    reads: bool = False
    key: str
    token: str
    by: tuple[str, ...]
    before: int


def substitute(value: str, queue: str) -> str:
    """What the filter of a queue gives in place of a value: "put-3-A" from queue q becomes "put-3-A~q"."""
    return f"{value}{_BEHIND}{queue}"


def parted(value: str) -> tuple[str, tuple[str, ...]]:
    """The value that was put, and the queues whose filters have changed it."""
    token, *by = value.split(_BEHIND)
    return token, tuple(by)


def substituted_words(shown: ShownValue) -> str:
    """What is shown, in words: "put-3-A as the filter of q gave it", "put-3-A as it was put"."""
    if not shown.by:
        return f"{shown.token} as it was put"
    return f"{shown.token} as the filter{'s' * (len(shown.by) > 1)} of {' and '.join(shown.by)} gave it"
