"""Decisions about which events servers send to their clients, and what clients make of them (001).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from enum import StrEnum

from plumbline.reference.history.operations import (
    LOCAL_ACTIONS,
    LOCAL_EXPIRES,
    EventKind,
    OperationKind,
)
from plumbline.reference.rulebook.decision import Subject, any_times, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class Absent(StrEnum):
    """What becomes of a key that a client lacks."""

    STAYS = "stays"
    SILENTLY_INVALID = "silently invalid"
    TOLD_INVALID = "told invalid"
    TOLD = "told"


class RegionEventDecisions(Subject):
    """Which operations on a whole region servers send to their clients."""

    @staticmethod
    @decision("S2C-OPS-03")
    def sends_region_destroys() -> bool:
        """Whether clients with any interest are sent that a region was destroyed: they are (001, L36)."""
        return True

    @staticmethod
    @decision("S2C-OPS-04")
    def sends_clears() -> bool:
        """Whether clients are sent that a region was cleared: they are (001, L36)."""
        return True

    @staticmethod
    @decision("S2C-OPS-04")
    def clears_uncovered() -> bool:
        """Whether a clear removes at clients also what they have not registered for: it does (001, L36)."""
        return True

    @staticmethod
    @decision("S2C-OPS-06")
    def sends_region_invalidates() -> bool:
        """Whether clients are sent that a region was invalidated: they are not (001, L38)."""
        return False


class SubscriptionDecisions(Subject):
    """Which events servers send to their clients, and what clients make of them."""

    @staticmethod
    @decision("S2C-OPS-05")
    def sends_local(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether a server sends its clients what is local to it: it does not (001, L35, L38).

        That holds for what is called on it, for what expires by a local action, and for what is evicted.
        """
        return False

    @staticmethod
    @decision("S2C-INT-01")
    def sends_uninterested() -> bool:
        """Whether a client is sent events of keys that it has not registered for: it is not (001, L26)."""
        return False

    @staticmethod
    @decision("INT-UNION-02", "S2C-RECV-05", "TRK-ONCE-01", "C2S-PROP-05", free=lambda *_: Free((1, 0, 2)))
    def times_sent(matching: int) -> int:  # noqa: ARG004
        """How often a client is sent an event that so many of its registrations cover: once (001, L63)."""
        return 1

    @staticmethod
    @decision("C2S-PROP-02")
    def sends_to_caller() -> bool:
        """Whether a client is sent what it has called itself: it is not (001, L5)."""
        return False

    @staticmethod
    @decision("C2S-PROP-01", "S2C-OPS-07")
    def sends_of_clients() -> bool:
        """Whether clients are sent what another client has called: they are (001, L5, L7)."""
        return True

    @staticmethod
    @decision("S2C-OPS-07", "C2S-PROP-05")
    def sends_of_peers() -> bool:
        """Whether clients are sent what was called at other members than their server: they are.

        Source: 001, L13.
        """
        return True

    @staticmethod
    @decision("S2C-OPS-07")
    def sends_of_sites() -> bool:
        """Whether clients are sent what came from another site through a gateway: they are (001, L44)."""
        return True

    @staticmethod
    @decision("S2C-OPS-01")
    def sends_invalidates(values: bool) -> bool:  # noqa: ARG004
        """Whether clients are sent distributed invalidates of entries: they are (001, L35).

        Args:
            values: whether some registration that covers the key receives values.
        """
        return True

    @staticmethod
    @decision("S2C-OPS-02")
    def sends_destroys() -> bool:
        """Whether clients are sent distributed destroys of entries: they are (001, L35)."""
        return True

    @staticmethod
    @decision("S2C-RECV-01", free=any_times)
    def tells_value() -> int:
        """How often a client's listener receives a value that its server sends: once (001, L31)."""
        return 1

    @staticmethod
    @decision("S2C-RECV-01", free=lambda *_: Free((EventKind.CREATE, EventKind.UPDATE)))
    def value_told_as(held: bool, known: bool) -> EventKind:  # noqa: ARG004
        """As what a client's listener receives a value: an update where the client holds the key (001, L31).

        Args:
            held: whether the client holds the key, with a value or without; else the value comes as a create.
            known: whether its listener has received anything of the key before.
        """
        return EventKind.UPDATE if held else EventKind.CREATE

    @staticmethod
    @decision("S2C-RECV-02", free=any_times)
    def tells_bare() -> int:
        """How often a client's listener receives an invalidation in place of a value: once (001, L33)."""
        return 1

    @staticmethod
    @decision("S2C-OPS-02", free=any_times)
    def tells_destroy() -> int:
        """How often a client's listener receives a destroy that its server sends: once (001, L35)."""
        return 1

    @staticmethod
    @decision("S2C-RECV-01", "C2S-PROP-01")
    def value_for_values() -> bool:
        """Whether a registration that receives values is sent them: it is (001, L31)."""
        return True

    @staticmethod
    @decision("S2C-RECV-02")
    def value_for_invalidations() -> bool:
        """Whether a registration that receives no values is sent them: it is sent invalidations.

        Source: 001, L33.
        """
        return False

    @staticmethod
    @decision("S2C-RECV-03", free=lambda _: Free(tuple(Absent)))
    def invalidates_absent(checks: bool) -> Absent:  # noqa: ARG004
        """What an invalidation in place of a value does to a client without the key: nothing (001, L33).

        Args:
            checks: whether the client checks.
        """
        return Absent.STAYS

    @staticmethod
    @decision("S2C-RECV-04", "INT-POLICY-01")
    def get_asks_server() -> bool:
        """Whether a get of what a client has no value of goes to its server: it does (001, L26, L33)."""
        return True

    @staticmethod
    @decision("S2C-RECV-04")
    def keeps_fetched() -> bool:
        """Whether a client keeps what a get has fetched: it does (001, L26, L33)."""
        return True

    @staticmethod
    @decision("TRK-ASYNC-01")
    def waits_for_subscribers() -> bool:
        """Whether a call waits until clients have processed its event: it does not (001, L44)."""
        return False

    @staticmethod
    @decision("TRK-ORDER-01", "TRK-SINGLE-01", free=lambda *names: Free(("", *names)))
    def queue_for(region: str, key: str, thread: str) -> str:  # noqa: ARG004
        """In which of a client's queues, each emptied by a thread, an event waits: in one (001, L46).

        Args:
            region: of which region it is.
            key: of which key there.
            thread: of which originating thread.
        """
        return ""

    @staticmethod
    @decision("C2S-PROP-03")
    def applies_unprocessed(processed: bool) -> bool:  # noqa: ARG004
        """Whether a server applies what clients have not processed: it does, and sends then (001, L13)."""
        return True

    @staticmethod
    @decision("C2S-PROP-04")
    def keeps_sending(waiting: int) -> bool:  # noqa: ARG004
        """Whether a server goes on sending with so many events in a client's queue: it does (001, L14)."""
        return True

    @staticmethod
    @decision("CONS-CL-01")
    def compares_answers() -> bool:
        """Whether a client compares what its own call brings back with what it holds: it does (004, L39)."""
        return True

    @staticmethod
    @decision("DISC-CLIENT-01")
    def compares_discarded() -> bool:
        """Whether a client compares what its server has discarded and sends all the same: it does.

        Source: 004, L39.
        """
        return True

    @staticmethod
    @decision("TRK-ORDER-02", "TRK-EXPIRE-03", "CONS-CL-01")
    def client_compares() -> bool:
        """Whether a client keeps what is newer than what it is sent: it does, as it checks.

        Source: 001, L31, L35.
        """
        return True


