"""Asking an adapter: one request after the other, each answer looked at, and how each method stands.

Knows how an example is begun and what a put must leave behind; which methods are asked for what stands in
`plumbline.suites.adapter_check.methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate
from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import AdapterError, MissingToolError, UnsupportedError
from plumbline.adapters.process.client import RemoteAdapter
from plumbline.adapters.process.server import Loopback
from plumbline.adapters.protocol import (
    METHODS,
    PROTOCOL_VERSION,
    Begin,
    Contents,
    ContentsResult,
    CreateQueue,
    Deploy,
    Deployed,
    Finished,
    FinishRequest,
    Hello,
    Introduction,
    Observe,
    Observed,
    Reset,
    SettleRequest,
)
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.operations import (
    Client,
    Content,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.suites.run.tested import lost_without

MOST_OPENED = 6
"""So often an adapter that has failed is opened again, at most."""

ONE_SITE = Topology((Site(1, ("A", "B")),))
TWO_SITES = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))
REGION = RegionAttributes(name="region")
QUEUE = QueueAttributes(id="to 2", site=1, remote_site=2)
CLIENT = Client(name="client", servers=("A",))
SHORT_MS = 200

ENOUGH_MS = 60_000
"""So long does nothing wait that was not told to."""

_STORED = frozenset({EventKind.CREATE, EventKind.UPDATE})

CALLED = frozenset(METHODS) & {
    *("hello", "deploy", "reset", "begin", "finish", "observe", "settle", "contents", "close"),
    *("arm", "await_parked", "release", "statistic", "attributes", "leave", "join", "host", "redeliver"),
    *(
        "crash",
        "restart",
        "link",
        "create_queue",
        "queue_action",
        "look_at_queue",
        "start_client",
        "client_action",
        "interest",
        "begin_interest",
        "await_answer",
        "release_answer",
        "finish_interest",
        "begin_join",
        "await_copy",
        "release_copy",
        "finish_join",
    ),
    *(
        "clock",
        "advance",
        "script",
        "keep_tombstones",
        "placement",
        "move_primary",
        "views",
        "queries",
        "server_log",
    ),
}
"""The methods that the suite calls so far; the others may be unsupported, with any capabilities."""


class Standing(StrEnum):
    """How a method stands."""

    WORKS = "works"
    UNSUPPORTED = "unsupported"
    BROKEN = "broken"
    NOT_REACHED = "not reached"


_WORSE = (Standing.NOT_REACHED, Standing.WORKS, Standing.UNSUPPORTED, Standing.BROKEN)


class MethodResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one method.

    Attributes:
        method: its name.
        standing: works, unsupported, broken, or not reached since something before it failed.
        capability: what a candidate has to declare for it; None for what every adapter has.
        told: why it is not simply working; "" where it is.
        sent: the request that was answered so, where it is broken.
        answered: the answer; "" where none came.
        exchange: where it is broken, all requests and answers of the part that shows it, in order: each line
            begins with `>` for a request, `<` for an answer.
    """

    method: str
    standing: Standing
    capability: Capability | None = None
    told: str = ""
    sent: str = ""
    answered: str = ""
    exchange: tuple[str, ...] = ()


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """How an adapter stands.

    Attributes:
        introduction: how it introduced itself; None if it could not.
        answers: one for each method, in the order of the protocol.
        lost: for each capability that it does not declare, the requirements that have a test and stay
            unsupported for it.
        last_words: the end of what it printed to its error stream, if something was broken.
    """

    introduction: Introduction | None
    answers: tuple[MethodResult, ...]
    lost: dict[Capability, tuple[str, ...]]
    last_words: str = ""

    @property
    def broken(self) -> bool:
        """Whether anything has to be mended."""
        return any(one.standing in (Standing.BROKEN, Standing.NOT_REACHED) for one in self.answers)


class StopError(Exception):
    """The part under way cannot go on."""


