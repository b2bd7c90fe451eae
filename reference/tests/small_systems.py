"""Systems written down state by state, for tests of the search: they have nothing to do with caches."""

from __future__ import annotations

from typing import Any

from plumbline.reference.search.transition import Claim, Entry, Place, Step, System, View

SURE = Claim("sure", "Because the test says so.", frozenset({"it is so"}))


class Graph(System):
    """A system given by its steps: state to the steps that leave it."""

    def __init__(self, **steps: list[Step]) -> None:
        self._steps = steps

    def initial(self) -> str:
        return "start"

    def steps(self, state: str, view: View | None) -> list[Step]:
        del view
        return self._steps.get(state, [])

    def canonical(self, state: str, now: int) -> str:
        del now
        return state


def step(to: str, *shows: tuple[Place, Entry], **declared: Any) -> Step:
    """A step named after where it leads."""
    return Step((to,), to, shows, **declared)
