"""The trace: one flat table of typed events that is wide enough for every requirement of the catalogue.

One row is one event. A column that does not concern a kind is null. Columns and kinds may be added; the
meaning of one never changes. docs/trace.md is made from this module (`python -m plumbline.reference.trace`).
Knows nothing of who writes the rows, nor of what is right.

A kind is seen *outside* when a harness can write it of a black box, from what it asked and was answered; the
others need a candidate that shows its inside.
"""

# ruff: noqa: E501 - a table reads best with one line a row
from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Self

import pyarrow as pa

TRACE_FORMAT = 1


class TraceKind(StrEnum):
    """What happened. Each kind carries its meaning and whether it is seen from outside."""

    meaning: str
    outside: bool

    def __new__(cls, value: str, meaning: str, outside: bool = False) -> Self:
        """A kind's name, its meaning in one line, and whether a black box shows it."""
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.meaning = meaning
        kind.outside = outside
        return kind

    # The frame that the writer adds.
    EXAMPLE_BEGIN = "example_begin", "an example begins; first row of every example", True
    EXAMPLE_END = (
        "example_end",
        "an example has ended; its last row: status = verdict on it, amount = its rows, both ends included",
        True,
    )
    TRAILER = "trailer", "a file has ended; its last row: amount = rows of the file, trailer included", True

    # Topology, configuration, faults: what the harness arranged.
    MEMBER_START = "member_start", "a member runs: site, member, rank where membership ids are known", True
    MEMBER_STOP = "member_stop", "a member is closed in order", True
    MEMBER_PAUSE = "member_pause", "a member stops answering while its process and its connections stay", True
    MEMBER_RESUME = "member_resume", "a paused member runs on", True
    CRASH = "crash", "a member, or a client where client is given, is killed", True
    REGION_HOST = (
        "region_host",
        "a member or client holds a region with the given policy, scope, checks",
        True,
    )
    REGION_CLOSE = "region_close", "a member or client no longer holds a region", True
    QUEUE_HOST = (
        "queue_host",
        "a member runs a queue: queue_type, parallel, batch_size, interval_ms; peer = the site it sends to",
        True,
    )
    ATTACH = "attach", "a region is attached to a queue", True
    CONFIG = (
        "config",
        "a setting in force was read, or a deployment was tried: name, value or amount, status",
        True,
    )
    LINK = "link", "the link from one party to peer changed: status up, down, drop_acks, hold", True
    CLOCK = "clock_set", "clocks were set: amount = offset in milliseconds, status held or runs", True
    ADVANCE = "advance", "time was let pass: amount = milliseconds", True
    CLOCKS_PASSED = (
        "clocks_passed",
        "the clocks of all sites show a later time than any timestamp given before",
        True,
    )
    MEMORY = "memory", "free memory was made scarce, or plentiful again: ratio = free share", True
    INJECT = "inject", "a scripted callback, filter or receiver was told to misbehave: cause says how", True

    OBSERVED = (
        "observed",
        "the region listener of member is recorded from here on: its silence tells something",
        True,
    )

    # Calls.
    OP_BEGIN = "op_begin", "an operation is called; it may take effect from here on", True
    OP_ATTEMPT = "op_attempt", "the caller's side tries, or tries again, to carry out an operation"
    OP_END = "op_end", "an operation has returned: status, and the value of a read", True
    READ = "read", "a read that is no operation of the example showed a value: local peek, iteration", True
    TX_BEGIN = "tx_begin", "a transaction begins", True
    TX_COMMIT = "tx_commit", "a transaction is committed: status", True
    TX_ROLLBACK = "tx_rollback", "a transaction is rolled back", True

    # Gates and settling.
    GATE_ARM = "gate_arm", "from here on the operation parks in the listener of member", True
    GATE_PARK = "gate_park", "the operation is parked in the listener of member", True
    GATE_MISS = "gate_miss", "the operation has not reached the gate of member in all its time", True
    GATE_RELEASE = "gate_release", "the gate is opened", True
    REDELIVER = "redeliver", "the message of an operation to member is put on the way once more", True
    SETTLE = (
        "settle",
        "nothing more would happen by itself: amount = places where a gate holds something back",
        True,
    )
    UNSETTLED = (
        "unsettled",
        "all the time was given to come to rest, and listeners are called without end: detail = what came again",
        True,
    )

    # Callbacks of the application, and what was read.
    WAITED = (
        "waited",
        "all the time was given that anything may take, and detail has not come; op_id: its return",
        True,
    )
    LISTENER = "listener", "a region listener received an event", True
    WRITER_CALL = "writer_call", "a cache writer or transaction writer was asked", True
    LOADER_CALL = "loader_call", "a cache loader was asked for a value", True
    RESOLVER_CALL = "resolver_call", "a conflict resolver was asked: outcome allow, disallow, replace", True
    FILTER_CALL = "filter_call", "a gateway event filter was asked: cause names the method", True
    CALLBACK_ERROR = "callback_error", "a callback of the application threw", True
    CONTENTS_ASKED = "contents_asked", "the harness asks what a member or client holds of a region", True
    CONTENTS_READ = "contents_read", "the answer: amount = keys present", True
    CONTENT = "content", "what was held for one key at contents_read: state_after, value", True
    FINAL_VALUE = (
        "final_value",
        "as content, of the quiet end: everything settled, nothing called any more",
        True,
    )
    STAT_ASKED = "stat_asked", "the harness asks for a counter or gauge", True
    STAT = "stat", "a counter: amount = how far it moved since the example began", True
    GAUGE = "gauge", "a gauge: amount = its value now", True
    LOG = "log", "a line of the product's log: level, detail", True

    # Entries inside a member or client.
    STAMP = "stamp", "an operation got its version where it was carried out"
    APPLY = "apply", "an operation changed the copy of a member or client: stamps, states before and after"
    DISCARD = "discard", "an operation was refused by consistency checking, or dropped as a duplicate: cause"
    APPLY_FAIL = "apply_fail", "carrying out an operation or event failed: cause"
    TIMESTAMP_RAISE = "timestamp_raise", "a discarded operation raised the stored timestamp"
    DISTRIBUTE = "distribute", "an operation is sent to the other members"
    FORWARD = (
        "forward",
        "an operation is handed to peer, which carries it out: a primary, a replicate, a server",
    )
    RECV = "recv", "a message of an operation arrives from peer, before it is judged"
    REPLY = "reply", "peer's acknowledgement of an operation's message arrives at its sender"
    TOMBSTONE_CREATE = "tombstone_create", "a tombstone is kept for a destroyed entry"
    TOMBSTONE_EXPIRE = "tombstone_expire", "a tombstone has passed its age and waits for collection"
    TOMBSTONE_REMOVE = "tombstone_remove", "a tombstone is removed: cause gc, expiry, clear, create"
    GC = "gc", "tombstones of a region are collected: cause count, memory, peer; amount = how many"
    CLEAR_LOCK = "clear_lock", "a member has locked the region for clear"
    CLEAR_APPLY = "clear_apply", "a member's copy is emptied by clear"
    CLEAR_UNLOCK = "clear_unlock", "the lock for clear is given back"
    TX_APPLY = "tx_apply", "a member has applied all operations of a transaction"
    IMAGE_BEGIN = "image_begin", "a copy (of a region, bucket or queue) is requested from peer"
    IMAGE_ITEM = "image_item", "one entry of the copy arrives"
    IMAGE_END = "image_end", "the copy is complete, live messages take over"

    # Queues: of gateway senders, of asynchronous listeners, of servers for their clients.
    ENQ = "enq", "an event enters a member's copy of a queue"
    ENQ_SKIP = (
        "enq_skip",
        "an event does not enter a queue: cause filter, not_running, no_interest, originator",
    )
    UQ_ADD = "uq_add", "a secondary remembers an event as unprocessed"
    UQ_DEL = "uq_del", "a secondary forgets an unprocessed event: cause primary, timeout, takeover"
    TOK_ADD = "tok_add", "a secondary notes that the primary's event came first"
    TOK_DEL = "tok_del", "that note is dropped: cause event, timeout, takeover"
    PEEK = "peek", "a dispatcher takes an event into a batch, leaving it in the queue"
    CONFLATE = "conflate", "a queued event is replaced by a later one of its key"
    OVERFLOW = "overflow", "queued events or entries are moved to disk"
    RECOVER = "recover", "a queued event or entry is back from disk"
    DISPATCH_BEGIN = (
        "dispatch_begin",
        "a batch is handed on: to the remote site, the listener, the client",
        True,
    )
    DISPATCH_END = "dispatch_end", "handing on has ended: status", True
    SEND = "send", "one event of a batch is sent to the remote site or to a client"
    ASYNC_EVENT = "async_event", "one event of a batch is shown to an asynchronous listener", True
    WAN_RECV = "wan_recv", "one event of a batch arrives at a gateway receiver, before it is judged"
    WAN_APPLY = "wan_apply", "a gateway receiver's member or bucket primary applied an event"
    WAN_DISCARD = "wan_discard", "a gateway receiver's member or bucket primary refused an event: cause"
    ACK_SEND = "ack_send", "a receiver acknowledges a batch"
    ACK_RECV = "ack_recv", "a sender gets the acknowledgement of a batch"
    FAILACK = "failack", "an acknowledgement reports one failed event"
    RM = "rm", "an event leaves a member's copy of a queue: cause ack, removal_message, conflate, expiry"
    BRM_SEND = "brm_send", "a removal message is sent to the other members: range_from, range_to, bucket"
    BRM_APPLY = "brm_apply", "a removal message is carried out"
    ROLE = "role", "a member becomes primary or secondary for a queue, bucket or client queue", True
    ELECT = "elect", "a member asks, or waits, to become primary"
    QUEUE_START = "queue_start", "a queue is started on a member", True
    QUEUE_STOP = "queue_stop", "a queue is stopped on a member", True
    QUEUE_PAUSE = "queue_pause", "a queue is paused on a member", True
    QUEUE_RESUME = "queue_resume", "a paused queue runs on", True
    DEPTH = "depth", "how many events a member's copy of a queue holds: amount", True
    QUEUED = "queued", "one event that a member's copy of a queue holds, on inspection: queue_pos", True

    # Clients.
    CLIENT_START = (
        "client_start",
        "a client runs: incarnation, durable_id, timeout_ms, redundancy as amount",
        True,
    )
    MAY_SERVE = "may_serve", "a client names server as one of its servers: amount = its place, from 0", True
    CLIENT_CLOSE_BEGIN = "client_close_begin", "a client is closed: keep_alive", True
    CLIENT_CLOSE_END = "client_close_end", "a client is closed", True
    CONNECT = "connect", "a client's subscription connection to server stands: role primary or secondary"
    DISCONNECT = "disconnect", "one side notices that a subscription connection is gone"
    READY = "ready", "a client has declared that it is ready for events", True
    RI_BEGIN = "ri_begin", "a client begins to register interest", True
    RI_CLEAR = "ri_clear", "registering silently removes a key from the client"
    RI_FILTER = "ri_filter", "a server has installed or removed an interest"
    RI_ITEM = "ri_item", "a client applies one entry of the answer: state_before, state_after"
    RI_END = "ri_end", "registering interest has returned: status", True
    RI_KEY = "ri_key", "a key that the example names and that the registration before it covers", True
    RI_CALL = "ri_call", "a registration is called, and all else goes on: question = its number", True
    RI_HELD = "ri_held", "the answer to a registration is on its way, and held back", True
    RI_RELEASE = "ri_release", "the answer to a registration is held back no more", True
    RI_RETURN = "ri_return", "a registration that was called has returned: status", True
    JOIN_CALL = "join_call", "a member begins to take a copy of a region, and all else goes on", True
    JOIN_HELD = "join_held", "the copy is on its way, and held", True
    JOIN_RELEASE = "join_release", "the copy is held no more", True
    JOIN_RETURN = "join_return", "the member has its copy, and may be called", True
    INTEREST = "interest", "one interest that a client lists as registered, on inspection", True
    UNREGISTER_BEGIN = "unregister_begin", "a client begins to withdraw interest", True
    UNREGISTER_END = "unregister_end", "withdrawing interest has returned: status", True
    DELIVER = "deliver", "a message from a client queue arrives at the client, before it is judged"
    MARKER = "marker", "the marker that ends replay: status enqueued, sent, received"
    LIVE = "live", "a listener was told that its region is live", True
    CLIENT_ACK = (
        "client_ack",
        "a client acknowledges events to a server: origin_member, origin_thread, origin_seq",
    )
    QRM = "qrm", "a primary tells the secondaries which client events are done"
    TRACK_EXPIRE = "track_expire", "a client forgets the last event of an idle thread"
    FAILOVER_BEGIN = "failover_begin", "a client has lost its primary server"
    FAILOVER_END = "failover_end", "a server was made primary: server, cause promoted or attached"
    REINIT_BEGIN = "reinit_begin", "a client rebuilds its state from a new server"
    REINIT_END = "reinit_end", "the rebuilt state is complete"
    DURABLE_EXPIRE = "durable_expire", "a server gives up the queue of an absent durable client"
    DRAIN = "drain", "a sentinel shows that a client has seen all that was queued for it", True


