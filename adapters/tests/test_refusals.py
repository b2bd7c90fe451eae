"""What may be answered as unsupported: what is not declared, and what the page names; nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest

from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.protocol import METHODS, Introduction
from plumbline.adapters.protocol_schema import DOCUMENT
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.adapters.refusals import PARTICULARS, UNCALLED
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Client,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    TombstoneSettings,
    Topology,
)

ONE = Topology((Site(1, ("A", "B")),))
TWO = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))
REGION = RegionAttributes(name="region")
QUEUE = QueueAttributes(id="to 2", site=1, remote_site=2)
CLIENT = Client(name="K", servers=("A",))
ALL = Interest(client="K", region="region")
BUCKETS = RegionAttributes(name="buckets", policy=RegionPolicy.PARTITION)

Ask = Callable[[CheckedAdapter], object]


def refusing(method: str, *, without: tuple[Capability, ...] = (), times: int = 99) -> CheckedAdapter:
    """A right adapter that refuses a method so many times, or from the first time on."""
    return CheckedAdapter(_Refusing(method, without, times))


class _Refusing(ReferenceAdapter):
    def __init__(self, method: str, without: tuple[Capability, ...], times: int) -> None:
        super().__init__()
        self._without = without
        inner = getattr(self, method)
        left = [times]

        def refuse(*arguments: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                return inner(*arguments)
            raise UnsupportedError(f"{method}: not today")

        setattr(self, method, refuse)

    def hello(self) -> Introduction:
        told = super().hello()
        kept = tuple(one for one in told.capabilities if one not in self._without)
        return msgspec.structs.replace(told, capabilities=kept)


def begun(
    adapter: CheckedAdapter,
    *regions: RegionAttributes,
    topology: Topology = ONE,
    queues: tuple[QueueAttributes, ...] = (),
) -> CheckedAdapter:
    adapter.hello()
    adapter.deploy(topology)
    for queue in queues:
        adapter.create_queue(queue)
    adapter.reset(regions or (REGION,))
    return adapter


def called(adapter: CheckedAdapter) -> CheckedAdapter:
    begun(adapter).begin(operation(OperationKind.PUT))
    return adapter


def killed(adapter: CheckedAdapter) -> CheckedAdapter:
    begun(adapter).crash("B")
    return adapter


def served(adapter: CheckedAdapter) -> CheckedAdapter:
    begun(adapter).start_client(CLIENT)
    return adapter


def durable(adapter: CheckedAdapter) -> CheckedAdapter:
    begun(adapter).start_client(Client(name="D", servers=("A",), durable_id="d"))
    return adapter


def operation(kind: OperationKind, number: int = 1, member: str = "A") -> Operation:
    return Operation(
        op_id=number, thread="t", member=member, region="region", kind=kind, key="x", token=f"v{number}"
    )


ALL = Interest(client="K", region="region")

PROMISED: list[tuple[str, Ask]] = [
    ("deploy", lambda it: (it.hello(), it.deploy(TWO))),
    ("reset", begun),
    ("begin", lambda it: begun(it).begin(operation(OperationKind.PUT))),
    ("begin", lambda it: begun(it).begin(operation(OperationKind.CLEAR))),
    ("begin", lambda it: begun(it).begin(operation(OperationKind.LOCAL_DESTROY))),
    ("begin", lambda it: begun(it).begin(operation(OperationKind.TX_BEGIN))),
    ("finish", lambda it: called(it).finish(1, 0)),
    ("observe", lambda it: begun(it).observe(0)),
    ("settle", lambda it: begun(it).settle(0)),
    ("contents", lambda it: begun(it).contents("A", "region")),
    ("arm", lambda it: begun(it).arm(Gate("A", 1))),
    ("await_parked", lambda it: begun(it).await_parked(Gate("A", 1), 0)),
    ("release", lambda it: begun(it).release(Gate("A", 1))),
    ("statistic", lambda it: begun(it).statistic("A", "conflatedEvents")),
    ("server_log", lambda it: begun(it).server_log("A")),
    ("keep_tombstones", lambda it: begun(it).keep_tombstones(TombstoneSettings(timeout_ms=1))),
    ("attributes", lambda it: begun(it).attributes("A", "region")),
    ("leave", lambda it: begun(it).leave("A", "region")),
    ("join", lambda it: begun(it).join("A", "region")),
    ("begin_join", lambda it: begun(it).begin_join("A", "region", held=False)),
    ("await_copy", lambda it: begun(it).await_copy("A", "region", 0)),
    ("release_copy", lambda it: begun(it).release_copy("A", "region")),
    ("finish_join", lambda it: begun(it).finish_join("A", "region", 0)),
    ("host", lambda it: begun(it).host("A", "region", checks=True, persistent=False)),
    ("views", lambda it: begun(it).views("A", "region")),
    ("queries", lambda it: begun(it).queries("A", "region")),
    ("redeliver", lambda it: begun(it).redeliver(1, "B")),
    ("crash", lambda it: begun(it).crash("B")),
    ("restart", lambda it: killed(it).restart("B", from_disk=False)),
    ("link", lambda it: begun(it, topology=TWO, queues=(QUEUE,)).link("1", "2", "down")),
    ("clock", lambda it: begun(it).clock(1, 0, frozen=True)),
    ("advance", lambda it: begun(it).advance(1)),
    ("create_queue", lambda it: begun(it, topology=TWO, queues=(QUEUE,))),
    ("queue_action", lambda it: begun(it, topology=TWO, queues=(QUEUE,)).queue_action("A", "to 2", "pause")),
    ("look_at_queue", lambda it: begun(it, topology=TWO, queues=(QUEUE,)).look_at_queue("A", "to 2")),
    ("script", lambda it: begun(it).script("A", "region", "writer", ("x",))),
    ("start_client", lambda it: begun(it).start_client(CLIENT)),
    ("client_action", lambda it: durable(it).client_action("D", "ready", keepalive=False)),
    (
        "interest",
        lambda it: served(it).interest(ALL),
    ),
    ("begin_interest", lambda it: served(it).begin_interest(9, ALL, held=False)),
    ("await_answer", lambda it: served(it).await_answer(9, 0)),
    ("release_answer", lambda it: served(it).release_answer(9)),
    ("finish_interest", lambda it: served(it).finish_interest(9, 0)),
    (
        "move_primary",
        lambda it: begun(it, RegionAttributes(name="b", policy=RegionPolicy.PARTITION)).move_primary(
            "b", "x", "A"
        ),
    ),
    (
        "placement",
        lambda it: begun(it, RegionAttributes(name="b", policy=RegionPolicy.PARTITION)).placement("b", "x"),
    ),
]


def test_every_method_that_the_suite_calls_is_among_the_promised():
    assert {method for method, _ in PROMISED} == METHODS.keys() - UNCALLED - {"hello", "close"}


@pytest.mark.parametrize(("method", "asks"), PROMISED)
def test_what_is_promised_cannot_be_refused(method: str, asks: Ask):
    with pytest.raises(AdapterError, match=rf"^{method}: answered as unsupported, though .*: not today$"):
        asks(refusing(method))


@pytest.mark.parametrize(("method", "asks"), PROMISED)
def test_what_is_not_declared_may_be_refused(method: str, asks: Ask):
    capability = METHODS[method].capability
    if capability is not None:
        with pytest.raises(UnsupportedError, match="not today"):
            asks(refusing(method, without=(capability,)))


@pytest.mark.parametrize(
    ("method", "asks"),
    [
        ("begin", lambda it: begun(it).begin(operation(OperationKind.DESTROY))),
        (
            "begin",
            lambda it: served(it).begin(operation(OperationKind.GET, 1, "K")),
        ),
        ("begin", lambda it: killed(it).begin(operation(OperationKind.PUT))),
        ("reset", lambda it: begun(it, REGION, RegionAttributes(name="other"))),
        ("reset", lambda it: begun(it, RegionAttributes(name="region", scope=Scope.NO_ACK))),
        ("reset", lambda it: begun(it, RegionAttributes(name="region", policy=RegionPolicy.LOCAL))),
        ("statistic", lambda it: begun(it).statistic("A", "tombstoneCount")),
        ("restart", lambda it: killed(it).restart("B", from_disk=True)),
        ("link", lambda it: begun(it, topology=TWO, queues=(QUEUE,)).link("1", "2", "drop_acks")),
        ("create_queue", lambda it: it.create_queue(msgspec.structs.replace(QUEUE, parallel=True))),
        ("script", lambda it: begun(it).script("A", "region", "resolver", ("throw",))),
        ("start_client", lambda it: begun(it).start_client(Client(name="K", servers=("A", "B")))),
        (
            "interest",
            lambda it: served(it).interest(
                Interest(client="K", region="region", kind="regex", specification=".*")
            ),
        ),
        ("arm", lambda it: served(it).arm(Gate("K", 1))),
        ("deploy", lambda it: (it.hello(), it.deploy(Topology((*TWO.sites, Site(3, ("E",))))))),
    ],
)
def test_what_the_page_names_may_be_refused(method: str, asks: Ask):
    with pytest.raises(UnsupportedError, match="not today"):
        asks(refusing(method))


def test_what_was_carried_out_once_cannot_be_refused_later_in_the_same_form():
    adapter = begun(CheckedAdapter(_Later()))
    adapter.begin(operation(OperationKind.DESTROY, 1))
    with pytest.raises(UnsupportedError):
        adapter.begin(operation(OperationKind.INVALIDATE, 2))
    with pytest.raises(AdapterError, match="though it has carried out the same before: no more"):
        adapter.begin(operation(OperationKind.DESTROY, 3))


def test_clients_of_partitioned_regions_do_not_promise_clients_without_acknowledgements():
    adapter = begun(CheckedAdapter(_Acknowledged()), BUCKETS)
    adapter.start_client(CLIENT)
    adapter.reset((RegionAttributes(name="region", scope=Scope.NO_ACK),))
    with pytest.raises(UnsupportedError, match="acknowledged"):
        adapter.start_client(CLIENT)


class _Acknowledged(ReferenceAdapter):
    """Has clients where regions are acknowledged."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        self._acknowledged = all(region.scope is not Scope.NO_ACK for region in regions)
        super().reset(regions)

    def start_client(self, client: Client) -> None:
        if not self._acknowledged:
            raise UnsupportedError("start_client: only where regions are acknowledged")
        super().start_client(client)


class _Later(ReferenceAdapter):
    """Refuses what comes behind its first operation."""

    def begin(self, operation: Operation) -> None:
        if operation.op_id > 1:
            raise UnsupportedError("begin: no more")
        super().begin(operation)


def test_the_methods_that_are_not_called_are_those_that_the_page_names():
    text = " ".join(DOCUMENT.read_text(encoding="utf-8").split())
    named = re.search(r"The suite does not call these yet: ([^.]*)\.", text)
    assert named is not None
    assert set(re.findall(r"`(\w+)`", named[1])) == UNCALLED
    assert PARTICULARS.keys() <= METHODS.keys() - UNCALLED