_ENTERED = Free((Absent.SILENTLY_INVALID, Absent.TOLD_INVALID))


LONG_QUEUE = 6
"""So many waiting events are too many for some."""


FAULTS = (
    variant(
        "sends-local-operations",
        "S2C-OPS-05",
        "a server sends its clients its own local destroys, invalidates and clears",
        sends_local=lambda kind: kind not in LOCAL_ACTIONS,
    ),
    variant(
        "sends-local-expirations",
        "S2C-OPS-05",
        "a server sends its clients what expires on it by a local action",
        sends_local=lambda kind: kind in LOCAL_EXPIRES,
    ),
    variant(
        "sends-evictions",
        "S2C-OPS-05",
        "a server sends its clients what it evicts",
        sends_local=lambda kind: kind is OperationKind.EVICT,
    ),
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
        "C2S-PROP-01 S2C-OPS-07",
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
        "keeps-other-sites-apart",
        "S2C-OPS-07",
        "clients are not sent what comes from another site through a gateway",
        sends_of_sites=lambda: False,
    ),
    variant(
        "invalidates-stay-at-servers",
        "S2C-OPS-01",
        "clients are not sent invalidates of their servers",
        sends_invalidates=lambda values: False,  # noqa: ARG005
    ),
    variant(
        "invalidates-only-values",
        "S2C-OPS-01",
        "clients that receive no values are not sent invalidates of their servers",
        sends_invalidates=lambda values: values,
    ),
    variant(
        "destroys-stay-at-servers",
        "S2C-OPS-02",
        "clients are not sent destroys of their servers",
        sends_destroys=lambda: False,
    ),
    variant(
        "never-sends-values",
        "S2C-RECV-01 C2S-PROP-01",
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
        "tells-of-what-is-absent",
        "S2C-RECV-03",
        "an invalidation in place of a value calls the listener of a client that lacks the key",
        invalidates_absent=lambda checks: Absent.TOLD,  # noqa: ARG005
    ),
    variant(
        "gets-nothing-itself",
        "S2C-RECV-04 INT-POLICY-01",
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
        "TRK-ONCE-01 C2S-PROP-05",
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
        queue_for=lambda region, key, thread: key,  # noqa: ARG005
    ),
    variant(
        "dispatcher-for-each-thread",
        "TRK-ORDER-01",
        "each originating thread has a queue of its own at a client, and a thread that empties it",
        queue_for=lambda region, key, thread: thread,  # noqa: ARG005
    ),
    variant(
        "dispatcher-for-each-region",
        "TRK-SINGLE-01",
        "each region of a client has a queue of its own, and a thread that empties it",
        queue_for=lambda region, key, thread: region,  # noqa: ARG005
    ),
    variant(
        "puts-values-silently",
        "S2C-RECV-01",
        "a client's listener does not receive the values that its server sends",
        tells_value=lambda: 0,
    ),
    variant(
        "tells-known-keys-as-updates",
        "S2C-RECV-01",
        "a client's listener receives a value as an update once it has received anything of the key",
        value_told_as=lambda _, known: EventKind.UPDATE if known else EventKind.CREATE,
    ),
    variant(
        "tells-kinds-the-other-way-round",
        "S2C-RECV-01",
        "a client's listener receives creates as updates, and updates as creates",
        value_told_as=lambda held, _: EventKind.CREATE if held else EventKind.UPDATE,
    ),
    variant(
        "invalidates-silently",
        "S2C-RECV-02",
        "a client's listener does not receive invalidations in place of values",
        tells_bare=lambda: 0,
    ),
    variant(
        "destroys-silently",
        "S2C-OPS-02",
        "a client's listener does not receive the destroys that its server sends",
        tells_destroy=lambda: 0,
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
        "clients do not receive a clear",
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
        "clients do not receive a region destroy",
        sends_region_destroys=lambda: False,
    ),
    variant(
        "sends-region-invalidates",
        "S2C-OPS-06",
        "clients receive a region invalidate",
        sends_region_invalidates=lambda: True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
