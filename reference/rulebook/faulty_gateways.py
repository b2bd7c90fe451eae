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
)