KINDS: dict[str, str] = {kind.value: kind.meaning for kind in TraceKind}


class Column(NamedTuple):
    """A column of the trace.

    Attributes:
        name: its name, the same in every engine, never quoted.
        type: string, int64, float64 or bool.
        meaning: what it says, in one line.
        unit: of numbers, or "".
        required: whether every row has it.
    """

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    required: bool = False


_TEXT, _INTEGER, _REAL, _FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

_COLUMNS = (
    # Where the row stands.
    Column("run_id", _TEXT, "the run", required=True),
    Column(
        "example", _TEXT, "the example, unique in its run; with run_id the key of everything", required=True
    ),
    Column("source", _TEXT, "who made the example: scenario, machine, load, recorded", required=True),
    Column("seq", _INTEGER, "place of the row in the example, without gaps", "from 0", required=True),
    Column("kind", _TEXT, "what happened: one of the kinds above", required=True),
    Column(
        "t_us", _INTEGER, "when, on the clock named in clock", "µs since that clock's start of the example"
    ),
    Column("t_end_us", _INTEGER, "when a callback or dispatch that began at t_us ended, same clock", "µs"),
    Column("clock", _TEXT, "whose clock t_us is: harness, or a member; only times of one clock compare"),
    Column(
        "seen_after", _INTEGER, "the event happened after the row with this seq; null: at seq itself", "seq"
    ),
    Column(
        "seen_before", _INTEGER, "the event happened before the row with this seq; null: at seq itself", "seq"
    ),
    Column(
        "log_pos",
        _INTEGER,
        "place in its observer's own log (a member's, client's, queue listener's)",
        "from 0",
    ),
    Column(
        "order_strength",
        _TEXT,
        "order that log_pos carries in this example: total, per_key, per_key_and_thread; on example_begin, "
        "and of a client's log on client_start",
    ),
    Column("question", _INTEGER, "pairs an answer with what the harness asked", "unique in the example"),
    # Who.
    Column("site", _INTEGER, "distributed system id of the site where it happened", "1 to 127"),
    Column("member", _TEXT, "the member (a server is one) where it happened"),
    Column("client", _TEXT, "the client where it happened, or for whose queue it did"),
    Column("incarnation", _INTEGER, "how often that client was started before", "from 0"),
    Column("pool", _TEXT, "the client's pool"),
    Column("server", _TEXT, "the member that serves the client here"),
    Column("peer", _TEXT, "the other party: member, server, site or client"),
    Column("thread", _TEXT, "the thread that called, or that ran the callback"),
    Column("listener", _TEXT, "which listener, where a region or queue has several"),
    Column("role", _TEXT, "primary or secondary; moved, of who becomes primary for one that lives"),
    Column(
        "rank",
        _INTEGER,
        "place of the member's id in the order of membership ids; larger wins ties",
        "from 0",
    ),
    Column(
        "policy",
        _TEXT,
        "what the region keeps here: replicate, partition, normal, preloaded, empty, local, proxy",
    ),
    Column("scope", _TEXT, "distributed_ack or distributed_no_ack"),
    Column(
        "checks", _FLAG, "whether consistency checking is on for the region here; null: left to the default"
    ),
    Column("persistent", _FLAG, "whether the region or queue is kept on disk"),
    Column("redundancy", _INTEGER, "redundant copies of each bucket", "copies"),
    # What.
    Column("op_id", _INTEGER, "the operation; in callbacks found by its token, null if none carries it"),
    Column("op", _TEXT, "what was called: put, create, destroy … (OperationKind)"),
    Column("event", _TEXT, "what a callback was told: create, update, invalidate, destroy … (EventKind)"),
    Column("region", _TEXT, "the region"),
    Column("key", _TEXT, "the key"),
    Column("key_type", _TEXT, "type of the key where it matters: string, int"),
    Column("bucket", _INTEGER, "the bucket of a partitioned region or parallel queue", "from 0"),
    Column("token", _TEXT, "unique mark of the operation: the value it writes and its callback argument"),
    Column("value", _TEXT, "the value written, stored, shown or returned (a token); null: none, or invalid"),
    Column("value_before", _TEXT, "the value that stood there before"),
    Column(
        "status",
        _TEXT,
        "how a call, callback, reply, dispatch or example ended (calls: Status; null: not told)",
    ),
    Column("error", _TEXT, "category of the exception, as the documents call it; null: none was thrown"),
    Column("cause", _TEXT, "why: load, expiration, eviction, wan, image, interest, tx, gc … (see the kind)"),
    Column("remote", _FLAG, "whether the operation was called on another member"),
    Column("origin_site", _INTEGER, "site where the operation was called", "1 to 127"),
    Column("origin_member", _TEXT, "member or client where the operation was called"),
    Column("origin_thread", _TEXT, "thread that called the operation"),
    Column("origin_seq", _INTEGER, "how many changing operations that thread had called before it", "from 0"),
    Column("eid", _TEXT, "identity of one event of an operation; a bulk operation has many"),
    Column("tx_id", _TEXT, "the transaction"),
    Column("state_before", _TEXT, "state of the entry before: absent, invalid, valid, tombstone"),
    Column("state_after", _TEXT, "state of the entry after, or as read"),
    # Versions.
    Column("ver", _INTEGER, "entry version of the operation", "from 1"),
    Column("mbr", _TEXT, "member id in the operation's stamp"),
    Column("mbr_rank", _INTEGER, "rank of mbr", "from 0"),
    Column("vts", _INTEGER, "timestamp in the operation's stamp", "ms since 1970"),
    Column("dsid", _INTEGER, "distributed system id in the operation's stamp", "1 to 127"),
    Column("stored_ver", _INTEGER, "entry version that stood there", "from 1"),
    Column("stored_mbr", _TEXT, "member id that stood there"),
    Column("stored_mbr_rank", _INTEGER, "rank of stored_mbr", "from 0"),
    Column("stored_vts", _INTEGER, "timestamp that stood there", "ms since 1970"),
    Column("stored_dsid", _INTEGER, "distributed system id that stood there", "1 to 127"),
    Column("overage", _FLAG, "whether the tombstone that stood there had passed its age"),
    Column("allowed", _FLAG, "whether a conflict resolver let the operation pass"),
    Column("outcome", _TEXT, "the decision: apply, discard; of a resolver allow, disallow, replace"),
    # Queues.
    Column("queue", _TEXT, "id of the gateway sender or asynchronous queue"),
    Column("queue_type", _TEXT, "wan, async or client"),
    Column("parallel", _FLAG, "whether the queue is parallel"),
    Column("dispatcher", _INTEGER, "which dispatcher of the queue", "from 0"),
    Column("dispatchers", _INTEGER, "how many dispatchers the queue has"),
    Column("order_policy", _TEXT, "what keeps its order under several dispatchers: key, thread or partition"),
    Column(
        "conflates", _FLAG, "whether an update queued at a sender, or for a client, makes way for a later one"
    ),
    Column("filters", _FLAG, "whether the queue's event filter leaves out events of some keys"),
    Column(
        "order_group", _TEXT, "what order is kept within: the key, thread or partition by the order policy"
    ),
    Column("queue_pos", _INTEGER, "place in the queue; grows with every event that enters"),
    Column("batch", _INTEGER, "the batch; numbers begin again with each connection", "from 0"),
    Column("batch_pos", _INTEGER, "place of the event in its batch", "from 0"),
    Column(
        "batch_size",
        _INTEGER,
        "most events of a batch (queue_host) or events of this one (dispatch)",
        "events",
    ),
    Column("interval_ms", _INTEGER, "longest wait for a full batch", "ms"),
    Column("conn", _TEXT, "the connection, a new name after each reconnect"),
    Column("attempt", _INTEGER, "how often the event or operation was tried before", "from 0"),
    Column("posdup", _FLAG, "whether the event is marked as a possible duplicate"),
    Column("range_from", _INTEGER, "first queue position that a removal message covers", "queue_pos"),
    Column("range_to", _INTEGER, "last queue position that a removal message covers", "queue_pos"),
    # Clients.
    Column("durable_id", _TEXT, "id of a durable client"),
    Column("durable", _FLAG, "whether the interest is durable"),
    Column("keep_alive", _FLAG, "whether a closing durable client asks that its queue be kept"),
    Column("timeout_ms", _INTEGER, "the time-out that the row is about", "ms"),
    Column("interest_kind", _TEXT, "key, list, regex, all, filter"),
    Column("interest_spec", _TEXT, "the key, the expression, or the keys parted by a line feed"),
    Column("interest_policy", _TEXT, "what registering loads: none, keys, keys_values"),
    Column("receive_values", _FLAG, "whether the interest asks for values, not only for invalidations"),
    Column("marker_seen", _FLAG, "whether the client had received the marker before the callback"),
    # Measures and words.
    Column("name", _TEXT, "name of a statistic, gauge, setting or fault"),
    Column("amount", _INTEGER, "a count, a measure: see the kind"),
    Column("ratio", _REAL, "a share", "0 to 1"),
    Column("level", _TEXT, "severity of a log line: error, warn, info, debug"),
    Column("detail", _TEXT, "words for people, never compared: log text, exception, reason"),
)

