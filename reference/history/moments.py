"""The moments of an example: what the harness sent, and what it received, one record for each kind.

Each says where it belongs, what it is in words, and which operation it is about. Knows nothing of what is
right, nor of what a listener was told.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.bulk import Share
from plumbline.reference.history.fault_kinds import Fault, fault_words
from plumbline.reference.history.join_moments import CopyHeld, CopyReleased, JoinBegun, JoinEnded
from plumbline.reference.history.listener_calls import answer_words
from plumbline.reference.history.moment_words import HARNESS, MomentContext, MomentWords
from plumbline.reference.history.operations import Content, Interest, Operation, Outcome, QueueSight
from plumbline.reference.history.ranges import OpId
from plumbline.reference.history.registration_moments import (
    AnswerHeld,
    AnswerReleased,
    RegistrationBegun,
    RegistrationEnded,
)
from plumbline.reference.history.words import (
    call_words,
    entry_words,
    host_words,
    interest_words,
    outcome_words,
    script_words,
    sight_words,
)

ANSWER = "answer"
"""The place of a gate on the way of an answer to the client that has called a get."""


class Gate(msgspec.Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Where an operation is parked: in the listener of `member`, when it receives operation `op_id`.

    On the calling member the operation is then applied and announced but not yet distributed; on another
    member it is applied and announced but not acknowledged, and what its thread sends behind it waits.
    Where `callback` is "writer": in the cache writer of the member or client, before it changes anything.
    Where it is "answer": on the way back to the client that gets; its server has read what the answer brings.
    Where it is "queue": in each listener of an asynchronous queue there that receives it in a batch.
    """

    member: str
    op_id: OpId
    callback: str = "listener"

    @property
    def place(self) -> tuple[str | int, ...]:
        """What tells it from other gates."""
        listens = self.callback == "listener"
        return (self.member, self.op_id) if listens else (self.member, self.op_id, self.callback)


class Looking(msgspec.Struct, frozen=True):
    """A moment by which the harness looks or waits; it changes nothing of the candidate."""


def _at_gate(gate: Gate, words: str) -> MomentWords:
    """What became of a gate, with a blank for the number of its operation."""
    where = f" in the {gate.callback}" * (gate.callback != "listener")
    return MomentWords(gate.member, words.format(gate.op_id) + where, gate.op_id)


class Called(msgspec.Struct, frozen=True, tag="called", omit_defaults=True):
    """The harness has sent the call; the operation may take effect from here on.

    Of an operation on many keys each entry is called so, all at once; `share` says which it is.
    """

    operation: Operation
    share: Share | None = None

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        o = self.operation
        return MomentWords(o.thread, call_words(o, several=context.several), o.op_id)


class Returned(msgspec.Struct, frozen=True, tag="returned"):
    """The harness has received the outcome; the operation took effect before."""

    op_id: int
    outcome: Outcome

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        called = context.operations.get(self.op_id)
        words = outcome_words(self.outcome, called.kind if called else None)
        return MomentWords(called.thread if called else HARNESS, words, self.op_id)


class Armed(msgspec.Struct, frozen=True, tag="armed"):
    """From here on the operation parks when it reaches the gate; stands before the operation is called.

    A gate armed later might have been passed already, and a failure to park would go unnoticed.
    """

    gate: Gate

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return _at_gate(self.gate, "gate armed for #{}")


class Parked(msgspec.Struct, frozen=True, tag="parked"):
    """The candidate has reported that the operation stands at the gate."""

    gate: Gate

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return _at_gate(self.gate, "#{} parked at the gate")


class NotParked(msgspec.Struct, frozen=True, tag="not_parked"):
    """The operation has not reached the gate, though the candidate was given all the time it may take."""

    gate: Gate

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return _at_gate(self.gate, "#{} did not reach the gate")


class Waited(Looking, frozen=True, tag="waited"):
    """The candidate was given all the time it may take, and what was waited for has not come.

    `awaited` says it in words; `op_id` is the operation where it was its return.
    """

    awaited: str = ""
    op_id: int | None = None

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(HARNESS, f"timed out waiting for {self.awaited}")