class Examiner:
    """Asks a candidate's adapters, and writes down how each method stands."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        self._adapter: RemoteAdapter | None = None
        self._checked: CheckedAdapter
        self._introduction: Introduction | None = None
        self._answers: dict[str, MethodResult] = {}
        self._deployed: Topology | None = None
        self._opened = 0
        self._operations = 0
        self._last_words = ""
        self._exchange: list[str] = []

    def play(self, part: Callable[[], None]) -> None:
        """Play a part; one that stopped leaves what comes behind it in there not reached."""
        self._exchange.clear()
        try:
            part()
        except StopError:
            self.close()
        except (MissingToolError, UnsupportedError, AdapterError) as error:
            # Of opening: the methods have their own handling.
            self._note("hello", Standing.BROKEN, str(error))
            self.close()

    def close(self) -> None:
        """Stop the candidate; the next part starts another."""
        if self._adapter is not None:
            self._adapter.close()
        self._adapter = None
        self._deployed = None

    def result(self) -> Examination:
        """What was found out."""
        answers = tuple(
            self._answers.get(name)
            or MethodResult(method=name, standing=Standing.NOT_REACHED, capability=method.capability)
            for name, method in METHODS.items()
        )
        introduction = self._introduction
        lost: dict[Capability, tuple[str, ...]] = {}
        if introduction is not None:
            lost = lost_without(introduction.capabilities, introduction.dialect)
        return Examination(introduction=introduction, answers=answers, lost=lost, last_words=self._last_words)

    @property
    def _limit_ms(self) -> int:
        return self._introduction.settle_limit_ms if self._introduction is not None else 0

    def _declares(self, capability: Capability) -> bool:
        return self._introduction is not None and capability in self._introduction.capabilities

    def _is_asked_for(self, name: str) -> bool:
        """Whether the suite would call the method: it does so far, and its capability is declared."""
        capability = METHODS[name].capability
        return name in CALLED and (capability is None or self._declares(capability))

    def _stage(self, topology: Topology, *queues: QueueAttributes, region: RegionAttributes = REGION) -> None:
        """Begin an example; on a fresh adapter if the last one has failed."""
        if self._adapter is None:
            if self._opened >= MOST_OPENED:
                raise StopError
            self._opened += 1
            adapter = self._candidate.open()
            # Answers of each kind of candidate are read as strictly as those of another process.
            self._adapter = (
                adapter if isinstance(adapter, RemoteAdapter) else RemoteAdapter(Loopback(adapter))
            )
            self._checked = CheckedAdapter(self._adapter)
            told = self._ask("hello", Hello(), _introduction_complaint)
            try:
                self._introduction = self._candidate.introduced(told)
            except AdapterError as error:
                self._complain("hello", str(error))
        if self._deployed != topology:
            self._deployed = None
            self._ask("deploy", Deploy(topology=topology), lambda told: _deployed_complaint(told, topology))
            self._deployed = topology
        for queue in queues:
            self._ask("create_queue", CreateQueue(queue=queue))
        region = msgspec.structs.replace(
            region,
            senders=tuple(queue.id for queue in queues if queue.remote_site is not None),
            queues=tuple(queue.id for queue in queues if queue.remote_site is None),
        )
        self._ask("reset", Reset(regions=(region,)))

    def _operation(self, member: str, kind: OperationKind, key: str, token: str | None = "") -> Operation:
        self._operations += 1
        number = self._operations
        return Operation(
            op_id=number,
            thread=f"thread of {member}",
            member=member,
            region=REGION.name,
            kind=kind,
            key=key,
            token=f"token-{number}" if token == "" else token,
        )

    def _put(self, member: str, key: str) -> Operation:
        put = self._operation(member, OperationKind.PUT, key)
        self._ends(put, Status.OK)
        return put

    def _ends(self, operation: Operation, status: Status, value: str | None = None) -> None:
        self._ask("begin", Begin(operation=operation))
        self._finish(operation, status, value)

    def _finish(self, operation: Operation, status: Status, value: str | None = None) -> None:
        def complaint(told: Finished) -> str:
            expected = Outcome(status, value)
            if told.outcome is None:
                return f"{operation.kind} has not returned within {self._limit_ms} ms"
            same = (told.outcome.status, told.outcome.value) == (status, value)
            return said_if(not same, f"{operation.kind} ended with {told.outcome}, not with {expected}")

        self._ask("finish", FinishRequest(op_id=operation.op_id, timeout_ms=self._limit_ms), complaint)

    def _settle(self) -> None:
        complaint = "nothing is parked or under way, and it has not settled, or names what is held"
        self._ask(
            "settle",
            SettleRequest(timeout_ms=self._limit_ms),
            lambda told: said_if(not told.settled or bool(told.held), complaint),
        )

    def _told(self, holders: Iterable[str], *puts: Operation, blamed: str = "observe") -> Observed:
        """The events so far; each holder was told once of each put, or the method blamed is broken."""

        def complaint(told: Observed) -> str:
            for holder in holders:
                for put in puts:
                    found = [one for one in told.events if one.member == holder and one.token == put.token]
                    if len(found) != 1:
                        return f"tells {len(found)} events of {put.token} at {holder}, where one is due"
                    if found[0].kind not in _STORED or (found[0].key, found[0].region) != (
                        put.key,
                        put.region,
                    ):
                        return f"shows the put {put.token} as {found[0]}"
            return ""

        observed: Observed = self._ask("observe", Observe(since=0), complaint, blamed)
        return observed

    def _holds(self, member: str, expected: tuple[Content, ...], blamed: str = "contents") -> None:
        """What a member holds; if it holds anything else, that is a fault of the method blamed."""

        def complaint(told: ContentsResult) -> str:
            if told.entries is None:
                return f"{member} has no region {REGION.name}, although it was never destroyed"
            found = tuple(sorted(told.entries, key=lambda entry: entry.key))
            return said_if(
                found != expected, f"{member} holds {_words(found)}, where {_words(expected)} is due"
            )

        self._ask("contents", Contents(member=member, region=REGION.name), complaint, blamed)

    def _ask(
        self, name: str, params: msgspec.Struct, right: Callable[[Any], str] = lambda _: "", blamed: str = ""
    ) -> Any:
        """Ask, look at the answer, and write down how the method stands; raises StopError if it does not."""
        adapter = self._adapter
        if adapter is None:
            raise StopError
        try:
            try:
                told = self._checked.call(name, params)
            finally:
                self._remember(adapter)
        except UnsupportedError as error:
            if self._is_asked_for(name):
                capability = METHODS[name].capability
                why = f"the candidate declares {capability}" if capability else "every adapter has it"
                self._complain(name, f"{why}, and it answers: {error}")
            later = "the suite does not call it yet; " if name not in CALLED else ""
            words = str(error).removeprefix(f"{name}: ")
            self._note(name, Standing.UNSUPPORTED, f"{later}{words.removeprefix(f'{name}: ')}")
            raise StopError from error
        except AdapterError as error:
            if not self._is_asked_for(name) and not adapter.gone:
                capability = METHODS[name].capability
                declared = capability is None or self._declares(capability)
                due = "the suite does not call it yet; it" if declared else "where `unsupported` is due, it"
                why = f"{due} answers with an error: {error}"
                self._note(name, Standing.UNSUPPORTED, why)
                raise StopError from error
            self._last_words = adapter.last_words() or error.last_words
            self._complain(name, str(error))
        complaint = right(told)
        if complaint:
            self._complain(blamed or name, complaint)
        capability = METHODS[name].capability
        undeclared = capability is not None and not self._declares(capability)
        told_so = f"the capability {capability} is not declared, so nothing that needs it is judged"
        self._note(name, Standing.WORKS, told_so if undeclared else "")
        return told

    def _remember(self, adapter: RemoteAdapter) -> None:
        """Keep the request sent last, and its answer, for whom it may concern."""
        self._exchange.append(f"> {_line(adapter.sent)}")
        if adapter.answered:
            self._exchange.append(f"< {_line(adapter.answered)}")

    def _complain(self, name: str, why: str) -> None:
        """The method is broken; raises StopError."""
        adapter = self._adapter
        sent, answered = (b"", b"") if adapter is None else (adapter.sent, adapter.answered)
        self._note(name, Standing.BROKEN, why, sent, answered)
        raise StopError

    def _note(
        self, name: str, standing: Standing, told: str, sent: bytes = b"", answered: bytes = b""
    ) -> None:
        known = self._answers.get(name)
        if known is not None and _WORSE.index(known.standing) >= _WORSE.index(standing):
            return
        self._answers[name] = MethodResult(
            method=name,
            standing=standing,
            capability=METHODS[name].capability,
            told=told,
            sent=_line(sent),
            answered=_line(answered),
            exchange=tuple(self._exchange) if standing is Standing.BROKEN and sent else (),
        )


def _line(line: bytes) -> str:
    return line.decode(errors="replace").strip()


def _strict(adapter: Adapter) -> RemoteAdapter:
    return RemoteAdapter(Loopback(adapter))


def _introduction_complaint(told: Introduction) -> str:
    if told.protocol != PROTOCOL_VERSION:
        return f"speaks version {told.protocol} of the protocol, and this suite {PROTOCOL_VERSION}"
    if told.dialect not in set(Dialect):
        return f"there is no dialect {told.dialect!r:.80}; there are: {', '.join(Dialect)}"
    twice = {str(one) for one in told.capabilities if told.capabilities.count(one) > 1}
    if twice:
        return f"declares {', '.join(sorted(twice))} twice"
    lacking = Capability.REPLICATED_REGIONS not in told.capabilities
    return said_if(not told.name or not told.version, "tells no name or no version") or said_if(
        lacking, f"does not declare {Capability.REPLICATED_REGIONS}, which everything here is asked with"
    )


def _deployed_complaint(told: Deployed, topology: Topology) -> str:
    order = told.member_order
    wrong = order is not None and sorted(order) != sorted(topology.members)
    return said_if(wrong, f"its order of members is {order}, and the members are {topology.members}")


def _words(entries: tuple[Content, ...]) -> str:
    return ", ".join(f"{entry.key}={entry.token}" for entry in entries) or "nothing"


def said_if(wrong: object, complaint: str) -> str:
    """The complaint where something is wrong, else ""."""
    return complaint if wrong else ""
