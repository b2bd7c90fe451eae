"""When queues between sites have come to rest.

A queue is at rest when its primary holds nothing and no secondary remembers anything, since an event leaves
the primary only when the other site has acknowledged it. Behind a fault that keeps it from being emptied it
is at rest when all numbers have stood still for a while, and no member is applying what passed before.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from plumbline.adapters.geode.gateways import Gateways
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.adapters.geode.sights import Flow
from plumbline.adapters.waiting import wait_until

LOOK_EVERY_S = 0.002

# A dispatcher that can dispatch looks for events at least every 50 ms; see docs/geode.md.
STILL_S = 0.15


# A receiver tries an event again every 0.5 s; up to 1.2.1 its sender sends the batch again. What stands still
# for longer is tried again and again.
RETRY_STILL_S = 1.2


class _Sight(NamedTuple):
    """What would change if anything moved."""

    flows: dict[str, dict[str, Flow]]
    passed: int
    changes: int
    turns: int

    def holds_alike(self, other: _Sight) -> bool:
        """Whether queues hold the same, and no listener was called, though bytes may have passed."""
        return (self.flows, self.changes) == (other.flows, other.changes)


class Settling:
    """The queues of a cluster, watched. Observations are kept between calls, so that short ones add up."""

    def __init__(self, gateways: Gateways) -> None:
        self._gateways = gateways
        self._sight: _Sight | None = None
        self._since = self._held_since = 0.0

    def wait(self, stage: GeodeExample, deadline: float) -> bool:
        """Whether all queues come to rest by the deadline (of the monotonic clock).

        False at once when a listener parks: events behind it cannot come to rest.
        """
        if not self._gateways.queues:
            return True
        limit_s = deadline - time.monotonic()
        ended = wait_until(lambda: bool(stage.held()) or self._look(stage), limit_s, LOOK_EVERY_S)
        return ended and not stage.held()

    def _look(self, stage: GeodeExample) -> bool:
        """Whether every queue is at rest now."""
        sight = _Sight(self._gateways.flows(), self._gateways.passed(), stage.changes, self._gateways.turns)
        now = time.monotonic()
        moved = sight != self._sight
        if moved:
            held_alike = self._sight is not None and sight.holds_alike(self._sight)
            self._held_since = self._held_since if held_alike else now
            self._sight, self._since = sight, now
        if moved and self._gateways.onward:
            # Members are not asked at the same moment: an event may have gone on to a queue that was empty
            # when it was looked at, from one that was empty later. While no byte passes, one of them has it.
            return False
        still = now - max(self._since, self._gateways.answers_until) >= STILL_S
        return self._rests(sight, still=still)

    def _rests(self, sight: _Sight, *, still: bool) -> bool:
        """Whether every queue is at rest, given whether all numbers have stood still."""
        waiting = []
        for queue, flows in sight.flows.items():
            running = {name: flow for name, flow in flows.items() if flow.running}
            if not running:  # no member is left to send events
                continue
            if self._gateways.queues[queue].parallel:
                waiting += [(queue, name, flow.size) for name, flow in running.items() if flow.size]
                if not still and any(flow.unprocessed for flow in running.values()):
                    return False  # what copies hold may be about to leave them
                continue
            primaries = [name for name, flow in running.items() if flow.primary]
            if len(primaries) != 1:
                return False
            size = running[primaries[0]].size
            if size == 0 and not any(flow.unprocessed for flow in running.values()):
                continue
            if size == 0 and still and not running[primaries[0]].unprocessed:
                # All calls have returned: events that a secondary remembers now are never queued at its
                # primary.
                continue
            waiting.append((queue, primaries[0], size))
        tried = {queue for queue, _, _ in waiting if self._gateways.retries(queue)}
        if tried and time.monotonic() - self._held_since < RETRY_STILL_S:
            return False
        if tried:
            # Events of these queues are tried again and again: bytes pass, and a receiver is at work on them.
            return all(self._gateways.blocked(*each[:2]) for each in waiting if each[0] not in tried)
        if not all(self._gateways.blocked(queue, primary) for queue, primary, _ in waiting):
            return False
        # No member may be at work on what passed before the fault, even of a queue that is empty.
        if not waiting and not self._gateways.faulty():
            return True
        return still and all(self._gateways.done(*each) for each in waiting) and not self._gateways.applying()
