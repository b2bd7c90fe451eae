"""The reference with clocks that tick: calls of one tick get equal timestamps, as if in one millisecond.

It is right: no document names a resolution. A timestamp is later than that of what it replaces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.protocol import Introduction
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.operations import Operation

_ALWAYS = 1
"""Its clocks are read as if they had been held once, for good."""


class TickingReference(ReferenceAdapter):
    """The reference; all its clocks tick together, once in so many calls. It does not say how they differ."""

    def __init__(self, calls_per_tick: int, **options: Any) -> None:
        super().__init__(**options)
        self._calls_per_tick = calls_per_tick

    def hello(self) -> Introduction:
        """As the reference, but for what is said of its clocks."""
        return replace(super().hello(), clock_error_ms=None)

    def begin(self, operation: Operation) -> None:
        """Call an operation at the tick that the clock of its member shows."""
        simulation = self._ready()
        setting = simulation.setting
        shown = len(setting.operations) // self._calls_per_tick
        entry = simulation.world.entries.get((operation.member, operation.region, operation.key))
        if entry is not None and entry.stamp is not None:
            replaced = [
                setting.readings[other][1] for other in entry.stamp.times if other in setting.readings
            ]
            shown = max([shown, *(other + 1 for other in replaced)])
        setting.readings[operation.op_id] = (_ALWAYS, shown)
        super().begin(operation)


def ticking(calls_per_tick: int, *, chaotic: bool = False, seed: int = 0) -> Candidate:
    """A candidate whose clocks tick once in so many calls."""
    opened: Callable[[], TickingReference] = lambda: TickingReference(  # noqa: E731 - opened again and again
        calls_per_tick, chaotic=chaotic, seed=seed
    )
    name = f"reference, a tick in {calls_per_tick} calls" + ", chaotic" * chaotic
    return Candidate(
        name=name, kind=CandidateKind.REFERENCE, in_process=True, repeatable=not chaotic, open=opened
    )
