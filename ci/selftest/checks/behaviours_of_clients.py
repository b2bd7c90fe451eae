"""Right but unusual clients, and servers of clients.

Knows what each does; whether the suite accepts it, ci/tests/test_right_behaviours.py asks.
"""

from __future__ import annotations

from plumbline.ci.selftest.checks.behaviour import Behaviour, first, last, leaning, of_clients, usual
from plumbline.reference.history.actions import Do, Park, Read, Release
from plumbline.reference.history.operations import (
    Client,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import (
    BeginRegistration,
    EndRegistration,
    ReleaseAnswer,
)
from plumbline.reference.model.clients.client_state import PendingStage
from plumbline.reference.model.messages import MessageState
from plumbline.reference.model.places import outcome_entry
from plumbline.reference.model.transactions import FAILS
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import EntryState
from plumbline.reference.search.transition import Step

MACHINES = ("client_pipeline", "client_failover", "client_restarts", "client_attempts")
ABSENT = outcome_entry(Outcome(Status.ABSENT))
EXISTS = outcome_entry(Outcome(Status.EXISTS))


_ALL = Interest(client="K", region="region")


def _put(op_id: int, member: str, key: str = "x") -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region="region",
        kind=OperationKind.PUT,
        key=key,
        token=f"v{op_id}",
    )


def _attaches_when_free(world: World, step: Step) -> int | None:
    """A client that stands in its listener looks for no other server."""
    if step.name[0] == "takes over" and any(
        channel.target == step.name[2] and messages[0].state is MessageState.PARKED
        for channel, messages in world.channels.items()
    ):
        return None
    return usual(world, step)


def _fetches_all(world: World, step: Step) -> int | None:
    """A client that starts anew fetches every value that the documents let it fetch."""
    if step.name[0] != "takes over":
        return usual(world, step)
    found = step.state.entries.items()
    return -1 - sum(entry.state is EntryState.LIVE for where, entry in found if where[0] == step.name[2])


def _keeps(world: World, step: Step) -> int | None:
    """A client keeps what its get has brought, also an entry without a value."""
    if step.name[0] != "is answered":
        return usual(world, step)
    return -1 if step.state.entries is not world.entries else 0


def _never_creates_over(world: World, step: Step) -> int | None:
    """A client's create replaces nothing that the server holds."""
    exists = any(entry == EXISTS for _, entry in step.shows)
    exists |= any(
        call.outcome is not None and call.outcome.status is Status.EXISTS
        for call in step.state.calls.values()
    )
    return -1 if exists else usual(world, step)


def _never_says_absent(world: World, step: Step) -> int | None:
    """Calls on what is not there end well where they may."""
    absent = any(entry == ABSENT for _, entry in step.shows)
    called = [call.outcome for call in step.state.calls.values()]
    absent |= Outcome(Status.ABSENT) in called and step.name[0] == "leaves to its client"
    return 1 if absent else usual(world, step)


def _registers_first(world: World, step: Step) -> int | None:
    """Events wait at a client until its registrations have ended, as they do in Apache Geode."""
    registering = {
        one.interest.client for one in world.served.pending.values() if one.stage is not PendingStage.ENDED
    }
    waits = any(
        channel.target in registering
        and channel.thread.startswith("queue")
        and len(step.state.channels.get(channel, ())) < len(messages)
        for channel, messages in world.channels.items()
    )
    return None if waits else usual(world, step)


def _takes_newer_answers(world: World, step: Step) -> int | None:
    """An answer replaces a valid entry where its version is higher, as the check of versions has it."""
    if step.name[0] != "applies the answer":
        return usual(world, step)
    return -1 if step.state.entries is not world.entries else 0


def _tells(world: World, step: Step) -> int | None:
    """Takes steps that show an event first; no commit fails, which a scenario forbids."""
    return -1 if step.shows and step.name[0] != FAILS else usual(world, step)


def _silent(world: World, step: Step) -> int | None:
    """Takes steps that show no event first."""
    return usual(world, step) if step.shows else -1


def _plan(*called: tuple[str, OperationKind], registers: bool) -> Plan:
    """Members and a client call something on one key, one after the other."""
    operations = (
        Operation(
            op_id=number,
            thread=who,
            member=who,
            region="r",
            kind=kind,
            key="x",
            token=None if kind is OperationKind.GET else f"t{number}",
        )
        for number, (who, kind) in enumerate(called, 1)
    )
    return Plan(
        Topology((Site(1, ("A", "B")),)),
        (RegionAttributes(name="r"),),
        tuple(Do(operation) for operation in operations),
        clients=(Client(name="K", servers=("B",)),),
        registers=registers,
    )


