"""Findings: promises that some run of a program breaks, and whether the documents allow that.

Knows walks and promises; knows nothing of candidates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain, pairwise

import msgspec

from plumbline.reference.explore.client_findings import REASONS_OF_CLIENTS
from plumbline.reference.explore.invariants import (
    AGREEMENT,
    OF_CLIENTS,
    PROMISES,
    Held,
    StateInvariant,
    holdings,
)
from plumbline.reference.explore.log_invariants import RECORDS, LogInvariant
from plumbline.reference.explore.program_shape import TICK
from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.scopes import shapes_of
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.explore.walk import Moment, Walked, walk
from plumbline.reference.rulebook.book import Rulebook

_ALL = (*PROMISES, *RECORDS)

Run = tuple[str, ...]
"""What happened, one thing after the other."""

CIRCLE = (
    "Within a site versions decide, between sites timestamps do: of three updates, two of them by members of "
    "one site at the same time, each may beat the next. The documents do not say how that is to end."
)

HELD_BACK = (
    "Who has collected a tombstone remembers nothing of the destroy. What is on its way for longer than "
    "tombstones are kept is compared with nothing where it arrives, or with what was written since. The "
    "documents bound how long tombstones are kept, and not how long messages take."
)

ANEW = (
    "Versions begin anew once a tombstone was collected. Who hears of the collection behind what was written "
    "since may take the new tombstone, of the same version and member, for the one that was collected. The "
    "documents do not say how it is told apart."
)

SAME_STAMP = (
    "A commit gives what it changes its versions, and tells others of them, before its member has changed "
    "its own copy: what the same member is called meanwhile gets the same version, and two updates of one "
    "version and member are taken for one. The documents do not say that the entry is held meanwhile."
)


TOLD_ON = (
    "Equal timestamps are decided by the ids of sites, and a gateway sender gives what it sends the id of "
    "its own site, also where another site wrote it: along another way the same two updates have other ids, "
    "and another one wins. The documents do not say that each site has to be connected to each."
)

PREFERRED = (
    "A resolver that prefers a site to later timestamps also decides about what was written on top of an "
    "update of that site, and disallows it there. At the writing site no resolver is asked. The documents "
    "leave the answer to the resolver, and give it no causal order of the two updates."
)

SENT_AGAIN = (
    "What was not answered is sent again, perhaps to another member, while what the first one was sent is "
    "still under way. Members of a site then deal with one event apart: each gives it a version of its own, "
    "or one applies it behind a later event, and others, who know it, take no notice. The documents let what "
    "is sent again be processed more than once, and do not say which version it gets."
)


RECORDED = (
    "A secondary has an event recorded and not queued, and dies before it takes over from a primary that "
    "died with the event. A disk holds what is in a queue. The documents do not say that it holds what is "
    "recorded."
)


class BrokenPromise(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that a run breaks.

    Attributes:
        requirement: the promise's id.
        says: the promise.
        program: what was called and what broke, in words.
        held: what each member that lives holds at the end.
        run: the shortest run that ends so, one thing after the other.
        allowed: why the documents allow it; empty if they do not.
    """

    requirement: str
    says: str
    program: str
    held: dict[str, Held]
    run: tuple[str, ...]
    allowed: str = ""


