"""Faults: what is done to a system besides calling operations, and what mends it.

Here stands what each kind is, what a candidate must offer for it, and its words. Knows nothing of how an
adapter causes one, nor of what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from plumbline.reference.catalogue.capabilities import Capability


class FaultKind(StrEnum):
    """What is done to a system besides calling operations; the kinds that mend something among them."""

    CRASH = "crash"
    LINK_DOWN = "link_down"
    LINK_UP = "link_up"
    REPLIES_LOST = "replies_lost"
    RECEIVER_STOP = "receiver_stop"
    RECEIVER_START = "receiver_start"
    PAUSE = "pause"
    RESUME = "resume"
    HOLD_TIME = "hold_time"
    TIME_LEAP = "time_leap"
    LET_RUN = "let_run"
    CLOCK_SET = "clock_set"
    ANSWERS_LOST = "answers_lost"
    ANSWERS_BACK = "answers_back"
    RESTART = "restart"
    RECOVER = "recover"
    MOVE_PRIMARY = "move_primary"
    CLIENT_READY = "client_ready"
    CLIENT_CLOSE = "client_close"
    CLIENT_DETACH = "client_detach"
    CLIENT_CRASH = "client_crash"
    CLIENT_START = "client_start"


STARTS_AGAIN = frozenset((FaultKind.RESTART, FaultKind.RECOVER))
"""What has a member run again that was killed."""


SENDS_AGAIN = frozenset(
    (FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST, FaultKind.RECEIVER_STOP, FaultKind.CRASH)
)
"""After these a sender may send once more what it has sent."""

CLIENT_GOES = frozenset((FaultKind.CLIENT_CLOSE, FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH))
"""What ends the life of a durable client."""

CLIENT_LIVES = CLIENT_GOES | {FaultKind.CLIENT_READY, FaultKind.CLIENT_START}
"""What happens in the life of a durable client (003)."""


_AT_REST = (
    STARTS_AGAIN | CLIENT_GOES | {FaultKind.CLIENT_START, FaultKind.ANSWERS_LOST, FaultKind.MOVE_PRIMARY}
)
"""What is asked for only when everything has settled, unless the fault says otherwise."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault, or its mending.

    Attributes:
        kind: crash: the member is killed without a word. link_down: nothing passes from the senders of
            `site` to the receivers of `remote_site` or back, and their connections break. replies_lost:
            events still pass, what receivers answer does not. link_up: both mended, by new connections.
            receiver_stop, receiver_start: of the member's gateway receiver. pause, resume: of the queue
            on the member; a paused primary builds no further batch. hold_time: from here on the clocks of
            all sites show the same and stand still, and what waits for time waits. time_leap: they leap.
            let_run: they run by themselves again. clock_set: while they are held, those of `site` show so
            many milliseconds more than the others', or less, from here on. answers_lost: what the member
            answers to calls of `client` is lost, from here on until answers_back. restart: the member,
            which was killed, runs again with empty memory, and has taken copies of the regions from
            others. recover: the same, with what its disk holds. move_primary: the member becomes primary of
            the bucket of `key` in `region`, whose primary lives, too; all is at rest, but for queues.
            client_ready: `client`, which is durable, declares that it is ready for events. client_close,
            client_detach: it closes, without keep-alive and with it. client_crash: its process is killed.
            client_start: another process runs under its id, with empty memory. Each of these but
            client_ready is asked for only when everything has settled, unless it is meanwhile.
        member: whom it befalls; "" for links.
        queue: which queue is paused or resumed.
        site: the sending side of a link.
        remote_site: its receiving side.
        milliseconds: how much time is let pass, by how much a site's clocks are ahead, or the time-out that
            a client which starts again announces; 0 if that stays.
        client: whose calls are not answered, or which client goes or comes.
        region: in which region a primary moves.
        key: the primary of whose bucket.
        meanwhile: whether other things may be under way when it is asked for. A durable client goes or comes
            so. A member that is restarted so has yet to take its copies when that is done.
    """

    kind: FaultKind
    member: str = ""
    queue: str = ""
    site: int = 0
    remote_site: int = 0
    milliseconds: int = 0
    client: str = ""
    region: str = ""
    key: str = ""
    meanwhile: bool = False

    @property
    def at_rest(self) -> bool:
        """Whether it is asked for only when everything has settled."""
        return self.kind in _AT_REST and not self.meanwhile


class FaultTraits(msgspec.Struct, frozen=True):
    """What there is to say of a kind of fault.

    Attributes:
        words: a sentence with the fields of the fault in braces.
        needs: what a candidate must offer for it; None where the set-up that it concerns asks for it already.
    """

    words: str
    needs: Capability | None = None


_CLOCKS = Capability.HELD_CLOCKS
_DURABLE = Capability.DURABLE_CLIENTS
_LINK = "from site {site} to site {remote_site}"

TRAITS: dict[FaultKind, FaultTraits] = {
    FaultKind.CRASH: FaultTraits("crash of {member}", Capability.MEMBER_FAULTS),
    FaultKind.RESTART: FaultTraits("{member} started again", Capability.MEMBER_FAULTS),
    # What has died by a fault was asked for already.
    FaultKind.RECOVER: FaultTraits("{member} started again from its disk", Capability.DISK),
    FaultKind.MOVE_PRIMARY: FaultTraits(
        "primary of {key} in {region} moved to {member}", Capability.BUCKET_MOVES
    ),
    FaultKind.LINK_DOWN: FaultTraits(f"link {_LINK} cut", Capability.LINK_FAULTS),
    FaultKind.LINK_UP: FaultTraits(f"link {_LINK} up again", Capability.LINK_FAULTS),
    FaultKind.REPLIES_LOST: FaultTraits(f"replies to what is sent {_LINK} lost", Capability.LINK_FAULTS),
    FaultKind.ANSWERS_LOST: FaultTraits("answers of {member} to {client} lost", Capability.LINK_FAULTS),
    FaultKind.ANSWERS_BACK: FaultTraits("answers of {member} reach {client} again", Capability.LINK_FAULTS),
    FaultKind.RECEIVER_STOP: FaultTraits("receiver of {member} stopped", Capability.GATEWAYS),
    FaultKind.RECEIVER_START: FaultTraits("receiver of {member} started", Capability.GATEWAYS),
    FaultKind.CLIENT_READY: FaultTraits("{client} ready for events", _DURABLE),
    FaultKind.CLIENT_CLOSE: FaultTraits("{client} closed", _DURABLE),
    FaultKind.CLIENT_DETACH: FaultTraits("{client} closed with keep-alive", _DURABLE),
    FaultKind.CLIENT_CRASH: FaultTraits("crash of {client}", _DURABLE),
    FaultKind.CLIENT_START: FaultTraits("{client} started again", _DURABLE),
    # Queues are paused where there are any, and those were asked for already.
    FaultKind.PAUSE: FaultTraits("queue {queue} paused on {member}"),
    FaultKind.RESUME: FaultTraits("queue {queue} resumed on {member}"),
    FaultKind.HOLD_TIME: FaultTraits("time held still", _CLOCKS),
    FaultKind.TIME_LEAP: FaultTraits("{milliseconds:,} milliseconds let pass", _CLOCKS),
    FaultKind.LET_RUN: FaultTraits("time runs again", _CLOCKS),
    FaultKind.CLOCK_SET: FaultTraits(
        "clocks of site {site} {milliseconds:+,} milliseconds", Capability.HELD_CLOCKS
    ),
}
"""Each kind of fault, once."""


def fault_words(fault: Fault) -> str:
    """A fault in words: "crash of a1", "link from site 1 to site 2 cut"."""
    words = TRAITS[fault.kind].words.format(**msgspec.structs.asdict(fault))
    return f"{words} meanwhile" if fault.meanwhile else words


def fault_needs(fault: Fault) -> Iterator[Capability]:
    """What a candidate must offer for a fault, besides what the set-up that it concerns asks for."""
    needed = TRAITS[fault.kind].needs
    if needed is not None:
        yield needed
    if fault.meanwhile:
        restarts = fault.kind in STARTS_AGAIN
        yield Capability.CONCURRENT_RESTARTS if restarts else Capability.CONCURRENT_LIVES
