"""What machines share whose queues gather events, are cut off, fail and change hands, at two sites.

Knows the faults. Which queues there are, and what is said of their events, each machine chooses itself.
"""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import ScriptQueue
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import ANSWERS
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.machines.gateways import GatewayOrderMachine
from plumbline.suites.machines.sites_drawing import HERE, THERE

CHANGES = st.sampled_from((OperationKind.PUT,) * 3 + (OperationKind.DESTROY,))
"""What is called mostly: puts, and a destroy now and then."""


class GatheringMachine(GatewayOrderMachine):
    """Events of several keys wait together, are cut off, fail, and outlive the member that queued them."""

    def __init__(self) -> None:
        super().__init__()
        self.faults = 0

    @property
    def listens(self) -> bool:
        """Whether there is a queue that listens, behind the senders of both sites."""
        return len(self.queues) > len(("here", "there"))

    @rule(
        keys=st.lists(st.sampled_from(GatewayOrderMachine.keys), min_size=3, max_size=5),
        kinds=st.lists(CHANGES, min_size=5, max_size=5),
        who=st.integers(0, 1),
    )
    @precondition(lambda self: not self.parked)
    def gather(self, keys: list[str], kinds: list[OperationKind], who: int) -> None:
        """Events of several keys wait together behind a sender that is paused."""
        self.rest()
        self.break_(*self.pauses(0))
        for turn, (key, kind) in enumerate(zip(keys, kinds, strict=False)):
            self.do(self.change(who + turn, HERE, kind, key))

    @rule(
        who=st.integers(0, 1),
        kind=CHANGES,
        key=st.sampled_from(GatewayOrderMachine.keys_there),
        waits=st.booleans(),
    )
    def call_there(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation of the other site's keys."""
        operation = self.change(who, THERE, kind, key)
        (self.do if waits else self.start)(operation)

    @rule(behind=st.integers(1, 3), who=st.integers(0, 1), key=st.integers(0, 2))
    @precondition(
        lambda self: (
            self.writes and not (self.faults or self.broken) and Capability.LINK_FAULTS in self.offers
        )
    )
    def cut(self, behind: int, who: int, key: int) -> None:
        """The link is cut while an event may be under way; others are called behind it."""
        self.start(self.change(who, HERE, OperationKind.PUT, self.keys[key]))
        self.faults += 1
        self.break_(Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2))
        for turn in range(behind):
            self.do(
                self.change(who + turn, HERE, OperationKind.PUT, self.keys[(key + turn) % len(self.keys)])
            )

    @rule(victim=st.sampled_from((*HERE, *HERE, *THERE)))
    @precondition(
        lambda self: (
            self.broken and not (self.faults or self.parked) and Capability.MEMBER_FAULTS in self.offers
        )
    )
    def crash(self, victim: str) -> None:
        """A member dies while events wait; the other goes on with its own copy of them."""
        self.settle_now()
        self.faults += 1
        self.break_(Fault(kind=FaultKind.CRASH, member=victim))

    @rule(answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=2))
    @precondition(
        lambda self: self.listens and Capability.CALLBACK_SCRIPTS in self.offers and not self.parked
    )
    def fail(self, answers: list[str]) -> None:
        """The listeners of the queue that listens are told what to answer to their next calls."""
        self.settle_now()
        for member in HERE:
            if member not in self.dead:
                self.steps.append(ScriptQueue(member, self.queues[-1].id, tuple(answers)))


def writes_named_key(
    history: History, named: set[tuple[int, str]], kinds: Collection[OperationKind] = tuple(OperationKind)
) -> bool:
    """Whether an operation of these kinds is called on a key that is named for its site.

    Args:
        history: what was called.
        named: the site's number and the key.
        kinds: the kinds that count.
    """
    site_of = history.topology.site_of
    return any(
        what.operation.kind in kinds and (site_of(what.operation.member).number, what.operation.key) in named
        for what in history.timeline
        if isinstance(what, Called)
    )