COLUMNS: dict[str, Column] = {column.name: column for column in _COLUMNS}

TRACE_SCHEMA = pa.schema([pa.field(c.name, c.type, nullable=not c.required) for c in _COLUMNS])


_FILES = (
    "## Files",
    "",
    "Each process of a run writes one file, `trace/NAME.parquet` (zstd), of whole examples and one last row, the",
    "`trailer`, that counts all rows. When all have closed, `trace/manifest.json` names every file with its rows,",
    "size and SHA-256 digest: without it a missing file goes unnoticed. The run's `seal.json` holds the",
    "digest of the manifest ([verdicts](verdicts.md#the-seal)).",
    "",
    "A Parquet file cannot be read before its last byte is written, so while a run is under way its rows go to a",
    "journal of Arrow record batches, `trace/NAME.arrows`, within a second, also while the next example hangs. A",
    "kill costs the examples that ended within one second, and the one under way. When the writer closes, the",
    "journal becomes the Parquet file in one step. A full disk stops the run with an error; what the journal took",
    "before stays readable:",
    "",
    "    python -m plumbline.reference.trace recover RUN",
    "",
    "turns the journals of a killed run into trace files. Such a run stays incomplete: violations found in it",
    "count, their absence does not. The same holds for a run with a file that is truncated, changed, foreign, a",
    "copy, or missing: the file is named and set aside. An example that is not there once and whole, say since a",
    "file was copied under another name, is named and not read: its rows neither pass nor accuse.",
    "",
)


def markdown() -> str:
    """The text of docs/trace.md."""
    lines = [
        "# The trace",
        "",
        "One flat table of events for every requirement of the catalogue; what a row does not concern is null.",
        "This page is made from `reference/trace/schema.py` by `python -m plumbline.reference.trace`; a test keeps",
        "them equal. Columns and kinds may be added; the meaning of one never changes.",
        "",
        f"Format {TRACE_FORMAT}. All columns are `string`, `int64`, `double` or `bool`: nothing nested, nothing to parse.",
        "",
        *_FILES,
        "## Kinds",
        "",
        "*Outside*: a harness writes it of a black box. *Inside*: only a candidate that shows its inside has it.",
        "",
        "| kind | seen | meaning |",
        "|---|---|---|",
        *(f"| `{k}` | {'outside' if k.outside else 'inside'} | {k.meaning} |" for k in TraceKind),
        "",
        "## Columns",
        "",
        "| column | type | meaning | unit |",
        "|---|---|---|---|",
        *(
            f"| `{c.name}` | {c.type}{', always' if c.required else ''} | {c.meaning} | {c.unit} |"
            for c in COLUMNS.values()
        ),
        "",
    ]
    return "\n".join(lines)
