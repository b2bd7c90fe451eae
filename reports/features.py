"""Features: what an example draws on, and for how much of it, so that pairs of them can be counted.

A feature that is set up holds for the whole example. One that happens holds from its first row of the trace
to its last, or to the end. Two features meet where both hold at once. Knows columns; knows no candidate.
"""

from __future__ import annotations

from itertools import combinations

import msgspec


class Feature(msgspec.Struct, frozen=True):
    """One thing that a plan can draw.

    Attributes:
        name: what it is called.
        begins: rows of the trace that show it, as a condition in SQL.
        ends: rows that end it, as a condition; "" where it ends with the last row that shows it.
        lasts: `always` for what is set up, `on` for what has happened and stays so, else `while`.
    """

    name: str
    begins: str
    ends: str = ""
    lasts: str = "while"


def _set_up(name: str, begins: str) -> Feature:
    return Feature(name, begins, lasts="always")


def _called(name: str, *kinds: str) -> Feature:
    return Feature(name, f"kind = 'op_begin' AND op IN ({', '.join(map(repr, kinds))})")


_WAN, _LISTENED = "kind = 'queue_host' AND queue_type = 'wan'", "kind = 'queue_host' AND queue_type = 'async'"

FEATURES: tuple[Feature, ...] = (
    _set_up("partitioned region", "kind = 'region_host' AND policy = 'partition'"),
    _set_up(
        "member with less than a replicate",
        "kind = 'region_host' AND policy IN ('normal', 'preloaded', 'empty') AND client IS NULL "
        "AND scope IS NOT NULL",
    ),
    _set_up("calls that do not wait", "kind = 'region_host' AND scope = 'distributed_no_ack'"),
    _set_up("checks off", "kind = 'region_host' AND checks = false"),
    _set_up("gateway sender", _WAN),
    _set_up("several dispatchers", f"{_WAN} AND dispatchers > 1"),
    _set_up("small batches", "kind = 'queue_host' AND batch_size < 20"),
    _set_up("parallel queue", "kind = 'queue_host' AND parallel"),
    _set_up("queue kept on disk", "kind = 'queue_host' AND persistent"),
    _set_up("queue that conflates", "kind = 'queue_host' AND conflates"),
    _set_up("asynchronous queue", _LISTENED),
    _set_up("three sites", "kind = 'member_start' AND site > 2"),
    _set_up("conflict resolver", "kind = 'inject' AND name = 'resolver'"),
    _set_up("client", "kind = 'client_start'"),
    _set_up("client with redundancy", "kind = 'client_start' AND amount > 0"),
    _set_up("durable client", "kind = 'client_start' AND durable_id IS NOT NULL"),
    Feature(
        "held clocks", "kind = 'clock_set' AND status = 'held'", "kind = 'clock_set' AND status = 'runs'"
    ),
    _called("transaction", "tx_commit", "tx_rollback"),
    _called("conditional operation", "replace_if_equal", "remove_if_equal"),
    _called("local operation", "local_destroy", "local_invalidate", "local_clear"),
    _called("clear", "clear"),
    _called("operation on a whole region", "destroy_region", "invalidate_region", "expire_invalidate_region"),
    _called("expiration", "expire_destroy", "expire_invalidate", "idle_destroy", "idle_invalidate"),
    _called("local expiration or eviction", "expire_local_destroy", "expire_local_invalidate", "evict"),
    _called("destroy", "destroy"),
    _called("invalidate", "invalidate"),
    _called("read", "get", "contains_key"),
    Feature("operation on several keys", "kind = 'op_begin' AND eid IS NOT NULL"),
    Feature("call of a client", "kind = 'op_begin' AND client IS NOT NULL"),
    Feature("listener held at a gate", "kind = 'gate_park'", "kind = 'gate_release'"),
    Feature("listener of a queue that fails", "kind = 'dispatch_end' AND status <> 'true'"),
    Feature("event that cannot be applied", "kind = 'inject' AND name = 'writer'", lasts="on"),
    Feature("registration", "kind IN ('ri_begin', 'unregister_begin') AND example <> ''"),
    Feature("queue paused", "kind = 'queue_pause'", "kind = 'queue_resume'"),
    Feature("receiver stopped", "kind = 'queue_stop'", "kind = 'queue_start'"),
    Feature("link cut", "kind = 'link' AND status = 'down'", "kind = 'link' AND status = 'up'"),
    Feature("answers lost", "kind = 'link' AND status = 'drop_acks'", "kind = 'link' AND status = 'up'"),
    Feature("crash", "kind = 'crash'", lasts="on"),
    Feature("copy given up and taken again", "kind = 'region_close'", lasts="on"),
)
"""Every feature whose pairs are counted."""

