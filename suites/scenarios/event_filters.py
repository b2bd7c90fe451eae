"""Event filters of queues: what they keep out of a queue, and what they keep from being sent.

An extension. A filter names keys: those of REFUSED events stay out of the queue, those of WITHHELD ones are
queued and not sent.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.listening import Listening
from plumbline.suites.scenarios.scenario import between_sites, with_listener
from plumbline.suites.scenarios.sites import Sites

REFUSED = ("r",)
WITHHELD = ("w",)
INSPECTION = (Capability.QUEUE_INSPECTION,)
FAULTS = (Capability.MEMBER_FAULTS, Capability.QUEUE_INSPECTION)


def _life_of(stage: Sites, key: str) -> list[Operation]:
    """A key is created, updated by the other member, and destroyed."""
    here, other = stage.here
    return [
        stage.put(here, key),
        stage.put(other, key),
        stage.do(here, OperationKind.DESTROY, key),
    ]


def _only_these_cross(stage: Sites, *operations: Operation) -> None:
    """The members of site 2 receive these operations, and nothing of the keys that the filter names."""
    stage.settle()
    for member in stage.there:
        stage.told_of_all_in_order(member, *operations)
        for key in (*REFUSED, *WITHHELD):
            if key not in {operation.key for operation in operations}:
                stage.log_is(member, key)


@between_sites("EXT-FILTER-01", needs=INSPECTION, refused=REFUSED)
def what_a_filter_refuses_never_enters_the_queue(stage: Sites) -> None:
    """Of a refused key a create, an update and a destroy stay out of the queue, of another key none does."""
    stage.pause()
    _life_of(stage, "r")
    last = stage.put(stage.here[0], "r")
    crosses = _life_of(stage, "x")
    for member in stage.here:
        stage.queue_is(member, *crosses)
    stage.resume()
    _only_these_cross(stage, *crosses)
    for member in stage.here:
        stage.holds(member, "r", last)


@between_sites("EXT-FILTER-01", needs=(*FAULTS, Capability.LISTENER_GATES), refused=REFUSED)
def a_new_primary_sends_nothing_of_what_its_filter_refuses(stage: Sites) -> None:
    """The primary dies before it has queued two puts, which its secondary knows: one of them crosses."""
    primary, other = stage.primary(), stage.secondary()
    stage.park(other, primary, "r")
    first = stage.park(other, primary, "x")
    stage.crash(primary)
    last = stage.put(other, "y")
    _only_these_cross(stage, first, last)


@between_sites("EXT-FILTER-02", needs=INSPECTION, withheld=WITHHELD)
def what_a_filter_withholds_is_queued_and_not_sent(stage: Sites) -> None:
    """Both members' copies hold the withheld events as long as the sender is paused; none of them crosses."""
    stage.pause()
    withheld = _life_of(stage, "w")
    crosses = _life_of(stage, "x")
    for member in stage.here:
        stage.queue_is(member, *withheld, *crosses)
    stage.resume()
    _only_these_cross(stage, *crosses)


@between_sites("EXT-FILTER-02", needs=FAULTS, withheld=WITHHELD)
def a_new_primary_withholds_what_its_filter_names(stage: Sites) -> None:
    """The primary dies with a full queue; the secondary sends all but what the filter withholds."""
    other = stage.secondary()
    stage.pause()
    first = stage.put(other, "x")
    stage.put(other, "w")
    second = stage.put(other, "y")
    stage.settle()
    stage.crash(stage.primary())
    stage.resume()
    stage.settle()
    stage.put(other, "w")
    last = stage.put(other, "z")
    _only_these_cross(stage, first, second, last)


@between_sites("EXT-FILTER-03", needs=INSPECTION, withheld=WITHHELD)
def a_withheld_event_leaves_every_copy_of_its_queue(stage: Sites) -> None:
    """A withheld event alone leaves the queue, and so do three between others; what follows crosses."""
    stage.put(stage.here[0], "w")
    stage.settle()
    for member in stage.here:
        stage.depth_is(member, 0)
    first = stage.put(stage.here[1], "x")
    _life_of(stage, "w")
    second = stage.put(stage.here[0], "y")
    _only_these_cross(stage, first, second)
    for member in stage.here:
        stage.depth_is(member, 0)


