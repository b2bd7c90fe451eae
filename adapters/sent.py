"""What the suite sends at most: each request with what is given together, and values, as the page states it.

Knows no run; `ci/tests/test_what_is_sent.py` compares runs with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

Form = tuple[str, frozenset[str]]
"""A method, or one of its lists of records (`reset.regions`), and what a request of it or a record gives."""

PARKED = "begin at a gate"
"""What is begun under an `arm`, as a method of its own; `at` is the party in whose `callback` it parks."""

_POLICY = "policy=keys|keys_values|none? receive_values=false? register=false?"

ROWS: tuple[tuple[str, str], ...] = (
    ("hello deploy deploy.sites reset finish observe settle advance placement begin.entries", ""),
    ("reset.regions", "policies? checks=false|true? scope=distributed_no_ack?"),
    ("reset.regions", "senders checks=false? scope=distributed_no_ack?"),
    ("reset.regions", "queues"),
    ("reset.regions", "queues senders checks=false?"),
    ("reset.regions", "queues senders scope=distributed_no_ack"),
    ("reset.regions", "policy=partition redundancy?"),
    ("reset.regions", "policy=partition queues redundancy?"),
    ("reset.regions", "policy=partition policies senders redundancy?"),
    ("reset.policies", "member=member policy=empty|normal|preloaded|replicate"),
    ("reset.policies", "member=client policy=local"),
    (
        "begin",
        (
            "member=client|member key token "
            "kind=create|destroy|invalidate|local_destroy|local_invalidate|put|put_if_absent|replace"
        ),
    ),
    ("begin", "member=member key token expected kind=remove_if_equal|replace_if_equal"),
    ("begin", "member=member key token expected value_bytes kind=replace_if_equal"),
    ("begin", "member=client|member key kind=contains_key|get"),
    (
        "begin",
        (
            "member=member key kind=expire_destroy|expire_invalidate"
            "|expire_local_destroy|expire_local_invalidate|idle_destroy|idle_invalidate"
        ),
    ),
    ("begin", "member=member kind=evict|expire_invalidate_region"),
    ("begin", "member=client|member token kind=clear|destroy_region|invalidate_region|local_clear"),
    ("begin", "member=client token kind=local_destroy_region|local_invalidate_region"),
    ("begin", "member=member key token value_bytes kind=put|put_if_absent|create|replace"),
    ("begin", "member=client|member key token argument kind=create|destroy|invalidate|put"),
    ("begin", "member=member token entries kind=put_all|remove_all"),
    ("begin", "member=member kind=tx_begin"),
    (
        "begin",
        (
            "transaction member=member key token "
            "kind=create|destroy|invalidate|local_destroy|local_invalidate|put|put_if_absent|replace"
        ),
    ),
    ("begin", "transaction member=member key kind=get"),
    ("begin", "transaction member=member kind=tx_commit|tx_rollback"),
    (
        "begin",
        "partitioned member=member key token kind=create|destroy|invalidate|put|put_if_absent|replace",
    ),
    ("begin", "partitioned member=member key token expected kind=remove_if_equal|replace_if_equal"),
    ("begin", "partitioned member=member key kind=contains_key|get"),
    ("begin", "partitioned member=member token entries kind=put_all|remove_all"),
    ("begin", "partitioned member=member token kind=clear"),
    ("begin", "partitioned member=client key token kind=put"),
    ("arm await_parked release", "member=client|member callback=writer?"),
    ("arm await_parked release", "member=client callback=answer"),
    ("arm await_parked release", "member=member callback=queue"),
    (
        PARKED,
        (
            "member=member kind=clear|create|destroy|invalidate|put|put_if_absent|replace "
            "at=member callback=listener"
        ),
    ),
    (PARKED, "transaction member=member kind=put at=member callback=listener"),
    (PARKED, "member=client kind=destroy|put at=member callback=listener"),
    (PARKED, "member=client|member kind=put at=client callback=listener"),
    (PARKED, "member=client kind=destroy|put at=client|member callback=writer"),
    (PARKED, "member=client kind=get at=client callback=answer"),
    (PARKED, "member=member kind=clear at=member callback=writer"),
    (PARKED, "transaction member=member kind=tx_commit at=member callback=writer"),
    (PARKED, "member=member kind=put at=member callback=queue"),
    ("contents", "member=client|member"),
    (
        "attributes leave join redeliver crash restart move_primary look_at_queue views queries",
        "member=member",
    ),
    ("restart", "member=member from_disk=true"),
    ("begin_join", "member=member held=true?"),
    ("await_copy release_copy finish_join", "member=member"),
    ("host", "member=member checks=false|true"),
    ("host", "member=member checks=false persistent=true"),
    ("statistic", "member=client name=tombstoneCount"),
    (
        "statistic",
        (
            "member=member name=conflatedEvents|exceptionsOccurred|nonReplicatedTombstonesSize"
            "|replicatedTombstonesSize|tombstoneCount|tombstoneGCCount"
        ),
    ),
    ("server_log", "member=member"),
    ("keep_tombstones", "timeout_ms"),
    ("keep_tombstones", "threshold timeout_ms? other_timeout_ms?"),
    ("keep_tombstones", "threshold timeout_ms thresholds"),
    ("link", "source=site target=site state=down|drop_acks|up"),
    ("link", "source=client target=member state=drop_acks|up"),
    ("clock", ""),
    ("clock", "frozen=true offset_ms?"),
    ("create_queue", "remote_site batch_size? batch_interval_ms?"),
    ("create_queue", "remote_site dispatchers order_policy=thread? batch_size?"),
    ("create_queue", "remote_site dispatchers order_policy=partition"),
    ("create_queue", "remote_site dispatchers batch_size persistent=true"),
    ("create_queue", "remote_site conflate=true batch_size?"),
    ("create_queue", "remote_site refused_keys? withheld_keys? batch_size?"),
    ("create_queue", "refused_keys? withheld_keys? batch_size?"),
    ("create_queue", "remote_site group_transactions=true batch_size? batch_interval_ms?"),
    ("create_queue", "remote_site substituted_keys? failing_keys? batch_size? conflate=true?"),
    ("create_queue", "substituted_keys? failing_keys? batch_size?"),
    ("create_queue", "remote_site members"),
    ("create_queue", "remote_site manual_start=true"),
    ("create_queue", "batch_size? members?"),
    ("create_queue", "parallel=true substituted_keys? failing_keys? batch_size?"),
    ("create_queue", "remote_site parallel=true batch_size?"),
    ("create_queue", "remote_site persistent=true batch_size?"),
    ("create_queue", "remote_site persistent=true? maximum_memory_mb"),
    ("create_queue", "remote_site remove_on_exception=false batch_size?"),
    ("queue_action", "member=member action=pause|resume|start"),
    ("queue_action", "member=member action=start|stop queue=receiver"),
    ("script", "member=client|member callback=writer"),
    ("script", "member=member callback=resolver"),
    ("script", "member=member callback=queue"),
    ("start_client", "checks=false? redundancy?"),
    ("start_client", "redundancy tracking_timeout_ms"),
    ("start_client", "conflate=true durable_id? redundancy?"),
    ("start_client", "subscription=false"),
    ("start_client", "checks=false? durable_id"),
    ("start_client", "durable_id durable_timeout_s? redundancy?"),
    ("start_client", "checks=false durable_id redundancy"),
    ("client_action", "action=close|kill|ready"),
    ("client_action", "action=close keepalive=true"),
    ("begin_interest", "held=true? policy=keys|keys_values|none?"),
    ("begin_interest", "durable=true held=true? policy=keys_values"),
    ("begin_interest", "held=true? kind=key|list|regex specification policy=keys|keys_values|none?"),
    ("await_answer release_answer finish_interest", ""),
    ("interest", "durable=true policy=keys_values|none?"),
    ("interest", "durable=true kind=key|list|regex specification policy=none?"),
    ("interest", _POLICY),
    ("interest", f"kind=key|list|regex specification {_POLICY}"),
)
"""Methods, and what their requests give. `a?` may be left out, `a=b|c` is one of these.

