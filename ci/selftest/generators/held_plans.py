"""Held plans: two sites whose listeners are held anywhere, also at receivers, while any fault happens.

Machines draw only plans on which their own faults have an effect. Here no plan is left out, so that repeated
events meet each kind of event under way. Knows plans; knows nothing of their outcome.
"""

from __future__ import annotations

import random

from plumbline.reference.history.actions import Inject, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan

SITES = {1: ("A", "B"), 2: ("C", "D")}
MEMBERS = tuple(member for members in SITES.values() for member in members)
MOST_CALLS = 5
KINDS = (*(OperationKind.PUT,) * 4, OperationKind.DESTROY)


class _Drawing:
    """A plan as far as it has been drawn, and what is held, dead, stopped or broken by then."""

    def __init__(self, draw: random.Random) -> None:
        self.steps: list[PlanStep] = []
        self._draw = draw
        self._keys = ("x",) if draw.random() < 0.8 else ("x", "y")
        self._calls = 0
        self._held: list[tuple[int, str]] = []
        self._dead: set[str] = set()
        self._stopped: set[str] = set()
        self._broken: set[int] = set()

    def take_step(self) -> None:
        """A call, held or not; a listener let go; a fault or its mending; or a rest."""
        chance = self._draw.random()
        if chance < 0.45 and self._calls < MOST_CALLS:
            self._call()
        elif chance < 0.65 and self._held:
            self.steps.append(Release(*self._held.pop(self._draw.randrange(len(self._held)))))
        elif chance < 0.9:
            self._break_or_mend()
        else:
            self.steps.append(Settle())

    def end(self) -> None:
        """Everything is let go and mended, in any order."""
        rest: list[PlanStep] = [Release(*held) for held in self._held]
        rest += [self._link(FaultKind.LINK_UP, site) for site in sorted(self._broken)]
        rest += [
            Inject(Fault(kind=FaultKind.RECEIVER_START, member=one))
            for one in sorted(self._stopped - self._dead)
        ]
        self._draw.shuffle(rest)
        self.steps += rest

    def _alive(self) -> list[str]:
        return [member for member in MEMBERS if member not in self._dead]

    def _call(self) -> None:
        self._calls += 1
        draw, number = self._draw, self._calls
        member, kind = draw.choice(self._alive()), draw.choice(KINDS)
        operation = Operation(
            op_id=number,
            thread=f"{member}-{number}",
            member=member,
            region="r",
            kind=kind,
            key=draw.choice(self._keys),
            token=f"{kind}-{number}-{member}",
        )
        if draw.random() < 0.55:
            at = draw.choice(self._alive())
            self._held.append((number, at))
            self.steps.append(Park(operation, at))
        else:
            self.steps.append(Start(operation))

    def _break_or_mend(self) -> None:
        """One of many kinds of fault, if it can be had now."""
        match self._draw.choice(("crash", "stop", "start", "cut", "lose", "mend")):
            case "crash" if not self._dead and self._draw.random() < 0.5:
                member = self._draw.choice(MEMBERS)
                self._dead.add(member)
                self._held = [held for held in self._held if held[1] != member]
                self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=member)))
            case "stop" if running := [one for one in self._alive() if one not in self._stopped]:
                member = self._draw.choice(running)
                self._stopped.add(member)
                self.steps.append(Inject(Fault(kind=FaultKind.RECEIVER_STOP, member=member)))
            case "start" if stopped := sorted(self._stopped - self._dead):
                member = self._draw.choice(stopped)
                self._stopped.discard(member)
                self.steps.append(Inject(Fault(kind=FaultKind.RECEIVER_START, member=member)))
            case "cut" | "lose" as what if whole := sorted(SITES.keys() - self._broken):
                site = self._draw.choice(whole)
                self._broken.add(site)
                self.steps.append(
                    self._link(FaultKind.LINK_DOWN if what == "cut" else FaultKind.REPLIES_LOST, site)
                )
            case "mend" if self._broken:
                site = self._draw.choice(sorted(self._broken))
                self._broken.discard(site)
                self.steps.append(self._link(FaultKind.LINK_UP, site))
            case _:
                pass

    @staticmethod
    def _link(kind: FaultKind, site: int) -> Inject:
        return Inject(Fault(kind=kind, site=site, remote_site=3 - site))


def draw_held_plan(draw: random.Random) -> Plan:
    """Up to five calls of two sites of two members, up to twelve steps of any kind, then all is let go."""
    drawing = _Drawing(draw)
    for _ in range(draw.randint(5, 12)):
        drawing.take_step()
    drawing.end()
    queues = tuple(QueueAttributes(id=f"to {3 - site}", site=site, remote_site=3 - site) for site in SITES)
    return Plan(
        Topology(tuple(Site(number, members) for number, members in SITES.items())),
        (RegionAttributes(name="r", senders=tuple(queue.id for queue in queues)),),
        tuple(drawing.steps),
        queues=queues,
    )
