"""Findings about clients: why the documents allow that one keeps something else than its server for good.

Each reason shows in a run: what happened, one thing after the other. Knows no world and no promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from plumbline.reference.explore.programs import Program
from plumbline.reference.history.operations import OperationKind

INVALIDATED = (
    "A client that registers makes no entry of a key by an invalidation, and a valid value of the answer "
    "replaces an invalid entry. The documents do not say that the answer is compared with an invalidation "
    "that has come before it."
)

PRECEDES = (
    "What the application puts or destroys while its client registers takes precedence over the answer, also "
    "where the server has had a later update since, of which it sends no event to who was not on its list."
)

LATE_ANSWER = (
    "An answer that a server has given before it dies is applied behind the failover, and may bring back "
    "what was changed at the other servers. The documents do not have a client drop such an answer."
)

UNFILLED = (
    "A secondary that was recruited takes over, and lacks an event: it was not sent the queue yet, or had "
    "the update before it was recruited, and the queue that it was sent did not. The documents accept that "
    "messages are lost where a secondary is not fully initialized, and do not say when it is."
)

OUTLIVED = (
    "A server tells its client of an update, or answers it, before the other members have the update, and "
    "dies. The documents let the update be lost with it, and do not have the client forget it."
)

OWN = (
    "A client is sent no event of its own operation. If its server dies before it has answered, the client "
    "starts anew from another one, which may have the update only later. The documents do not have a server "
    "tell the client of it then."
)

RECOGNISED = (
    "A client has an event from a server that dies, and starts anew from another one that has the update "
    "only later. It recognises that event then, and discards it. The documents do not have a client forget "
    "what it has processed as it starts anew."
)

DISCARDED = (
    "A server may send its clients an update that it has discarded, for them to compare. A client that has "
    "registered since holds nothing to compare it with. The documents do not say that it knows what was "
    "destroyed before."
)

UNTOLD = (
    "A destroy reaches a server before the put that made the entry, and finds nothing there. The server's "
    "client has the put from another server, which dies. The documents do not have a server tell its "
    "clients of a destroy that finds nothing."
)

Run = tuple[str, ...]


def _is_invalidated(program: Program, run: Run) -> bool:
    """Whether an invalidation has come to a client between the reading of its answer and the last of it."""
    numbers = [str(one.op_id) for one in program.operations if one.kind is OperationKind.INVALIDATE]
    for client in program.shape.clients:
        ways = ("receives", "ignores", "discards")
        came = _at(run, (f"{way} {client.name} {number}" for way in ways for number in numbers))
        brings = _at(run, [f"applies the answer {client.name} "])
        if any(at < last for at in came for last in brings):
            return True
    return False


def _precedes(program: Program, run: Run) -> bool:
    """Whether a client that registers has the answer to an operation of its own meanwhile."""
    for client in program.shape.clients:
        own = (
            f"receives {client.name} {one.op_id}" for one in program.operations if one.member == client.name
        )
        begins, ends = _at(run, [f"{client.name} registers"]), _at(run, [f"registration of {client.name} "])
        if any(begin < at < end for at in _at(run, own) for begin in begins for end in ends):
            return True
    return False


def _is_late(program: Program, run: Run) -> bool:
    """Whether an answer is applied by a client that has another server than when it was given."""
    for client in program.shape.clients:
        read = _at(run, [f"reads what there is {client.name} "])
        moved = [at for at, line in enumerate(run) if _is_takeover(line, client.name)]
        applied = _at(run, [f"applies the answer {client.name} "])
        if any(max(r for r in read if r < a) < m < a for a in applied for m in moved):
            return True
    return False


def _is_takeover(line: str, client: str) -> bool:
    return line.startswith("takes over ") and line.rsplit(maxsplit=1)[-1] == client


def _is_unfilled(program: Program, run: Run) -> bool:
    """Whether a server has taken over that was recruited, and lacks an event that it or its primary had."""
    for client in program.shape.clients:
        for server in client.servers:
            recruited = _at(run, [f"is recruited {server} {client.name}"])
            took_over = _at(run, [f"takes over {server} {client.name}"])
            sent = [at for at, line in enumerate(run) if line.startswith("is sent the queue ")]
            filled = {at: run[at].split()[-3] for at in sent if run[at].split()[-2:] == [server, client.name]}
            for begin, end in ((r, t) for r in recruited for t in took_over if r < t):
                by = [(at, primary) for at, primary in filled.items() if begin < at < end]
                if not by or any(_lacks(program, run, server, begin, *one) for one in by):
                    return True
    return False


def _lacks(program: Program, run: Run, server: str, recruited: int, filled: int, primary: str) -> bool:
    """Whether a server had an update before it was recruited, and its primary had it later or never."""
    for number in (one.op_id for one in program.operations):
        had, led = (
            _at(run, (f"{what} {member} {number}" for what in ("receives", "applies")))
            for member in (server, primary)
        )
        if had and had[0] < recruited and not (led and led[0] < filled):
            return True
    return False


def _is_outlived(program: Program, run: Run) -> bool:
    """Whether a server had an update, and died, and some other member never had it."""
    servers = {client.name: client.server for client in program.shape.clients}
    died = {line.split()[-1] for line in run if line.startswith("crash ")}
    for one in program.operations:
        home = servers.get(one.member, one.member)
        others = [m for m in program.shape.members if m not in died]
        ways = ("receives", "applies", "discards")
        if home in died and not all(_at(run, (f"{way} {m} {one.op_id}" for way in ways)) for m in others):
            return True
    return False


def _is_own(program: Program, run: Run) -> bool:
    """Whether a client has another server before that one has what the client has called."""
    for client in program.shape.clients:
        moved = [at for at, line in enumerate(run) if _is_takeover(line, client.name)]
        for one in program.operations if moved else ():
            late = _at(run, (f"receives {server} {one.op_id}" for server in client.servers))
            if one.member == client.name and any(at > moved[0] for at in late):
                return True
    return False


def _is_recognised(program: Program, run: Run) -> bool:
    """Whether a client has recognised an event that its new server had only once the client was there."""
    for client in program.shape.clients:
        moved = [at for at, line in enumerate(run) if _is_takeover(line, client.name)]
        for one in program.operations if moved else ():
            late = _at(run, (f"receives {server} {one.op_id}" for server in client.servers))
            again = _at(run, [f"recognises {client.name} {one.op_id}"])
            if any(moved[0] < at < known for at in late for known in again):
                return True
    return False


def _is_discarded(program: Program, run: Run) -> bool:
    """Whether a client was sent an update behind its server's discarding it."""
    for client in program.shape.clients:
        for one in program.operations:
            gone = _at(run, (f"discards {server} {one.op_id}" for server in client.servers))
            if gone and any(at > gone[0] for at in _at(run, [f"receives {client.name} {one.op_id}"])):
                return True
    return False