_BUCKETS = "the reference does not follow it on partitioned regions so far"
_DURABLE = "the reference does not follow it beside durable clients so far"
_MOVED = "no document says what becomes of an event on a member that gave up its copy"

BARRED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "partitioned region",
        (
            *("member with less than a replicate", "calls that do not wait", "checks off"),
            *("local operation", "operation on a whole region", "local expiration or eviction"),
            *("transaction", "gateway sender", "client with redundancy", "durable client", "expiration"),
            "copy given up and taken again",
        ),
        _BUCKETS,
    ),
    ("parallel queue", ("queue kept on disk",), "a parallel queue on disk is not followed so far"),
    ("parallel queue", ("client",), "the reference does not follow clients beside parallel queues so far"),
    (
        "member with less than a replicate",
        (
            *("gateway sender", "asynchronous queue", "small batches", "queue paused"),
            *("conditional operation", "durable client"),
        ),
        "the reference follows it where all members replicate so far",
    ),
    (
        "asynchronous queue",
        ("held clocks",),
        "the reference does not follow listeners while time is held so far",
    ),
    ("client", ("transaction", "expiration"), "the reference does not follow it beside clients so far"),
    (
        "call of a client",
        ("client with redundancy",),
        "clients of several servers call only where answers are lost so far",
    ),
    (
        "durable client",
        (
            *("gateway sender", "asynchronous queue", "small batches", "queue paused"),
            *("clear", "operation on a whole region"),
        ),
        _DURABLE,
    ),
    (
        "copy given up and taken again",
        ("gateway sender", "asynchronous queue", "small batches", "queue paused"),
        _MOVED,
    ),
)
"""A feature, others that never meet it, and why; a feature without others meets none."""

_IMPLIED = (
    ("parallel queue", "partitioned region"),
    ("parallel queue", "asynchronous queue"),
    ("queue kept on disk", "gateway sender"),
    ("several dispatchers", "gateway sender"),
    ("three sites", "gateway sender"),
    ("conflict resolver", "gateway sender"),
    ("answers lost", "gateway sender"),
    ("receiver stopped", "gateway sender"),
    ("link cut", "gateway sender"),
    ("event that cannot be applied", "gateway sender"),
    ("client with redundancy", "client"),
    ("durable client", "client"),
    ("call of a client", "client"),
    ("registration", "client"),
    ("listener of a queue that fails", "asynchronous queue"),
)
"""What is only there with another: what bars the other bars it as well."""


def barred() -> dict[frozenset[str], str]:
    """The pairs that cannot meet, each with its reason."""
    names = [feature.name for feature in FEATURES]
    found: dict[frozenset[str], str] = {}
    for one, others, reason in BARRED:
        for other in others or names:
            for left in _with_implying(one):
                for right in _with_implying(other):
                    if left != right:
                        found[frozenset((left, right))] = reason
    return found


def pairs() -> list[frozenset[str]]:
    """Every pair of features, in their order."""
    return [frozenset(pair) for pair in combinations((feature.name for feature in FEATURES), 2)]


def _with_implying(name: str) -> list[str]:
    return [name, *(special for special, general in _IMPLIED if general == name)]
