"""Refuting: which faulty variants show in small worlds, by a promise or by what is never seen rightly.

Knows variants and walks; knows nothing of candidates, nor of how a suite finds variants out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import msgspec

from plumbline.reference.catalogue.records import AREA_OF_FAMILY, Area
from plumbline.reference.explore.findings import broken_by
from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.programs import Program
from plumbline.reference.explore.walk import Moment, Walked, walk
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import each
from plumbline.reference.rulebook.variant import FaultyVariant

MOST = 20_000
"""So many states of a program are looked at: a variant that shows later shows sooner in another one."""

MOST_OF_RIGHT = 40_000
"""So many states of a program where all is right are looked at to know what may be seen of it; no claim is
believed then, so that they are more. In larger programs variants show by promises only."""

OF_SAFETY = frozenset(
    {
        Area.CONSISTENCY,
        Area.VERSIONS,
        Area.TOMBSTONES,
        Area.CLEAR,
        Area.TRANSACTIONS,
        Area.WAN_CONFLICTS,
        Area.WAN_DISTRIBUTION,
        Area.GATEWAY_QUEUE,
        Area.SERIAL_SENDER,
        Area.QUEUE_REMOVAL,
    }
)
"""The areas whose requirements a state of a small world may go against: what members hold and have queued,
what they are told and what calls return. The others are of clients, of settings, of what is counted, and of
senders that small worlds have not."""


def is_of_safety(variant: FaultyVariant) -> bool:
    """Whether what a variant breaks first is a requirement that a state of a small world may go against."""
    return AREA_OF_FAMILY[variant.requirements[0].partition("-")[0]] in OF_SAFETY


Sights = dict[str, frozenset[Hashable]]
"""The possible observations of a program's runs, by subject: those that a real system also offers."""


