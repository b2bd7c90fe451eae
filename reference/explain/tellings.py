"""Tellings: what listeners were told of and resolvers were asked about, when, and what of it more than once.

Knows logs; knows nothing of the timeline beside them, nor of what follows from any of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from plumbline.reference.history import History

What = tuple[str, str, str | None]
"""Region, key and token."""


def without_questions(history: History) -> History:
    """The history with what listeners were told alone: who asks a resolver has not changed anything by it."""
    if not history.resolver:
        return history
    logs = {
        member: tuple(shown for shown in log if shown.event.conflict is None)
        for member, log in history.logs.items()
    }
    return msgspec.structs.replace(history, logs=logs)


def told_again(history: History, sites: Mapping[str, int]) -> frozenset[What]:
    """What came to somebody more than once: its listener was told of it again, or a resolver tells so.

    The resolvers of a site were asked about it more than once, or one at a member that had told of it before.

    Args:
        history: with what resolvers were asked.
        sites: member or client → its site's number.
    """
    again: set[What] = set()
    asked: Counter[tuple[int, What]] = Counter()
    for member, log in history.logs.items():
        told: Counter[What] = Counter()
        for event in (shown.event for shown in log):
            what = (event.region, event.key, event.token)
            if event.conflict is None:
                told[what] += 1
            else:
                asked[sites[member], what] += 2 if what in told else 1
        again.update(what for what, times in told.items() if times > 1 and what[2] is not None)
    return frozenset(again.union(what for (_, what), times in asked.items() if times > 1))


def told_when(history: History) -> dict[tuple[str, str, str, str], tuple[int, int]]:
    """Of each member, region, key and token: between which moments its listener was told of it."""
    told: dict[tuple[str, str, str, str], tuple[int, int]] = {}
    for member, log in history.logs.items():
        for shown in log:
            event = shown.event
            if event.token is not None:
                where = (member, event.region, event.key, event.token)
                after, before = told.get(where, (shown.after, shown.before))
                told[where] = (min(after, shown.after), max(before, shown.before))
    return told
