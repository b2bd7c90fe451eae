"""A walk: every run of one program, and the worlds in which the runs end.

Steps that the model claims to commute with all that may come are taken alone; a thorough walk believes no
claim. Breadth first, so that the run told of a world is the shortest. Knows no promise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from plumbline.reference.explain.steps import Entry, Place, Step, Unobserved, View
from plumbline.reference.explore.programs import Program, first_put, words
from plumbline.reference.explore.promises import MANNERS, Manner
from plumbline.reference.hashed import HashedMap
from plumbline.reference.history import Fault, FaultKind, OrderStrength
from plumbline.reference.model import hazards
from plumbline.reference.model.foresight import Unknowing
from plumbline.reference.model.setting import Onward, Setting
from plumbline.reference.model.system import Model
from plumbline.reference.model.timeline import Answers
from plumbline.reference.model.world import World, empty_world
from plumbline.reference.operations import Operation, Outcome
from plumbline.reference.rulebook.book import Rulebook

_NOTHING: HashedMap[Any, Any] = HashedMap()


class Moment(NamedTuple):
    """Where a run stands: its world, how many calls were made, how many faults have happened."""

    world: World
    called: int
    broken: int


class Walked:
    """What a walk has seen.

    Attributes:
        program: whose runs.
        states: how many moments were visited.
        whole: whether these are all; if not, there were too many.
        ends: the moments after which nothing happens.
        astray: what has to hold of each step, and does not: the moment before the first such step, and what
            happens then.
        shown: what any step has shown, and where.
        returned: how any call has returned: its number and the outcome.
    """

    def __init__(self, program: Program, before: dict[Moment, tuple[Moment, str] | None]) -> None:
        self.program = program
        self.whole = True
        self.ends: list[Moment] = []
        self.astray: dict[Manner, tuple[Moment, str]] = {}
        self.shown: set[tuple[Place, Entry]] = set()
        self.returned: set[tuple[int, Outcome]] = set()
        self._before = before

    @property
    def states(self) -> int:
        """How many moments were visited."""
        return len(self._before)

    @property
    def moments(self) -> Iterable[Moment]:
        """Those that were visited."""
        return self._before.keys()

    def run_to(self, moment: Moment) -> tuple[str, ...]:
        """The shortest run to a moment: what happened, one thing after the other."""
        told: list[str] = []
        came = self._before[moment]
        while came is not None:
            told.append(came[1])
            came = self._before[came[0]]
        return tuple(reversed(told))


class _Faults(Unknowing):
    """Knows of the future which faults are to come, and nothing else."""

    def __init__(self, faults: tuple[Fault, ...], *, reduced: bool) -> None:
        self._hazards = [
            frozenset().union(*map(hazards.of_fault, faults[first:])) for first in range(len(faults) + 1)
        ]
        self._faults = faults
        self._breaks = not reduced or any(fault.kind is not FaultKind.TIME_LEAP for fault in faults)
        self.broken = 0

    def open(self, world: World, view: View) -> frozenset[str]:  # type: ignore[override] # asked so, always
        """What the faults to come may undo, and what those that happened have left open."""
        del view
        found = self._hazards[self.broken]
        for link, state in world.wan.links.items():
            if state is FaultKind.REPLIES_LOST:
                found |= {hazards.cut_of(*link)}
        if world.wan.dead and any(channel.source in world.wan.dead for channel in world.channels):
            found |= {"lost messages"}
        return found

    def time_to_pass(self, *_: object) -> bool:
        """Whether the clock still ticks."""
        return any(fault.kind is FaultKind.TIME_LEAP for fault in self._faults[self.broken :])

    def comes_again(self, *_: object) -> bool:
        """Whether an event may be sent once more: not where no fault comes between it and its answer."""
        return self._breaks

    def copies_are_looked_at(self, *_: object) -> bool:
        """Whether copies of queues matter: not where nobody takes over, as nobody else looks at them."""
        return self._breaks

    def copy_is_looked_at_now(self, *_: object) -> bool:
        """See `copies_are_looked_at`."""
        return self._breaks

    def waits_for_all(self, *_: object) -> bool:
        """Whether secondaries have to hear of what has left a queue: only who takes over could tell."""
        return self._breaks

    def gauge_to_come(self, *_: object) -> bool:
        """No: nobody reads what is counted."""
        return False

    def clear_to_come(self, *_: object) -> bool:
        """No: nothing is cleared."""
        return False


def _uncounted(world: World) -> World:
    """The world without what is only kept for those who count; so worlds that differ in nothing else meet."""
    if world.tombs.collections:
        world = world.but(tombs=world.tombs._replace(collections=_NOTHING))
    return world.but(discards=_NOTHING) if world.discards else world


class _Walker:
    """The model of one program, and what may come next in it."""

    def __init__(self, program: Program, book: Rulebook, *, reduced: bool, onward: Onward | None) -> None:
        self.program = program
        topology = program.topology
        self._setting = Setting(
            book,
            topology,
            program.regions,
            topology.members,
            queues=program.queues,
            clock=not program.shape.skewed,
            redeliverable=frozenset(),
            tombstones=program.tombstones,
        )
        if program.shape.links:
            self._setting.onward = Onward.AS_OF_SENDER if onward is None else onward
        self._foresight = _Faults(program.faults, reduced=reduced)
        self._model = Model(self._setting, OrderStrength.TOTAL, self._foresight, Answers())
        self._view = Unobserved(reduced=reduced)
        self._replaced = book.replaced()
        # What a commit has changed may be told of later, so that no step shows whether it is told rightly.
        self._manners = () if program.shape.committed else MANNERS
        self.astray: dict[Manner, tuple[Moment, str]] = {}
        self.shown: set[tuple[Place, Entry]] = set()
        self.returned: set[tuple[int, Outcome]] = set()
        for operation in (first_put(program.shape), *program.operations):
            self._setting.take_up(operation)
        self._setting.readings = {number: (1, time) for number, time in enumerate(program.times, 1)}

    def first(self) -> Moment:
        """The world before anything is called."""
        world = empty_world()
        if self.program.ticks:
            (world,) = self._model.faults.happened(world, Fault(kind=FaultKind.HOLD_TIME))
        if self.program.queues:
            world = world.but(wan=self._model.senders.started(world.wan))
        if not self.program.shape.there:
            return Moment(world, 0, 0)
        world = self._model.timeline.called(world, first_put(self.program.shape))
        while steps := list(self._model.internal_steps(world, self._view)):
            world = min(steps, key=lambda step: repr(step.name)).state
        for after, _ in self._model.timeline.returned(world, 0):
            return Moment(after, 0, 0)
        raise AssertionError("the first put has not returned though nothing is under way")

    def after(self, moment: Moment) -> Iterator[tuple[Moment, str]]:
        """What may come next, each with what happened."""
        world = moment.world
        self._foresight.broken = moment.broken
        if returned := self._returned(moment):
            yield from returned
            return
        steps = list(self._model.internal_steps(world, self._view))
        alone = self._alone(world, steps)
        for step in alone or steps:
            self.shown.update(step.shows)
            for manner in self._manners:
                if manner not in self.astray and not manner.kept(world, step):
                    self.astray[manner] = moment, _told(step)
            yield moment._replace(world=_uncounted(step.state)), _told(step)
        if not alone:
            yield from self._outside(moment)

    def _returned(self, moment: Moment) -> list[tuple[Moment, str]]:
        """A call returns as soon as it can: nothing waits for that, and nothing is hindered by it."""
        for op_id in sorted(moment.world.calls):
            if self._setting.operations[op_id].member in moment.world.wan.dead:
                continue
            if self._is_committed(moment.world, op_id):
                continue
            if ways := list(self._model.timeline.returned(moment.world, op_id)):
                self.returned.update((op_id, outcome) for _, outcome in ways)
                said = {after: f"{op_id} returns {outcome.status}" for after, outcome in ways}
                return [(moment._replace(world=after), told) for after, told in said.items()]
        return []

    def _is_committed(self, world: World, op_id: int) -> bool:
        """Whether a call has returned that is only there since its transaction is being committed."""
        begin = self._setting.transactions.get(op_id)
        found = None if begin is None else world.transactions.get(begin)
        return found is not None and any(change.op_id == op_id for change in found.changes) and found.ending

    def _alone(self, world: World, steps: list[Step]) -> list[Step]:
        """The first step whose claim is believed, if there is one."""
        if not self._view.reduced:
            return []
        opened = self._model.open(world, self._view)
        for step in steps:
            believed = step.claim is not None and self._replaced.isdisjoint(step.claim.relies_on)
            if believed and step.clashes.isdisjoint(opened):
                return [step]
        return []

    def _waits(self, world: World, operation: Operation) -> bool:
        """Whether a call comes only later: what takes effect later in a site is dated by a later clock.

        So where it is known what the clocks show at the calls, those of a site come one after the other.
        """
        home = self._setting.site_of
        return bool(self.program.times) and any(
            home[other.member] == home[operation.member] and other.member not in world.wan.dead
            for other in map(self._setting.operations.__getitem__, world.calls)
        )

    def _outside(self, moment: Moment) -> Iterator[tuple[Moment, str]]:
        """The next call is made, the next fault happens."""
        world, called, broken = moment
        if called < len(self.program.operations):
            operation = self.program.operations[called]
            if operation.member in world.wan.dead:
                yield moment._replace(called=called + 1), f"{operation.member} is dead and calls nothing"
            elif not self._waits(world, operation):
                after = self._model.timeline.called(world, operation)
                yield moment._replace(world=after, called=called + 1), _call(operation)
        if broken < len(self.program.faults):
            fault = self.program.faults[broken]
            for after in self._model.faults.happened(world, fault):
                yield Moment(after, called, broken + 1), words(fault)


def walk(
    program: Program,
    book: Rulebook,
    *,
    reduced: bool = True,
    most: int = 200_000,
    onward: Onward | None = None,
) -> Walked:
    """Walk through every run of a program under a rulebook.

    Args:
        program: what is called and breaks.
        book: the decisions.
        reduced: whether claims are believed.
        most: so many moments are visited at most.
        onward: how events travel on where not each site is linked to each; as documented if left out.
    """
    walker = _Walker(program, book, reduced=reduced, onward=onward)
    first = walker.first()
    before: dict[Moment, tuple[Moment, str] | None] = {first: None}
    walked = Walked(program, before)
    walked.astray, walked.shown, walked.returned = walker.astray, walker.shown, walker.returned
    waiting = deque([first])
    while waiting:
        moment = waiting.popleft()
        ended = True
        for after, told in walker.after(moment):
            ended = False
            if after not in before:
                before[after] = (moment, told)
                waiting.append(after)
        if ended:
            walked.ends.append(moment)
        if len(before) > most:
            walked.whole = False
            break
    return walked


def _told(step: Step) -> str:
    return " ".join(map(str, step.name))


def _call(operation: Operation) -> str:
    return f"{operation.member} calls {operation.kind} {operation.op_id}"
