"""The toy store mended: each change carries a stamp, and what arrives is compared with what is there.

The stamp is the entry's version, raised by one with each change, and the rank of the member that made it. Of
two changes the one with the larger version stays; of two with equal versions that of the higher member.
No listener receives the loser.
"""

from __future__ import annotations

from store import Change, Listener, Store

NEVER = (0, 0)


class CheckedStore(Store):
    """Stamps are kept when an entry is destroyed, so that what comes late still loses."""

    def __init__(self, members: tuple[str, ...], listener: Listener, *, wait_for_answers: bool) -> None:
        super().__init__(members, listener, wait_for_answers=wait_for_answers)
        self._stamps: dict[tuple[str, str], tuple[int, int]] = {}

    def _made(self, member: str, change: Change) -> Change:
        version, _ = self._stamps.get((member, change.key), NEVER)
        stamp = (version + 1, self.members.index(member))
        self._stamps[member, change.key] = stamp
        return Change(change.kind, change.key, change.tag, stamp)

    def _accepts(self, member: str, change: Change) -> bool:
        stamp = change.stamp or NEVER
        if stamp <= self._stamps.get((member, change.key), NEVER):
            return False
        self._stamps[member, change.key] = stamp
        return True
