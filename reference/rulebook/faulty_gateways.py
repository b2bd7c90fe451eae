"""Faulty variants of gateways: senders, their queues, receivers, and conflicts between sites."""

from __future__ import annotations

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
        "failures-cross",
        "WAN-OPS-10 WAN-OPS-09",
        "an operation that changed nothing goes to other sites",
        no_effect_crosses=lambda: True,
    ),
    variant(
        "losers-queued",
        "WANC-LOCAL-01",
        "the primary queues an update that its own member has discarded",
        queues_discarded=lambda: True,
    ),
    variant(
        "sends-ahead",
        "GWQ-ACK-05",
        "a batch is sent before the one in front of it was answered",
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
)
