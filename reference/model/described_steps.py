"""Described steps: what the model tells a reduction of a step that it makes.

Knows no condition: these are in `plumbline.reference.reduction`.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Message
from plumbline.reference.model.sites.site_state import WireName
from plumbline.reference.model.world import Call, World
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, View


class LocalChange(msgspec.Struct, frozen=True):
    """An operation changes the entry of the member that it was called on.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        operation: the operation.
        entry: the entry before.
        place: the log of the member's listener.
        has_token: whether the event names the operation.
        told_apart: whether the log shows the event at a place of its own.
    """

    world: World
    view: View
    operation: Operation
    entry: Entry
    place: Place
    has_token: bool
    told_apart: bool


class ReceivedChange(msgspec.Struct, frozen=True):
    """An update that arrives at a member changes its entry.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        member: where it arrives.
        operation: the operation.
        head: the message.
        entry: the entry before.
        times: how often the listener receives it.
        decided: whether the log decides which of its entries this event is.
    """

    world: World
    view: View
    member: str
    operation: Operation
    head: Message
    entry: Entry
    times: int
    decided: bool


class LostUpdate(msgspec.Struct, frozen=True):
    """An update that arrives at a member loses there, or finds nothing to do.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        member: where it arrives.
        operation: the operation.
        head: the message.
        place: the log of the member's listener.
        shown: the entry of that log, if the listener received it.
        decided: whether the log decides which of its entries this event is.
        order_kept: whether the order of the member ids is as known before as after.
        known_before: whether the outcome of the comparison was certain already.
    """

    world: World
    view: View
    member: str
    operation: Operation
    head: Message
    place: Place
    shown: Observation
    decided: bool
    order_kept: bool = True
    known_before: bool = True


class SilentChange(msgspec.Struct, frozen=True):
    """An update changes a copy, and the listener receives nothing of it.

    Attributes:
        view: what the logs show from here on.
        world: the state before.
        member: whose copy it is, of a member or a client.
        operation: the operation.
        place: the log of the listener.
        shown: the entry of that log, if the listener received it.
        decided: whether the log decides which of its entries this event is.
        remote: whether it is an event of another site.
        wire: the connection by which that came, where it is known.
    """

    world: World
    view: View
    member: str
    operation: Operation
    place: Place
    shown: Observation
    decided: bool
    remote: bool = False
    wire: WireName | None = None


class Arrival(msgspec.Struct, frozen=True):
    """An event arrives at a client, from a queue or as the answer to a call.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        client: where it arrives.
        operation: the operation.
        head: the message.
        place: the log of the client's listener.
        shown: the entry of that log, if the listener received it.
        decided: whether the log decides which of its entries this event is.
    """

    world: World
    view: View
    client: str
    operation: Operation
    head: Message
    place: Place
    shown: Observation
    decided: bool


class PerhapsDropped(msgspec.Struct, frozen=True):
    """A server comes to an event that its durable client had processed before it went.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        client: whose queue it is.
        operation: the operation.
        known: whether the client recognises the event, if it was not dropped.
        live: whether the client has passed its marker.
    """

    world: World
    view: View
    client: str
    operation: Operation
    known: bool
    live: bool


class QueuedForClient(msgspec.Struct, frozen=True):
    """A server may queue an event for a client.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        client: for whom.
        operation: the operation.
        primary: whether this server sends the client its events now; else it is a secondary.
        owed: whether the client has to be sent it; several answers where that is open.
    """

    world: World
    view: View
    client: str
    operation: Operation
    primary: bool
    owed: tuple[bool, ...]


class PrimaryChange(msgspec.Struct, frozen=True):
    """The primary of a key carries out an update.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        member: the primary.
        operation: the operation.
        entry: the entry before.
        place: the log of the primary's listener.
        shown: the entry of that log.
        decided: whether the log decides which of its entries this event is.
    """

    world: World
    view: View
    member: str
    operation: Operation
    entry: Entry
    place: Place
    shown: Observation
    decided: bool


class PrimarySending(msgspec.Struct, frozen=True):
    """A primary sends an update that it has carried out to the copies.

    Attributes:
        world: the state before.
        operation: the operation.
        call: how far it has come.
    """

    world: World
    operation: Operation
    call: Call


class PrimaryTakeover(msgspec.Struct, frozen=True):
    """The primary of a key has died, and another member takes over.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        region: the region.
        key: the key.
        ways: in how many ways the survivors may agree on the key's state.
    """

    world: World
    view: View
    region: str
    key: str
    ways: int = 1


class RemoteChange(msgspec.Struct, frozen=True):
    """An event of another site that arrives at a receiver changes its entry.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        member: the receiver.
        operation: the operation.
        wire: the connection over which it came.
        entry: the entry before.
        decided: whether the log decides which of its entries this event is.
        first: whether the receiver had not received it before.
        known_before: whether the outcome of the comparison was certain already.
    """

    world: World
    view: View
    member: str
    operation: Operation
    wire: WireName
    entry: Entry
    decided: bool
    first: bool
    known_before: bool


class RefusedEvent(msgspec.Struct, frozen=True):
    """An event of another site that arrives at a receiver loses there.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        operation: the operation.
        wire: the connection over which it came.
        place: the log of the receiver's listener.
        shown: the entry of that log, if the listener received it.
        decided: whether the log decides which of its entries this event is.
        known_before: whether the outcome of the comparison was certain already.
        may_apply: whether it may be applied instead.
        counted_once: whether it is open that the loss moves a counter.
        asked: whether a conflict resolver was asked.
    """

    world: World
    view: View
    operation: Operation
    wire: WireName
    place: Place
    shown: Observation
    decided: bool
    known_before: bool
    may_apply: bool
    counted_once: bool
    asked: bool


class RepeatedEvent(msgspec.Struct, frozen=True):
    """An event of another site arrives at a receiver that had it before.

    Attributes:
        view: what the logs show from here on.
        place: the log of the receiver's listener.
        shown: the entry of that log, if the listener received it once more.
        applies_again: whether it may be applied once more.
        told_by_peers: whether peers may show that it was applied once more, and its receiver shows nothing.
        ways: in how many ways it may be recognised.
    """

    view: View
    place: Place
    shown: Observation
    applies_again: bool
    told_by_peers: bool
    ways: int


class AnsweredBatch(msgspec.Struct, frozen=True):
    """A receiver answers what it has dealt with.

    Attributes:
        world: the state before.
        view: what the logs show from here on.
        wire: the connection.
    """

    world: World
    view: View
    wire: WireName
