"""What a model tells the search: steps, the logs that they show in, and the claims that they make.

Knows no model. A *place* is anything that shows entries one after the other: a listener log, a thread's
results, the harness's timeline. One place may be the clock; entries of the others may then carry windows
of clock positions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

Place = Hashable
Entry = Hashable

NOTHING: frozenset[str] = frozenset()
"""No open thing."""

NO_PLACES: tuple[tuple[Place, Entry], ...] = ()


class Claim(msgspec.Struct, frozen=True):
    """A reason to take a step at once, as the only successor, instead of exploring what else could happen.

    The claim is: this step commutes with everything that may still come before it, and takes no entry that
    another step still needs. Each claim is attacked by mutation and by the judge.

    Attributes:
        name: what the claim is called.
        reason: why it holds.
        relies_on: names of the rulebook decisions that it needs as they are; a replaced one switches
            the claim off.
    """

    name: str
    reason: str
    relies_on: frozenset[str] = frozenset()


def _not_wanted() -> bool:
    return False


class Step(msgspec.Struct):
    """One atomic step that a model could take.

    Attributes:
        name: what happens, for people; the number of the operation that it is about, if it is, comes last.
        state: the state afterwards.
        shows: the entries shown, each at its place; empty for an invisible step.
        claim: why the step may be taken at once; None (the default) makes it a choice.
        loses: entries that can never be shown once this step can be taken, and the step is inevitable:
            one that is still due ends the branch.
        prefer: among choices the larger is tried first.
        undone_by: open things that may undo the step or come before it: while one of them is open, the
            step is postponed, unless it is wanted.
        wanted: whether an entry that is due, or a call that has to return, needs the step.
        clashes: open things with which the step does not commute: while one of them is open, its claim
            counts for nothing and it is a choice.
        fault: whether it is a fault: tried only where nothing may be taken at once, and last.
    """

    name: tuple[Any, ...]
    state: Any
    shows: tuple[tuple[Place, Entry], ...] = NO_PLACES
    claim: Claim | None = None
    loses: tuple[tuple[Place, Entry], ...] = NO_PLACES
    prefer: int = 0
    undone_by: frozenset[str] = NOTHING
    wanted: Callable[[], bool] = _not_wanted
    clashes: frozenset[str] = NOTHING
    fault: bool = False


class Logs:
    """What was observed: for each observed place its entries, in order, and their windows.

    A place that is not among the entries was not observed: anything may have been shown there.
    """

    def __init__(
        self,
        entries: Mapping[Place, Sequence[Entry]],
        *,
        clock: Place | None = None,
        windows: Mapping[Place, Sequence[tuple[int, int]]] | None = None,
        owners: Mapping[Place, Hashable] | None = None,
    ) -> None:
        """Take the observed entries.

        Args:
            entries: for each observed place what it showed.
            clock: the place whose position is the time that windows speak of.
            windows: for some places, for each entry the first and last clock position at which it may
                be shown; the last is when the clock still stands at that position.
            owners: for some places, whose they are: what has ended shows no more entries at any of its.
        """
        self.entries = {place: tuple(shown) for place, shown in entries.items()}
        self.clock = clock
        self.windows = {place: tuple(spans) for place, spans in (windows or {}).items()}
        self.total = sum(len(shown) for shown in self.entries.values())
        self.last: dict[Place, dict[Entry, int]] = {
            place: {entry: index for index, entry in enumerate(shown)}
            for place, shown in self.entries.items()
        }
        self.owned: dict[Hashable, list[Place]] = {}
        for place, owner in (owners or {}).items():
            self.owned.setdefault(owner, []).append(place)
        # How many entries a place must have shown before the clock may leave a position.
        self.deadlines: dict[int, list[tuple[Place, int]]] = {}
        for place, spans in self.windows.items():
            due_by: dict[int, int] = {}
            for index, (_, before) in enumerate(spans):
                due_by[before] = index + 1
            for before, count in due_by.items():
                self.deadlines.setdefault(before, []).append((place, count))


class View(Protocol):
    """What a model may know of the search while it is asked for steps."""

    reduced: bool
    """False for the judge: then nothing may be postponed."""

    now: int
    """How many entries the clock has shown."""

    def due(self, place: Place) -> Entry | None:
        """The next entry of an observed place; None if there is none left or it is not observed."""

    def fits(self, place: Place, entry: Entry) -> bool:
        """Whether the place could show the entry now (always, where it is not observed)."""

    def still(self, place: Place, entry: Entry) -> bool:
        """Whether the observed place shows the entry now or later."""

    def when(self, place: Place, entry: Entry) -> int | None:
        """At which position the observed place shows the entry for the last time; None if not any more."""

    def observed(self, place: Place) -> bool:
        """Whether the place was observed."""

    def complete(self, owner: Hashable) -> bool:
        """Whether nothing is due any more at any of the owner's places that may have been shown by now."""


class Unobserved:
    """The view without observations: every step is possible, and none is waited for."""

    now = 0

    def __init__(self, *, reduced: bool) -> None:
        self.reduced = reduced

    def due(self, place: Place) -> Entry | None:
        """See View."""
        del place
        return None

    def fits(self, place: Place, entry: Entry) -> bool:
        """See View."""
        del place, entry
        return True

    def still(self, place: Place, entry: Entry) -> bool:
        """See View."""
        del place, entry
        return False

    def when(self, place: Place, entry: Entry) -> int | None:
        """See View."""
        del place, entry
        return None

    def observed(self, place: Place) -> bool:
        """See View."""
        del place
        return False

    def complete(self, owner: Hashable) -> bool:
        """See View."""
        del owner
        return True


class EveryWay:
    """A view under which nothing is left out or postponed."""

    reduced = False

    def __init__(self, view: View) -> None:
        self._view = view
        self.now = view.now

    def due(self, place: Place) -> Entry | None:
        """See View."""
        return self._view.due(place)

    def fits(self, place: Place, entry: Entry) -> bool:
        """See View."""
        return self._view.fits(place, entry)

    def still(self, place: Place, entry: Entry) -> bool:
        """See View."""
        return self._view.still(place, entry)

    def when(self, place: Place, entry: Entry) -> int | None:
        """See View."""
        return self._view.when(place, entry)

    def observed(self, place: Place) -> bool:
        """See View."""
        return self._view.observed(place)

    def complete(self, owner: Hashable) -> bool:
        """See View."""
        return self._view.complete(owner)


class Untold(EveryWay):
    """A view under which a listener may be told of anything: of this it is told later."""

    def fits(self, place: Place, entry: Entry) -> bool:  # noqa: ARG002 - a view's signature
        """See View."""
        return True


class System(Protocol):
    """A model together with the commands of one example."""

    def initial(self) -> Any:
        """The state before anything happened."""

    def steps(self, state: Any, view: View) -> Iterable[Step]:
        """Every step that could be taken now, cheapest to decide first; made lazily."""

    def canonical(self, state: Any, now: int) -> Any:
        """The state without what can no longer matter; the state itself if in doubt.

        Args:
            state: of the system.
            now: how many entries the clock has shown.
        """

    def open(self, state: Any, view: View) -> frozenset[str]:
        """Faults under way or to come, and all else that steps name as undoing them or conflicting with them.

        The search asks only where a step names any. A system whose steps name none returns nothing.
        """
        del state, view
        return NOTHING
