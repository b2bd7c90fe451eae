"""Substitution filters: a queue gives events other values, which its listener or another site receives.

An extension. Filters name x and y, or fail at f; z is named by none. What each value shows is written out.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.listening import Listening
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.parallel import ParallelStage
from plumbline.suites.scenarios.scenario import between_sites, in_parallel, with_listener
from plumbline.suites.scenarios.sites import Sites
from plumbline.suites.scenarios.stage import Stage

KEYS = ("x", "y")
FAILS = ("f",)
SCRIPTS = (Capability.CALLBACK_SCRIPTS,)
DIES = (Capability.LISTENER_GATES, Capability.MEMBER_FAULTS)
SENDER_DIES = (Capability.MEMBER_FAULTS, Capability.QUEUE_INSPECTION)
LISTENER_DIES = (*DIES, *SCRIPTS, Capability.QUEUE_INSPECTION)


def _shows(stage: Stage, holder: str, operation: Operation, *by: str, reads: bool = False) -> None:
    """The listener of a member, or what it holds, shows a value as these filters gave it, and no other."""
    if reads:
        stage.driver.contents(holder, REGION)
    stage.driver.poll()
    seen = {
        shown.by
        for shown in stage.driver.values
        if (shown.holder, shown.token, shown.queue, shown.reads) == (holder, operation.token, "", reads)
    }
    _is(f"{holder} to {'hold' if reads else 'receive'} {operation.token}", by, seen)


def _is_offered(stage: Sites, queue: str, operation: Operation, *by: str) -> None:
    """The listeners of a queue have received a value as these filters gave it, each time."""
    stage.driver.poll()
    seen = {
        shown.by for shown in stage.driver.values if (shown.queue, shown.token) == (queue, operation.token)
    }
    _is(f"the listener of {queue} to receive {operation.token}", by, seen)


def _is(who: str, by: tuple[str, ...], seen: set[tuple[str, ...]]) -> None:
    if seen != {by}:
        given = f"as the filter of {' and '.join(by)} gives it" if by else "as it was put"
        raise MismatchError(f"{who} {given}", in_words(sorted(map(list, seen))))


@between_sites("EXT-SUBST-01", substituted=KEYS)
def another_site_receives_and_holds_substitutes(stage: Sites) -> None:
    """Both members create, update and put: members of the other site receive substitutes, and hold them."""
    first, second = stage.here
    created = stage.do(first, OperationKind.CREATE, "x")
    stage.settle()
    updated = stage.put(second, "x")
    put = stage.put(first, "y")
    stage.settle()
    for member in stage.there:
        for operation in (created, updated, put):
            _shows(stage, member, operation, stage.to_there)
        for operation in (updated, put):
            _shows(stage, member, operation, stage.to_there, reads=True)


@with_listener("EXT-SUBST-02", substituted=KEYS)
def the_listener_of_a_queue_receives_substitutes(stage: Listening) -> None:
    """Both members put: the listener of the queue receives substitutes."""
    first, second = stage.here
    called = [stage.put(first, "x"), stage.put(second, "x"), stage.put(second, "y")]
    stage.settle()
    stage.received_once(*called)
    for operation in called:
        _is_offered(stage, stage.listened, operation, stage.listened)


@in_parallel("EXT-SUBST-02", substituted=KEYS)
def the_listeners_of_a_parallel_queue_receive_substitutes(s: ParallelStage) -> None:
    """All members put: the listener of each bucket's primary receives substitutes."""
    called = [s.put(member, key) for member in s.members for key in KEYS]
    s.settle()
    s.dispatched_in_all(called)
    for operation in called:
        _is_offered(s, s.listened, operation, s.listened)


def _keeps_what_is_put(stage: Sites | Listening) -> None:
    """Both members of the first site put, and each shows both values as they were put."""
    first, second = stage.here
    called = [stage.put(first, "x"), stage.put(second, "y")]
    stage.settle()
    for member in stage.here:
        for operation in called:
            _shows(stage, member, operation)
            _shows(stage, member, operation, reads=True)


