"""A table of hostile adapters: each behaviour, where it shows, and the verdict that it must get.

Each is the reference with one thing wrong, played by `run_suite` on what scenarios decide. Processes that
end, hang or answer slowly are in `test_hostile_processes`, others in the tests of `adapters`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.process.client import RemoteAdapter
from plumbline.adapters.process.server import Loopback
from plumbline.adapters.protocol import Observed
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.history.log_lines import LogLevel, LogLine
from plumbline.reference.history.moments import ANSWER, Gate
from plumbline.reference.history.operations import Content, Event, EventKind, Outcome, Status
from plumbline.reference.results.verdicts import Verdict, exit_code, merge
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, run_suite

FAIL, ERROR, PASS = Verdict.FAIL, Verdict.ADAPTER_ERROR, Verdict.PASS
CODES = {FAIL: 1, ERROR: 2, PASS: 0, Verdict.UNSUPPORTED: 2}
SELECTED = ("EX-A3C3-02", "EX-A3C3-03")
LOGGED = ("GWQ-FAILACK-04",)
COPY = ("VER-STAMP-04",)
MEANWHILE = ("INT-MON-01",)
HELD_GET = ("CONS-CL-01",)
PROFILE = msgspec.structs.replace(PROFILES["smoke"], examples=1, rules=3, replays=0, proofs=1)

Answer = Callable[..., Any]


class Line(NamedTuple):
    """One line of the table.

    Attributes:
        behaviour: what the adapter does.
        method: where.
        answer: the method; it is given the right one, the adapter and the arguments.
        verdict: what at least one requirement must get, and none a better one that is green.
        phrase: what the reason says of it, if it has to say it.
        selected: the requirements that are played.
        enough: after so many failures nothing more is played; 0 for no end.
    """

    behaviour: str
    method: str
    answer: Answer
    verdict: Verdict
    phrase: str = ""
    selected: tuple[str, ...] = SELECTED
    enough: int = 0


def raising(error: BaseException) -> Answer:
    def answer(right: Answer, it: Any, *arguments: Any) -> Any:
        del right, it, arguments
        raise error

    return answer


def saying(value: Any) -> Answer:
    return lambda right, it, *arguments: (right(it, *arguments), value)[1]


def changing(**changes: Any) -> Answer:
    return lambda right, it, *arguments: msgspec.structs.replace(right(it, *arguments), **changes)


def events(change: Callable[[tuple[Event, ...]], tuple[Event, ...]]) -> Answer:
    """Tells the log otherwise, and consistently so: it is changed as a whole."""

    def answer(right: Answer, it: Any, since: int) -> Observed:
        told = change(right(it, 0).events)
        return Observed(events=told[since:], position=max(since, len(told)))

    return answer


def extra(**fields: Any) -> Answer:
    """Tells one event more behind each that it tells."""

    def answer(right: Answer, it: Any, since: int) -> Observed:
        told = right(it, since)
        more = tuple(msgspec.structs.replace(told.events[-1], **fields) for _ in told.events[:1])
        return Observed(events=(*told.events, *more), position=told.position)

    return answer


def fields(**wrong: Any) -> Answer:
    """Gives a result that has another shape."""

    made = msgspec.defstruct("Odd", [(name, Any) for name in wrong])
    return lambda right, it, *arguments: (right(it, *arguments), made(**wrong))[1]


def later(error: BaseException, calls: int = 1) -> Answer:
    """Works for a while."""

    def answer(right: Answer, it: Any, *arguments: Any) -> Any:
        it.times = getattr(it, "times", 0) + 1
        if it.times > calls:
            raise error
        return right(it, *arguments)

    return answer


def without_first(told: tuple[Event, ...]) -> tuple[Event, ...]:
    return tuple(one for number, one in enumerate(told) if number != 1)


def each_twice(told: tuple[Event, ...]) -> tuple[Event, ...]:
    return tuple(one for each in told for one in (each, each))


def reordered(told: tuple[Event, ...]) -> tuple[Event, ...]:
    keys = [one for one in told if one.member == "A"]
    swapped = iter(reversed(keys))
    return tuple(next(swapped) if one.member == "A" else one for one in told)


def second(field: str, value: str) -> Callable[[tuple[Event, ...]], tuple[Event, ...]]:
    """The log, with one field of its second event changed."""
    return lambda told: (
        *told[:1],
        *(msgspec.structs.replace(one, **{field: value}) for one in told[1:2]),
        *told[2:],
    )


def doubled(right: Answer, it: Any, member: str, region: str) -> Any:
    held = right(it, member, region)
    return (*(Content(one.key, "wrong") for one in held), *held)


def alien(right: Answer, it: Any, *arguments: Any) -> Any:
    told = right(it, *arguments)
    return (*told, Content("never", "written"))


def never_returned(right: Answer, it: Any, *arguments: Any) -> Any:
    """Has calls under way for ever, and settles all the same."""
    right(it, *arguments)


def alert(text: str, level: Any = LogLevel.WARN) -> LogLine:
    return LogLine(level=level, text=text)


def logging(lines: tuple[Any, ...], verdict: Verdict, phrase: str) -> Line:
    return Line(f"the log {lines!r:.60}", "server_log", saying(lines), verdict, phrase, LOGGED)


def at_once(change: Callable[[tuple[Event, ...]], tuple[Event, ...]]) -> Answer:
    """Tells what is new otherwise, and what was told before no more."""

    def answer(right: Answer, it: Any, since: int) -> Observed:
        told: Observed = right(it, since)
        return msgspec.structs.replace(told, events=change(told.events))

    return answer


def is_live(event: Event) -> bool:
    return event.kind is EventKind.LIVE


def marked_twice(told: tuple[Event, ...]) -> tuple[Event, ...]:
    return tuple(one for each in told for one in (each, each)[: 1 + is_live(each)])


def marked_first(told: tuple[Event, ...]) -> tuple[Event, ...]:
    return tuple(sorted(told, key=lambda one: not is_live(one)))


def marked(**wrong: Any) -> Answer:
    """Tells at the first event of a client, or of another, that a region is live."""

    def answer(right: Answer, it: Any, since: int) -> Observed:
        told: Observed = right(it, since)
        first = [one for one in told.events if one.member == "K"][:1]
        live: dict[str, Any] = {"key": "", "kind": EventKind.LIVE, "token": None, "remote": None} | wrong
        more = tuple(msgspec.structs.replace(one, **live) for one in first)
        return msgspec.structs.replace(told, events=(*told.events, *more))

    return answer


def told_while_away(right: Answer, it: Any, since: int) -> Observed:
    """Tells a durable client that is away what it tells a member."""
    told: Observed = right(it, since)
    life = it._ready().world.served.durable.get("K")
    away = life is not None and not life.connected
    more = tuple(
        msgspec.structs.replace(one, member="K") for one in told.events if away and one.member == "A"
    )
    return msgspec.structs.replace(told, events=(*told.events, *more))


def lets_go_unasked(right: Answer, it: Any, gate: Gate, timeout_ms: int) -> bool:
    """Says that the answer to a get is held, and has let it go."""
    parked: bool = right(it, gate, timeout_ms)
    if gate.callback == ANSWER:
        it.release(gate)
        it.settle(0)
    return parked


METHODS = ("deploy", "reset", "begin", "finish", "observe", "settle", "contents", "arm", "await_parked")
ERRORS: tuple[BaseException, ...] = (
    RuntimeError("broken"),
    AdapterError("broken", "last words"),
    SystemExit(0),
    GeneratorExit(),
    RecursionError("too deep"),
    MemoryError(),
    RefusedError("broken"),
)

TABLE = [
    Line("right in everything", "hello", lambda right, it: right(it), PASS),
    # Contradictions
    Line("a key twice, first wrong, then right", "contents", doubled, ERROR, "names the key 'X' twice"),
    Line("no members in the order", "deploy", changing(member_order=()), ERROR, "member_order is []"),
    Line("a member twice in the order", "deploy", changing(member_order=("A", "A", "B")), ERROR, "order"),
    Line("members of others in the order", "deploy", changing(member_order=("X", "Y")), ERROR, "order"),
    Line("an event of an unknown member", "observe", extra(member="Z"), ERROR, "does not exist"),
    Line("an event of an unknown region", "observe", extra(region="r"), ERROR, "does not exist"),
    Line("a position going backwards", "observe", changing(position=0), ERROR, "position"),
    Line("a negative position", "observe", changing(position=-1), ERROR, "Expected `int` >= 0"),
    Line("a position of 65 bits", "observe", changing(position=2**63), ERROR, "$.position"),
    Line("a resolver without conflict", "observe", extra(kind=EventKind.RESOLVE), ERROR, "conflict"),
    Line("a value for a put", "finish", saying(Outcome(Status.OK, "v")), ERROR, "gives nothing back"),
    Line("a capability twice", "hello", changing(capabilities=("clear",) * 2), ERROR, "clear' twice"),
    Line("held at an unknown member", "settle", changing(held=(("Z", "x"),)), ERROR, "'Z'"),
    # Durable clients
    Line("a marker twice", "observe", at_once(marked_twice), FAIL, "", ("DUR-REPLAY-07",)),
    Line(
        "what is stored behind the marker", "observe", at_once(marked_first), FAIL, "", ("DUR-REPLAY-06",), 1
    ),
    Line("an event of a client that is away", "observe", told_while_away, FAIL, "", ("DUR-DISC-01",)),
    Line(
        "an event of a client that was never started",
        "observe",
        extra(member="L"),
        ERROR,
        "does not exist: 'L'",
        ("DUR-DISC-02",),
    ),
    Line("a marker without a durable client", "observe", marked(), FAIL, "", ("DUR-READY-02",), 1),
    Line("a marker of a key", "observe", marked(key="x"), ERROR, "live", ("DUR-DISC-02",)),
    Line("a marker with a value", "observe", marked(token="v" * 2), ERROR, "live", ("DUR-DISC-02",)),
    Line("a marker of a member", "observe", marked(member="A"), ERROR, "live", ("DUR-DISC-02",)),
    Line(
        "no ready of a client that is not durable",
        "client_action",
        raising(AdapterError("L is not durable")),
        ERROR,
        "L is not durable",
        ("DUR-READY-02",),
    ),
    Line(
        "unsupported: ready of a client that is not durable",
        "client_action",
        raising(UnsupportedError("no")),
        ERROR,
        "though",
        ("DUR-READY-02",),
    ),
    # Copies, registrations and gets under way
    Line("no copy that is held", "await_copy", saying(value=False), FAIL, "", COPY),
    Line("a member that never has its copy", "finish_join", saying(value=False), FAIL, "", COPY),
    Line("a copy that is told in words", "await_copy", fields(held="soon"), ERROR, "$.held", COPY),
    Line(
        "the end of another registration",
        "finish_interest",
        fields(status="ok", number=7),
        ERROR,
        "$.status",
        MEANWHILE,
    ),
    Line(
        "a registration that has found the key",
        "finish_interest",
        saying(Status.EXISTS),
        ERROR,
        "registration",
        MEANWHILE,
    ),
    Line("no answer that is held", "await_answer", saying(value=False), FAIL, "", MEANWHILE),
    Line("an answer to a get let go unasked", "await_parked", lets_go_unasked, FAIL, "", HELD_GET, 1),
    Line(
        "a get held that no one holds",
        "settle",
        changing(held=(("K", "x"),)),
        ERROR,
        "no gate was armed",
        ("DUR-DISC-02",),
    ),
    # Numbers
    Line("a weight of 0", "hello", changing(conflated_weight_most=0), ERROR, "conflated_weight_most"),
    Line(
        "a weight above its most",
        "hello",
        changing(conflated_weight_least=2),
        ERROR,
        "at least 2",
    ),
    Line("a clock error below 0", "hello", changing(clock_error_ms=-1), ERROR, "clock_error_ms"),
    Line("a clock error of 2^62", "hello", changing(clock_error_ms=2**62), ERROR, "clock_error_ms"),
    Line("a clock error of eleven days", "hello", changing(clock_error_ms=10**9), ERROR, "clock_error_ms"),
    Line("a limit of no time", "hello", changing(settle_limit_ms=0), ERROR, "settle_limit_ms"),
    Line("another protocol", "hello", changing(protocol=2), ERROR, "version 2 of the protocol"),
    Line("a dialect that there is not", "hello", changing(dialect="geod"), ERROR, "did you mean geode"),
    # Shapes
    Line("null for an outcome's status", "finish", fields(outcome={"status": None}), ERROR, "status"),
    Line("no outcome at all", "finish", fields(), ERROR, "outcome"),
    Line("null for settled", "settle", changing(settled=None), ERROR, "$.settled"),
    Line("a word for settled", "settle", changing(settled="yes"), ERROR, "$.settled"),
    Line("null for events", "observe", changing(events=None), ERROR, "$.events"),
    Line("a fraction for a position", "observe", changing(position=0.5), ERROR, "$.position"),
    Line("a field that is not known", "settle", fields(settled=True, helt=[]), ERROR, "returned Odd"),
    Line("a list for contents", "contents", saying(("x",)), ERROR, "$.entries[0]"),
    Line("a word for parked", "await_parked", fields(parked="yes"), ERROR, "$.parked"),
    Line("a fraction for a counter", "statistic", fields(value=1.5), ERROR, "$.value"),
    Line("lone surrogates in its name", "hello", changing(name="\ud800"), ERROR),
    # Promises broken
    *(
        Line(f"unsupported: {method}", method, raising(UnsupportedError("no")), ERROR, "though")
        for method in (*METHODS, "release", "statistic")
    ),
    *(
        Line(f"unsupported later: {method}", method, later(UnsupportedError("no")), ERROR, "though")
        for method in ("begin", "arm", "contents", "observe", "settle")
    ),
    # Exceptions
    *(
        Line(f"{type(error).__name__} in {method}", method, raising(error), ERROR, type(error).__name__)
        for error, method in zip(ERRORS[2:6], ("begin", "settle", "observe", "contents"), strict=True)
    ),
    *(Line(f"an error in {method}", method, raising(ERRORS[0]), ERROR, "broken") for method in METHODS),
    Line("an error later", "observe", later(ERRORS[1], 9), ERROR, "last words"),
    Line("a refusal of what cannot be refused", "begin", raising(ERRORS[6]), ERROR, "-32002"),
    Line("an error in close", "close", raising(ERRORS[0]), PASS),
    Line("an exit in close", "close", raising(ERRORS[2]), PASS),
    # Lies: each is an observation, and judged
    Line("an event lost", "observe", events(without_first), FAIL),
    Line("each event twice", "observe", events(each_twice), FAIL),
    Line("events in another order", "observe", events(reordered), FAIL),
    Line("an event with a token never written", "observe", events(second("token", "odd")), FAIL),
    Line("an event of a key never used", "observe", events(second("key", "odd")), FAIL),
    Line("no event ever", "observe", events(lambda _: ()), FAIL),
    Line("settled with calls under way", "finish", never_returned, FAIL),
    Line("settled with an event under way", "observe", events(lambda told: told[:-1]), FAIL),
    Line("contents of nothing", "contents", saying(()), FAIL),
    Line("contents never written", "contents", alien, FAIL),
    Line("a region that is gone", "contents", saying(None), FAIL),
    Line("a counter of 7", "statistic", saying(7), FAIL),
    Line("a negative counter", "statistic", saying(-7), FAIL),
    Line("every call failed", "finish", saying(Outcome(Status.FAILED)), FAIL),
    Line("every put found the key", "finish", saying(Outcome(Status.EXISTS)), FAIL),
    # Logs
    logging(("garbage",), ERROR, "$.lines[0]"),
    logging((alert("x" * 10_001),), ERROR, "length <= 10000"),
    logging((alert("x"),) * 10_001, ERROR, "length <= 10000"),
    logging((alert("order-2", "fatal"),), ERROR, "$.lines[0].level"),
    logging((alert("\udcff"),), ERROR, ""),
    logging((alert("an order-21 was refused as scripted"),), FAIL, ""),
    logging((alert("order-2, refused as scripted", LogLevel.INFO),), FAIL, ""),
    logging((), FAIL, ""),
    logging((alert("\x1b[2J\x00 order-2: refused as scripted\n"),), PASS, ""),
    Line("no log after all", "server_log", raising(UnsupportedError("no")), ERROR, "though", LOGGED),
]


def hostile(line: Line) -> type[ReferenceAdapter]:
    """The reference, with one method replaced."""
    right = getattr(ReferenceAdapter, line.method)

    def method(self: Any, *arguments: Any) -> Any:
        return line.answer(right, self, *arguments)

    return type("HostileAdapter", (ReferenceAdapter,), {line.method: method})


def test_the_table_has_at_least_sixty_behaviours():
    assert len({line.behaviour for line in TABLE}) == len(TABLE) >= 60


@pytest.mark.parametrize("line", one_in(2, TABLE), ids=lambda line: line.behaviour)
def test_a_hostile_adapter_gets_the_verdict_that_it_must_get(tmp_path: Path, line: Line):
    kind = hostile(line)
    candidate = Candidate(
        name="hostile",
        kind=CandidateKind.PYTHON,
        in_process=True,
        open=lambda: RemoteAdapter(Loopback(kind())),
    )
    options = Options(selected=line.selected, profile=PROFILE, most_failures=line.enough)
    outcome = run_suite(candidate, options, tmp_path, lambda *_: None)
    merged = {
        name: merge(row.verdict for row in outcome.rows if row.requirement == name) for name in line.selected
    }
    assert line.verdict in merged.values(), merged
    assert exit_code(merged.values()) == CODES[line.verdict], merged
    assert line.phrase in " ".join(row.reason for row in outcome.rows)
    assert outcome.record.complete or line.enough
