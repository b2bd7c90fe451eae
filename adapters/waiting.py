"""Waiting for what cannot wake us: another process's start, a view, a queue that others empty.

Everything else in Plumbline waits on conditions and pipes. Knows nothing of what is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], bool], limit_s: float, every_s: float = 0.005) -> bool:
    """Whether something comes to hold within the limit; looked at once at least, and then every `every_s`.

    Args:
        holds: the look; what it raises ends the waiting.
        limit_s: seconds after which no further look is taken.
        every_s: seconds between two looks.
    """
    deadline = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        # There is nothing to wait on: who would wake us is another process, which does not know of us.
        time.sleep(every_s)
    return True
