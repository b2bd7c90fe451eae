"""State machine of parallel gateway senders: writers, pauses, a cut link, a death among the primaries.

Site 1 partitions one region or two, and sends them by its members in parallel; site 2 replicates them. Copies
are looked at only when everything has come to rest.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.queued_buckets import (
    BATCH_SIZES,
    HERE,
    REDUNDANCY,
    REQUIREMENTS,
    QueuedBucketsMachine,
)
from plumbline.suites.scenarios.parted_sites import parted_region, senders
from plumbline.suites.scenarios.sites import topology


class ParallelSendersMachine(QueuedBucketsMachine):
    """A parallel sender between two sites, whose members and link may fail."""

    keys = ("x", "y", "z", "other/x")
    most_writes = 5

    @initialize(here=HERE, redundancy=REDUNDANCY, batch_size=BATCH_SIZES, two=st.booleans())
    def begin(self, here: int, redundancy: int, batch_size: int, two: bool) -> None:
        """Choose members, copies, the sender, and whether two regions share it, before anything is called."""
        sites, queues = topology(here), senders(batch_size)
        self.feed(sites, queues, parted_region(sites, queues, redundancy), two=two)

    @rule(who=st.integers(0, 1), key=st.integers(0, 9))
    def get_there(self, who: int, key: int) -> None:
        """One reading at the other site."""
        self.do(self.change(who, OperationKind.GET, key, site=1))

    @rule(kind=st.sampled_from((FaultKind.LINK_DOWN, FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST)))
    @precondition(
        lambda self: (
            self.steps and Capability.LINK_FAULTS in self.offers and not self.broken and not self.parked
        )
    )
    def cut(self, kind: FaultKind) -> None:
        """The link is cut, or loses its answers."""
        self.break_(Fault(kind=kind, site=1, remote_site=2))


PARALLEL_SENDER_MACHINES = (
    Machine(
        name="parallel_senders",
        requirements=REQUIREMENTS,
        needs=(
            Capability.PARTITIONED_REGIONS,
            Capability.REPLICATED_REGIONS,
            Capability.GATEWAYS,
            Capability.PARALLEL_SENDERS,
        ),
        draws=ParallelSendersMachine,
        most_rules=8,
    ),
)
"""The machine of parallel gateway senders."""
