"""Faulty variants of gateways: senders, their queues, receivers, and conflicts between sites."""

from __future__ import annotations

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.rulebook.variant import variant

GATEWAYS = (
    variant(
        "creates-stay",
        "WAN-OPS-01",
        "the creation of an entry does not go to other sites",
        create_crosses=lambda: False,
    ),
    variant(
        "invalidations-cross",
        "WAN-OPS-05",
        "an invalidation goes to other sites",
        invalidate_crosses=lambda: True,
    ),
    variant(
        "gets-cross",
        "WAN-OPS-04",
        "what a get reads is sent to other sites as an update",
        get_crosses=lambda: True,
    ),
    variant(
        "destroys-stay",
        "WAN-OPS-03",
        "a distributed destroy does not go to other sites",
        destroy_crosses=lambda: False,
    ),
    variant(
        "updates-stay",
        "WAN-OPS-02",
        "the update of an entry does not go to other sites",
        put_crosses=lambda: False,
    ),
    variant(
        "receiver-updates-only",
        "WAN-OPS-01",
        "a receiver drops what the entry is not there for",
        applies_to_present=lambda present: present,
    ),
    variant(
        "receiver-creates-only",
        "WAN-OPS-02",
        "a receiver drops what the entry is there for already",
        applies_to_present=lambda present: not present,
    ),
    variant(
        "local-destroys-cross",
        "WAN-OPS-06",
        "a local destroy goes to other sites",
        local_destroy_crosses=lambda: True,
    ),
    variant(
        "region-operations-cross",
        "WAN-OPS-08 CLEAR-SCOPE-01",
        "what is done to a whole region goes to other sites",
        region_operations_cross=lambda: True,
    ),
    variant(
        "expirations-cross",
        "WAN-OPS-07",
        "what a region does to an entry whose time is over goes to other sites",
        expirations_cross=lambda: True,
    ),
    variant(
        "failures-cross",
        "WAN-OPS-10 WAN-OPS-09",
        "an operation that changed nothing goes to other sites",
        no_effect_crosses=lambda: True,
    ),
    variant(
        "losers-queued",
        "WANC-LOCAL-01 DISC-GW-01",
        "the primary queues an update that its own member has discarded",
        queues_discarded=lambda: True,
    ),
    variant(
        "sends-ahead",
        "GWQ-ACK-05",
        "a batch is sent before the one in front of it was answered",
        dialect=Dialect.GEMFIRE6,
        sends_while_unanswered=lambda: True,
    ),
    variant(
        "receiver-tells-nobody",
        "WANC-PEER-01",
        "a receiver does not distribute what it has applied",
        receiver_tells=lambda _: (),
    ),
    variant(
        "unknown-keys-dropped",
        "WANC-NEW-01",
        "a receiver drops events for keys that it knows nothing of",
        applies_unrecorded=lambda: False,
    ),
    variant(
        "receiver-keeps-value",
        "WAN-OPS-02 RCV-APPLY-01",
        "a receiver keeps the value that it has",
        value_received=lambda value, stored: value if stored is None else stored,
    ),
    variant(
        "waits-for-site",
        "WAN-ASYNC-01 WANC-ASYNC-01 GWQ-RETRY-07",
        "a call returns once the other site has its event",
        waits_for_remote_site=lambda: True,
    ),
    variant(
        "collects-nothing",
        "GWQ-RETRY-05 WAN-ASYNC-01",
        "nothing is queued while no receiver can be reached",
        collects_while_unconnected=lambda: False,
    ),
    variant(
        "forgets-unanswered",
        "GWQ-RETRY-01 GWQ-ACK-06",
        "what was not answered when a connection broke is taken for delivered",
        resends_unanswered=lambda: False,
    ),
    variant(
        "gives-up",
        "GWQ-RETRY-02",
        "what was sent over three connections and never answered is given up",
        keeps_trying=lambda connections: connections < 3,
    ),
    variant(
        "drops-without-receiver",
        "GWQ-RETRY-03",
        "what is queued is dropped when no receiver is to be had",
        stays_without_receiver=lambda: False,
    ),
    variant(
        "connects-once",
        "GWQ-RETRY-04",
        "a sender whose connection has broken never connects again",
        reconnects=lambda: False,
    ),
    variant(
        "resends-later",
        "WAN-ORDER-03 GWQ-RETRY-05",
        "what was not answered is sent again behind what was queued meanwhile",
        resends_first=lambda: False,
    ),
    variant(
        "answers-first",
        "GWQ-PROC-02 GWQ-ACK-06",
        "a receiver answers what has arrived before it has applied it",
        replies_after_applying=lambda: False,
    ),
    variant(
        "answers-when-stopped",
        "RCV-RETRY-02",
        "a receiver that shuts down answers the batch in hand, and drops what it has not applied",
        answers_when_stopped=lambda: True,
    ),
    variant(
        "receives-backwards",
        "RCV-APPLY-01",
        "a receiver applies the second of what has arrived before the first",
        next_of_wire=lambda waiting: min(waiting, 2) - 1,
    ),
    variant(
        "repeats-old-values",
        "RCV-DEDUP-01",
        "a receiver applies every event that is delivered again",
        applies_repeated=lambda: True,
    ),
    variant(
        "receiver-as-author",
        "WANC-PEER-01 WANC-META-01",
        "what a receiver applies counts as written by its own site",
        received_keeps_origin=lambda: False,
    ),
    variant(
        "last-writer-refused",
        "WANC-SAME-01",
        "a receiver drops events of the site that wrote last",
        applies_same_site=lambda: False,
    ),
    variant(
        "later-refused",
        "WANC-TS-01 WANC-CHK-01",
        "an update of another site loses to what is there, however late it was made",
        applies_later_time=lambda: False,
    ),
    variant(
        "earlier-applied",
        "WANC-TS-02 WANC-CHK-01",
        "an update of another site wins over what is there, however early it was made",
        applies_earlier_time=lambda: True,
    ),
    variant(
        "higher-site-refused",
        "WANC-TIE-01",
        "at equal timestamps what is there stays",
        applies_tie_of_higher_site=lambda: False,
    ),
    variant(
        "lower-site-applied",
        "WANC-TIE-02",
        "at equal timestamps what arrives is applied",
        applies_tie_of_lower_site=lambda: True,
    ),
    variant(
        "clock-taken-as-it-is",
        "WANC-CAUSAL-01",
        "an update has the time that the clock shows, also where it replaces a later one",
        dated_after_stored=lambda behind: not behind,
    ),
    variant(
        "far-times-not-believed",
        "WANC-CLOCK-01",
        "of updates whose timestamps are ten seconds apart that which arrives is applied",
        decided_by_time=lambda apart_ms: apart_ms < 10_000,
    ),
    variant(
        "winner-keeps-its-time",
        "WANC-LOCAL-02",
        "an update that beats a later one of its site keeps its own timestamp",
        keeps_later_time=lambda: False,
    ),
    variant(
        "queues-twice",
        "GWQ-ACK-04 SER-ENQ-01",
        "an operation called on another member is queued twice",
        times_queued=lambda called_here: 1 if called_here else 2,
    ),
    variant(
        "inherits-nothing",
        "GWQ-ACK-03 SER-FAILOVER-01",
        "a new primary begins with an empty queue",
        keeps_inherited=lambda: False,
    ),
)
