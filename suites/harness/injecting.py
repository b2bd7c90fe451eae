"""What each fault asks of an adapter. Knows nothing of when faults are asked for, nor of what they cause."""

from __future__ import annotations

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Client, Topology

_LINK_STATES = {
    FaultKind.LINK_DOWN: "down",
    FaultKind.LINK_UP: "up",
    FaultKind.REPLIES_LOST: "drop_acks",
    FaultKind.ANSWERS_LOST: "drop_acks",
    FaultKind.ANSWERS_BACK: "up",
}


_CLIENT_ACTIONS = {
    FaultKind.CLIENT_READY: ("ready", False),
    FaultKind.CLIENT_CLOSE: ("close", False),
    FaultKind.CLIENT_DETACH: ("close", True),
    FaultKind.CLIENT_CRASH: ("kill", False),
}


def inject(adapter: Adapter, fault: Fault, topology: Topology, clients: tuple[Client, ...] = ()) -> None:
    """Have the adapter cause a fault, or mend it; comes back when it is done."""
    match fault.kind:
        case FaultKind.CRASH:
            adapter.crash(fault.member)
        case FaultKind.RESTART | FaultKind.RECOVER:
            adapter.restart(fault.member, from_disk=fault.kind is FaultKind.RECOVER)
        case FaultKind.MOVE_PRIMARY:
            adapter.move_primary(fault.region, fault.key, fault.member)
        case FaultKind.RECEIVER_STOP | FaultKind.RECEIVER_START:
            action = fault.kind.removeprefix("receiver_")
            adapter.queue_action(fault.member, "receiver", action)
        case FaultKind.PAUSE | FaultKind.RESUME:
            adapter.queue_action(fault.member, fault.queue, fault.kind)
        case _ if fault.kind in _LINK_STATES:
            ends = (str(fault.site), str(fault.remote_site))
            adapter.link(*((fault.client, fault.member) if fault.client else ends), _LINK_STATES[fault.kind])
        case FaultKind.HOLD_TIME | FaultKind.LET_RUN:
            for site in topology.sites:
                adapter.clock(site.number, 0, fault.kind is FaultKind.HOLD_TIME)
        case FaultKind.CLOCK_SET:
            adapter.clock(fault.site, fault.milliseconds, frozen=True)
        case FaultKind.TIME_LEAP:
            adapter.advance(fault.milliseconds)
        case FaultKind.CLIENT_START:
            adapter.start_client(_again(fault, clients))
        case _:
            adapter.client_action(fault.client, *_CLIENT_ACTIONS[fault.kind])


def _again(fault: Fault, clients: tuple[Client, ...]) -> Client:
    """The client that starts again, with the time-out that it announces."""
    (client,) = (one for one in clients if one.name == fault.client)
    if not fault.milliseconds:
        return client
    return msgspec.structs.replace(client, durable_timeout_s=fault.milliseconds // 1000)
