"""Events that the other site fails to apply, since a cache writer there refuses them (000, L39; 002, L105).

Each scenario queues its events while the sender is paused, so that they leave in one batch.
"""

from __future__ import annotations

from plumbline.adapters.protocol import MOST_LINES
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import FAILURES
from plumbline.reference.history.log_lines import ALERTS, REFUSALS, naming
from plumbline.reference.history.operations import Operation
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

REFUSES = (Capability.CALLBACK_SCRIPTS,)
LOOKS = (Capability.CALLBACK_SCRIPTS, Capability.QUEUE_INSPECTION)
LOGS = (Capability.CALLBACK_SCRIPTS, Capability.QUEUE_INSPECTION, Capability.LOG_LINES)
COUNTS = (Capability.CALLBACK_SCRIPTS, Capability.FAILURE_COUNTS)


@between_sites("GWQ-FAILACK-02", needs=REFUSES)
def an_event_that_failed_is_not_sent_again(stage: Sites) -> None:
    """The writers of site 2 refuse x. Once they accept it again, x still does not arrive."""
    _all_refuse(stage, "x")
    _, other = _in_one_batch(stage, "x", "y")
    for member in stage.there:
        stage.holds(member, "y", other)
        stage.holds(member, "x", None)
    _all_refuse(stage)
    stage.settle()
    for member in stage.there:
        stage.holds(member, "x", None)


@between_sites("GWQ-FAILACK-05", "GWQ-FAILACK-02", needs=LOOKS)
def a_batch_with_an_event_that_failed_leaves_the_queue(stage: Sites) -> None:
    """Behind the answer the primary's queue is empty: what was applied has gone, and what failed."""
    _all_refuse(stage, "y")
    _in_one_batch(stage, "x", "y", "z")
    stage.queues_now(stage.primary())


@between_sites("GWQ-FAILACK-03", needs=REFUSES)
def all_events_around_those_that_failed_arrive_in_order(stage: Sites) -> None:
    """Of eight events the first, two neighbours and the last fail; all others arrive, in their order."""
    _all_refuse(stage, "a", "d", "e", "h")
    puts = _in_one_batch(stage, *"abcdefgh")
    arriving = [put for put in puts if put.key in "bcfg"]
    for member in stage.there:
        for put in puts:
            stage.holds(member, put.key, put if put in arriving else None)
        stage.told_of_all_in_order(member, *arriving)


@between_sites("GWQ-FAILACK-03", needs=(Capability.LISTENER_GATES, *REFUSES))
def what_has_arrived_behind_an_event_that_fails_is_applied(stage: Sites) -> None:
    """The first event stands in a listener of site 2 while the others arrive behind it: the second fails."""
    receiver = stage.there[0]
    stage.receive_at(receiver)
    _all_refuse(stage, "y")
    stage.pause()
    first = stage.hold(receiver, stage.here[0], "x")
    stage.finish(first)
    for key in "yz":
        last = stage.put(stage.here[0], key)
    stage.resume()
    stage.stands(receiver, first)
    stage.settle()
    for member in stage.there:
        stage.holds(member, "x", first)
        stage.holds(member, "y", None)
        stage.holds(member, "z", last)


@between_sites("GWQ-FAILACK-03", needs=REFUSES)
def a_batch_of_which_all_failed_holds_nothing_up(stage: Sites) -> None:
    """All events of a batch fail. What is called later arrives."""
    _all_refuse(stage, "x", "y")
    _in_one_batch(stage, "x", "y")
    later = stage.put(stage.here[0], "z")
    stage.settle()
    for member in stage.there:
        stage.holds(member, "x", None)
        stage.holds(member, "z", later)


@between_sites("GWQ-FAILACK-06", needs=COUNTS)
def each_event_that_failed_is_reported(stage: Sites) -> None:
    """Of six events three fail: the receivers of site 2 report three failures together."""
    _all_refuse(stage, "a", "c", "d")
    stage.stop_receivers()
    stage.receive_at(stage.there[0])
    _in_one_batch(stage, *"abcdef")
    stage.says(stage.there[0], FAILURES, 3)


