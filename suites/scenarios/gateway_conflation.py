"""Gateway senders that conflate: what may be left out of a queue, and what may not.

An extension. Updates may make way and need not, so a scenario names what must be told, and what may be.
"""

from __future__ import annotations

from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import SECOND, Sites


def _created(stage: Sites, *keys: str) -> list[Operation]:
    """Create entries at site 1, see them cross, and pause the sender."""
    created = [stage.put(stage.here[0], key) for key in keys]
    stage.settle()
    stage.pause()
    return created


def _arrives(stage: Sites) -> None:
    stage.resume()
    stage.settle()


@between_sites("EXT-CONFL-01", conflate=True)
def creates_and_destroys_cross_where_updates_may_make_way(stage: Sites) -> None:
    """An update makes way for none but an update; creates and destroys of its entry all cross."""
    (created,) = _created(stage, "x")
    updated = stage.put(stage.here[1], "x")
    destroyed = stage.do(stage.here[0], OperationKind.DESTROY, "x")
    again = stage.put(stage.here[1], "x")
    once_more = stage.do(stage.here[0], OperationKind.DESTROY, "x")
    _arrives(stage)
    for member in stage.there:
        stage.log_is(member, "x", created, updated, destroyed, again, once_more)
    stage.both_sites_hold("x", None)


@between_sites("EXT-CONFL-01", conflate=True)
def a_create_crosses_before_the_update_behind_it(stage: Sites) -> None:
    """Of a create and two updates the create and the last update are told; the other one may be."""
    _created(stage)
    created, first, last = (stage.put(member, "x") for member in (*stage.here, stage.here[0]))
    _arrives(stage)
    for member in stage.there:
        stage.told_once(member, created)
        stage.told_once(member, last)
        stage.told_some_of(member, "x", created, first, last)


@between_sites("EXT-CONFL-01", conflate=True)
def a_destroy_crosses_before_the_update_behind_it(stage: Sites) -> None:
    """A destroy, a create and an update wait: all three are told, since only updates make way."""
    (created,) = _created(stage, "x")
    destroyed = stage.do(stage.here[0], OperationKind.DESTROY, "x")
    again, last = stage.put(stage.here[1], "x"), stage.put(stage.here[0], "x")
    _arrives(stage)
    for member in stage.there:
        stage.log_is(member, "x", created, destroyed, again, last)
    stage.both_sites_hold("x", last)


@between_sites("EXT-CONFL-02", conflate=True)
def what_is_left_of_a_conflating_queue_keeps_its_order(stage: Sites) -> None:
    """An update behind a destroy and a create stays behind them, though an earlier one makes way for it."""
    (created,) = _created(stage, "x")
    updated = stage.put(stage.here[0], "x")
    destroyed = stage.do(stage.here[0], OperationKind.DESTROY, "x")
    again = stage.put(stage.here[0], "x")
    last = stage.put(stage.here[0], "x")
    _arrives(stage)
    for member in stage.there:
        stage.told_some_of(member, "x", created, updated, destroyed, again, last)
        for one in (destroyed, again, last):
            stage.told_once(member, one)
    stage.both_sites_hold("x", last)


@between_sites("EXT-CONFL-03", conflate=True)
def the_last_of_many_updates_crosses(stage: Sites) -> None:
    """Four updates wait, of both members; the last one is what all members of both sites hold."""
    (created,) = _created(stage, "x")
    updates = [stage.put(stage.here[turn % 2], "x") for turn in range(4)]
    _arrives(stage)
    for member in stage.there:
        stage.told_some_of(member, "x", created, *updates)
        stage.told_once(member, updates[-1])
    stage.both_sites_hold("x", updates[-1])


@between_sites("EXT-CONFL-04", conflate=True, also=(SECOND,))
def an_update_stays_beside_those_of_other_entries(stage: Sites) -> None:
    """One update each of two keys and of one key in two regions: every one of them is told."""
    stage.put_in(SECOND, stage.here[0], "x")
    _created(stage, "x", "y")
    first, other = stage.put(stage.here[0], "x"), stage.put(stage.here[0], "y")
    second = stage.put_in(SECOND, stage.here[0], "x")
    _arrives(stage)
    for member in stage.there:
        stage.told_once(member, first)
        stage.told_once(member, other)
        stage.holds_in(SECOND, member, "x", second)
    stage.both_sites_hold("x", first)
    stage.both_sites_hold("y", other)


@between_sites("EXT-CONFL-05", conflate=True)
def a_sender_beside_one_that_conflates_sends_each_update(stage: Sites) -> None:
    """Site 2 updates an entry four times while its own sender is paused, which does not conflate."""
    created = stage.put(stage.there[0], "x")
    stage.settle()
    stage.pause(*stage.there)
    updates = [stage.put(stage.there[turn % 2], "x") for turn in range(4)]
    stage.resume(*stage.there)
    stage.settle()
    for member in stage.here:
        stage.log_is(member, "x", created, *updates)
