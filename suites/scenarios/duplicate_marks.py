"""The mark of a possible duplicate: what a listener receives again carries it, and nothing else does.

An extension. Listeners of asynchronous event queues fail, or their member dies while they stand at a gate.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.suites.scenarios.listening import Listening
from plumbline.suites.scenarios.scenario import with_listener

MARKS = (Capability.DUPLICATE_MARKS,)
FAILS = (*MARKS, Capability.CALLBACK_SCRIPTS)
DIES = (*FAILS, Capability.LISTENER_GATES, Capability.MEMBER_FAULTS, Capability.QUEUE_INSPECTION)


@with_listener("EXT-MARK-01", needs=FAILS)
def each_event_of_a_batch_that_comes_again_is_marked(stage: Listening) -> None:
    """A listener fails three times at a batch of three events: each comes again with its mark."""
    stage.pause()
    stage.answers("false", "throw", "part")
    for key in ("x", "y", "z"):
        stage.put(stage.here[0], key)
    stage.resume()
    stage.settle()
    stage.repetitions_are_marked()


@with_listener("EXT-MARK-02", needs=DIES)
def a_new_primary_marks_what_the_old_one_has_offered(stage: Listening) -> None:
    """The primary dies while its listener stands at a gate: what it had received comes again with a mark."""
    primary, other = stage.primary(), stage.secondary()
    stage.block(other, "x")
    stage.put(other, "y")
    stage.crash(primary)
    stage.settle()
    stage.put(other, "z")
    stage.settle()
    stage.repetitions_are_marked()


@with_listener("EXT-MARK-03", needs=MARKS)
def an_event_that_comes_once_carries_no_mark(stage: Listening) -> None:
    """Both members put and destroy while nothing goes wrong: no event carries a mark."""
    for turn, key in enumerate("xyxzyx"):
        stage.put(stage.here[turn % 2], key)
    stage.settle()
    stage.put(stage.here[1], "x")
    stage.settle()
    stage.new_events_are_unmarked()


@with_listener("EXT-MARK-03", needs=(*FAILS, Capability.LISTENER_GATES), batch_size=100)
def new_events_behind_those_that_come_again_carry_no_mark(stage: Listening) -> None:
    """Two puts gather while a listener stands at a gate and then fails: they come behind it, unmarked."""
    stage.answers("false")
    first = stage.block(stage.here[0], "x")
    for key in ("y", "z"):
        stage.put(stage.here[1], key)
    stage.release(first)
    stage.settle()
    stage.new_events_are_unmarked()
