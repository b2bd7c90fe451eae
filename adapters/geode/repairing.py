"""What a survivor makes good of a member that has died: it asks others for what it lacks of its changes.

Geode does so in the background, region by region and bucket by bucket, once the dead one has left the view.
Asking talks to the JVM and may hang with it; knows nothing of examples.
"""

from __future__ import annotations

import re
import time
from typing import Any

from plumbline.adapters.geode.jvm import any_at, plain
from plumbline.adapters.geode.reflection import declared

SOON_MS = 1_000
"""Where clients are served it is put off until these have had time to try again. No call waits for that."""

_AT_IT = re.compile(r"Member\w*Event\.handleEvent|syncForCrashedMember|[sS]ynchronizeForLostMember")
_PUT_OFF = re.compile(r"\.(DistributedRegion|DistributionAdvisor)\$\d")


def repairing(java: Any, cache: Any) -> bool:
    """Whether it has noticed a departure and has yet to do what follows from that.

    A departure waits in a queue, then a thread deals with it, which has a timer do the rest, at once: each is
    looked at behind the one before.
    """
    manager = cache.getDistributedSystem().getDistributionManager()
    told = plain(declared(manager.getClass(), "membershipEventQueue").get(manager))
    return not told.isEmpty() or any_at(java, _AT_IT) or _put_off(cache) or any_at(java, _AT_IT)


def _put_off(cache: Any) -> bool:
    """Whether the timer is to do so soon."""
    system_timer = cache.getCCPTimer()
    timer = declared(system_timer.getClass(), "timer").get(system_timer)
    waiting = declared(timer.getClass(), "queue").get(timer)
    tasks = declared(waiting.getClass(), "queue").get(waiting)
    soon = time.time() * 1000 + SOON_MS
    return any(
        task is not None
        and _PUT_OFF.search(task.getClass().getName())
        and int(task.scheduledExecutionTime()) <= soon
        for task in tasks
    )