@between_sites("EXT-SUBST-03", substituted=KEYS)
def the_site_of_a_sender_keeps_the_values_that_were_put(stage: Sites) -> None:
    """Both members put: each of them receives the values that were put, and holds them."""
    _keeps_what_is_put(stage)


@with_listener("EXT-SUBST-03", substituted=KEYS)
def the_site_of_a_queue_keeps_the_values_that_were_put(stage: Listening) -> None:
    """Both members put: each of them receives and holds what was put."""
    _keeps_what_is_put(stage)


@between_sites("EXT-SUBST-04", substituted=KEYS)
def values_cross_as_they_were_put_where_the_filter_gives_no_other(stage: Sites) -> None:
    """Keys are put in one batch, of which the filter names one: the other comes as it was put."""
    first, second = stage.here
    stage.pause()
    named = stage.put(first, "x")
    others = [stage.put(first, "z"), stage.put(second, "z")]
    stage.resume()
    stage.settle()
    for member in stage.there:
        _shows(stage, member, named, stage.to_there)
        for operation in others:
            _shows(stage, member, operation)
        _shows(stage, member, others[-1], reads=True)


@between_sites("EXT-SUBST-04", substituted=KEYS)
def a_destroy_crosses_whose_key_the_filter_names(stage: Sites) -> None:
    """An entry with a substitute is destroyed and put again: the other site receives all three."""
    first, second = stage.here
    put = stage.put(first, "x")
    stage.settle()
    destroyed = stage.do(second, OperationKind.DESTROY, "x")
    stage.settle()
    for member in stage.there:
        stage.holds(member, "x", None)
    last = stage.put(first, "x")
    stage.settle()
    for member in stage.there:
        stage.told_in_order(member, "x", put, destroyed, last)
        _shows(stage, member, last, stage.to_there)


@with_listener("EXT-SUBST-04", substituted=KEYS)
def the_listener_of_a_queue_receives_destroys_whose_keys_the_filter_names(stage: Listening) -> None:
    """A key is put, destroyed and put again while the queue is paused: its listener receives all three."""
    first, second = stage.here
    stage.pause()
    put = stage.put(first, "x")
    called = [
        put,
        stage.do(second, OperationKind.DESTROY, "x"),
        stage.put(second, "x"),
        stage.put(first, "z"),
    ]
    stage.resume()
    stage.settle()
    stage.received_once(*called)
    _is_offered(stage, stage.listened, called[2], stage.listened)
    _is_offered(stage, stage.listened, called[3])


@with_listener("EXT-SUBST-05", substituted=KEYS, both=True)
def a_queue_beside_one_with_a_filter_receives_the_values_that_were_put(stage: Listening) -> None:
    """Two queues of which one has a filter: the listener of the other receives what was put."""
    first, second = stage.here
    called = [stage.put(first, "x"), stage.put(second, "y"), stage.put(first, "x")]
    stage.settle()
    for operation in called:
        _is_offered(stage, stage.listened, operation, stage.listened)
        _is_offered(stage, stage.other, operation)


@between_sites("EXT-SUBST-05", substituted=KEYS)
def the_sender_of_the_other_site_gives_no_substitutes(stage: Sites) -> None:
    """Site 2 puts keys that the filter of site 1 names: they cross as they were put."""
    called = [stage.put(stage.there[0], "x"), stage.put(stage.there[1], "y")]
    stage.settle()
    for member in stage.here:
        for operation in called:
            _shows(stage, member, operation)
            _shows(stage, member, operation, reads=True)


@with_listener("EXT-SUBST-06", needs=SCRIPTS, substituted=KEYS)
def a_batch_that_has_failed_comes_again_with_the_same_substitutes(stage: Listening) -> None:
    """A listener fails three times at a batch: each event brings the same value each time."""
    stage.pause()
    stage.answers("false", "throw", "part")
    called = [stage.put(stage.here[0], key) for key in ("x", "z", "y")]
    stage.resume()
    stage.settle()
    for operation in called:
        by = (stage.listened,) if operation.key in KEYS else ()
        _is_offered(stage, stage.listened, operation, *by)


