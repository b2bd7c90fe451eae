"""What the rows of one example have in common: which site, which operation, which keys, when it is quiet.

Looked up once for the history as a whole; which rows there are is decided in `head.py` and `rows.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Called,
    Looking,
    Moment,
    Settled,
)
from plumbline.reference.history.operations import Operation, OperationKind, transactions_of
from plumbline.reference.history.resolvers import in_place_of
from plumbline.reference.trace.schema import TraceKind

Row = dict[str, Any]
"""One event: column names of the trace and their values; a value that is left out is null."""


class Layout:
    """What the rows of one example have in common: which site, which operation, which keys."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.sites = {m: site.number for site in history.topology.sites for m in site.members}
        self.clients = {client.name: client for client in history.clients}
        calls = [m.operation for m in history.timeline if isinstance(m, Called)]
        self.operations: dict[int, Operation] = {o.op_id: o for o in calls}
        self.untold = {
            m.operation.op_id
            for m in history.timeline
            if isinstance(m, Called) and m.share is not None and m.operation.kind is OperationKind.DESTROY
        }
        """Entries of a remove_all: whether their keys were there, its caller is not told."""
        self.by_token = {o.token: o for o in calls if o.token is not None}
        self.transactions = transactions_of(calls)
        self.replacements = {in_place_of(token): token for token in self.by_token if history.resolver}
        self.turn: dict[int, int] = {}
        turns: dict[str, int] = {}
        for o in calls:
            if o.token is not None:
                self.turn[o.op_id] = turns.get(o.thread, 0)
                turns[o.thread] = self.turn[o.op_id] + 1
        self.keys: dict[str, dict[str, None]] = {}
        for o in calls:
            if o.key:
                self.keys.setdefault(o.region, {})[o.key] = None
        self.quiet_from = quiet_from(history.timeline)

    def named(self, token: str | None) -> str | None:
        """The token of the call whose value this is, or that a resolver has put this in place of."""
        return self.replacements.get(token, token) if token is not None else None

    def member(self, kind: TraceKind, member: str, **columns: Any) -> Row:
        """A row about a member, or about a client and its server, with the site of either."""
        client = self.clients.get(member)
        place = {"member": member} if client is None else {"client": member, "server": client.server}
        return {"kind": kind, **place, "site": self.site(member), **columns}

    def site(self, holder: str) -> int | None:
        """The site of a member, or of the server of a client."""
        client = self.clients.get(holder)
        return self.sites.get(holder if client is None else client.server)

    def operation(self, kind: TraceKind, op_id: int, member: str | None = None, **columns: Any) -> Row:
        """A row about an operation where it was called, or at the member named; of an unknown one its id."""
        o = self.operations.get(op_id)
        if o is None:
            return {"kind": kind, "op_id": op_id, "member": member, **columns}
        return self.member(
            kind,
            member or o.member,
            op_id=op_id,
            op=o.kind,
            region=o.region,
            key=o.key or None,
            token=o.token,
            origin_member=o.member,
            origin_thread=o.thread,
            origin_seq=self.turn.get(op_id),
            origin_site=self.site(o.member),
            tx_id=self.tx_id(op_id),
            **columns,
        )

    def tx_id(self, op_id: int) -> str | None:
        """The name of the transaction that an operation belongs to, if it belongs to one."""
        begin = self.transactions.get(op_id)
        return None if begin is None else f"transaction {begin}"


def quiet_from(timeline: Sequence[Moment]) -> int:
    """Where the quiet end begins: at a settling that left nothing held and that only looking followed."""
    quiet = len(timeline)
    for index, moment in reversed(list(enumerate(timeline))):
        if isinstance(moment, Settled) and not moment.held:
            quiet = index
        elif not isinstance(moment, Looking):
            break
    return quiet
