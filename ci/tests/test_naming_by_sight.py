"""Logs that are spoilt at one place: each failure is named by what was seen there, in words as well."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.protocol import Observed, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.explain.oracle import find
from plumbline.reference.explain.sight import sight
from plumbline.reference.history.actions import Do, Settle
from plumbline.reference.history.operations import (
    Client,
    Content,
    Event,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

NAMING_MS = 300
"""So long decisions are looked for here; where none is found in it, what was seen names the failure."""


class Spoilt(ReferenceAdapter):
    """The reference, which tells of what listeners received otherwise than it was."""

    who = ""
    """Whose log is spoilt."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        super().reset(regions)
        self.taken = 0
        self.told: list[Event] = []
        self.held: list[Event] = []
        self.count = 0

    def take(self) -> None:
        events = super().observe(0).events
        for event in events[self.taken :]:
            if event.member == self.who:
                self.count += 1
                self.told += self.spoil(event)
            else:
                self.told.append(event)
        self.taken = len(events)

    def spoil(self, event: Event) -> list[Event]:
        """What is told instead of an event."""
        raise NotImplementedError

    def settle(self, timeout_ms: int) -> SettleResult:
        settled = super().settle(timeout_ms)
        self.take()
        self.told += self.held
        self.held.clear()
        return settled

    def observe(self, since: int) -> Observed:
        self.take()
        return Observed(events=tuple(self.told[since:]), position=len(self.told))


class Reorders(Spoilt):
    """The second event comes behind the third."""

    def spoil(self, event: Event) -> list[Event]:
        if self.count == 2:
            self.held.append(event)
            return []
        told = [event, *self.held]
        self.held.clear()
        return told


class Loses(Spoilt):
    """The second event is missing."""

    def spoil(self, event: Event) -> list[Event]:
        return [] if self.count == 2 else [event]


class Repeats(Spoilt):
    """The second event comes twice."""

    def spoil(self, event: Event) -> list[Event]:
        return [event, event] if self.count == 2 else [event]


class Misplaces(Spoilt):
    """The second event is told in the other region."""

    def spoil(self, event: Event) -> list[Event]:
        return [msgspec.structs.replace(event, region="s")] if self.count == 2 else [event]


class Invents(Spoilt):
    """The second event carries a value that no call wrote."""

    def spoil(self, event: Event) -> list[Event]:
        return [msgspec.structs.replace(event, token="nobody's")] if self.count == 2 else [event]  # noqa: S106


class Forgets(Spoilt):
    """Destroys are told without their callback argument."""

    def spoil(self, event: Event) -> list[Event]:
        return [msgspec.structs.replace(event, token=None)] if event.kind == "destroy" else [event]


class Misreads(Spoilt):
    """Says that a member holds an older value at rest."""

    def spoil(self, event: Event) -> list[Event]:
        return [event]

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        held = super().contents(member, region)
        if member != self.who or not held:
            return held
        return tuple(Content(one.key, "t1" if one.key == "x" else one.token) for one in held)


def spoilt(kind: type[Spoilt]) -> Candidate:
    """A candidate that spoils what is seen of C."""
    return msgspec.structs.replace(
        find_candidate("reference"), name="python:spoilt", open=type(kind.__name__, (kind,), {"who": "C"})
    )


def calls(*, settles: bool) -> tuple[Do | Settle, ...]:
    """Three puts and a destroy of one key, one behind the other."""
    steps: list[Do | Settle] = []
    kinds = (*([OperationKind.PUT] * 3), OperationKind.DESTROY)
    for op_id, kind in enumerate(kinds, 1):
        steps.append(
            Do(
                Operation(
                    op_id=op_id, thread="A0", member="A", region="r", kind=kind, key="x", token=f"t{op_id}"
                )
            )
        )
        if settles:
            steps.append(Settle())
    return tuple(steps)


REGIONS = (RegionAttributes(name="r"), RegionAttributes(name="s"))
MEMBERS = Plan(Topology((Site(1, ("A", "B", "C")),)), REGIONS, ())
SITES = Plan(
    Topology((Site(1, ("A", "B")), Site(2, ("C",)))),
    tuple(msgspec.structs.replace(region, senders=("q",)) for region in REGIONS),
    (),
    (QueueAttributes(id="q", site=1, remote_site=2),),
)
CLIENTS = Plan(Topology((Site(1, ("A", "B")),)), REGIONS, (), (), (Client(name="C", servers=("B",)),))


@pytest.mark.parametrize("settles", [True, False], ids=["apart", "together"])
@pytest.mark.parametrize(
    ("kind", "words", "member", "site", "client"),
    [
        (
            Reorders,
            "before t2, which had returned before it was called",
            "DISC-APPLIED-01",
            "WAN-ORDER-01",
            "TRK-ORDER-01",
        ),
        (Loses, "never received r[x] t2, which A put", "DISC-LSN-01", "GWQ-ACK-03", "TRK-ONCE-01"),
        (Repeats, "r[x] t2 2 times", "DISC-LSN-01", "GWQ-ACK-04", "TRK-ONCE-01"),
        (Misplaces, "s[x] t2, which was written to r[x]", "DISC-LSN-01", "RCV-APPLY-01", "S2C-RECV-01"),
        (Invents, "nobody's, which no call wrote", "CONS-RR-05", "CONS-RR-05", "CONS-RR-05"),
        (Forgets, "destroy r[x] without its callback argument", "DISC-LSN-01", "RCV-APPLY-01", "S2C-OPS-02"),
    ],
)
def test_what_was_seen_names_a_failure_and_tells_it(
    kind: type[Spoilt], words: str, member: str, site: str, client: str, *, settles: bool
):
    for plan, named in ((MEMBERS, member), (SITES, site), (CLIENTS, client)):
        with Session(spoilt(kind)) as session:
            history = play_plan(msgspec.structs.replace(plan, steps=calls(settles=settles)), session).history
            found = find(history, session.book, naming_ms=NAMING_MS)
        if kind is Reorders and settles:
            assert found.answer is Answer.EXPLAINED, "what comes late is told when all settles"
            continue
        assert found.answer is Answer.REFUTED
        seen = sight(history)
        assert seen is not None
        assert seen.requirement == named
        assert words in seen.words
        if not found.decisions or named in found.requirements:
            assert found.requirements[0] == named
            assert found.sight == seen.words


@pytest.mark.parametrize("kind", [Misplaces, Invents, Forgets])
def test_what_no_decision_explains_is_named_by_what_was_seen(kind: type[Spoilt]):
    with Session(spoilt(kind)) as session:
        history = play_plan(msgspec.structs.replace(MEMBERS, steps=calls(settles=True)), session).history
        found = find(history, session.book, naming_ms=NAMING_MS)
    assert found.decisions == ()
    assert found.sight
    assert len(found.requirements) == 1


def test_members_that_differ_at_rest_are_told_with_what_they_hold():
    with Session(spoilt(Misreads)) as session:
        steps = calls(settles=True)[:4]
        history = play_plan(msgspec.structs.replace(MEMBERS, steps=steps), session).history
    seen = sight(history)
    assert seen is not None
    assert seen.requirement == "CONS-RR-04"
    assert seen.words == "at rest C holds t1 in r[x] and not t2, which A put"


@pytest.mark.parametrize("plan", [MEMBERS, SITES, CLIENTS])
def test_of_a_right_history_nothing_is_said(plan: Plan):
    with Session(find_candidate("reference:chaotic")) as session:
        for settles in (True, False):
            history = play_plan(msgspec.structs.replace(plan, steps=calls(settles=settles)), session).history
            assert sight(history) is None
