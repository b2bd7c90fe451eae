"""The answers that no candidate may give, because the harness would misread them.

Only what cannot be an observation is refused here. A lost event, a wrong value, a queue that holds an entry
twice are observations, and judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from plumbline.adapters.protocol import (
    PROTOCOL_VERSION,
    Attributes,
    AttributesResult,
    ContentsResult,
    Deploy,
    Deployed,
    Finished,
    FinishRequest,
    InterestEnded,
    Introduction,
    Observe,
    Observed,
    Placement,
    PlacementResult,
    SettleResult,
    ShownStamp,
)
from plumbline.adapters.scene import Scene
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.listener_calls import ANSWERS, QueueCall, QueuedChange
from plumbline.reference.history.operations import (
    CONDITIONAL,
    Conflict,
    Event,
    EventKind,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.history.views import RegionViews

_VALUED = frozenset(
    {
        OperationKind.GET,
        OperationKind.CONTAINS_KEY,
        OperationKind.PUT_IF_ABSENT,
        OperationKind.REPLACE,
        OperationKind.EVICT,
        *CONDITIONAL,
    }
)
"""The operations that give the caller something back."""

_YES_OR_NO = CONDITIONAL | {OperationKind.CONTAINS_KEY}
"""Those that say whether a key is there, or whether the entry was changed."""

_REGISTRATION_ENDS = (Status.OK, Status.REFUSED, Status.FAILED, None)
"""How a registration may have ended; None where it has not."""

_CONFLICT_ANSWERS = ("allow", "disallow", "replace", "throw")
_CONFLICT_KINDS = (EventKind.CREATE, EventKind.UPDATE, EventKind.DESTROY, EventKind.INVALIDATE)


def flaw(scene: Scene, params: msgspec.Struct, result: msgspec.Struct) -> str:
    """What is wrong with an answer; "" where nothing is."""
    match params, result:
        case _, Introduction():
            return _flaw_of_introduction(scene, result)
        case Deploy(topology=topology), Deployed(member_order=order):
            return _flaw_of_order(order, topology.members)
        case FinishRequest(op_id=op_id), Finished(outcome=Outcome() as outcome):
            return _flaw_of_outcome(scene, op_id, outcome)
        case Observe(since=since), Observed():
            return _flaw_of_events(scene, since, result)
        case _, SettleResult() | InterestEnded():
            return _flaw_of_waiting(scene, result)
        case _, RegionViews(keys=keys, entries=entries):
            return _twice(keys, "names the key") or _twice((entry.key for entry in entries), "names the key")
        case _, ContentsResult(entries=entries):
            return _twice((entry.key for entry in entries or ()), "names the key")
        case Attributes(region=region), AttributesResult(attributes=attributes):
            if attributes.name != region:
                return f"tells the attributes of {attributes.name!r:.80}, where {region!r} is asked about"
            return "" if attributes.checks is not None else f"does not say whether {region} checks"
        case Placement(key=key), PlacementResult():
            return _flaw_of_placement(scene, key, result)
        case _, ShownStamp(member=member):
            return _unknown((member,), scene.topology.members)
        case _:
            return ""


def flaw_of_change(before: Introduction, now: Introduction) -> str:
    """What an adapter says of itself otherwise than before; "" where nothing is.

    A run has one candidate: else an answer judged by one introduction would be read by another.
    """
    pairs = zip(before.__struct_fields__, msgspec.structs.astuple(before), strict=True)
    for name, was in pairs:
        told = getattr(now, name)
        same = set(was) == set(told) if name == "capabilities" else was == told
        if not same:
            shown = [", ".join(value) if isinstance(value, tuple) else str(value) for value in (was, told)]
            return f"says {name} {shown[1]!r:.200}, and said {shown[0]!r:.200} before"
    return ""


def _flaw_of_introduction(scene: Scene, told: Introduction) -> str:
    if told.protocol != PROTOCOL_VERSION:
        return f"speaks version {told.protocol} of the protocol, and this suite {PROTOCOL_VERSION}"
    if told.conflated_weight_least > told.conflated_weight_most:
        least, most = told.conflated_weight_least, told.conflated_weight_most
        return f"one discarded update cannot add at least {least} and at most {most} (conflated_weight)"
    if doubled := _twice(told.capabilities, "declares"):
        return doubled
    before = scene.introduction
    return "" if before is None else flaw_of_change(before, told)


def _flaw_of_order(order: tuple[str, ...] | None, members: tuple[str, ...]) -> str:
    if order is None or sorted(order) == sorted(members):
        return ""
    return f"member_order is {list(order)!r:.200}, and the members are {list(members)}, each once"


def _flaw_of_outcome(scene: Scene, op_id: int, outcome: Outcome) -> str:
    operation = scene.called.get(op_id)
    if operation is None:
        return f"tells an outcome of operation {op_id}, which was not begun"
    if operation.kind not in _VALUED and outcome.value is not None:
        return f"gives {outcome.value!r:.80} back for {operation.kind}, which gives nothing back"
    if operation.kind in BULK and outcome.status in (Status.EXISTS, Status.ABSENT):
        return f"says {outcome.status} of {operation.kind}, which tells nothing of single keys"
    asks = operation.kind in _YES_OR_NO and outcome.status is Status.OK
    if asks and outcome.value not in ("true", "false"):
        return f"gives {outcome.value!r:.80} back for {operation.kind}, where 'true' or 'false' is due"
    if operation.kind is OperationKind.EVICT and (outcome.value is None) is (outcome.status is Status.OK):
        return f"gives {outcome.value!r:.80} back for {operation.kind} that ended {outcome.status}"
    return ""


def _flaw_of_events(scene: Scene, since: int, told: Observed) -> str:
    if told.position < since:
        return f"goes back to position {told.position}, where {since} was asked for"
    if (told.events or told.calls) and told.position == since:
        many = len(told.events) + len(told.calls)
        return f"tells {many} events and stays at position {since}, so that they would come again"
    holders = scene.holders
    for event in told.events:
        if event.member not in holders:
            return f"an event of a member that does not exist: {event.member!r:.80}"
        if event.region not in scene.regions:
            return f"an event of a region that does not exist: {event.region!r:.80}"
        if (
            wrong := _flaw_of_argument(scene, event)
            or _flaw_of_conflict(event)
            or _flaw_of_live(scene, event)
        ):
            return wrong
    return next(filter(None, (_flaw_of_call(scene, call) for call in told.calls)), "")


_MARKS = {
    True: "does not say of each event whether it is `marked`, and hello declares duplicate_marks",
    False: "says whether an event is `marked`, and hello does not declare duplicate_marks",
}
"""What is wrong with a call, by whether the candidate shows marks."""


def _flaw_of_call(scene: Scene, call: QueueCall) -> str:
    queue = scene.queues.get(call.queue)
    if queue is None or queue.remote_site is not None:
        return f"a call of a listener of {call.queue!r:.80}, which is no asynchronous event queue"
    if call.member not in scene.topology.members:
        return f"a call of a listener at {call.member!r:.80}, which is no member"
    if strange := next((one.region for one in call.events if one.region not in scene.regions), None):
        return f"an event of a region that does not exist: {strange!r:.80}"
    if call.answer not in ANSWERS:
        return f"a listener at {call.member} that answers {call.answer!r:.80}"
    if wrong := next(filter(None, (_flaw_of_argument(scene, one) for one in call.events)), ""):
        return wrong
    marks = scene.declares(Capability.DUPLICATE_MARKS)
    if any((one.marked is not None) is not marks for one in call.events):
        return f"a call of the listener at {call.member} that {_MARKS[marks]}"
    return ""


def _flaw_of_argument(scene: Scene, told: Event | QueuedChange) -> str:
    if not told.argument or scene.declares(Capability.EVENT_ARGUMENTS):
        return ""
    return f"an event of {told.key!r:.80} with an `argument`, and hello does not declare event_arguments"


def _flaw_of_conflict(event: Event) -> str:
    match event.kind, event.conflict:
        case EventKind.RESOLVE, Conflict(kind=kind, answer=answer):
            if answer in _CONFLICT_ANSWERS and kind in _CONFLICT_KINDS:
                return ""
            return f"a resolver of {event.member} is asked about {kind}, and answers {answer!r:.80}"
        case EventKind.RESOLVE, None:
            return f"an event of the kind resolve at {event.member} without its conflict"
        case kind, Conflict():
            return f"a conflict beside an event of the kind {kind} at {event.member}, where resolve is due"
        case _:
            return ""


def _flaw_of_live(scene: Scene, event: Event) -> str:
    if event.kind is not EventKind.LIVE:
        return ""
    if event.member not in scene.clients:
        return f"an event of the kind live at {event.member}, which is no client"
    if event.key or event.token is not None:
        named = event.key or event.token
        return (
            f"an event of the kind live at {event.member} that names {named!r:.80}, though it is of a region"
        )
    return ""


def _flaw_of_waiting(scene: Scene, told: SettleResult | InterestEnded) -> str:
    if isinstance(told, InterestEnded):
        known = told.status in _REGISTRATION_ENDS
        ends = ", ".join(filter(None, _REGISTRATION_ENDS))
        return "" if known else f"says {told.status} of a registration, which ends {ends}"
    held = told.held
    if held and not scene.gates:
        return f"names {list(held)!r:.200} as held, and no gate was armed in this example"
    return _unknown((member for member, _ in held), scene.holders)


def _flaw_of_placement(scene: Scene, key: str, told: PlacementResult) -> str:
    holders = [*([] if told.primary is None else [told.primary]), *told.redundant]
    if dead := [holder for holder in holders if holder not in scene.living]:
        return f"says that {dead[0]!r:.80} holds {key!r:.80}, and no such member lives"
    return _twice(holders, f"names a holder of {key!r:.80},")


def _unknown(named: Iterable[str], known: Iterable[str]) -> str:
    stranger = next((one for one in named if one not in set(known)), None)
    return "" if stranger is None else f"names {stranger!r:.80}, which does not exist"


def _twice(named: Iterable[str], says: str) -> str:
    doubled = [str(one) for one, times in Counter(named).items() if times > 1]
    return f"{says} {doubled[0]!r:.80} twice" if doubled else ""
