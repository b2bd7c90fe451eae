"""The words for what is asked of a candidate and what it shows: calls, outcomes, events, registrations.

Used in plans, histories and reports alike. Knows nothing of what is right.
"""

from __future__ import annotations

from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    STORES_VALUE,
    Content,
    Event,
    EventKind,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    QueueSight,
)


def call_words(operation: Operation, *, several: bool = False) -> str:
    """An operation in a few words: `put x = v3 on A`, `destroy x (v4) on B`; of several regions, which."""
    words = [operation.kind.value]
    if operation.key:
        words.append(operation.key)
    if several and operation.kind not in OF_TRANSACTIONS:
        words.append(f"of {operation.region}")
    if operation.token is not None:
        stored = operation.kind in STORES_VALUE
        words.append(f"= {operation.token}" if stored else f"({operation.token})")
    if operation.expected is not None:
        words.append(f"where it holds {operation.expected}")
    if operation.argument:
        words.append(f"with {operation.argument}")
    return f"{' '.join(words)} on {operation.member}"


def plan_call_words(operation: Operation, *, several: bool) -> str:
    """An operation as a step of a plan: `A (A-1): put x v3`; of several regions, which."""
    keys = ", ".join(f"{entry.key} {entry.token}" for entry in operation.entries) or operation.key
    words = f"{operation.member} ({operation.thread}): {operation.kind} {keys}".rstrip()
    if several and operation.kind not in OF_TRANSACTIONS:
        words += f" of {operation.region}"
    if operation.entries:
        return f"{words} (operation {operation.op_id})"
    if operation.value_bytes:
        words += f" ({operation.value_bytes:,} bytes)"
    if operation.expected is not None:
        return f"{words} {operation.token} where it holds {operation.expected}"
    if operation.argument:
        return f"{words} {operation.token} with {operation.argument}"
    # A later step names an operation without a token by its number.
    return f"{words} {operation.token}" if operation.token else f"{words} (operation {operation.op_id})"


def outcome_words(outcome: Outcome, kind: OperationKind | None) -> str:
    """How a call ended: `→ ok`, `→ ok: v2`, `→ failed (connection lost)`; a get of nothing says so."""
    words = f"→ {outcome.status.value}"
    if outcome.value is not None:
        words += f": {outcome.value}"
    elif kind is OperationKind.GET:
        words += ": nothing"
    return f"{words} ({outcome.detail})" if outcome.detail else words


def event_words(event: Event, *, several: bool = False) -> str:
    """A listener event in a few words: `update x = v3`, `destroy x (v4)`, `resolve x (v3 over v2: allow)`.

    Of several regions also which.
    """
    words = f"{event.kind.value} {event.key}".rstrip()
    if several:
        words += f" of {event.region}"
    if event.conflict is not None:
        new, old = event.token or "no value", event.conflict.old or "no value"
        return f"{words} ({new} over {old}: {event.conflict.answer})"
    argument = f" with {event.argument}" if event.argument else ""
    if event.token is None:
        return words + argument
    if event.kind in {EventKind.CREATE, EventKind.UPDATE}:
        return f"{words} = {event.token}{argument}"
    return f"{words} ({event.token}){argument}"


def entry_words(entry: Content) -> str:
    """What a member holds for a key: `x = v3`, `x = invalid`."""
    return f"{entry.key} = {'invalid' if entry.token is None else entry.token}"


def sight_words(sight: QueueSight) -> str:
    """What a copy of a queue holds."""
    if not sight.depth and not sight.tokens:
        return "empty"
    if sight.tokens is None:
        return f"{sight.depth} events"
    return ", ".join("?" if token is None else token for token in sight.tokens)


def interest_words(interest: Interest) -> str:
    """A registration in words: "K registers for regex a.* of r, keys_values"."""
    called, how = interest_parts(interest)
    return f"{interest.client} {called} of {interest.region}{how and f', {how}'}"


def interest_parts(interest: Interest) -> tuple[str, str]:
    """What a registration is for, and how, client and region left out: "registers for all", "keys"."""
    what = f"{interest.kind} {interest.specification}".strip().replace("\n", ", ")
    if not interest.register:
        return f"withdraws {what}", ""
    return f"registers for {what}", ", ".join(
        filter(
            None,
            (
                interest.policy,
                "durable" if interest.durable else "",
                "" if interest.receive_values else "without values",
            ),
        )
    )


def script_words(member: str, region: str, refuses: tuple[str, ...]) -> str:
    """What a cache writer is told, in words: "the writer of B refuses changes of x, y in r"."""
    return f"the writer of {member} refuses changes of {', '.join(refuses) or 'nothing'} in {region}"


def host_words(member: str, region: str, *, checks: bool, persistent: bool) -> str:
    """What a member was to host, in words: "A takes a persistent copy of r with checking off"."""
    kind = "a persistent copy" if persistent else "a copy"
    return f"{member} takes {kind} of {region} with checking {'on' if checks else 'off'}"