@between_sites("EXT-SUBST-06", needs=DIES, substituted=KEYS)
def what_is_sent_again_brings_its_substitute(stage: Sites) -> None:
    """A receiver dies at the first event of a batch: the others reach its peer with their substitutes."""
    dying, staying = stage.there
    stage.receive_at(dying)
    stage.pause()
    held = stage.hold(dying, stage.here[0], "z")
    stage.finish(held)
    called = [stage.put(member, key) for member, key in zip(stage.here, KEYS, strict=True)]
    stage.resume()
    stage.stands(dying, held)
    stage.crash(dying)
    stage.start_receiver(staying)
    stage.settle()
    for operation in called:
        _shows(stage, staying, operation, stage.to_there)
        _shows(stage, staying, operation, stage.to_there, reads=True)


@with_listener("EXT-SUBST-07", needs=LISTENER_DIES, substituted=KEYS)
def a_new_primary_offers_substitutes(stage: Listening) -> None:
    """The primary dies while its listener stands at a gate: what its heir offers has its substitutes."""
    primary, other = stage.primary(), stage.secondary()
    held = stage.block(other, "x")
    called = [held, stage.put(other, "y"), stage.put(other, "x")]
    stage.crash(primary)
    stage.settle()
    for operation in called:
        _is_offered(stage, stage.listened, operation, stage.listened)


@between_sites("EXT-SUBST-07", needs=SENDER_DIES, substituted=KEYS)
def a_new_primary_sends_substitutes(stage: Sites) -> None:
    """The primary dies while events wait in its queue: what its heir sends has its substitutes."""
    stage.pause()
    primary, other = stage.primary(), stage.secondary()
    called = [stage.put(other, key) for key in ("x", "y", "x")]
    stage.settle()
    stage.crash(primary)
    stage.resume()
    stage.settle()
    for member in stage.there:
        for operation in called:
            _shows(stage, member, operation, stage.to_there)


@between_sites("EXT-SUBST-08", substituted=KEYS, conflate=True)
def an_update_that_others_made_way_for_brings_its_substitute(stage: Sites) -> None:
    """Three updates of an entry wait in a queue that conflates: the last brings its own substitute."""
    first, second = stage.here
    stage.put(first, "x")
    stage.settle()
    stage.pause()
    stage.put(second, "x")
    stage.put(first, "x")
    last = stage.put(second, "x")
    stage.resume()
    stage.settle()
    for member in stage.there:
        _shows(stage, member, last, stage.to_there)
        _shows(stage, member, last, stage.to_there, reads=True)


@between_sites("EXT-SUBST-09", substituted=KEYS, failing=FAILS)
def an_event_crosses_as_it_was_put_where_the_filter_fails(stage: Sites) -> None:
    """The filter fails at one event of three: that one alone crosses as it was put."""
    first, second = stage.here
    before, failed, after = stage.put(first, "x"), stage.put(first, "f"), stage.put(second, "y")
    stage.settle()
    for member in stage.there:
        _shows(stage, member, before, stage.to_there)
        _shows(stage, member, failed)
        _shows(stage, member, failed, reads=True)
        _shows(stage, member, after, stage.to_there)


@with_listener("EXT-SUBST-09", substituted=KEYS, failing=FAILS)
def a_listener_receives_what_was_put_where_the_filter_fails(stage: Listening) -> None:
    """The filter fails at two events of five: the listener receives these as they were put."""
    first, second = stage.here
    stage.pause()
    called = [stage.put((first, second)[turn % 2], key) for turn, key in enumerate("xfyfx")]
    stage.resume()
    stage.settle()
    stage.received_once(*called)
    for operation in called:
        by = () if operation.key in FAILS else (stage.listened,)
        _is_offered(stage, stage.listened, operation, *by)