@between_sites("EXT-FILTER-04", refused=REFUSED, withheld=WITHHELD)
def what_a_filter_does_not_name_crosses_in_its_order(stage: Sites) -> None:
    """Events of other keys, before, between and behind those that the filter names, all cross in order."""
    here, other = stage.here
    stage.pause()
    crosses = [stage.put(here, "x")]
    for key in ("w", "r", "y", "w", "x", "r", "w", "z"):
        operation = stage.put(other if key == "x" else here, key)
        crosses += [operation] if key in ("x", "y", "z") else []
    stage.resume()
    _only_these_cross(stage, *crosses)


@between_sites("EXT-FILTER-04", withheld=WITHHELD, batch_size=2)
def a_batch_of_withheld_events_alone_holds_up_nothing(stage: Sites) -> None:
    """Batches of two: one of withheld events alone, one of both kinds, and one without any."""
    stage.pause()
    crosses: list[Operation] = []
    for key in ("w", "w", "x", "w", "y", "z"):
        operation = stage.put(stage.here[0], key)
        crosses += [] if key == "w" else [operation]
    stage.resume()
    _only_these_cross(stage, *crosses)


@with_listener("EXT-FILTER-04", refused=REFUSED, withheld=WITHHELD)
def a_listener_receives_all_that_its_filter_lets_pass(stage: Listening) -> None:
    """Events of other keys stand between those that the filter names: the listener receives them in order."""
    stage.pause()
    all_ = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate("wxrywxwzry")]
    stage.resume()
    stage.settle()
    stage.received_once(*(one for one in all_ if one.key in ("x", "y", "z")))


@between_sites("EXT-FILTER-05", refused=REFUSED, withheld=WITHHELD)
def the_sender_of_the_other_site_goes_by_no_filter(stage: Sites) -> None:
    """Site 2, whose sender has no filter, puts the keys that the filter of site 1 names: all cross."""
    first = stage.put(stage.there[0], "r")
    second = stage.put(stage.there[1], "w")
    stage.settle()
    for member in stage.here:
        stage.holds(member, "r", first)
        stage.holds(member, "w", second)


@with_listener("EXT-FILTER-05", "EXT-FILTER-01", refused=REFUSED, withheld=WITHHELD, both=True)
def a_queue_beside_one_with_a_filter_receives_everything(stage: Listening) -> None:
    """Two asynchronous queues on one region, of which one has a filter: the other's listener receives all."""
    here, other = stage.here
    all_ = [stage.put(here if turn % 2 else other, key) for turn, key in enumerate("xrwywr")]
    stage.settle()
    stage.received_once(*(one for one in all_ if one.key in ("x", "y")))
    stage.received_once(*all_, queue=stage.other)


@with_listener("EXT-FILTER-02", needs=(Capability.CALLBACK_SCRIPTS,), withheld=WITHHELD)
def a_batch_comes_again_without_what_is_withheld(stage: Listening) -> None:
    """A listener fails twice: what its filter withholds is in none of its three batches."""
    stage.pause()
    stage.answers("false", "throw")
    crosses: list[Operation] = []
    for key in ("w", "x", "w", "y", "w"):
        operation = stage.put(stage.here[0], key)
        crosses += [] if key == "w" else [operation]
    stage.resume()
    stage.settle()
    stage.processed_once(*crosses)
    stage.never_received("w")


@with_listener("EXT-FILTER-03", needs=INSPECTION, withheld=WITHHELD)
def a_listener_is_not_called_for_withheld_events_alone(stage: Listening) -> None:
    """Only withheld events are put: the listener is not called, and the queue is empty in the end."""
    for member in stage.here:
        stage.put(member, "w")
    stage.settle()
    for member in stage.here:
        stage.depth_is(member, 0)
    stage.received_once()
    last = stage.put(stage.here[0], "x")
    stage.settle()
    stage.received_once(last)
