"""Faulty variants of what servers send to their clients, and of what becomes of it there.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from plumbline.reference.rulebook.subscriptions import Absent
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

_ENTERED = Free((Absent.SILENTLY_INVALID, Absent.TOLD_INVALID))

LONG_QUEUE = 6
"""So many waiting events are too many for some."""

SUBSCRIPTIONS = (
    variant(
        "sends-to-everybody",
        "S2C-INT-01",
        "clients are sent events of keys that they have not registered for",
        sends_uninterested=lambda: True,
    ),
    variant(
        "sends-for-each-registration",
        "INT-UNION-02 S2C-RECV-05",
        "an event is sent once for each registration that covers it",
        times_sent=lambda matching: matching,
    ),
    variant(
        "sends-to-caller",
        "C2S-PROP-02",
        "a client is sent what it has called itself",
        sends_to_caller=lambda: True,
    ),
    variant(
        "keeps-clients-apart",
        "C2S-PROP-01",
        "what one client calls is not sent to others",
        sends_of_clients=lambda: False,
    ),
    variant(
        "sends-own-events-only",
        "C2S-PROP-05 S2C-OPS-07",
        "a server sends its clients only what was called at itself",
        sends_of_peers=lambda: False,
    ),
    variant(
        "invalidates-stay-at-servers",
        "S2C-OPS-01",
        "clients are not sent invalidates of their servers",
        sends_invalidates=lambda: False,
    ),
    variant(
        "destroys-stay-at-servers",
        "S2C-OPS-02",
        "clients are not sent destroys of their servers",
        sends_destroys=lambda: False,
    ),
    variant(
        "never-sends-values",
        "S2C-RECV-01",
        "a registration with values is sent invalidations in their place",
        value_for_values=lambda: False,
    ),
    variant(
        "always-sends-values",
        "S2C-RECV-02",
        "a registration without values is sent values all the same",
        value_for_invalidations=lambda: True,
    ),
    variant(
        "invalidates-what-is-absent",
        "S2C-RECV-03",
        "an invalidation in place of a value makes an entry where the client lacks the key",
        invalidates_absent=lambda checks: Absent.TOLD_INVALID,  # noqa: ARG005
    ),
    variant(
        "invalidates-what-is-absent-silently",
        "S2C-RECV-03",
        "an invalidation in place of a value makes an entry of what a client lacks that checks",
        # Told of where the client is just destroying the key itself.
        invalidates_absent=lambda checks: _ENTERED if checks else Absent.STAYS,
    ),
    variant(
        "gets-nothing-itself",
        "S2C-RECV-04",
        "a get of an entry without a value returns nothing without asking the server",
        get_asks_server=lambda: False,
    ),
    variant(
        "fetches-and-forgets",
        "S2C-RECV-04",
        "a client does not keep what a get has fetched",
        keeps_fetched=lambda: False,
    ),
    variant(
        "sends-twice",
        "TRK-ONCE-01",
        "every event is sent to clients twice",
        times_sent=lambda matching: 2,  # noqa: ARG005
    ),
    variant(
        "pushes-in-the-call",
        "TRK-ASYNC-01",
        "a call returns once clients have processed its event",
        waits_for_subscribers=lambda: True,
    ),
    variant(
        "two-dispatchers",
        "TRK-SINGLE-01 TRK-ORDER-01",
        "each key of a client has a queue of its own, and a thread that empties it",
        queue_for=lambda key: key,
    ),
    variant(
        "sends-then-applies",
        "C2S-PROP-03",
        "a server sends an event to its clients first, and applies it once they have processed it",
        applies_unprocessed=lambda processed: processed,
    ),
    variant(
        "drowns-in-a-long-queue",
        "C2S-PROP-04",
        "a client's queue that has grown to six events is never emptied again",
        keeps_sending=lambda waiting: waiting < LONG_QUEUE,
    ),
    variant(
        "late-news-win",
        "TRK-ORDER-02 TRK-EXPIRE-03 CONS-CL-01",
        "what a client is sent replaces what it holds, even if that is newer",
        client_compares=lambda: False,
        compares_discarded=lambda: False,
    ),
    variant(
        "own-answer-wins",
        "CONS-CL-01",
        "the answer to a client's call replaces what it was sent meanwhile, even if that is newer",
        compares_answers=lambda: False,
    ),
    variant(
        "trusts-its-server",
        "DISC-CLIENT-01",
        "a client keeps what its server has sent though it has discarded it",
        chaotic=True,
        compares_discarded=lambda: False,
    ),
    variant(
        "clears-stay-at-servers",
        "S2C-OPS-04",
        "clients are not told that a region was cleared",
        sends_clears=lambda: False,
    ),
    variant(
        "clears-registered-keys",
        "S2C-OPS-04",
        "a clear removes from clients what they have registered for, and no more",
        clears_uncovered=lambda: False,
    ),
    variant(
        "regions-stay-at-clients",
        "S2C-OPS-03",
        "clients are not told that a region was destroyed",
        sends_region_destroys=lambda: False,
    ),
    variant(
        "sends-region-invalidates",
        "S2C-OPS-06",
        "clients are told that a region was invalidated",
        sends_region_invalidates=lambda: True,
    ),
)
