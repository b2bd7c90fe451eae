"""Messages: operations on their way from one member to another, or to a client.

Knows what is on the way, not when it arrives.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import msgspec

from plumbline.reference.model.entry import Entry
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN, Queued, WireName
from plumbline.reference.rulebook.values import Stamp


class MessageState(IntEnum):
    """A message is on the way, stands at a gate after it was applied, or is to be rolled back."""

    ON_THE_WAY = 0
    PARKED = 1
    ROLLBACK = 2


class Message(msgspec.Struct, frozen=True):
    """An operation on its way to one member.

    `update` says that the key was there where it was called, or may have been at a server that tells a client
    of it; `before` is what a rollback restores. `sure` is
    False if it may as well never have been sent, `bare` tells a client that its value is no longer valid,
    without the new one. `renamed` is what has lost its identity, as it should not.
    `event` is what came from another site, over the connection `wire`; or, where `queue` is named, what
    enters the member's copy of that queue. A message with a `queue` and no event removes all up to `mark`.
    `acknowledged` is, at a secondary, how many milliseconds of held time had passed at a settle point by
    which the client had processed it; else STILL_UNKNOWN. `open_of` is the life of a durable client in which
    it had processed it, where it is open whether its server has dropped it since; else 0. An update that
    `waits` has to make way for a later one. One that is `overtaken` may have, for a later one that is gone.
    """

    op_id: int
    stamp: Stamp | None
    update: bool = False
    state: MessageState = MessageState.ON_THE_WAY
    before: Entry | None = None
    sure: bool = True
    event: Queued | None = None
    wire: WireName | None = None
    queue: str = ""
    mark: int = 0
    bare: bool = False
    renamed: bool = False
    acknowledged: int = STILL_UNKNOWN
    open_of: int = 0
    waits: bool = False
    overtaken: bool = False


class Channel(NamedTuple):
    """Messages of one thread to one member arrive in the order in which they were sent."""

    thread: str
    source: str
    target: str
