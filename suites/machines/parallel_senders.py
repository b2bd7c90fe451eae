"""State machine of parallel gateway senders: writers, pauses, a cut link, a death among the primaries.

Site 1 partitions one region or two, and sends them by its members in parallel; site 2 replicates them. Copies
are looked at only when everything has come to rest.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Inject
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Client, OperationKind
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

CLIENTS = ("K", "L")
"""The client of each site."""

CLIENTS_SERVED = st.sampled_from(((), (), (), (0,), (1,), (0, 1)))
"""At which sites, by their places, clients have their servers."""


LEAPS_MS = (5, 10, 1_000)
MOST_WRITES = 5
MOST_WRITES_TIED = 3
"""The same where clients have what all keys bring in one queue, whose order is to be found."""


class ParallelSendersMachine(QueuedBucketsMachine):
    """A parallel sender between two sites, whose members and link may fail."""

    keys = ("x", "y", "z", "other/x")

    def __init__(self) -> None:
        super().__init__()
        self.most_writes = MOST_WRITES
        self.held = False

    @initialize(
        here=HERE,
        redundancy=REDUNDANCY,
        batch_size=BATCH_SIZES,
        two=st.booleans(),
        served=CLIENTS_SERVED,
        held=st.sampled_from((False, False, True)),
    )
    def begin(
        self,
        here: int,
        redundancy: int,
        batch_size: int,
        two: bool,
        served: tuple[int, ...] = (),
        held: bool = False,
    ) -> None:
        """Choose members, copies, the sender, clients, and whether two regions share it, or time is held."""
        sites, queues = topology(here), senders(batch_size)
        self.feed(sites, queues, parted_region(sites, queues, redundancy), two=two and not served)
        if Capability.CLIENTS in self.offers:
            self.clients = tuple(
                Client(name=CLIENTS[site], servers=sites.sites[site].members[-1:]) for site in served
            )
        if self.clients:
            self.most_writes = MOST_WRITES_TIED
        if held and Capability.VIRTUAL_TIME in self.offers:
            self.held = True
            self.steps.append(Inject(Fault(kind=FaultKind.HOLD_TIME)))

    @property
    def may_restart(self) -> bool:
        """See the base class."""
        return super().may_restart and not self.held

    @rule(milliseconds=st.sampled_from(LEAPS_MS))
    @precondition(lambda self: self.held and not self.parked)
    def time_passes(self, milliseconds: int) -> None:
        """Time passes where it is held, so that batches leave that are not full."""
        self.settle_now()
        self.steps.append(Inject(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds)))

    @rule(key=st.integers(0, 9), waits=st.booleans())
    @precondition(lambda self: self.clients and self.clients[0].servers[0] not in self.dead)
    def call_of_client(self, key: int, waits: bool) -> None:
        """A client of the first site puts a value."""
        client = self.clients[0]
        if client.name == CLIENTS[0]:
            operation = self.change(0, OperationKind.PUT, key)
            self.do(msgspec.structs.replace(operation, member=client.name), waits=waits)

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
        """The link is cut, or loses its answers; not these where clients may receive what comes again."""
        kind = FaultKind.LINK_DOWN if self.clients else kind
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
