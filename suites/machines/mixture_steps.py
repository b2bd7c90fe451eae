"""Steps of mixtures: what a feature has happen, one function for each, by the names of features.

A step takes the plan so far, a member by number, a key, and a number that chooses among its forms.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Await, Do, Inject, Join, Leave, Script, ScriptQueue
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.listener_calls import ANSWERS
from plumbline.reference.history.operations import Interest, OperationKind
from plumbline.reference.history.registration_actions import Register
from plumbline.suites.machines.drawing import NEVER_PUT, REGION, WRITES
from plumbline.suites.machines.mixture_drafts import CLIENT, KEYS, DraftMachine, of_thread

Step = Callable[[DraftMachine, int, str, int], None]

KINDS = (OperationKind.PUT, OperationKind.PUT, *WRITES)
TIMES_MS = (100, 1_000, 60_000)

_EXPIRES = (
    *(OperationKind.EXPIRE_DESTROY, OperationKind.EXPIRE_INVALIDATE),
    *(OperationKind.IDLE_DESTROY, OperationKind.IDLE_INVALIDATE),
)
_LOCALLY = (OperationKind.EXPIRE_LOCAL_DESTROY, OperationKind.EXPIRE_LOCAL_INVALIDATE, OperationKind.EVICT)
_WHOLE = (OperationKind.INVALIDATE_REGION, OperationKind.INVALIDATE_REGION, OperationKind.DESTROY_REGION)
_BULK = (OperationKind.PUT_ALL, OperationKind.PUT_ALL, OperationKind.REMOVE_ALL)
_BY_CLIENTS = (OperationKind.PUT, OperationKind.PUT, OperationKind.DESTROY, OperationKind.INVALIDATE)
_GOES = (FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH, FaultKind.CLIENT_CLOSE)
_WHATS = (("all", ""), ("key", "x"), ("list", "x\ny"), ("regex", "x|z"))
_FETCHES = (None, "none", "keys", "keys_values")
_ROLLS_BACK = 3


def _called(*kinds: OperationKind) -> Step:
    def step(draft: DraftMachine, who: int, key: str, how: int) -> None:
        kind = kinds[how % len(kinds)]
        draft.call(who, kind, "" if kind is OperationKind.EVICT else key)

    return step


def whole_region(draft: DraftMachine, who: int, _: str, how: int) -> None:
    """The region is invalidated, all being settled, or destroyed in the end: no more is called of it then."""
    kind = _WHOLE[how % len(_WHOLE)]
    if kind is OperationKind.DESTROY_REGION:
        draft.ending = [Do(draft.operation(draft.caller(who), kind, ""))]
        return
    draft.quiet()
    draft.call(who, kind, "")


def clear(draft: DraftMachine, who: int, _: str, __: int) -> None:
    """The region is cleared, all being settled."""
    draft.quiet()
    draft.call(who, OperationKind.CLEAR, "")


def expire(draft: DraftMachine, who: int, key: str, how: int) -> None:
    """An entry expires that its member has just put: what is absent has no time that could end."""
    draft.quiet()
    draft.call(who, OperationKind.PUT, key)
    draft.quiet()
    draft.put_in(draft.operation(draft.caller(who), _EXPIRES[how % len(_EXPIRES)], key))


def _change(kind: OperationKind) -> Step:
    def step(draft: DraftMachine, who: int, key: str, how: int) -> None:
        draft.call(who, kind, key, waits=bool(how % 3))

    return step


def transaction(draft: DraftMachine, who: int, key: str, how: int) -> None:
    """A transaction changes one key or two, and commits or is rolled back."""
    draft.quiet()
    member = draft.caller(who)
    draft.make_room(*KEYS)
    thread = f"{member} transacts {draft.calls}"
    other = KEYS[1 - KEYS.index(key)]
    changes = [(OperationKind.PUT, key), (KINDS[how % len(KINDS)], other)][: 1 + how % 2]
    ends = OperationKind.TX_ROLLBACK if how % 4 == _ROLLS_BACK else OperationKind.TX_COMMIT
    for kind, at in ((OperationKind.TX_BEGIN, ""), *changes, (ends, "")):
        draft.steps.append(Do(of_thread(draft.operation(member, kind, at), thread)))


def conditional(draft: DraftMachine, who: int, key: str, how: int) -> None:
    """An operation that expects the latest value, or one that no operation stores."""
    kind = (OperationKind.REPLACE_IF_EQUAL, OperationKind.REMOVE_IF_EQUAL)[how % 2]
    draft.make_room(key)
    right = draft.latest.get(key, NEVER_PUT) != NEVER_PUT and bool(how % 3)
    draft.put_in(draft.expecting(draft.caller(who), kind, key, right=right))


def several_keys(draft: DraftMachine, who: int, _: str, how: int) -> None:
    """One operation of all keys."""
    draft.make_room(*KEYS)
    draft.put_in(draft.bulk(draft.caller(who), _BULK[how % len(_BULK)], KEYS))


def call_of_client(draft: DraftMachine, _: int, key: str, how: int) -> None:
    """A client of one server, which runs, changes a key."""
    servers = [server for client in draft.world.clients for server in client.servers]
    if len(servers) != 1 or servers[0] in draft.dead or draft.away:
        return
    draft.make_room(key)
    draft.put_in(draft.operation(CLIENT, _BY_CLIENTS[how % len(_BY_CLIENTS)], key))


def hold(draft: DraftMachine, who: int, key: str, how: int) -> None:
    """A put is held in the listener of some member; or what is held goes on."""
    if draft.parked:
        draft.quiet()
        return
    everyone = [member for site in range(len(draft.world.topology.sites)) for member in draft.alive(site)]
    draft.make_room(key)
    operation = draft.operation(draft.caller(who), OperationKind.PUT, key)
    draft.started.append(operation.op_id)
    draft.park(operation, everyone[how % len(everyone)])


def fail_listeners(draft: DraftMachine, _: int, key: str, how: int) -> None:
    """The listeners of a queue are told what to answer to their next call, and a key is put."""
    draft.quiet()
    listened = next(queue for queue in draft.world.queues if queue.remote_site is None)
    answers = (ANSWERS[how % len(ANSWERS)],)
    draft.steps += [ScriptQueue(member, listened.id, answers) for member in draft.alive(0)]
    draft.call(0, OperationKind.PUT, key)


def refuse(draft: DraftMachine, _: int, key: str, how: int) -> None:
    """The cache writers of the second site refuse a key, or nothing any more."""
    draft.quiet()
    refused = (key,) if how % 3 else ()
    draft.steps += [Script(member, REGION, refused) for member in draft.alive(1)]


def register(draft: DraftMachine, who: int, _: str, how: int) -> None:
    """A client that runs, and has a server that runs, registers for keys, or withdraws that."""
    if draft.away or any(draft.dead.issuperset(client.servers) for client in draft.world.clients):
        return
    draft.quiet()
    kind, specification = _WHATS[how % len(_WHATS)]
    draft.steps.append(
        Register(
            Interest(
                client=CLIENT,
                region=REGION,
                kind=kind,
                specification=specification,
                policy=_FETCHES[who % len(_FETCHES)],
                receive_values=who != 1,
                register=how < len(_WHATS) * 2,
            )
        )
    )


def pause(draft: DraftMachine, _: int, __: str, how: int) -> None:
    """A queue is paused on all members of its site, or goes on."""
    if draft.is_broken(FaultKind.PAUSE):
        draft.mend()
        return
    queue = draft.world.queues[how % len(draft.world.queues)]
    members = draft.alive(queue.site - 1)
    draft.break_(*(Fault(kind=FaultKind.PAUSE, member=member, queue=queue.id) for member in members))


def stop_receivers(draft: DraftMachine, _: int, __: str, how: int) -> None:
    """All receivers of the second site are stopped, or started."""
    if draft.is_broken(FaultKind.RECEIVER_STOP) and how % 2:
        draft.mend()
        return
    draft.break_(*(Fault(kind=FaultKind.RECEIVER_STOP, member=member) for member in draft.alive(1)))


def cut(draft: DraftMachine, _: int, __: str, how: int) -> None:
    """The link from one site to the other is cut, or mended."""
    if draft.is_broken(FaultKind.LINK_DOWN) and how % 2:
        draft.mend()
        return
    one, other = (1, 2) if how % 3 else (2, 1)
    draft.break_(Fault(kind=FaultKind.LINK_DOWN, site=one, remote_site=other))


def lose_answers(draft: DraftMachine, _: int, key: str, how: int) -> None:
    """Answers are lost, provably: an event is seen at the other site before the link is mended."""
    if draft.is_broken(FaultKind.REPLIES_LOST) and how % 2:
        draft.mend()
        return
    draft.rest()
    draft.break_(Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2))
    operation = draft.operation(draft.alive(0)[0], OperationKind.PUT, key)
    draft.put_in(operation)
    draft.steps.append(Await(operation.op_id, draft.alive(1)[0]))


def crash(draft: DraftMachine, who: int, _: str, how: int) -> None:
    """One member dies, of a site that has more."""
    members = draft.alive(who)
    if not draft.dead and len(members) > 1:
        draft.break_(Fault(kind=FaultKind.CRASH, member=members[how % len(members)]))


def give_up(draft: DraftMachine, _: int, __: str, ___: int) -> None:
    """The last member gives up its copy, or takes it again."""
    draft.quiet()
    if draft.closed:
        draft.steps.append(Join(draft.closed, REGION))
        draft.closed = ""
        return
    draft.closed = draft.alive(0)[-1]
    draft.steps.append(Leave(draft.closed, REGION))


def live(draft: DraftMachine, _: int, key: str, how: int) -> None:
    """A durable client becomes ready; one that is goes, and another process comes back behind a put.

    Every other time this happens while calls are under way, where the candidate offers that.
    """
    if not draft.ready:
        draft.ready = True
        draft.steps.append(Inject(Fault(kind=FaultKind.CLIENT_READY, client=CLIENT)))
        return
    meanwhile = how % 2 == 1 and not draft.parked and Capability.CONCURRENT_LIVES in draft.offers
    if not meanwhile:
        draft.quiet()
    if not draft.away:
        draft.away = True
        kind = _GOES[how // 2 % len(_GOES)]
        draft.steps.append(Inject(Fault(kind=kind, client=CLIENT, meanwhile=meanwhile)))
        draft.call(0, OperationKind.PUT, key)
        return
    draft.away = draft.ready = False
    draft.steps.append(Inject(Fault(kind=FaultKind.CLIENT_START, client=CLIENT, meanwhile=meanwhile)))
    interest = Interest(client=CLIENT, region=REGION, policy="none", durable=True)
    draft.steps.append(Register(interest))


def let_pass(draft: DraftMachine, _: int, __: str, how: int) -> None:
    """Time passes where it is held."""
    draft.quiet()
    leap = Fault(kind=FaultKind.TIME_LEAP, milliseconds=TIMES_MS[how % len(TIMES_MS)])
    draft.steps.append(Inject(leap))


class MixtureStep(msgspec.Struct, frozen=True):
    """What a feature has happen, and what a candidate must offer for it."""

    take: Step
    needs: tuple[Capability, ...] = ()


_WAN = (Capability.GATEWAYS,)
_LINKED = (Capability.GATEWAYS, Capability.LINK_FAULTS)
_SCRIPTED = (Capability.CALLBACK_SCRIPTS,)

STEPS: dict[str, MixtureStep] = {
    "transaction": MixtureStep(transaction, (Capability.TRANSACTIONS,)),
    "conditional operation": MixtureStep(conditional, (Capability.CONDITIONAL_OPERATIONS,)),
    "local operation": MixtureStep(
        _called(OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE), (Capability.LOCAL_OPERATIONS,)
    ),
    "clear": MixtureStep(clear, (Capability.CLEAR,)),
    "operation on a whole region": MixtureStep(whole_region, (Capability.CLEAR,)),
    "expiration": MixtureStep(expire, (Capability.CONFIGURATION,)),
    "local expiration or eviction": MixtureStep(
        _called(*_LOCALLY), (Capability.LOCAL_EXPIRATION, Capability.EVICTION)
    ),
    "destroy": MixtureStep(_change(OperationKind.DESTROY)),
    "invalidate": MixtureStep(_change(OperationKind.INVALIDATE)),
    "read": MixtureStep(_called(OperationKind.GET, OperationKind.CONTAINS_KEY)),
    "operation on several keys": MixtureStep(several_keys, (Capability.BULK_OPERATIONS,)),
    "call of a client": MixtureStep(call_of_client, (Capability.CLIENTS,)),
    "listener held at a gate": MixtureStep(hold, (Capability.LISTENER_GATES,)),
    "listener of a queue that fails": MixtureStep(fail_listeners, (Capability.ASYNC_QUEUES, *_SCRIPTED)),
    "event that cannot be applied": MixtureStep(refuse, (*_WAN, *_SCRIPTED)),
    "registration": MixtureStep(register, (Capability.CLIENTS,)),
    "queue paused": MixtureStep(pause, _WAN),
    "receiver stopped": MixtureStep(stop_receivers, _WAN),
    "link cut": MixtureStep(cut, _LINKED),
    "answers lost": MixtureStep(lose_answers, _LINKED),
    "crash": MixtureStep(crash, (Capability.MEMBER_FAULTS,)),
    "copy given up and taken again": MixtureStep(give_up, (Capability.CONFIGURATION,)),
    "durable client": MixtureStep(live, (Capability.CLIENTS, Capability.DURABLE_CLIENTS)),
    "held clocks": MixtureStep(let_pass, (Capability.HELD_CLOCKS, Capability.VIRTUAL_TIME)),
}
"""Each feature that happens, and what the set-up of two of them has happen besides."""
