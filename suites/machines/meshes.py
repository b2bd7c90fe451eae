"""State machines of conflicts: between three sites, and with conflict resolvers."""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import OperationKind, QueueAttributes, Scope, Topology
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import WRITES, Machine
from plumbline.suites.machines.gateways import ConflictsMachine, SitesConflictsMachine
from plumbline.suites.machines.sites_drawing import BATCH_SIZES
from plumbline.suites.scenarios import mesh
from plumbline.suites.scenarios.sites import regions

_SITED = (mesh.MESH, mesh.MESH, mesh.CHAIN, mesh.RING)
_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
_POLICIES = (
    "allow",
    "disallow",
    "replace",
    "throw",
    "prefer 1 within 600000 ms",
    "prefer 2 within 600000 ms",
)


class ThreeSitesMachine(ConflictsMachine):
    """All sites change the same keys; links are cut and healed one by one, for any order of arrival.

    Each is linked to each, or they are in a chain or a ring, where events travel on if the candidate says so.
    """

    keys = ConflictsMachine.keys

    def __init__(self) -> None:
        super().__init__()
        self.sited = mesh.MESH
        self.members = self.topology.members

    @property
    def topology(self) -> Topology:
        """The sites."""
        return self.sited.topology

    @initialize(batch_size=st.sampled_from(BATCH_SIZES), sited=st.sampled_from(_SITED))
    def begin(self, batch_size: int, sited: mesh.Sited = mesh.MESH) -> None:
        """Choose sites and senders before anything is called."""
        self.batch_size, self.sited = batch_size, sited
        self.members = self.topology.members
        self.region = regions(self.senders, Scope.ACK, None)[0]

    @property
    def senders(self) -> tuple[QueueAttributes, ...]:
        """The gateway senders between the sites."""
        return mesh.queues(self.batch_size, self.sited.links)

    @rule(
        sites=st.permutations((0, 1, 2)),
        kinds=st.lists(_KINDS, min_size=3, max_size=3),
        who=st.integers(0, 1),
        key=st.sampled_from(keys),
        links=st.permutations(mesh.LINKS),
        settles=st.booleans(),
    )
    def conflict(
        self,
        sites: list[int],
        kinds: list[OperationKind],
        who: int,
        key: str,
        links: list[mesh.Link],
        settles: bool,
    ) -> None:
        """Three sites change a key while nothing passes between them; links are mended one by one."""
        self.rest()
        self.do(self.change(who, self.members, OperationKind.PUT, key))
        self.rest()
        self.break_(*(_cut(link) for link in links if link in self.sited.links))
        for site, kind in zip(sites, kinds, strict=True):
            self.do(self.change(who, self.topology.sites[site].members, kind, key))
        if settles:
            self.steps.append(Settle())
        self.mend()
        self.rest()

    @rule(link=st.sampled_from(mesh.LINKS))
    @precondition(lambda self: self.steps)
    def cut(self, link: mesh.Link) -> None:
        """The way from one site to another is cut for a while."""
        if link in self.sited.links and _cut(link) not in self.broken:
            self.break_(_cut(link))

    @rule()
    @precondition(lambda self: self.steps)
    def settle(self) -> None:
        """Everything that was called crosses, comes to rest and is looked at."""
        self.rest()

    def plan(self) -> Plan:
        """The plan so far, with everything mended in the end."""
        shared, _ = regions(self.senders, Scope.ACK, None)
        return Plan(self.topology, (shared,), (*self.steps, *self.closing()), self.senders)


class ResolverMachine(SitesConflictsMachine):
    """Both sites change the same keys, and a conflict resolver of some policy decides."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = _POLICIES[0]

    @initialize(batch_size=st.sampled_from(BATCH_SIZES), policy=st.sampled_from(_POLICIES))
    def begin(self, batch_size: int, policy: str = _POLICIES[0]) -> None:
        """Choose senders and policy before anything is called."""
        self.batch_size, self.policy = batch_size, policy

    def plan(self) -> Plan:
        """The plan so far, with the resolver."""
        return msgspec.structs.replace(super().plan(), resolver=self.policy)


def _cut(link: mesh.Link) -> Fault:
    return Fault(kind=FaultKind.LINK_DOWN, site=link[0], remote_site=link[1])


_NEEDS = (Capability.REPLICATED_REGIONS, Capability.GATEWAYS, Capability.LINK_FAULTS)

MESH_MACHINES = (
    Machine(
        name="three_sites",
        requirements=("WANC-MULTI-01", "WANC-CHK-01", "WANC-TS-01", "WANC-TS-02"),
        needs=_NEEDS,
        draws=ThreeSitesMachine,
    ),
    Machine(
        name="resolved_conflicts",
        requirements=tuple(f"WANC-RESOLVER-{number:02}" for number in range(1, 8)),
        needs=(*_NEEDS, Capability.CALLBACK_SCRIPTS),
        draws=ResolverMachine,
    ),
)
"""The machines of three sites, and of conflict resolvers."""
