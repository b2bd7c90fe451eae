"""Callback arguments: the argument of a call comes to each listener with its event, and with no other.

An extension. The events are seen by members, clients, listeners of queues and members of another site. Queues
gather, listeners fail, and members die with what they were sent.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Operation, OperationKind
from plumbline.suites.scenarios.listening import Listening
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.scenario import between_sites, scenario, with_listener
from plumbline.suites.scenarios.sites import Sites
from plumbline.suites.scenarios.stage import Stage

ARGUED = (Capability.EVENT_ARGUMENTS,)
FAILS = (*ARGUED, Capability.CALLBACK_SCRIPTS)
DIES = (*ARGUED, Capability.LISTENER_GATES, Capability.MEMBER_FAULTS)
LISTENER_DIES = (*DIES, Capability.CALLBACK_SCRIPTS, Capability.QUEUE_INSPECTION)
CLIENT = "K"


def _comes_with_its_own(stage: Stage, holder: str, *operations: Operation) -> None:
    """The listener of a member or client has received each of these with its argument, or without one."""
    stage.driver.poll()
    for operation in operations:
        events = [event for event in stage.driver.log(holder) if stage.driver.tells(event, operation)]
        _are_its_own(holder, operation, [event.argument or None for event in events])


def _is_offered_with_its_own(stage: Listening, *operations: Operation) -> None:
    """The listeners of the queue have received each of these, every time with its argument or without one."""
    changes = [change for call in stage.calls() for change in call.events]
    for operation in operations:
        seen = [change.argument or None for change in changes if change.token == operation.token]
        _are_its_own(f"queue {stage.listened}", operation, seen)


def _are_its_own(holder: str, operation: Operation, seen: list[str | None]) -> None:
    if {*seen} != {operation.argument}:
        wanted = in_words(operation.argument)
        raise MismatchError(
            f"the listener of {holder} to receive {operation.token} with the argument {wanted}",
            in_words(seen),
        )


def _of_each_kind(stage: Stage, first: str, second: str) -> tuple[Operation, ...]:
    """A create, an update, an invalidation and a destroy of one key, by two members in turn."""
    return (
        stage.do(first, OperationKind.CREATE, "x"),
        stage.put(second, "x"),
        stage.do(first, OperationKind.INVALIDATE, "x"),
        stage.do(second, OperationKind.DESTROY, "x"),
    )


@scenario("EXT-CALLBACK-01", needs=ARGUED)
def each_member_receives_the_argument_of_each_call(stage: Stage) -> None:
    """Two members change an entry in each way: all three receive the argument of each change."""
    stage.give_arguments()
    called = _of_each_kind(stage, stage.low, stage.high)
    stage.settle()
    for member in stage.members:
        _comes_with_its_own(stage, member, *called)


@with_listener("EXT-CALLBACK-02", needs=ARGUED)
def the_listener_of_a_queue_receives_arguments(stage: Listening) -> None:
    """Both members put and destroy: the listener of the queue receives the argument of each."""
    stage.give_arguments()
    first, second = stage.here
    called = [
        stage.put(first, "x"),
        stage.put(second, "x"),
        stage.do(first, OperationKind.DESTROY, "x"),
        stage.put(second, "y"),
    ]
    stage.settle()
    stage.received_once(*called)
    _is_offered_with_its_own(stage, *called)


@between_sites("EXT-CALLBACK-03", needs=ARGUED)
def arguments_cross_to_another_site(stage: Sites) -> None:
    """Both members put and destroy: the members of the other site receive the argument of each."""
    stage.give_arguments()
    first, second = stage.here
    called = (
        stage.do(first, OperationKind.CREATE, "x"),
        stage.put(second, "x"),
        stage.do(first, OperationKind.DESTROY, "x"),
        stage.put(second, "y"),
    )
    stage.settle()
    for member in stage.there:
        _comes_with_its_own(stage, member, *called)


@scenario(
    "EXT-CALLBACK-04",
    needs=(*ARGUED, Capability.CLIENTS),
    clients=(Client(name=CLIENT, servers=("B",)), Client(name="L", servers=("C",))),
)
def clients_receive_the_arguments_of_members_and_of_each_other(stage: Stage) -> None:
    """A member and a client put: both clients receive the arguments of both."""
    stage.give_arguments()
    called = (stage.put(stage.low, "x"), stage.put(CLIENT, "y"))
    stage.settle()
    for client in (CLIENT, "L"):
        _comes_with_its_own(stage, client, *called)


@scenario("EXT-CALLBACK-05", needs=ARGUED)
def an_event_has_no_argument_where_its_call_was_given_none(stage: Stage) -> None:
    """A call without an argument stands behind one that has one: members receive it without."""
    stage.give_arguments()
    given = stage.put(stage.low, "x")
    stage.give_arguments(gives=False)
    bare = stage.put(stage.low, "x")
    gone = stage.do(stage.high, OperationKind.DESTROY, "x")
    stage.settle()
    for member in stage.members:
        _comes_with_its_own(stage, member, given, bare, gone)


@with_listener("EXT-CALLBACK-05", needs=ARGUED)
def the_listener_of_a_queue_receives_no_argument_that_was_not_given(stage: Listening) -> None:
    """Calls with and without an argument wait together: those without come without."""
    stage.pause()
    first, second = stage.here
    called = []
    for turn, member in enumerate((first, second, first, second)):
        stage.give_arguments(gives=not turn % 2)
        called.append(stage.put(member, "xy"[turn % 2]))
    stage.resume()
    stage.settle()
    _is_offered_with_its_own(stage, *called)


@with_listener("EXT-CALLBACK-06", needs=ARGUED)
def each_event_of_a_batch_has_its_own_argument(stage: Listening) -> None:
    """Three puts and a destroy wait in a queue that is paused: each comes with its own argument."""
    stage.give_arguments()
    stage.pause()
    first, second = stage.here
    called = [stage.put(member, key) for member, key in zip((first, second, first), "xyz", strict=True)]
    called.append(stage.do(second, OperationKind.DESTROY, "y"))
    stage.resume()
    stage.settle()
    stage.received_once(*called)
    _is_offered_with_its_own(stage, *called)


@between_sites("EXT-CALLBACK-06", needs=ARGUED, conflate=True)
def an_update_that_others_made_way_for_has_its_own_argument(stage: Sites) -> None:
    """Three updates of an entry wait in a queue that conflates: the last has the argument of its own call."""
    stage.give_arguments()
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
        _comes_with_its_own(stage, member, last)


@with_listener("EXT-CALLBACK-07", needs=FAILS)
def an_event_that_is_offered_again_has_its_argument(stage: Listening) -> None:
    """A listener fails three times at a batch: each event comes each time with its argument."""
    stage.give_arguments()
    stage.pause()
    stage.answers("false", "throw", "part")
    called = [stage.put(stage.here[0], key) for key in ("x", "y", "z")]
    stage.resume()
    stage.settle()
    _is_offered_with_its_own(stage, *called)


@between_sites("EXT-CALLBACK-07", needs=DIES)
def an_event_that_is_sent_again_has_its_argument(stage: Sites) -> None:
    """A receiver dies at the first event of a batch: the others reach its peer with their arguments."""
    dying, staying = stage.there
    stage.give_arguments()
    stage.receive_at(dying)
    stage.pause()
    held = stage.hold(dying, stage.here[0], "x")
    stage.finish(held)
    called = [stage.put(member, key) for member, key in zip(stage.here, ("y", "z"), strict=True)]
    stage.resume()
    stage.stands(dying, held)
    stage.crash(dying)
    stage.start_receiver(staying)
    stage.settle()
    _comes_with_its_own(stage, staying, *called)


@with_listener("EXT-CALLBACK-08", needs=LISTENER_DIES)
def a_new_primary_offers_arguments(stage: Listening) -> None:
    """The primary dies while its listener stands at a gate: what its heir offers has its arguments."""
    stage.give_arguments()
    primary, other = stage.primary(), stage.secondary()
    held = stage.block(other, "x")
    called = [held, stage.put(other, "y"), stage.do(other, OperationKind.DESTROY, "y")]
    stage.crash(primary)
    stage.settle()
    _is_offered_with_its_own(stage, *called)


@between_sites("EXT-CALLBACK-08", needs=(*ARGUED, Capability.MEMBER_FAULTS, Capability.QUEUE_INSPECTION))
def a_new_primary_sends_arguments(stage: Sites) -> None:
    """The primary dies while events wait in its queue: what its heir sends has its arguments."""
    stage.give_arguments()
    stage.pause()
    primary, other = stage.primary(), stage.secondary()
    called = [stage.put(other, key) for key in ("x", "y", "x")]
    stage.settle()
    stage.crash(primary)
    stage.resume()
    stage.settle()
    for member in stage.there:
        _comes_with_its_own(stage, member, *called)