@between_sites("GWQ-FAILACK-06", needs=COUNTS)
def what_succeeded_is_not_reported_as_failed(stage: Sites) -> None:
    """One event fails in front of three that succeed: one failure is reported."""
    _all_refuse(stage, "a")
    stage.stop_receivers()
    stage.receive_at(stage.there[0])
    _in_one_batch(stage, *"abcd")
    stage.says(stage.there[0], FAILURES, 1)


@between_sites("GWQ-FAILACK-04", needs=LOGS)
def an_event_that_failed_is_in_the_log_of_its_sender(stage: Sites) -> None:
    """The second of three events fails: the primary of site 1 logs an alert, and one that names its key."""
    _all_refuse(stage, "order-2")
    _in_one_batch(stage, "order-1", "order-2", "order-3")
    _logs(stage, ALERTS, naming("order-2"))


@between_sites("GWQ-FAILACK-01", needs=LOGS)
def the_log_names_each_event_that_failed(stage: Sites) -> None:
    """Of six events the first, two neighbours and the last fail: alerts of the primary name each of them."""
    failing = ("order-1", "order-3", "order-4", "order-6")
    _all_refuse(stage, *failing)
    _in_one_batch(stage, *(f"order-{number}" for number in range(1, 7)))
    _logs(stage, ALERTS, *map(naming, failing))


@between_sites("GWQ-FAILACK-01", needs=LOGS)
def the_log_has_the_exception_of_the_other_site(stage: Sites) -> None:
    """An event fails between two that succeed: an alert has the words of the exception at site 2."""
    _all_refuse(stage, "order-2")
    _in_one_batch(stage, "order-1", "order-2", "order-3")
    _logs(stage, ALERTS, naming("order-2"), REFUSALS)


@between_sites("RCV-RETRY-01", needs=REFUSES, keeps_failed=True)
def an_event_that_is_kept_is_tried_again_until_it_succeeds(stage: Sites) -> None:
    """The sender keeps failed events. While x fails y waits; once x is accepted both arrive in order."""
    _all_refuse(stage, "x")
    one, other = _in_one_batch(stage, "x", "y")
    for member in stage.there:
        stage.holds(member, "x", None)
        stage.holds(member, "y", None)
    _all_refuse(stage)
    stage.settle()
    for member in stage.there:
        stage.holds(member, "x", one)
        stage.holds(member, "y", other)
        stage.told_of_all_in_order(member, one, other)


@between_sites("RCV-RETRY-01", "GWQ-FAILACK-05", needs=LOOKS, keeps_failed=True)
def a_batch_whose_event_is_tried_again_is_not_answered(stage: Sites) -> None:
    """While x fails at the other site the primary keeps both events; once it succeeds the queue is empty."""
    _all_refuse(stage, "x")
    one, other = _in_one_batch(stage, "x", "y")
    stage.queues_now(stage.primary(), one, other)
    _all_refuse(stage)
    stage.settle()
    stage.queues_now(stage.primary())


def _logs(stage: Sites, *kinds: str) -> None:
    """The primary of site 1 has logged alerts of each of these kinds."""
    primary = stage.primary()
    for kind in kinds:
        stage.says(primary, kind, 1, MOST_LINES)


def _all_refuse(stage: Sites, *keys: str) -> None:
    """The writers of all members of site 2 refuse changes of these keys, and of no others."""
    for member in stage.there:
        stage.refuse(member, *keys)


def _in_one_batch(stage: Sites, *keys: str) -> list[Operation]:
    """Site 1 puts values into these keys; all of them are sent at once, and all has settled."""
    stage.pause()
    puts = [stage.put(stage.here[0], key) for key in keys]
    stage.resume()
    stage.settle()
    return puts
