"""A register and its calls as a transition system, which makes the search a checker of linearizability.

Each call takes effect at one instant between its call and its return (Herlihy and Wing, 1990). An object is a
function from a state and a call to the next state and the result; a register is one of them. Knows nothing of
caches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.search import Answer, Budget, explain
from plumbline.reference.search.transition import Claim, Entry, Logs, Place, Step, System, View

CLOCK = "clock"
MOMENT = Claim("moment", "Calls and returns come in one order, and each only allows more.")
READING = Claim("reading", "A call that never changes the object disables no other.")


class RegisterCall(NamedTuple):
    """One call of a history.

    Attributes:
        kind: the operation, such as `read`.
        arguments: what it was given.
        called: its position among all calls and returns.
        returned: the position of its return; None where none was recorded: it may take effect late.
        result: what it returned; None where that is not known.
    """

    kind: str
    arguments: tuple[Hashable, ...]
    called: int
    returned: int | None
    result: Hashable = None


Apply = Callable[[Hashable, RegisterCall], tuple[Hashable, Hashable]]
"""An object: the state behind a call, and its result."""


def register(state: Hashable, call: RegisterCall) -> tuple[Hashable, Hashable]:
    """A register: `read`, `write`, `append`, or `cas` (compare and set) of one value for another."""
    match call.kind, call.arguments:
        case "write", (value,):
            return value, None
        case "append", (value,):
            return f"{state or ''}{value}", None
        case "cas", (expected, value):
            return (value, True) if state == expected else (state, False)
        case _:
            return state, state


def only_reads(call: RegisterCall) -> bool:
    """Whether a call on a register changes it in no state: a read, or a compare-and-set that failed."""
    return call.kind == "read" or call.result is False


class Object(System):
    """Calls on one object, each of which takes effect at one instant between its call and its return."""

    def __init__(self, apply: Apply, initial: Hashable, calls: Sequence[RegisterCall]) -> None:
        """Take the object, its first state, and the calls on it."""
        self._apply, self._initial, self._calls = apply, initial, calls

    def initial(self) -> Any:
        """The object's state, and whether each open call has taken effect."""
        return self._initial, HashedMap[int, bool]()

    def steps(self, state: Any, view: View) -> Iterator[Step]:
        """The next call or return, and each effect of an open call."""
        value, open_calls = state
        due: Any = view.due(CLOCK)
        if due is not None:
            kind, number = due
            if kind == "call" or open_calls.get(number):
                changed = open_calls.set(number, value=False) if kind == "call" else open_calls.delete(number)
                yield Step(due, (value, changed), ((CLOCK, due),), MOMENT)
        for number, happened in open_calls.items():
            if not happened:
                after, result = self._apply(value, self._calls[number])
                effect = (after, open_calls.set(number, value=True))
                shown = ((("result", number), result),)
                yield Step(
                    ("effect", number), effect, shown, READING if only_reads(self._calls[number]) else None
                )

    def canonical(self, state: Any, now: int) -> Any:
        """The state itself."""
        del now
        return state


def question(calls: Sequence[RegisterCall], apply: Apply, initial: Hashable) -> tuple[Object, Logs]:
    """The system of some calls on an object, and the logs that a run of it has to show."""
    moments = [("call", number, call.called) for number, call in enumerate(calls)]
    moments += [("return", n, call.returned) for n, call in enumerate(calls) if call.returned is not None]
    entries: dict[Place, list[Entry]] = {
        CLOCK: [moment[:2] for moment in sorted(moments, key=lambda moment: moment[2])],
        **{("result", n): [call.result] for n, call in enumerate(calls) if call.result is not None},
    }
    return Object(apply, initial, calls), Logs(entries, clock=CLOCK)


def linearizable(
    calls: Sequence[RegisterCall],
    apply: Apply = register,
    initial: Hashable = None,
    budget: Budget | None = None,
) -> Answer:
    """Whether the calls have a linearization: explained, refuted, or unknown beyond the budget."""
    return explain(*question(calls, apply, initial), budget).answer
