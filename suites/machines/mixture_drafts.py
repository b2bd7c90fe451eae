"""The plan of a mixture while it is drawn: who lives, what is broken or under way, how it comes to rest.

Little is under way at a time, as the search has to try every order of it. Knows no features.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import msgspec

from plumbline.reference.history.actions import Do, Finish, Inject, Join, PlanStep, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.suites.machines.drawing import REGION, PlanMachine
from plumbline.suites.machines.mixture_setups import SetUp, set_up
from plumbline.suites.machines.sites_drawing import MENDING, mending

KEYS = ("x", "y")
CLIENT = "K"
MOST_HELD_UP = 3
"""So many operations are called at most while something is broken, parked or under way.

Between two settle points there are at most twice as many. Where more orders are possible, there are fewer.
"""

MOST_PER_KEY = 3

_MOSTLY = 5
"""Members are drawn from eight; those up to this one are of the first site."""

_STATE = (
    *("steps", "parked", "busy", "writes", "latest", "removed", "_count"),
    *("broken", "dead", "closed", "held_up", "unseen", "started", "away", "ready", "ending"),
)


class DraftMachine(PlanMachine):
    """What a mixture has planned so far."""

    def __init__(self) -> None:
        super().__init__()
        self.world: SetUp = set_up((), 0)
        self.most = MOST_HELD_UP
        self.broken: list[Fault] = []
        self.dead: set[str] = set()
        self.closed = ""
        self.held_up = self.unseen = 0
        self.started: list[int] = []
        self.ending: list[Do] = []
        self.away = False
        self.ready = False

    # What may be planned.

    @property
    def calls(self) -> int:
        """How many operations there are."""
        return self._count

    def attempt(self, extend: Callable[[], None]) -> bool:
        """Whether the plan was extended: not by what the model could not follow then."""
        before = {name: copy.copy(getattr(self, name)) for name in _STATE}
        extend()
        if not unmodelled(self.plan()):
            return len(self.steps) > len(before["steps"]) or self.ending != before["ending"]
        for name, value in before.items():
            setattr(self, name, value)
        return False

    def alive(self, site: int) -> list[str]:
        """The members of a site, by its place, that live and have their copies."""
        sites = self.world.topology.sites
        return [m for m in sites[site % len(sites)].members if m not in self.dead and m != self.closed]

    def caller(self, who: int) -> str:
        """A member that can call, mostly of the first site."""
        alive = self.alive(who % len(self.world.topology.sites) if who > _MOSTLY else 0)
        return alive[who % len(alive)]

    def crowded(self, key: str) -> bool:
        """Whether enough writes of the key are under way between two settle points."""
        return self.writes.get(key, 0) >= MOST_PER_KEY

    # How it is planned.

    def make_room(self, *keys: str) -> None:
        """Come to rest where enough is held up, or was called since the last rest."""
        self.held_up = self.held_up + 1 if self.broken or self.parked or self.started else 0
        self.unseen += 1
        if self.held_up > self.most or self.unseen > 2 * self.most or any(map(self.crowded, keys)):
            self.rest()

    def call(self, who: int, kind: OperationKind, key: str, *, waits: bool = True) -> None:
        """Plan an operation of a member."""
        self.make_room(key)
        self.put_in(self.operation(self.caller(who), kind, key), waits=waits)

    def put_in(self, operation: Operation, *, waits: bool = True) -> None:
        """Plan an operation, and to wait for it unless something may hold it up."""
        self.steps.append(Do(operation) if waits else Start(operation))
        if self.parked or not waits:
            self.busy.add(operation.thread)
            self.started.append(operation.op_id)

    def settle_now(self) -> None:
        """Plan to release, finish and look at everything that can end."""
        super().settle_now()
        self.held_up, self.unseen = self.held_up if self.broken else 0, 0
        self.steps.extend(map(Finish, self.started))
        self.started.clear()

    def quiet(self) -> None:
        """Plan that no call is under way; what is broken stays so."""
        if self.parked or self.started:
            self.settle_now()

    def mend(self) -> None:
        """Plan to mend what is broken."""
        self.steps += [Inject(mending(fault)) for fault in self.broken if fault.member not in self.dead]
        self.broken.clear()

    def rest(self) -> None:
        """Plan that all that was called reaches all that live, and to look at it."""
        self.mend()
        self.settle_now()

    def break_(self, *faults: Fault) -> None:
        """Plan faults, where they do not hold already."""
        for fault in faults:
            if fault.member in self.dead or fault in self.broken:
                continue
            self.steps.append(Inject(fault))
            if fault.kind is FaultKind.CRASH:
                self.dead.add(fault.member)
            elif fault.kind in MENDING:
                self.broken.append(fault)

    def is_broken(self, kind: FaultKind) -> bool:
        """Whether some fault of the kind holds."""
        return any(fault.kind is kind for fault in self.broken)

    def plan(self) -> Plan:
        """The plan so far, with everything mended in the end."""
        closing: list[PlanStep] = [
            Inject(mending(fault)) for fault in self.broken if fault.member not in self.dead
        ]
        if self.closed:
            closing += [Settle(), Join(self.closed, REGION)]
        if not self.parked:
            closing += [Settle(), *self.ending, *[Settle()] * bool(self.ending)]
        world = self.world
        return Plan(
            world.topology,
            (world.region,),
            (*self.steps, *closing),
            world.queues,
            clients=world.clients,
            resolver=world.resolver,
        )


def of_thread(operation: Operation, thread: str) -> Operation:
    """The operation on another thread."""
    return msgspec.structs.replace(operation, thread=thread)
