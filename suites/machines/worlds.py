"""The state machine of worlds: what the other machines draw one by one, drawn together (see docs).

First come the features of a world: how regions, queues and clients are set up. Then come steps that have a
meaning with these. Faults are drawn as in `gateway_faults`.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, ScriptQueue
from plumbline.reference.history.listener_calls import ANSWERS
from plumbline.reference.history.operations import (
    CONDITIONAL,
    WHOLE_REGION,
    Client,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Scope,
)
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import NEVER_PUT, REGION, WRITES, Machine
from plumbline.suites.machines.gateways import MOST_FAULTS, GatewayFaultsMachine
from plumbline.suites.machines.restarts import LONG_VALUE_BYTES
from plumbline.suites.machines.sites_drawing import BATCH_SIZES, HERE, THERE
from plumbline.suites.scenarios.sites import BATCH_SIZE, queues

LISTENED = QueueAttributes(id="listened beside", site=1)
"""An asynchronous event queue beside the gateway sender."""

MOST_HELD_UP = 6
"""So many writes are drawn at most while something is broken: what is queued then may come in any order."""

MOST_HELD_UP_TIED = 3
"""The same where keys depend on each other."""

MOST_TRANSACTIONS = 3

RARER = {
    OperationKind.REPLACE_IF_EQUAL: Capability.CONDITIONAL_OPERATIONS,
    OperationKind.REMOVE_IF_EQUAL: Capability.CONDITIONAL_OPERATIONS,
    OperationKind.CONTAINS_KEY: Capability.REPLICATED_REGIONS,
    OperationKind.INVALIDATE_REGION: Capability.CLEAR,
}
"""Operations that other machines call rarely or not, and what a candidate must offer for them."""

_KEYS = GatewayFaultsMachine.keys
_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
_TIED = st.sampled_from(
    (
        *[()] * 3,
        ("clear",),
        ("listener",),
        ("listener", "clear"),
        ("K",),
        ("L",),
        ("K", "L"),
        ("K", "listener"),
    )
)
"""What ties keys together: clears, a listener, clients."""


class WorldsMachine(GatewayFaultsMachine):
    """Two sites with gateway senders; beside them queues with listeners, clients and transactions."""

    def __init__(self) -> None:
        super().__init__()
        self.clients: tuple[Client, ...] = ()
        self.listens = self.clears = False
        self.held = self.transactions = 0
        self.scope = Scope.ACK
        self.checks: bool | None = None

    @initialize(
        batch_size=st.sampled_from(BATCH_SIZES),
        dispatchers=st.sampled_from((1, 1, 1, 2)),
        tied=_TIED,
        redundancy=st.sampled_from((0, 0, 1)),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        checks=st.sampled_from((None, None, None, False)),
        long=st.sampled_from((False, False, False, True)),
    )
    def begin(
        self,
        batch_size: int,
        dispatchers: int = 1,
        tied: Collection[str] = (),
        redundancy: int = 0,
        *,
        scope: Scope = Scope.ACK,
        checks: bool | None = None,
        long: bool = False,
    ) -> None:
        """Choose what there is before anything is called, as far as the candidate offers it."""
        self.listens = "listener" in tied and Capability.ASYNC_QUEUES in self.offers
        self.clears = "clear" in tied and Capability.CLEAR in self.offers
        self.checks = checks if Capability.CHECKS_SETTING in self.offers else None
        if Capability.CLIENTS in self.offers:
            servers = {"K": HERE, "L": THERE[:1]}
            self.clients = tuple(
                Client(name=name, servers=servers[name], redundancy=redundancy if name == "K" else 0)
                for name in servers
                if name in tied
            )
        self.scope = Scope.ACK if self.tied else scope
        if self.listens:
            self.faults = MOST_FAULTS - 1
        if long and Capability.DISK in self.offers:
            self.value_bytes = LONG_VALUE_BYTES
            self.lead_by(queues(BATCH_SIZE, memory_mb=1))
        else:
            self.lead_by(queues(batch_size, dispatchers=dispatchers))

    def change(self, who: int, of: tuple[str, ...], kind: OperationKind, key: str) -> Operation:
        """The next operation; what is broken is mended where enough is held up."""
        self.held = self.held + 1 if self.broken else 0
        if self.held > (MOST_HELD_UP_TIED if self.tied else MOST_HELD_UP):
            self.rest()
            self.held = 0
        return super().change(who, of, kind, key)

    @property
    def tied(self) -> bool:
        """Whether keys depend on each other, so that orders of what is under way multiply.

        A listener is called with several keys at once, a clear is of all of them, and so is what a client
        has in its queue.
        """
        return self.listens or self.clears or bool(self.clients)

    def start(self, operation: Operation) -> None:
        """Plan to call an operation and to go on; where keys are tied it is waited for."""
        if self.tied:
            self.do(operation)
        else:
            super().start(operation)

    @rule(who=st.integers(0, 1), key=st.sampled_from(_KEYS))
    @precondition(lambda self: self.clients)
    def call_of_client(self, who: int, key: str) -> None:
        """A client that has one server puts a value."""
        client = self.clients[who % len(self.clients)]
        of = {"K": HERE, "L": THERE}[client.name]
        if len(client.servers) > 1 or client.servers[0] in self.dead or of is THERE:
            return
        self.do(msgspec.structs.replace(self.change(0, of, OperationKind.PUT, key), member=client.name))

    @rule(who=st.integers(0, 1), key=st.sampled_from(_KEYS))
    @precondition(lambda self: self.clears)
    def clear(self, who: int, key: str) -> None:
        """The region is cleared on every member of a site, all being settled, and written anew."""
        self.settle_now()
        self.do(self.change(who, HERE, OperationKind.CLEAR, ""))
        self.do(self.change(who, HERE, OperationKind.PUT, key))

    @rule(who=st.integers(0, 1), kind=st.sampled_from((OperationKind.PUT, OperationKind.DESTROY)))
    @precondition(lambda self: Capability.BULK_OPERATIONS in self.offers)
    def call_of_several_keys(self, who: int, kind: OperationKind) -> None:
        """One operation of two keys at once."""
        bulk = self.as_bulk(kind, self.keys[:2])
        alive = [member for member in HERE if member not in self.dead]
        if bulk is not None:
            self.do(self.bulk(alive[who % len(alive)], bulk, self.keys[:2]))

    @rule(
        who=st.integers(0, 1),
        kind=st.sampled_from(tuple(RARER)),
        key=st.sampled_from(_KEYS),
        right=st.booleans(),
    )
    def call_of_a_rarer_kind(self, who: int, kind: OperationKind, key: str, right: bool) -> None:
        """An operation that expects a value, one that asks for a key, or one on the whole region."""
        if RARER[kind] not in self.offers:
            return
        if kind in WHOLE_REGION:
            self.settle_now()
            self.do(self.change(who, HERE, kind, ""))
        elif kind in CONDITIONAL:
            if key in self.removed:
                self.settle_now()
            self.removed.add(key)
            expected = self.latest.get(key, NEVER_PUT) if right else NEVER_PUT
            self.do(msgspec.structs.replace(self.change(who, HERE, kind, key), expected=expected))
        else:
            self.do(self.change(who, HERE, kind, key))

    @rule(who=st.integers(0, 1), kinds=st.lists(_KINDS, min_size=1, max_size=2), commits=st.booleans())
    @precondition(lambda self: self.transactions < MOST_TRANSACTIONS and not self.tied and not self.parked)
    @precondition(lambda self: Capability.TRANSACTIONS in self.offers)
    def transact(self, who: int, kinds: list[OperationKind], commits: bool) -> None:
        """A transaction changes one key or two, and commits or is rolled back."""
        self.settle_now()
        self.transactions += 1
        alive = [member for member in HERE if member not in self.dead]
        member = alive[who % len(alive)]
        end = OperationKind.TX_COMMIT if commits else OperationKind.TX_ROLLBACK
        thread = f"{member} transacts {self._count}"
        called = [
            self.operation(member, OperationKind.TX_BEGIN, ""),
            *(self.operation(member, kind, key) for kind, key in zip(kinds, self.keys, strict=False)),
            self.operation(member, end, ""),
        ]
        self.steps += [Do(msgspec.structs.replace(one, thread=thread, value_bytes=0)) for one in called]

    @rule(answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=2))
    @precondition(lambda self: self.listens and Capability.CALLBACK_SCRIPTS in self.offers)
    def fail(self, answers: list[str]) -> None:
        """The listeners of the queue are told what to answer to their next calls."""
        self.settle_now()
        for member in HERE:
            if member not in self.dead:
                self.steps.append(ScriptQueue(member, LISTENED.id, tuple(answers)))

    @rule(who=st.integers(0, 5), key=st.sampled_from(_KEYS))
    def get(self, who: int, key: str) -> None:
        """One reading, on a member or on a client."""
        anyone = [m for m in self.members if m not in self.dead]
        self.do(self.operation(anyone[who % len(anyone)], OperationKind.GET, key))

    def plan(self) -> Plan:
        """The plan so far, with everything mended in the end."""
        whole = super().plan()
        shared = tuple(self._set_up(region) for region in whole.regions)
        listened = (LISTENED,) if self.listens else ()
        return msgspec.structs.replace(
            whole, regions=shared, queues=(*whole.queues, *listened), clients=self.clients
        )

    def _set_up(self, region: RegionAttributes) -> RegionAttributes:
        listened = (LISTENED.id,) if self.listens and region.name == REGION else ()
        return msgspec.structs.replace(region, scope=self.scope, checks=self.checks, queues=listened)


WORLD_MACHINES = (
    Machine(
        name="worlds",
        requirements=(
            "WAN-ASYNC-01",
            "WAN-ORDER-01",
            "GWQ-PROC-02",
            "GWQ-ACK-01",
            "SHQ-FIFO-01",
            "RCV-APPLY-01",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.GATEWAYS),
        draws=WorldsMachine,
        most_rules=6,
    ),
)
"""The machine of worlds."""