class Refuted(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one variant.

    Attributes:
        variant: its name.
        by: the promise that it breaks, or what is seen of it that is never seen rightly: "contents" and
            "versions" of members and "queues" in the end, what listeners are "told", how calls "return", what
            "logs" have shown, one after the other; or,
            at any "moment", what members hold and have queued while these calls are made and those have
            returned; empty if it was not refuted.
        program: in which program, in words.
        programs: how many were looked at.
    """

    variant: str
    by: str = ""
    program: str = ""
    programs: int = 0


class Right:
    """What comes of programs where all is right, each looked at once, and what decisions are asked there."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self._known: dict[Program, Sights | None] = {}
        self._asked: dict[str, set[tuple[Any, ...]]] = {}
        self._asked_in: dict[Program, dict[str, set[tuple[Any, ...]]]] = {}
        self._overhearing = Rulebook(
            **{name: self._overheard(name, answer) for name, answer in book.answers().items()}
        )

    def _overheard(self, decision: str, answer: Callable[..., Any]) -> Callable[..., Any]:
        def told(*arguments: Any) -> Any:
            self._asked.setdefault(decision, set()).add(arguments)
            return answer(*arguments)

        return told

    def listen(self, worlds: Iterable[Program], *, ends: float = math.inf) -> None:
        """Walk through these worlds, as far as there is time, and note what is asked.

        Args:
            worlds: in which order.
            ends: by `time.monotonic`.
        """
        for program in worlds:
            if time.monotonic() >= ends:
                break
            self._sights(program)

    @property
    def asked(self) -> frozenset[str]:
        """The decisions that a run has asked."""
        return frozenset(decision for asked in self._asked_in.values() for decision in asked)

    def differs(self, variant: FaultyVariant) -> bool:
        """Whether a variant answers otherwise anything that was asked.

        One that does not goes through just the same states: nothing of it can be seen in these worlds.
        """
        return any(self._differs(variant, asked) for asked in self._asked_in.values())

    def differs_in(self, variant: FaultyVariant, program: Program) -> bool:
        """Whether a variant answers anything otherwise in a program; it may where not all was looked at."""
        return self._sights(program) is None or self._differs(variant, self._asked_in[program])

    def _differs(self, variant: FaultyVariant, asked: dict[str, set[tuple[Any, ...]]]) -> bool:
        return any(
            each(wrong(*arguments)) != each(getattr(self.book, decision)(*arguments))
            for decision, wrong in variant.replaces.items()
            for arguments in asked.get(decision, ())
        )

    def unseen(self, walked: Walked) -> str:
        """What is seen of a walk that is never seen rightly: what it is about, or "" if there is nothing."""
        right = self._sights(walked.program)
        if right is None:
            return ""
        return next((about for about, seen in sights(walked).items() if not seen <= right[about]), "")

    def _sights(self, program: Program) -> Sights | None:
        """All that may be seen of a program; None where that is too much. Claims would leave moments out."""
        if program not in self._known:
            self._asked = {}
            walked = walk(program, self._overhearing, reduced=False, most=MOST_OF_RIGHT)
            self._known[program] = sights(walked) if walked.whole else None
            self._asked_in[program] = self._asked
        return self._known[program]


def sights(walked: Walked) -> Sights:
    """What may be seen of a program's runs: of listeners, of calls, in the end, and at any moment."""
    shape = walked.program.shape
    return {
        "contents": frozenset(_contents(end, shape) for end in walked.ends),
        "returns": frozenset(walked.returned),
        "told": frozenset(walked.shown),
        "versions": frozenset(_versions(end, shape) for end in walked.ends),
        "queues": frozenset(_queues(end) for end in walked.ends)
        if _told_of_removals(walked)
        else frozenset(),
        "logs": frozenset(end.logs for end in walked.ends),
        "moment": frozenset(_moment(moment, shape) for moment in walked.moments),
    }


def _contents(moment: Moment, shape: ProgramShape) -> Hashable:
    world = moment.world
    entries = (
        (holder, place, world.entry(holder, *place))
        for holder in _living(moment, shape)
        for place in shape.places
    )
    return tuple((holder, place, entry.state, entry.token) for holder, place, entry in entries)


def _living(moment: Moment, shape: ProgramShape) -> list[str]:
    return [holder for holder in shape.holders if holder not in moment.world.wan.dead]


def _versions(moment: Moment, shape: ProgramShape) -> Hashable:
    world = moment.world
    stamps = (
        (holder, place, world.entry(holder, *place).stamp)
        for holder in _living(moment, shape)
        for place in shape.places
    )
    return tuple(
        (holder, place, stamp.version, stamp.member, stamp.site)
        for holder, place, stamp in stamps
        if stamp is not None
    )


def _moment(moment: Moment, shape: ProgramShape) -> Hashable:
    world = moment.world
    under_way = tuple(sorted(world.calls))
    return moment.called, moment.broken, under_way, _contents(moment, shape), _queues(moment)


def _queues(moment: Moment) -> Hashable:
    """What a look at each copy of a queue shows."""
    wan = moment.world.wan
    return tuple(
        (where, sender.primary, tuple(event.op_id for event in sender.queue), len(sender.records))
        for where, sender in wan.senders.in_order()
        if where[0] not in wan.dead
    )


def _told_of_removals(walked: Walked) -> bool:
    """Whether every walk has secondaries told what has left a queue: not where no member can take over."""
    return any(fault.kind is not FaultKind.TIME_LEAP for fault in walked.program.broken)


def refute(
    variant: FaultyVariant, worlds: Iterable[Program], right: Right, *, ends: float = math.inf
) -> Refuted:
    """Look for a program in which a variant shows, until one does or the monotonic clock shows `ends`."""
    book = variant.rulebook(right.book)
    count = 0
    for program in worlds:
        if time.monotonic() > ends:
            break
        count += 1
        if not right.differs_in(variant, program):
            continue
        walked = walk(program, book, most=MOST)
        by = next(broken_by(walked), "") or right.unseen(walked)
        if by:
            return Refuted(variant=variant.name, by=by, program=str(program), programs=count)
    return Refuted(variant=variant.name, programs=count)