class Released(msgspec.Struct, frozen=True, tag="released"):
    """The gate is opened."""

    gate: Gate

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return _at_gate(self.gate, "gate opened for #{}")


class Settled(Looking, frozen=True, tag="settled"):
    """Nothing more would happen by itself, and all that was shown so far has been observed.

    `held` are the members and keys at which a parked listener may hold other operations back.
    """

    held: tuple[tuple[str, str], ...] = ()

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        behind = ", ".join(f"{key} on {member}" for member, key in self.held)
        return MomentWords(HARNESS, f"settled, held back: {behind}" if behind else "settled")


class Unsettled(msgspec.Struct, frozen=True, tag="unsettled"):
    """All the time was given to come to rest, and listeners are called again and again. It claims nothing.

    `repeated` says in words what came again. Nothing was asked behind it.
    """

    repeated: str = ""

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        what = f": {self.repeated}" if self.repeated else ""
        return MomentWords(HARNESS, f"did not settle{what}")


class SettledBut(Settled, frozen=True, tag="settled_but"):
    """Nothing more would happen by itself, but for what waits in some queues to be sent.

    No harness says so: it is what is left of a Settled where operations were left out, of which some may have
    been sent last over a link whose answers are lost, and hold up all that is queued behind them.
    """

    queues: tuple[str, ...] = ()


class ClocksPassed(msgspec.Struct, frozen=True, tag="clocks_passed"):
    """The clocks of all sites show a later time from here on than any timestamp given before.

    The harness waits for that where a candidate declares how far its clocks differ.
    """

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(HARNESS, "clocks of all sites have moved on")


class ContentsAsked(Looking, frozen=True, tag="contents_asked"):
    """The harness has asked what a member holds; answered by the ContentsRead of the same number."""

    number: int
    member: str
    region: str

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"asked what {self.region} holds")


class ContentsRead(Looking, frozen=True, tag="contents_read", omit_defaults=True):
    """What the member held of the region, key by key, at some time since it was asked.

    `gone` where it had no such region any more.
    """

    number: int
    member: str
    region: str
    entries: tuple[Content, ...]
    gone: bool = False

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        if self.gone:
            return MomentWords(self.member, f"{self.region} is destroyed")
        held = ", ".join(entry_words(entry) for entry in self.entries) or "nothing"
        return MomentWords(self.member, f"{self.region} holds {held}")


class StatisticAsked(Looking, frozen=True, tag="statistic_asked"):
    """The harness has asked for a statistic; answered by the StatisticRead of the same number."""

    number: int
    member: str
    name: str

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"asked for {self.name}")


class StatisticRead(Looking, frozen=True, tag="statistic_read"):
    """How far the statistic of the member has moved since the example began."""

    number: int
    member: str
    name: str
    delta: int

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        moved = f"moved by {self.delta:+d}" if self.delta else "did not move"
        return MomentWords(self.member, f"{self.name} {moved}")


class AttributesRead(Looking, frozen=True, tag="attributes_read"):
    """The member has told whether it checks consistency of a region."""

    member: str
    region: str
    checks: bool | None

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"{self.region} is said {'to' if self.checks else 'not to'} check")


class Redelivered(msgspec.Struct, frozen=True, tag="redelivered"):
    """The message of an operation to one member is put on the way once more."""

    op_id: int
    member: str

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"message of #{self.op_id} sent again", self.op_id)


class Left(msgspec.Struct, frozen=True, tag="left"):
    """The member has given up its copy of a region; asked for only when everything has settled."""

    member: str
    region: str

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"gives up its copy of {self.region}")


class Joined(msgspec.Struct, frozen=True, tag="joined"):
    """The member holds a copy of the region again, taken from another member while nothing happened."""

    member: str
    region: str

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"takes its copy of {self.region}")