PUT, GET, INVALIDATE = OperationKind.PUT, OperationKind.GET, OperationKind.INVALIDATE

BEHAVIOURS = (
    Behaviour(
        name="clients-finish-listening-first",
        does="a client whose server dies attaches to another only when its listener goes on",
        allowed="001 L70: as soon as it can attach",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(_attaches_when_free),
    ),
    Behaviour(
        name="events-wait-for-registrations",
        does="a client takes no event while it registers",
        allowed="003 L22 to L25: answers and queued events act on the cache in any order",
        machines=("registrations_under_way",),
        concerns=of_clients,
        open=leaning(_registers_first),
    ),
    Behaviour(
        name="newer-answers-replace",
        does="the answer to a registration replaces a value of a lower version",
        allowed="004 L47: a client checks versions; 003 L49 knows none",
        machines=("registrations_under_way",),
        concerns=of_clients,
        open=leaning(_takes_newer_answers),
        plans=(
            Plan(
                Topology((Site(1, ("A", "B", "C")),)),
                (RegionAttributes(name="region"),),
                (
                    Do(_put(1, "A")),
                    BeginRegistration(interest=_ALL, number=10, held=True),
                    Park(_put(2, "A", "z"), "K"),
                    Park(_put(3, "A"), "K"),
                    Do(_put(4, "A")),
                    BeginRegistration(interest=_ALL, number=11, held=True),
                    Release(2, "K"),
                    ReleaseAnswer(11, "K"),
                    EndRegistration(11, "K"),
                    Read("K", "region"),
                ),
                clients=(Client(name="K", servers=("B",)),),
                registers=False,
            ),
        ),
    ),
    Behaviour(
        name="clients-fetch-everything",
        does="a client that starts anew fetches all entries of its interest with their values",
        allowed="001 L70: the entries of interest are refetched; no policy is named",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(_fetches_all),
    ),
    Behaviour(
        name="clients-keep-what-has-no-value",
        does="a client that gets an entry without a value keeps such an entry",
        allowed="001 L26 and L33 do not say what a get without a value leaves",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(_keeps),
        plans=(_plan(("A", PUT), ("A", INVALIDATE), ("K", GET), registers=False),),
    ),
    Behaviour(
        name="clients-are-never-told-absent",
        does="a client's destroy or invalidate of what is not there ends ok",
        allowed="001 L20 and L22 do not say what the call is told",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(_never_says_absent),
        plans=(
            _plan(("K", OperationKind.LOCAL_DESTROY), ("K", OperationKind.DESTROY), registers=True),
            _plan(("K", INVALIDATE), ("K", OperationKind.LOCAL_INVALIDATE), registers=True),
        ),
    ),
    Behaviour(
        name="clients-create-nothing-over-what-is-there",
        does="a client's create of a key that its server holds ends with exists, and changes nothing",
        allowed="001 L19: the effect of a create at the server is a creation or an update",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(_never_creates_over),
        plans=(
            _plan(("A", PUT), ("K", OperationKind.CREATE), registers=False),
            _plan(
                ("A", PUT), ("K", OperationKind.LOCAL_DESTROY), ("K", OperationKind.CREATE), registers=True
            ),
        ),
    ),
    Behaviour(
        name="servers-leave-it-to-the-client",
        does="what a server has nothing to do for only changes the client's own copy",
        allowed="001 L20 does not say what becomes of a destroy that finds nothing",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(first("leaves to its client")),
    ),
    Behaviour(
        name="answers-come-last",
        does="a client is sent events before the answers to its calls",
        allowed="001 L13: when an event is sent out of the queue is indeterminate",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(last("answers", "is answered"), lazy=True),
    ),
    Behaviour(
        name="clients-are-told-all",
        does="listeners are told wherever they may be: of what was fetched, of what the server discarded",
        allowed="no document says whether they are told",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(_tells),
    ),
    Behaviour(
        name="clients-are-told-little",
        does="listeners are told only what they must be",
        allowed="no document says whether they are told",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(_silent),
    ),
    Behaviour(
        name="clients-wander-backwards",
        does="of all that may happen next the last by name happens: clients go to their last server",
        allowed="001 L70: a client may attach to any server",
        machines=MACHINES,
        concerns=of_clients,
        open=leaning(backwards=True),
    ),
)
"""All of them."""
