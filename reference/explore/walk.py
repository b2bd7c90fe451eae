"""A walk: every run of one program, and the worlds in which the runs end.

Steps that the model claims to commute with all that may come are taken alone; a thorough walk believes no
claim. Breadth first, so that the run reported for a world is the shortest. Knows no promise.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from plumbline.reference.explore.dead_variables_of_members import Fading, uncounted
from plumbline.reference.explore.dead_variables_of_queues import Emptied, is_of_sites
from plumbline.reference.explore.dead_variables_of_sites import Known
from plumbline.reference.explore.invariants import MANNERS, StepInvariant
from plumbline.reference.explore.log_invariants import Logs, watches, with_shown
from plumbline.reference.explore.pending_faults import Expected, broken
from plumbline.reference.explore.program_shape import WHOLLY
from plumbline.reference.explore.programs import Happening, Program, first_puts, words
from plumbline.reference.explore.reduction_of_faults import AtOnce
from plumbline.reference.explore.reduction_of_members import Apart
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Operation, Outcome
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.model.bucket_holders import located
from plumbline.reference.model.places import TIMELINE, outcome_entry, outcome_place
from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites.listeners import scripted
from plumbline.reference.model.system import Model
from plumbline.reference.model.timeline import Answers
from plumbline.reference.model.world import World
from plumbline.reference.reduction.log_reduction import LogReduction
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.transition import Entry, Place, Step, Unobserved


class Moment(NamedTuple):
    """Where a run stands: its world, how many calls and faults have come, and what logs have shown."""

    world: World
    called: int
    broken: int
    logs: Logs = ()


class Walked:
    """What a walk has seen.

    Attributes:
        program: whose runs.
        states: how many moments were visited.
        whole: whether these are all; if not, there were too many.
        ends: the moments after which nothing happens.
        astray: what has to hold of each step, and does not: the moment before the first such step, and what
            happens then.
        shown: what any step has shown, where, and how often.
        returned: how any call has returned: its number and the outcome.
    """

    def __init__(self, program: Program, before: dict[Moment, tuple[Moment, str] | None]) -> None:
        self.program = program
        self.whole = True
        self.ends: list[Moment] = []
        self.astray: dict[StepInvariant, tuple[Moment, str]] = {}
        self.shown: set[tuple[tuple[Place, Entry], int]] = set()
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


class _Due(Unobserved):
    """The view that knows only what the harness does next."""

    def __init__(self, due: Happening) -> None:
        super().__init__(reduced=False)
        self._due = due

    def due(self, place: Place) -> Entry | None:
        """See View."""
        return self._due if place == TIMELINE else None


class _Walker:
    """The model of one program, and what may come next in it."""

    def __init__(
        self,
        program: Program,
        book: Rulebook,
        *,
        reduced: bool,
        onward: Propagation | None = None,
        moments: bool = True,
    ) -> None:
        self.program = program
        self._setting = _setting(program, book)
        if program.shape.links:
            self._setting.onward = Propagation.AS_OF_SENDER if onward is None else onward
        self._lookahead = Expected(program, reduced=reduced)
        independence = LogReduction(self._setting, self._lookahead, OrderStrength.TOTAL)
        self._model = Model(
            self._setting, OrderStrength.TOTAL, self._lookahead, Answers(), independence=independence
        )
        self._view = Unobserved(reduced=reduced)
        self._replaced = book.replaced()
        self._fading = Fading(program, self._setting, self._replaced)
        # Where anything is decided otherwise, what rests on how all is decided has to be looked at.
        empties = reduced and not moments and is_of_sites(program) and self._setting.as_documented
        self._emptied = Emptied(self._setting) if empties else None
        self._doomed = [
            frozenset(fault.member for fault in to_come if fault.kind is FaultKind.CRASH)
            for first in range(len(program.faults) + 1)
            for to_come in [broken(program.faults[first:])]
        ]
        self._apart = Apart(program, self._setting, self._replaced)
        at_any_time = not (program.times or program.shape.after)
        hurries = empties and at_any_time
        self._at_once = AtOnce(self._setting) if hurries else None
        self._known = Known(self._setting) if hurries else None
        self._rests = any(operation.kind in WHOLLY for operation in program.operations)
        self._watched = watches(program)
        self._manners = [one for one in MANNERS if program.shape.plain or not one.of_plain]
        self.astray: dict[StepInvariant, tuple[Moment, str]] = {}
        self.shown: set[tuple[tuple[Place, Entry], int]] = set()
        self.returned: set[tuple[int, Outcome]] = set()

    def first(self) -> Moment:
        """The world before anything is called."""
        world = self._model.initial()
        if self.program.queues:
            world = world.but(wan=self._model.senders.started(world.wan))
        if self.program.ticks:
            (world,) = self._model.faults.happened(world, Fault(kind=FaultKind.HOLD_TIME))
        for place in self.program.shape.places if self._setting.partitioned else ():
            primary, *others = self.program.shape.members
            copies = {region.name: region.redundancy for region in self.program.regions}[place[0]]
            world = located(world, place, primary, tuple(others[:copies]))
        for operation in first_puts(self.program.shape):
            world = self._put(world, operation)
        for queue in self.program.shape.listens:
            for member in self.program.shape.members:
                world = scripted(world, member, queue.id, self.program.shape.answers)
        return Moment(world, 0, 0)

    def _put(self, world: World, operation: Operation) -> World:
        """The world in which a put has been called and returned, and all that it leads to has happened."""
        world = self._model.timeline.called(world, operation)
        while steps := list(self._model.internal_steps(world, self._view)):
            world = min(steps, key=lambda step: repr(step.name)).state
        for after, _ in self._model.timeline.returned(world, operation.op_id):
            return after
        raise AssertionError("the first put has not returned though nothing is under way")

    def after(self, moment: Moment) -> Iterator[tuple[Moment, str]]:
        """What may come next, each with what happened."""
        world = moment.world
        self._lookahead.broken = moment.broken
        if returned := self._returned(moment):
            yield from returned
            return
        if self._at_once is not None and moment.called < len(self.program.operations):
            # A call that has been made and not been carried out is as if it came later.
            yield from self._called(moment)
            return
        steps = list(self._model.internal_steps(world, self._view))
        alone = self._alone(world, steps) or self._first(moment, steps)
        if self._at_once is not None and not alone:
            if self._at_once.happens(world, self.program.faults[moment.broken :]):
                yield from self._outside(moment)
                return
            alone = self._at_once.steps(steps)
        for step in alone or steps:
            self.shown.update(Counter(step.shows).items())
            for manner in self._manners:
                if manner not in self.astray and not manner.kept(self.program, world, step):
                    self.astray[manner] = moment, _told(step)
            logs = with_shown(moment.logs, [one for one in step.shows if one[0] in self._watched])
            yield moment._replace(world=self._faded(step.state, moment), logs=logs), _told(step)
        if not alone:
            yield from self._outside(moment)

    def _returned(self, moment: Moment) -> list[tuple[Moment, str]]:
        """A call returns as soon as it can: nothing waits for that, and nothing is hindered by it."""
        for number, one in moment.world.served.pending.items():
            if (status := self._model.pending.status(moment.world, number)) is not None:
                after = self._model.pending.returned(moment.world, number)
                told = f"registration of {one.interest.client} returns {status}"
                return [(moment._replace(world=after), told)]
        for op_id in sorted(moment.world.calls):
            if self._setting.operations[op_id].member in moment.world.wan.dead:
                continue
            if self._is_committed(moment.world, op_id):
                continue
            if ways := list(self._model.timeline.returned(moment.world, op_id)):
                self.returned.update((op_id, outcome) for _, outcome in ways)
                return list(dict.fromkeys(self._ended(moment, op_id, *way) for way in ways))
        return []

    def _ended(self, moment: Moment, op_id: int, after: World, outcome: Outcome) -> tuple[Moment, str]:
        """The moment in which a call has returned so."""
        logs = moment.logs
        if self.program.shape.logged:
            logs = with_shown(logs, [(outcome_place(op_id), outcome_entry(outcome))])
        return moment._replace(world=after, logs=logs), f"{op_id} returns {outcome.status}"

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

    def _first(self, moment: Moment, steps: list[Step]) -> list[Step]:
        """The steps of one member that hears no more of others, once nothing comes from outside."""
        if not self._view.reduced:
            return []
        if moment.called < len(self.program.operations) or moment.broken < len(self.program.faults):
            return []
        return self._apart.first(moment.world, steps)

    def _faded(self, world: World, moment: Moment) -> World:
        """The world without what nothing reads any more; without what is counted in any case."""
        if not self._view.reduced:
            return uncounted(world)
        world = self._fading.faded(world, moment.called)
        if self._emptied is not None:
            if self._known is not None:
                world = self._known.without(world)
            return self._emptied.emptied(world, self._doomed[moment.broken])
        return world

    def _waits(self, world: World, operation: Operation) -> bool:
        """Whether a call comes only later: an update that takes effect later in a site has a later timestamp.

        So where it is known what the clocks show at the calls, those of a site come one after the other; and
        all do where something takes effect on all members at once, which is only known to while they rest.
        """
        if self._rests and operation.region not in self._setting.clears:
            return bool(world.calls) or any(
                not message.queue for messages in world.channels.values() for message in messages
            )
        home = self._setting.home
        if self.program.shape.recovers is not None:
            # What becomes of an event that no member could queue, no document says (see `unmodelled`).
            held = {name for _, name in world.wan.senders}
            fed = (queue for queue in self.program.queues if queue.site == home(operation.member))
            if not held.issuperset(queue.id for queue in fed):
                return True
        return bool(self.program.times) and any(
            home(other.member) == home(operation.member) and other.member not in world.wan.dead
            for other in map(self._setting.operations.__getitem__, world.calls)
        )

    def _outside(self, moment: Moment) -> Iterator[tuple[Moment, str]]:
        """The next call is made, the next fault happens."""
        world, called, broken, _ = moment
        comes, happens = self._due(moment)
        if called < len(self.program.operations) and comes:
            yield from self._called(moment)
        if broken < len(self.program.faults) and happens:
            happening = self.program.faults[broken]
            for after in self._happened(world, happening):
                then = moment._replace(world=after, broken=broken + 1)
                yield then._replace(world=self._faded(after, then)), words(happening)

    def _called(self, moment: Moment) -> Iterator[tuple[Moment, str]]:
        """The next call is made, unless it has to wait."""
        world, called, *_ = moment
        operation = self.program.operations[called]
        if operation.member in world.wan.dead:
            yield moment._replace(called=called + 1), f"{operation.member} is dead and calls nothing"
        elif not self._waits(world, operation):
            after = self._model.timeline.called(world, operation)
            yield moment._replace(world=after, called=called + 1), _call(operation)

    def _due(self, moment: Moment) -> tuple[bool, bool]:
        """Whether the next call may come, and whether what is next from outside may happen."""
        after, broken = self.program.shape.after, moment.broken
        if broken >= len(after):
            return True, True
        return moment.called < after[broken], moment.called >= after[broken] and not moment.world.calls

    def _happened(self, world: World, happening: Happening) -> Iterator[World]:
        """The worlds in which something has happened from outside; none while that cannot be."""
        if isinstance(happening, RegistrationBegun):
            yield self._model.pending.begun(world, happening.number, happening.interest, held=False)
        elif isinstance(happening, Fault):
            if happening.at_rest and not self._model.rest.quiet(world):
                return
            yield from self._model.faults.happened(world, happening)
        else:
            for step in self._model.timeline.steps(world, _Due(happening)):
                yield step.state


def _setting(program: Program, book: Rulebook) -> Setting:
    """What does not change during the runs of a program, with everything that is going to be called."""
    shape = program.shape
    setting = Setting(
        book,
        program.topology,
        program.regions,
        program.topology.members,
        queues=program.queues,
        clock=not shape.skewed,
        redeliverable=None if shape.again else frozenset(),
        tombstones=program.tombstones,
    )
    if shape.takes:
        setting.joiners = frozenset({(shape.takes, shape.hosted[0].name)})
    setting.plain = False  # claims on clients are for clients that have seen an event
    if shape.resolver:
        setting.resolve_by(shape.resolver)
    for client in shape.clients:
        setting.connect(client)
    setting.registered = () if shape.registers else program.interests
    setting.registers_meanwhile = shape.registers
    if shape.recovers is not None:
        setting.recover()
    for operation in (*first_puts(shape), *program.operations):
        setting.lock_for(operation)
        setting.take_up(operation)
    setting.readings = {number: (1, time * shape.apart_ms) for number, time in enumerate(program.times, 1)}
    return setting


def walk(
    program: Program,
    book: Rulebook,
    *,
    reduced: bool = True,
    most: int = 1_000_000,
    ends: float = math.inf,
    onward: Propagation | None = None,
    moments: bool = True,
) -> Walked:
    """Walk through every run of a program under a rulebook.

    Args:
        program: what is called and breaks.
        book: the decisions.
        reduced: whether claims are believed.
        most: so many moments are visited at most.
        ends: by `time.monotonic`, when to break off.
        onward: how events travel on where not each site is linked to each; as documented if left out.
        moments: whether it is asked what queues hold at any moment; else only what comes of them is.
    """
    # What a member that comes back has shown before it died matters, and reductions take no account of that.
    reduced = reduced and program.shape.recovers is None
    walker = _Walker(program, book, reduced=reduced, onward=onward, moments=moments)
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
        if len(before) > most or time.monotonic() > ends:
            walked.whole = False
            break
    return walked


def _told(step: Step) -> str:
    return " ".join(map(str, step.name))


def _call(operation: Operation) -> str:
    return f"{operation.member} calls {operation.kind} {operation.op_id}"