A parameter that equals its default is left out. `member`, `source` and `target` tell which kind of party is
named; `transaction` and `partitioned` tell where an operation is called.
"""

VALUES: dict[str, str] = {
    "deploy sites": "1 to 3 of them",
    "deploy.sites number": "1 to 3",
    "deploy.sites members": "1 to 4 of them",
    "reset regions": "1 to 3 of them",
    "reset.regions policies": "1 to 3 of them",
    "reset.regions senders": "1 to 6 of them; spaces",
    "reset.regions queues": "1 to 2 of them; spaces",
    "reset.regions redundancy": "1 to 2",
    "begin thread": "spaces",
    "begin key": "signs; spaces",
    "begin token": "signs",
    "begin expected": "signs",
    "begin argument": "spaces",
    "begin value_bytes": "200000 to 600000",
    "begin entries": "2 to 3 of them",
    "begin.entries key": "spaces",
    "finish timeout_ms": "`settle_limit_ms`",
    "settle timeout_ms": "20; `settle_limit_ms`",
    "await_parked timeout_ms": "2000; `settle_limit_ms`",
    "keep_tombstones timeout_ms": "30000 to 60000",
    "keep_tombstones other_timeout_ms": "60000 to 600000",
    "keep_tombstones threshold": "1 to 1000",
    "keep_tombstones thresholds": "1 of them; 1 to 3",
    "look_at_queue queue": "spaces",
    "advance milliseconds": "1 to 86400000",
    "clock site": "1 to 3",
    "clock offset_ms": "-30000 to 3600000",
    "create_queue id": "spaces",
    "create_queue site": "1 to 3",
    "create_queue remote_site": "1 to 3",
    "create_queue members": "1 to 2 of them",
    "create_queue refused_keys": "1 to 2 of them",
    "create_queue withheld_keys": "1 to 2 of them",
    "create_queue substituted_keys": "1 to 3 of them",
    "create_queue failing_keys": "1 of them",
    "create_queue dispatchers": "2 to 3",
    "create_queue batch_size": "1 to 12",
    "create_queue batch_interval_ms": "60000 to 180000",
    "create_queue maximum_memory_mb": "1",
    "queue_action queue": "spaces",
    "script region": "spaces",
    "script answers": "0 to 12 of them; nothing; spaces",
    "start_client servers": "1 to 4 of them",
    "start_client redundancy": "1 to 2",
    "start_client durable_timeout_s": "60 to 600",
    "start_client tracking_timeout_ms": "1000",
    "interest specification": "lines; signs",
    "await_answer timeout_ms": "`settle_limit_ms`",
    "finish_interest timeout_ms": "`settle_limit_ms`",
    "await_copy timeout_ms": "`settle_limit_ms`",
    "finish_join timeout_ms": "`settle_limit_ms`",
    "begin_interest specification": "lines; signs",
}
"""By method and parameter: numbers other than the default, lengths of lists, and what unusual text holds."""

_WORDS = {
    "transaction": "in a transaction",
    "partitioned": "in a partitioned region",
    "at": "parks at",
}


def forms() -> frozenset[Form]:
    """Each row, written out."""
    return frozenset(
        (record, frozenset(filter(None, given)))
        for records, slots in ROWS
        for record in ([PARKED] if records == PARKED else records.split())
        for given in product(*map(_choices, slots.split()))
    )


def _choices(slot: str) -> list[str]:
    name, _, values = slot.rstrip("?").partition("=")
    given = [f"{name}={value}" for value in values.split("|")] if values else [name]
    return given + [""] * slot.endswith("?")


def table() -> Iterator[str]:
    """What is given together, as a table of docs/protocol.md."""
    yield "| method | a request gives |"
    yield "|---|---|"
    for records, slots in ROWS:
        methods = (
            PARKED.replace("begin", "`begin`")
            if records == PARKED
            else ", ".join(map(_code, records.split()))
        )
        yield f"| {methods} | {'; '.join(map(_told, slots.split())) or 'no more than it must'} |"


def values_table() -> Iterator[str]:
    """What values there are, as a table of docs/protocol.md."""
    yield "| method | parameter | values |"
    yield "|---|---|---|"
    for parameter, values in VALUES.items():
        record, name = parameter.split()
        yield f"| {_code(record)} | `{name}` | {values} |"


def _code(record: str) -> str:
    method, _, part = record.partition(".")
    return f"`{method}`" + (f" (each of `{part}`)" if part else "")


def _told(slot: str) -> str:
    name, _, values = slot.rstrip("?").partition("=")
    told = _WORDS.get(name, f"`{name}`") + f" {values.replace('|', ' or ')}" * bool(values)
    return f"perhaps {told}" if slot.endswith("?") else told