def _is_untold(program: Program, run: Run) -> bool:
    """Whether a client was never sent a destroy, and the server that took over had it before any put."""
    destroys = [one.op_id for one in program.operations if one.kind is OperationKind.DESTROY]
    for client in program.shape.clients:
        heirs = [s for s in client.servers if _at(run, [f"takes over {s} {client.name}"])]
        for number in destroys if heirs else ():
            unsent = _at(run, [f"is never sent {client.name} {number}"])
            others = [one.op_id for one in program.operations if one.op_id != number]
            for server in heirs if unsent else ():
                came = _at(run, [f"receives {server} {number}"])
                had = _at(run, (f"{way} {server} {one}" for way in ("receives", "applies") for one in others))
                if came and not any(at < came[0] for at in had):
                    return True
    return False


def _at(run: Run, beginnings: Iterable[str]) -> list[int]:
    """Where a run has lines that begin so."""
    begin = tuple(beginnings)
    return [at for at, line in enumerate(run) if line.startswith(begin)]


REASONS_OF_CLIENTS: dict[str, Callable[[Program, Run], bool]] = {
    INVALIDATED: _is_invalidated,
    PRECEDES: _precedes,
    LATE_ANSWER: _is_late,
    UNFILLED: _is_unfilled,
    OUTLIVED: _is_outlived,
    OWN: _is_own,
    RECOGNISED: _is_recognised,
    DISCARDED: _is_discarded,
    UNTOLD: _is_untold,
}
"""Why the documents allow that a client keeps something else than its server, and how it shows in a run."""