class Explored(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one program.

    Attributes:
        program: in words.
        states: how many moments its runs go through.
        whole: whether all were looked at.
        ends: in how many ways its runs end, by what members hold.
        findings: one for each promise that is broken.
    """

    program: str
    states: int
    whole: bool
    ends: int
    findings: tuple[BrokenPromise, ...]


def all_programs(part: Topic, scope: ExploreScope) -> list[Program]:
    """Every program of a part and scope."""
    return [program for shape in shapes_of(part, scope) for program in programs(shape)]


def explore(program: Program, book: Rulebook, *, reduced: bool = True, ends: float = math.inf) -> Explored:
    """Walk through every run of a program, or as many as there is time for, and look at each end."""
    walked = walk(program, book, reduced=reduced, ends=ends, moments=False)
    return Explored(
        program=str(program),
        states=walked.states,
        whole=walked.whole,
        ends=len({tuple(holdings(program, end.world).items()) for end in walked.ends}),
        findings=(*_astray(walked), *(found for promise in _ALL for found in _found(walked, promise))),
    )


def _astray(walked: Walked) -> Iterator[BrokenPromise]:
    """The first step that goes against what has to hold of each, if there is one."""
    for manner, (moment, told) in walked.astray.items():
        yield BrokenPromise(
            requirement=manner.requirement,
            says=manner.says,
            program=str(walked.program),
            held=holdings(walked.program, moment.world),
            run=(*walked.run_to(moment), told),
        )


def broken_by(walked: Walked) -> Iterator[str]:
    """The requirements that some run breaks though the documents do not allow it."""
    yield from (found.requirement for found in _astray(walked))
    for promise in _ALL:
        yield from (found.requirement for found in _found(walked, promise) if not found.allowed)


def _found(walked: Walked, promise: StateInvariant | LogInvariant) -> Iterator[BrokenPromise]:
    """The shortest run that breaks a promise, if any does; one that is not allowed before all others."""
    broken = (_finding(walked, promise, end) for end in walked.ends if not _is_kept(walked, promise, end))
    first = next(broken, None)
    if first is not None:
        yield next((found for found in chain((first,), broken) if not found.allowed), first)


def _is_kept(walked: Walked, promise: StateInvariant | LogInvariant, end: Moment) -> bool:
    if isinstance(promise, LogInvariant):
        return not walked.program.shape.logged or promise.kept(walked.program, end.world, end.logs)
    return promise.kept(walked.program, end.world)


def _finding(walked: Walked, promise: StateInvariant | LogInvariant, end: Moment) -> BrokenPromise:
    program = walked.program
    run = walked.run_to(end)
    reasons = _REASONS if promise.requirement in AGREEMENT else _OTHER_REASONS.get(promise.requirement, {})
    allowed = next((why for why, holds in reasons.items() if holds(program, run)), "")
    return BrokenPromise(
        requirement=promise.requirement,
        says=promise.says,
        program=str(program),
        held=holdings(program, end.world),
        run=run,
        allowed=allowed,
    )


def _is_circle(program: Program, run: Run) -> bool:
    """Whether two members of a site and one of another write the key."""
    del run
    writers = [
        {one.member for one in program.operations if one.member in site} for site in program.shape.sites
    ]
    return sum(map(bool, writers)) > 1 and max(map(len, writers)) > 1


def _is_held_back(program: Program, run: Run) -> bool:
    """Whether something was sent before the clock ticked, and arrived behind that."""
    del program
    if TICK not in run:
        return False
    tick = run.index(TICK)
    sent = {line.split()[2] for line in run[:tick] if line.startswith("sends ")}
    return any(line.startswith("receives ") and line.split()[2] in sent for line in run[tick:])


def _is_overtaken(program: Program, run: Run) -> bool:
    """Whether a member heard of a collection behind what was called since at one that knew of it.

    That is what it received of a member that had collected, or had heard of that collection; or, where it
    had collected itself and another one did, too, what was called at its own.
    """
    members = [member for site in program.shape.sites for member in site]
    since: dict[str, set[str]] = {}
    knows: dict[str, set[str]] = {}
    behind: set[tuple[str, str]] = set()
    for line in run:
        what, *rest = line.split()
        if what == "collects":
            since[rest[1]], knows[rest[1]] = set(), {rest[1]}
        elif what == "applies" and rest[0] in since:
            since[rest[0]].add(rest[1])
            behind |= {(rest[0], other) for other in members if other != rest[0]}
        elif what == "receives":
            told = (knows[one] for one, ops in since.items() if rest[1] in ops)
            behind |= {(rest[0], collector) for each in told for collector in each}
        elif what == "hears":
            hearer, collector = rest[-2:]
            if (hearer, collector) in behind:
                return True
            since.setdefault(hearer, set())
            knows.setdefault(hearer, set()).add(collector)
    return False


def _is_stamped_twice(program: Program, run: Run) -> bool:
    """Whether a member carried out something between telling of a commit and changing its own copy."""
    del program
    told: dict[str, str] = {}
    for line in run:
        what, *rest = line.removeprefix("sends ahead").split()
        if line.startswith("sends ahead"):
            told[what] = rest[0]
        elif what == "applies" and rest[0] in told:
            return True
        elif what in ("receives", "discards") and told.get(rest[0]) == rest[1]:
            del told[rest[0]]
    return False


def _is_tie_told_on(program: Program, run: Run) -> bool:
    """Whether an update that has an equal timestamp was compared where it came by way of another site."""
    numbers = {member: at for at, site in enumerate(program.shape.sites, 1) for member in site}
    tied = {
        str(operation.op_id): numbers[operation.member]
        for operation, time in zip(program.operations, program.times, strict=False)
        if program.times.count(time) > 1
    }
    came = (line.split()[-2:] for line in run if " from another site " in line)
    return any(op in tied and (tied[op], numbers[member]) not in program.shape.linked for member, op in came)


def _is_preferred(program: Program, run: Run) -> bool:
    """Whether a resolver has turned down what was written behind an update of another site that had come."""
    if not program.shape.resolver:
        return False
    site_of = {member: site for site in program.shape.sites for member in site}
    reached: set[tuple[str, ...]] = set()
    behind: set[str] = set()
    for line in run:
        words = line.split()
        if line.startswith("applies from another site "):
            reached.add(site_of[words[-2]])
        elif words[0] == "applies" and site_of[words[1]] in reached:
            behind.add(words[2])
        elif line.startswith("discards from another site ") and words[-1] in behind:
            return True
    return False


def _is_sent_again(program: Program, run: Run) -> bool:
    """Whether two of a site were sent one event, and both applied it, or one of them behind a later event."""
    site_of = {member: site for site in program.shape.sites for member in site}
    called_in = {str(operation.op_id): site_of[operation.member] for operation in program.operations}
    order = [line.split()[-1] for line in run if line.startswith("sends event ")]
    has: dict[str, set[str]] = {member: set() for member in site_of}
    sent: dict[str, list[tuple[str, str]]] = {op_id: [] for op_id in called_in}
    for line in run:
        what, *_ = words = line.split()
        if " from another site " in line:
            member, op_id = words[-2:]
            apart = [how for peer, how in sent[op_id] if peer != member and peer in site_of[member]]
            late = any(
                called_in[other] == called_in[op_id] and order.index(other) > order.index(op_id)
                for other in has[member] & set(order)
            )
            if what == "applies" and apart and (late or "applies" in apart):
                return True
            sent[op_id].append((member, what))
            if what == "applies":
                has[member].add(op_id)
        elif what == "receives":
            has[words[1]].add(words[2])
    return False


_REASONS: dict[str, Callable[[Program, Run], bool]] = {
    CIRCLE: _is_circle,
    HELD_BACK: _is_held_back,
    ANEW: _is_overtaken,
    SAME_STAMP: _is_stamped_twice,
    TOLD_ON: _is_tie_told_on,
    PREFERRED: _is_preferred,
    SENT_AGAIN: _is_sent_again,
}
"""Why the documents allow that members end apart, and how it shows in a run."""


def _is_recorded(program: Program, run: Run) -> bool:
    """Whether two members died one after the other, and the second had not taken over by then."""
    del program
    deaths = [(at, line.split()[1]) for at, line in enumerate(run) if line.startswith("crash ")]
    return any(
        not any(
            line.startswith((f"takes over {later} ", f"stores queue entry {later} "))
            for line in run[one:other]
        )
        for (one, _), (other, later) in pairwise(deaths)
    )


_OTHER_REASONS: dict[str, dict[str, Callable[[Program, Run], bool]]] = {
    OF_CLIENTS: REASONS_OF_CLIENTS,
    "GWQ-PERSIST-01": {RECORDED: _is_recorded},
}
"""The same of what other promises say."""
