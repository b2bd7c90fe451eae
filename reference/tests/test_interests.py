"""Interest in the model: histories written by hand, each judged by the search and by its judge."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import (
    Called,
    ContentsAsked,
    ContentsRead,
    Moment,
    Registered,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    Client,
    Content,
    Event,
    EventKind,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

K = Client(name="K", servers=("B",))
KINDS = {"": EventKind.UPDATE, "?": EventKind.INVALIDATE, "!": EventKind.DESTROY}


def _interest(word: str) -> Interest:
    """`x`: of that key; `x.`: of that expression; `x?`: without values; `x~none`: by policy; `-x`: off."""
    what, _, policy = word.strip("-").partition("~")
    key, values = what.rstrip("?"), not what.endswith("?")
    return Interest(
        client="K",
        region="r",
        kind="regex" if "." in key else "key",
        specification=key,
        policy=policy or None,
        receive_values=values,
        register=not word.startswith("-"),
    )


def history(timeline: str, log: str) -> History:
    """A history of A and B, with the client K of B that begins without any interest.

    Args:
        timeline: `1x` puts t1 under x at A and waits, `settled`; `@WORD` registers, see `_interest`, and
            `@!WORD` is refused; `x=1` reads that K holds t1 under x (`x=` nothing at all, `x=?` an entry
            without a value); `g2x=1` is a get of x at K that returns t1, `d2x` a destroy of x by K.
        log: what K's listener tells of: `1` of put 1 as a value, `1?` as an invalidation.
    """
    moments: list[Moment] = []
    puts: dict[str, Operation] = {}
    for number, word in enumerate(timeline.split()):
        if word == "settled":
            moments.append(Settled())
        elif word[0] == "@":
            what = word[1:].removeprefix("!")
            moments += [Settled(), Registered(_interest(what), refused=word[1] == "!")]
        elif word[0] == "g":
            call, _, value = word[1:].partition("=")
            got = _operation(call, "K", OperationKind.GET)
            outcome = Outcome(Status.OK, f"t{value}" if value else None)
            moments += [Called(got), Returned(got.op_id, outcome)]
        elif word[0] == "d":
            moments += [Called(gone := _operation(word[1:], "K", OperationKind.DESTROY))]
            moments += [Returned(gone.op_id, Outcome(Status.OK))]
        elif "=" in word:
            key, _, value = word.partition("=")
            entries = (Content(key, None if value == "?" else f"t{value}"),) if value else ()
            moments += [ContentsAsked(number, "K", "r"), ContentsRead(number, "K", "r", entries)]
        else:
            puts[word[0]] = _operation(word, "A", OperationKind.PUT)
            moments += [Called(puts[word[0]]), Returned(puts[word[0]].op_id, Outcome(Status.OK))]
    events = [
        Event(member="K", region="r", key=puts[told[0]].key, kind=KINDS[told[1:]], token=f"t{told[0]}")
        for told in log.split()
    ]
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=(*moments, Settled()),
        logs={"K": tuple(Observation(event, 0, len(moments)) for event in events)},
        member_order=("A", "B"),
        clients=(K,),
        registers=False,
    )


def _operation(call: str, member: str, kind: OperationKind) -> Operation:
    number = int(call[0])
    token = None if kind is OperationKind.GET else f"t{number}"
    return Operation(
        op_id=number,
        thread=f"{member}{number}",
        member=member,
        region="r",
        kind=kind,
        key=call[1],
        token=token,
    )


RIGHT = {
    "nothing without interest": history("1x settled x=", ""),
    "what was there is loaded without a word": history("1x @x x=1", ""),
    "keys without values": history("1x @x~keys x=?", ""),
    "nothing at first": history("1x @x~none x= 2x", "2"),
    "the next get fetches the value": history("1x @x~keys g2x=1 x=1", ""),
    "a listener may be told of what a get has fetched": history("1x @x~keys g2x=1 x=1", "1"),
    "an invalidation in place of a value": history("1x @x? x=1 2x settled x=?", "2?"),
    "no value to lose": history("1x @x? 2x settled 3x settled x=?", "2?"),
    "nothing to lose": history("@x? 1x settled x=", ""),
    "registrations of both kinds, as a value": history("@x @x? 1x settled x=1", "1"),
    "registrations of both kinds, as nothing": history("@x @x.*? 1x settled x=", ""),
    "an expression may drop all keys": history("1y @y @x.*~none y=", ""),
    "an expression may leave other keys": history("1y @y @x.*~none y=1", ""),
    "what is no expression is refused": history("@x @!x.( 1x settled x=1", "1"),
    "a refusal may come behind the drop": history("1x @x @!x.( x=", ""),
    "an event comes late": history("@x 1x x= settled x=1", "1"),
}

WRONG = {
    "an event without interest": (history("1x settled", "1"), "sends_uninterested"),
    "an event after interest was withdrawn": (history("@x 1x @-x 2x", "1 2"), "sends_uninterested"),
    "no event though interest is in force": (history("@x 1x", ""), "in_force_on_return"),
    "nothing is loaded": (history("1x @x x=", ""), "unnamed_loads"),
    "keys with values": (history("1x @x~keys x=1", ""), "keys_load"),
    "the policy none loads": (history("1x @x~none x=1", ""), "none_loads"),
    "what is loaded is told": (history("1x @x x=1", "1"), "registration_tells"),
    "a get of what has no value": (history("1x @x~keys g2x=", ""), "get_asks_server"),
    "what was fetched is not kept": (history("1x @x~keys g2x=1 x=?", ""), "keeps_fetched"),
    "a value for invalidations": (history("1x @x? 2x", "2"), "value_for_invalidations"),
    "an invalidation for values": (history("1x @x 2x", "2?"), "value_for_values"),
    "an invalidation of what is not there": (history("@x? 1x", "1?"), "invalidates_absent"),
    "an expression that is only found": (history("@x.* 1y", "1"), "expression_covers"),
    "what is no expression is registered": (history("@x.(", ""), "accepts_expression"),
    "an expression is refused": (history("@!x.*", ""), "accepts_expression"),
    "a refusal ends other registrations": (history("@x @!x.( 1x", ""), "refusal_keeps_list"),
    "another key is dropped": (history("1y @y @x~none y=", ""), "dropped_for_keys"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_registered_clients_may_show_is_explained(name: str):
    assert told(RIGHT[name]) is Answer.EXPLAINED


@pytest.mark.parametrize("name", WRONG)
def test_what_they_may_not_show_is_refuted_and_explained_with_its_decision_left_open(name: str):
    asked, decision = WRONG[name]
    assert told(asked) is Answer.REFUTED
    assert told(asked, Rulebook().with_free(decision)) is Answer.EXPLAINED


ENTERED = "invalidates-what-is-absent-silently"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (history("@x? 1x settled x=?", ""), Answer.EXPLAINED),
        (history("@x? 1x settled x=?", "1?"), Answer.EXPLAINED),
        # What comes late is older than the destroy of which it finds only the tombstone.
        (history("@x? 1x d2x settled x=", ""), Answer.EXPLAINED),
        (history("@x? 1x settled x=", ""), Answer.REFUTED),
    ],
)
def test_a_client_that_enters_what_it_lacks_leaves_alone_what_it_has_destroyed_since(
    asked: History, answer: Answer
):
    assert told(asked, Rulebook(**FAULTY[ENTERED].replaces)) is answer


def _nameless(asked: History, kind: OperationKind) -> History:
    """The same, where the second operation is of this kind and the listener's last event has no token."""

    def called(what: Moment) -> Moment:
        match what:
            case Called(operation) if operation.op_id == 2:
                return Called(msgspec.structs.replace(operation, kind=kind))
            case Returned(2, outcome) if kind is OperationKind.REPLACE:
                return Returned(2, msgspec.structs.replace(outcome, value="t1"))
        return what

    *before, last = asked.logs["K"]
    shown = Observation(msgspec.structs.replace(last.event, token=None), last.after, last.before)
    return msgspec.structs.replace(
        asked, timeline=tuple(map(called, asked.timeline)), logs={"K": (*before, shown)}
    )


@pytest.mark.parametrize(
    ("kind", "answer"), [(OperationKind.REPLACE, Answer.EXPLAINED), (OperationKind.PUT, Answer.REFUTED)]
)
def test_only_what_is_named_by_its_value_may_be_told_of_without_both(kind: OperationKind, answer: Answer):
    asked = history("1x @x? x=1 2x settled x=?", "2?")
    assert told(asked) is Answer.EXPLAINED
    assert told(_nameless(asked, kind)) is answer
