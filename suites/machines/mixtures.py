"""The state machine of mixtures: features by a covering array, each happening while the others hold.

A mixture is a handful of features, named as in `reports/features.py`. Some set up what there is, others are
steps. What the model could not follow in this plan is left out, so that each plan can be judged.
"""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Inject
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.suites.machines.covering import covering
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.mixture_drafts import KEYS, MOST_HELD_UP, DraftMachine
from plumbline.suites.machines.mixture_setups import SETUPS, set_up
from plumbline.suites.machines.mixture_steps import KINDS, STEPS

FEATURES = tuple(dict.fromkeys((*SETUPS, *STEPS)))
FEATURES_AT_ONCE = 7
CHAPTERS = 48
"""At least as many as there are sets of features, so that each is drawn in a gate run.

Drawn numbers would not do: Hypothesis repeats parts of what it has drawn, and misses half of the sets.
"""

_FORMS = 12
_TIES = frozenset(
    (
        *("three sites", "held clocks", "conflict resolver", "client", "client with redundancy"),
        *("transaction", "listener of a queue that fails", "several dispatchers", "calls that do not wait"),
    )
)
"""What multiplies the orders that the search has to try."""


class MixturesMachine(DraftMachine):
    """A handful of features in one plan."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: tuple[str, ...] = ()
        self.times: dict[str, int] = {}

    @initialize(which=st.integers(0, _FORMS - 1))
    def begin(self, which: int) -> None:
        """Set up the features of this chapter, as far as the candidate offers them."""
        mixed = rows()
        self.set_up(mixed[self.chapter % len(mixed)], which)

    def set_up(self, features: tuple[str, ...], which: int) -> None:
        """Set up what these features need."""
        offered = [name for name in features if self.offers.issuperset(_needs(name))]
        self.chosen = tuple(name for name in FEATURES if name in offered)
        self.world = set_up(self.chosen, which)
        self.members = self.world.topology.members
        self.region = self.world.region
        self.most = max(1, MOST_HELD_UP - len(_TIES.intersection(self.chosen)))
        if "held clocks" in self.chosen:
            self.steps.append(Inject(Fault(kind=FaultKind.HOLD_TIME)))

    @rule(
        who=st.integers(0, 7),
        kind=st.sampled_from(KINDS),
        key=st.sampled_from(KEYS),
        waits=st.sampled_from((True, True, True, False)),
    )
    def write(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation, mostly waited for."""
        self.attempt(lambda: self.call(who, kind, key, waits=waits))

    @rule(
        which=st.integers(0, FEATURES_AT_ONCE - 1),
        who=st.integers(0, 7),
        key=st.sampled_from(KEYS),
        how=st.integers(0, _FORMS - 1),
    )
    def step(self, which: int, who: int, key: str, how: int) -> None:
        """What one of the features has happen."""
        steps = [name for name in self.chosen if name in STEPS]
        if steps:
            self.take(steps[which % len(steps)], who, key, how)

    @rule()
    @precondition(lambda self: self.steps)
    def settle(self) -> None:
        """Everything is mended, comes to rest and is looked at."""
        self.rest()

    def take(self, name: str, who: int, key: str, how: int) -> bool:
        """Whether what a feature has happen was planned."""
        taken = self.attempt(lambda: STEPS[name].take(self, who, key, how))
        self.times[name] = self.times.get(name, 0) + taken
        return taken

    def meet(self) -> None:
        """Have each feature happen twice, one after the other, so that all meet."""
        for turn in range(2):
            for at, name in enumerate(self.chosen):
                if name in STEPS and self.times.get(name, 0) <= turn:
                    self.take(name, at, KEYS[turn], turn + 1)

    def teardown(self) -> None:
        """The plan is complete once its features have met."""
        if self.steps:
            self.meet()
        super().teardown()


def _needs(name: str) -> set[Capability]:
    """What a candidate must offer for a feature."""
    return {*SETUPS.get(name, ()), *(STEPS[name].needs if name in STEPS else ())}


def may_meet(one: str, other: str) -> bool:
    """Whether the model follows two features in one plan."""
    machine = type("Probe", (MixturesMachine,), {"offers": frozenset(Capability)})()
    machine.set_up((one, other), 0)
    if unmodelled(machine.plan()):
        return False
    return all(machine.take(name, 0, KEYS[0], 1) for name in (one, other) if name in STEPS)


@lru_cache(maxsize=1)
def rows() -> tuple[tuple[str, ...], ...]:
    """The sets of features that are drawn: each pair that the model follows is in one of them."""
    return covering(FEATURES, may_meet, FEATURES_AT_ONCE)


MIXTURE_MACHINES = (
    Machine(
        name="mixtures",
        requirements=("CONS-RR-01", "VER-CMP-01"),
        needs=(Capability.REPLICATED_REGIONS,),
        draws=MixturesMachine,
        most_rules=6,
        chapters=CHAPTERS,
    ),
)
"""The machine of mixtures."""
