"""The rows of a log's one example, each complete: its place, whose it is, and the call that it is about.

An event is of the call that wrote its token to its key. Knows no file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from plumbline.reference.history.operations import STORES_VALUE, EventKind
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.trace.head import head
from plumbline.reference.trace.layout import Layout, Row
from plumbline.reference.trace.schema import TraceKind

EXAMPLE = "log"

SOURCE = "recorded"

CLOCK = "harness"
"""The clock of a row's time: that one which orders the whole log."""

_OF_A_CALL = (
    "op_id",
    "op",
    "region",
    "key",
    "token",
    "origin_member",
    "origin_thread",
    "origin_seq",
    "origin_site",
)
_OF_AN_EVENT = ("op_id", "op", "origin_member", "origin_thread", "origin_seq", "origin_site")
_KINDS = {kind.value: kind for kind in TraceKind}
_BRINGS_VALUE = frozenset({EventKind.CREATE, EventKind.UPDATE})
_IN_A_LOG = frozenset({TraceKind.LISTENER, TraceKind.LIVE})


class UnplacedRowError(ValueError):
    """A row fits no row before it; the message gives the reason and the remedy."""


class LogRows:
    """Completes rows that come in the order in which they happened.

    Args:
        layout: the system, and the keys that calls of the log name.
        run_id: the run.
        first_us: when the log begins, in microseconds since 1970.
        own_origins: whether the log itself numbers the calls that events are of. Then its numbers alone are
            compared with each other.
    """

    def __init__(self, layout: Layout, run_id: str, first_us: int, *, own_origins: bool) -> None:
        self._layout, self._first_us = layout, first_us
        self._about = _OF_AN_EVENT[:2] if own_origins else _OF_AN_EVENT
        self._shared = {"run_id": run_id, "example": EXAMPLE, "source": SOURCE}
        self._seq = self._calls = 0
        self._turns: Counter[tuple[str, str]] = Counter()
        self._places: Counter[str] = Counter()
        self._open: dict[tuple[str, str], Row] = {}
        self._by_token: dict[tuple[str, str | None, str], Row] = {}

    def head(self) -> Iterator[Row]:
        """The rows of what there was when the log began."""
        for row in head(self._layout):
            yield self._numbered(row)

    def end(self) -> Row:
        """The last row of the example."""
        return self._numbered(
            {"kind": TraceKind.EXAMPLE_END, "status": Verdict.UNKNOWN, "amount": self._seq + 1}
        )

    def placed(self, row: Row, t_us: int | None) -> Row:
        """A row with all that the log does not write itself.

        Args:
            row: as `events_of` made it.
            t_us: when it happened, in microseconds since 1970.

        Raises:
            UnplacedRowError: it ends a call that did not begin, or its call cannot be known from another.
        """
        kind, party = _KINDS[row["kind"]], row.pop("member", None)
        if kind is TraceKind.OP_BEGIN:
            row = self._called(row, party)
        elif kind is TraceKind.OP_END:
            row = self._returned(row, party)
        else:
            row = self._about_a_call(row)
        if party is not None:
            row = self._layout.member(kind, party) | row
        if kind in _IN_A_LOG:
            row["log_pos"] = self._places[party]
            self._places[party] += 1
        if t_us is not None:
            row |= {"t_us": t_us - self._first_us, "clock": CLOCK}
        return self._numbered(row)

    def _called(self, row: Row, party: str) -> Row:
        thread, token = row["thread"], row.get("token", row.get("value"))
        if (party, thread) in self._open:
            raise UnplacedRowError(f"the thread {thread} of {party} calls while its call before is under way")
        made: dict[str, Any] = {"op_id": self._calls, "origin_member": party, "origin_thread": thread}
        made |= {"token": token, "origin_site": self._layout.site(party)}
        self._calls += 1
        if token is not None:
            made["origin_seq"] = row.get("origin_seq", self._turns[party, thread])
            self._turns[party, thread] += 1
        row = row | made
        if row["op"] not in STORES_VALUE:
            row.pop("value", None)
        if token is not None:
            self._remember(row, token)
        self._open[party, thread] = row
        return row

    def _remember(self, row: Row, token: str) -> None:
        identity = row["region"], row.get("key"), token
        if identity in self._by_token:
            raise UnplacedRowError(
                f"{token!r:.60} was written to {row.get('key')!r:.60} before, so that events of the two "
                "calls cannot be told apart; map `token` to a field that is unique to a call"
            )
        self._by_token[identity] = row

    def _returned(self, row: Row, party: str) -> Row:
        call = self._open.pop((party, row["thread"]), None)
        if call is None:
            raise UnplacedRowError(f"a call of the thread {row['thread']} of {party} ends that did not begin")
        return {name: call[name] for name in _OF_A_CALL if name in call} | row

    def _about_a_call(self, row: Row) -> Row:
        token = row.get("token", row.get("value"))
        if row.get("event") not in {None, *_BRINGS_VALUE}:
            row = {name: value for name, value in row.items() if name != "value"}
        if token is None or "region" not in row:
            return row
        call = self._by_token.get((row["region"], row.get("key"), token))
        known = {} if call is None else {name: call[name] for name in self._about if name in call}
        return row | {"token": token} | known

    def _numbered(self, row: Row) -> Row:
        numbered = row | self._shared | {"seq": self._seq}
        self._seq += 1
        return numbered
