"""A state machine of two sites of which one groups transactions: what is queued together crosses together.

An extension. Transactions of several keys wait beside puts behind a paused sender. Answers are lost, and
members die with what their queues hold. Little goes on at once: a commit's changes have many orders already.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.gateways import WROTE_BY_BOTH_MOST
from plumbline.suites.machines.mixture_drafts import of_thread
from plumbline.suites.machines.sites_drawing import HERE, THERE, SitesMachine
from plumbline.suites.scenarios.sites import queues

_CHANGES = st.sampled_from((OperationKind.PUT,) * 4 + (OperationKind.DESTROY,))
_SIZES = (1, 1, 2, 3)
_KEYS = ("x", "y", "z")
_KEYS_THERE = ("p", "q")
_MOST = 2
"""So many transactions a plan has at most: their changes may take effect in any order."""


class TransactionGroupsMachine(SitesMachine):
    """Transactions and puts through a sender with small batches, which is held back, and loses its member."""

    most_per_key = WROTE_BY_BOTH_MOST
    keys = _KEYS

    def __init__(self) -> None:
        super().__init__()
        self.transactions = 0

    @initialize(batch_size=st.sampled_from(_SIZES))
    def begin(self, batch_size: int) -> None:
        """Choose the senders before anything is called."""
        self.lead_by(queues(batch_size, groups=1))

    def _transaction(self, who: int, changes: list[tuple[OperationKind, str]]) -> None:
        planned = [self.change(who, HERE, kind, key) for kind, key in changes]
        member, thread = planned[0].member, f"transaction {self.transactions} of {planned[0].member}"
        self.transactions += 1

        def called(kind: OperationKind) -> Operation:
            return of_thread(self.operation(member, kind, ""), thread)

        begin = called(OperationKind.TX_BEGIN)
        inside = [of_thread(operation, thread) for operation in planned]
        for operation in (begin, *inside, called(OperationKind.TX_COMMIT)):
            self.steps.append(Do(operation))

    @rule(who=st.integers(0, 1), kind=_CHANGES, key=st.sampled_from(_KEYS))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation at the site that groups transactions."""
        self.do(self.change(who, HERE, kind, key))

    @rule(who=st.integers(0, 1), kind=_CHANGES, key=st.sampled_from(_KEYS_THERE))
    def call_there(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation of the other site's keys."""
        self.do(self.change(who, THERE, kind, key))

    @rule(
        keys=st.lists(st.sampled_from(_KEYS), min_size=2, max_size=2, unique=True),
        kinds=st.lists(_CHANGES, min_size=3, max_size=3),
        who=st.integers(0, 1),
    )
    @precondition(lambda self: self.transactions < _MOST)
    def transact(self, keys: list[str], kinds: list[OperationKind], who: int) -> None:
        """A transaction of several keys, beside nothing else.

        What is put while it waits could go before or behind it: `gather` draws that, in few orders.
        """
        self.rest()
        self._transaction(who, list(zip(kinds, keys, strict=False)))
        self.rest()

    @rule(
        keys=st.lists(st.sampled_from(_KEYS), min_size=2, max_size=3, unique=True),
        before=st.booleans(),
        who=st.integers(0, 1),
        then=st.sampled_from(("goes on", "is looked at", "dies", "loses answers")),
    )
    @precondition(lambda self: self.transactions < _MOST)
    def gather(self, keys: list[str], before: bool, who: int, then: str) -> None:
        """A transaction waits beside a put behind a sender that is paused; then all comes to rest."""
        self.rest()
        self.break_(*self.pauses(0))
        self.settle_now()
        if before:
            self.do(self.change(who + 1, HERE, OperationKind.PUT, keys[0]))
        self._transaction(who, [(OperationKind.PUT, key) for key in keys])
        if not before:
            self.do(self.change(who + 1, HERE, OperationKind.PUT, keys[-1]))
        self.settle_now()
        if then == "is looked at":
            self.look_at_queues()
        elif then == "dies" and not self.dead and Capability.MEMBER_FAULTS in self.offers:
            self.break_(Fault(kind=FaultKind.CRASH, member=HERE[who]))
        elif then == "loses answers" and Capability.LINK_FAULTS in self.offers:
            self.break_(Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2))
        self.rest()

    def teardown(self) -> None:
        """A plan without a transaction gets one."""
        if self.steps and not self.transactions:
            who = self._count % 2
            self.gather(keys=list(self.keys[:2]), before=bool(who), who=who, then="is looked at")
        super().teardown()


def some_transaction_is_committed_where_they_are_grouped(history: History) -> bool:
    """Whether a member of a site whose sender groups transactions commits one."""
    grouping = {queue.site for queue in history.queues if queue.group_transactions}
    site_of = history.topology.site_of
    return any(
        what.operation.kind is OperationKind.TX_COMMIT and site_of(what.operation.member).number in grouping
        for what in history.timeline
        if isinstance(what, Called)
    )


TRANSACTION_GROUP_MACHINES = (
    Machine(
        name="transaction_groups",
        requirements=("EXT-GROUP-01", "EXT-GROUP-03", "EXT-GROUP-04"),
        needs=(
            Capability.REPLICATED_REGIONS,
            Capability.GATEWAYS,
            Capability.TRANSACTIONS,
            Capability.TRANSACTION_GROUPS,
        ),
        draws=TransactionGroupsMachine,
        counts=some_transaction_is_committed_where_they_are_grouped,
    ),
)