class Hosted(msgspec.Struct, frozen=True, tag="hosted", omit_defaults=True):
    """The member was to take a copy of a region again, with settings of its own; it has one, or was refused.

    Asked for only when everything has settled. Of a member that was the only one, the copy is empty.

    Attributes:
        member: the member.
        region: the region.
        asked: whether it was to check consistency.
        persistent: whether its copy was to be kept on disk.
        in_force: whether it says that it checks; None where it was refused.
    """

    member: str
    region: str
    asked: bool
    persistent: bool = False
    in_force: bool | None = None

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        asked = host_words(self.member, self.region, checks=self.asked, persistent=self.persistent)
        came = {None: "refused", True: "checking is on", False: "checking is off"}[self.in_force]
        return MomentWords(self.member, f"{asked}: {came}")


class Registered(msgspec.Struct, frozen=True, tag="registered", omit_defaults=True):
    """A client's registration of interest, or its withdrawal, is in force; or was refused.

    Asked for only when everything has settled; nothing else was under way until it had returned.
    """

    interest: Interest
    refused: bool = False

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        came = ": refused" if self.refused else ""
        return MomentWords(self.interest.client, interest_words(self.interest) + came)


class Scripted(msgspec.Struct, frozen=True, tag="scripted"):
    """From here on the cache writer of a member or client refuses changes of these keys, and of no others.

    Asked for only when everything has settled.
    """

    member: str
    region: str
    refuses: tuple[str, ...]

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, script_words(self.member, self.region, self.refuses))


class QueueScripted(msgspec.Struct, frozen=True, tag="queue_scripted"):
    """From here on the listener of a queue on a member answers so, call by call, and then that it succeeded.

    Asked for only when everything has settled.
    """

    member: str
    queue: str
    answers: tuple[str, ...]

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, answer_words(self.member, self.queue, self.answers))


class Located(Looking, frozen=True, tag="located", omit_defaults=True):
    """The candidate says which member is primary for a key of a partitioned region, and who holds copies.

    Asked before the key is first used, and again only when everything has settled.
    """

    region: str
    key: str
    primary: str
    redundant: tuple[str, ...] = ()

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        copies = f", copies on {', '.join(self.redundant)}" if self.redundant else ""
        return MomentWords(self.primary, f"primary for {self.key} of {self.region}{copies}")


class FaultBegun(msgspec.Struct, frozen=True, tag="fault_begun"):
    """The harness has asked for a fault; it may happen from here on."""

    number: int
    fault: Fault

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.fault.member, f"{fault_words(self.fault)}: asked for")


class FaultDone(msgspec.Struct, frozen=True, tag="fault_done"):
    """The fault of that number has happened; its consequences may take longer."""

    number: int
    fault: Fault

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.fault.member, fault_words(self.fault))


class QueueAsked(Looking, frozen=True, tag="queue_asked"):
    """The harness has asked to see a queue; answered by the QueueRead of the same number."""

    number: int
    member: str
    queue: str

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"asked to see queue {self.queue}")


class QueueRead(Looking, frozen=True, tag="queue_read"):
    """What the member's copy of the queue held, and what it was for it, at some time since it was asked."""

    number: int
    member: str
    queue: str
    sight: QueueSight

    def told(self, context: MomentContext) -> MomentWords:
        """The moment for people."""
        words = f"queue {self.queue}: {self.sight.role}, {sight_words(self.sight)}"
        return MomentWords(self.member, words)


Moment = (
    Called
    | Returned
    | Armed
    | Parked
    | NotParked
    | Waited
    | ClocksPassed
    | Released
    | Settled
    | Unsettled
    | ContentsAsked
    | ContentsRead
    | StatisticAsked
    | StatisticRead
    | AttributesRead
    | Redelivered
    | Left
    | Joined
    | JoinBegun
    | CopyHeld
    | CopyReleased
    | JoinEnded
    | Hosted
    | Registered
    | RegistrationBegun
    | AnswerHeld
    | AnswerReleased
    | RegistrationEnded
    | Scripted
    | QueueScripted
    | FaultBegun
    | FaultDone
    | QueueAsked
    | QueueRead
    | Located
)
