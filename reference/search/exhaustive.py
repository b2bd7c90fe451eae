"""The unreduced search, kept to judge the reduced one: every interleaving of the model that the logs allow.

Uses of a step only its state and what it shows; believes no claim and forgets nothing.
"""

from __future__ import annotations

from typing import Any

from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.search import Answer, Budget, Cursor, Explanation
from plumbline.reference.search.transition import Logs, Place, System


def judge(system: System, logs: Logs, budget: Budget | None = None) -> Explanation:
    """Whether some run of the system shows exactly the logs, found by looking at all of them."""
    limit = (budget or Budget()).states
    cursor = Cursor(logs, reduced=False)
    first: tuple[Any, HashedMap[Place, int], int] = (system.initial(), HashedMap(), logs.total)
    stack = [first]
    seen = {first[:2]}
    states = 0
    while stack:
        state, used, left = stack.pop()
        if left == 0:
            return Explanation(Answer.EXPLAINED, states)
        states += 1
        if states > limit:
            return Explanation(Answer.UNKNOWN, states)
        visible: list[tuple[Any, HashedMap[Place, int], int]] = []
        silent: list[tuple[Any, HashedMap[Place, int], int]] = []
        cursor.move(used)
        for step in system.steps(state, cursor):
            taken = cursor.take(step)
            if taken is None:
                continue
            after = (step.state, taken[0])
            if after not in seen:
                seen.add(after)
                (visible if taken[1] else silent).append((*after, left - taken[1]))
        stack += silent
        stack += visible
    return Explanation(Answer.REFUTED, states)
