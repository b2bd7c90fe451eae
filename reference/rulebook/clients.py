"""Decisions about what clients call, and the servers that carry it out (001, L5 to L22; 004, L39 to L47).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.decision import Subject, any_times, decision
from plumbline.reference.rulebook.values import Free, Stamp
from plumbline.reference.rulebook.variant import variant


class CallDecisions(Subject):
    """What a client's calls do at its server, and in its own copy."""

    @staticmethod
    @decision("C2S-OPS-01")
    def forwards_updates(held: bool) -> bool:  # noqa: ARG004
        """Whether a client's create or update goes to its server, held or not: it does (001, L19)."""
        return True

    @staticmethod
    @decision("C2S-OPS-02")
    def forwards_destroy_of_held() -> bool:
        """Whether a client's destroy of a key that it holds goes to its server: it does (001, L20)."""
        return True

    @staticmethod
    @decision("C2S-OPS-03")
    def forwards_destroy_of_absent() -> bool:
        """Whether a client's destroy of a key that it does not hold goes to its server: it does.

        Source: 001, L20.
        """
        return True

    @staticmethod
    @decision("C2S-OPS-06", "C2S-OPS-07", "CONS-CL-02")
    def forwards_invalidates() -> bool:
        """Whether a client's invalidation goes to its server: it does not (001, L22)."""
        return False

    @staticmethod
    @decision("C2S-LOCAL-01")
    def forwards_local() -> bool:
        """Whether a client's local operation goes to its server: it does not (001, L16, L20)."""
        return False

    @staticmethod
    @decision("C2S-PIPE-01")
    def writer_runs_first() -> bool:
        """Whether a client asks its cache writer before it asks its server: it does (001, L16)."""
        return True

    @staticmethod
    @decision("CONS-CL-03")
    def client_keeps_tombstone(called_there: bool) -> bool:  # noqa: ARG004
        """Whether a destroy, called in a client or sent to it, leaves a tombstone there: yes.

        Source: 004, L95; L39.
        """
        return True

    @staticmethod
    @decision("CONS-CL-02", free=lambda given: Free((given, replace(given, version=given.version + 1))))
    def stamp_of_answer(given: Stamp) -> Stamp:
        """The stamp that a client records of what it has called: the one that its server gave (004, L39)."""
        return given

    @staticmethod
    @decision("C2S-PIPE-01")
    def client_applies_first() -> bool:
        """Whether a client changes its own copy before its server has answered: it does so last.

        Source: 001, L16.
        """
        return False

    @staticmethod
    @decision("C2S-ABORT-01")
    def client_writer_aborts(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether a client's cache writer can abort its client's call: it can, for each kind (001, L16)."""
        return True

    @staticmethod
    @decision("C2S-ABORT-02")
    def server_writer_aborts(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether a server's cache writer can abort a client's call: it can, for each kind.

        Source: 001, L16.
        """
        return True

    @staticmethod
    @decision("C2S-ABORT-02")
    def keeps_vetoed() -> bool:
        """Whether a client keeps what its server's cache writer has refused: it does not (001, L16)."""
        return False

    @staticmethod
    @decision("C2S-ABORT-02")
    def veto_fails() -> bool:
        """Whether a call fails that a server's cache writer has refused: it does (001, L16)."""
        return True

    @staticmethod
    @decision("C2S-OPS-01")
    def decides_by_own_copy() -> bool:
        """Whether a client's copy decides if its call creates or updates: its server's does (001, L19)."""
        return False

    @staticmethod
    @decision("C2S-OPS-03")
    def tells_of_nothing_destroyed() -> bool:
        """Whether listeners receive a client's destroy of what its server lacks: they do not (001, L20)."""
        return False

    @staticmethod
    @decision("C2S-PROP-02", free=any_times)
    def tells_caller() -> int:
        """How often a client's listener receives what the client has called itself: once (001, L5, L16)."""
        return 1

    @staticmethod
    @decision("C2S-PROP-03")
    def distributes_of_clients() -> bool:
        """Whether a server distributes to its peers what a client has called: it does (001, L13)."""
        return True

    @staticmethod
    @decision("C2S-OPS-05", free=lambda keys, held: Free((keys, held, ())))
    def cleared_at_server(keys: tuple[str, ...], held: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG004
        """Which keys of its server a client's clear removes: all. The client may hold fewer (001, L21)."""
        return keys

    @staticmethod
    @decision("C2S-OPS-04")
    def forwards_region_destroy() -> bool:
        """Whether a client's destroy of its region destroys that of its servers: it does (001, L21)."""
        return True

    @staticmethod
    @decision("C2S-OPS-04")
    def forwards_local_region_destroy() -> bool:
        """Whether a client's local destroy of its region does so as well: it does not (001, L21)."""
        return False

    @staticmethod
    @decision("C2S-OPS-07")
    def forwards_local_region_invalidate() -> bool:
        """Whether a client's local invalidate of its region goes to its server: it does not (001, L22)."""
        return False

    @staticmethod
    @decision("C2S-LOCAL-01")
    def forwards_without_pool() -> bool:
        """Whether a client's region that names no pool passes operations to a server: it does not.

        Source: 001, L16.
        """
        return False

    @staticmethod
    @decision("C2S-OPS-05")
    def forwards_local_clear() -> bool:
        """Whether a client's local clear clears its servers' region: it does not (001, L21)."""
        return False

    @staticmethod
    @decision("S2C-OPS-03")
    def returns_region_destroys() -> bool:
        """Whether clients send a region destroy that they receive back: they do not (001, L36)."""
        return False

    @staticmethod
    @decision("S2C-OPS-04")
    def returns_clears() -> bool:
        """Whether clients send a clear that they receive back to their server: they do not (001, L36)."""
        return False

    @staticmethod
    @decision("CONS-CL-01")
    def fetched_replaces_newer(gone: bool) -> bool:  # noqa: ARG004
        """Whether what a get brings replaces what the client was sent meanwhile and is newer: it does not.

        Source: 004, L39.

        Args:
            gone: whether what is newer is a destroy, so that the key would be there again.
        """
        return False


def forwards_all() -> bool:
    """The same where all that a client calls is sent to a server first: it does (004, L39)."""
    return True


FAULTS = (
    variant(
        "late-gets-win",
        "CONS-CL-01",
        "what a get brings replaces the newer value that its client was sent meanwhile",
        fetched_replaces_newer=lambda gone: not gone,
    ),
    variant(
        "late-gets-revive",
        "CONS-CL-01",
        "a client keeps what its get brings though it was sent meanwhile that the key is gone",
        fetched_replaces_newer=lambda gone: gone,
    ),
    variant(
        "clients-forget-at-once",
        "CONS-CL-03",
        "a client forgets a destroyed key at once, with its version",
        client_keeps_tombstone=lambda called_there: False,  # noqa: ARG005
    ),
    variant(
        "clients-forget-what-they-are-sent",
        "CONS-CL-03",
        "a client keeps tombstones of what it destroys itself, and of nothing that others destroy",
        client_keeps_tombstone=lambda called_there: called_there,
    ),
    variant(
        "clients-count-for-themselves",
        "CONS-CL-02",
        "a client records a version of its own with what it has called, one above its server's",
        stamp_of_answer=lambda given: replace(given, version=given.version + 1),
    ),
    variant(
        "updates-stay-at-client",
        "C2S-OPS-01",
        "updates of a key that the client holds stay there",
        forwards_updates=lambda held: not held,
    ),
    variant(
        "creates-stay-at-client",
        "C2S-OPS-01",
        "what a client puts under a key that it lacks stays there",
        forwards_updates=lambda held: held,
    ),
    variant(
        "decides-by-own-copy",
        "C2S-OPS-01",
        "what a client holds itself decides whether its calls create or update at its server",
        decides_by_own_copy=lambda: True,
    ),
    variant(
        "destroys-stay-at-client",
        "C2S-OPS-02",
        "a client destroys what it holds in its own copy only",
        forwards_destroy_of_held=lambda: False,
    ),
    variant(
        "unknown-is-nowhere",
        "C2S-OPS-03",
        "a client answers from its own copy that there is nothing to destroy",
        forwards_destroy_of_absent=lambda: False,
    ),
    variant(
        "tells-of-nothing-destroyed",
        "C2S-OPS-03",
        "servers announce a client's destroy of a key that none of them holds",
        tells_of_nothing_destroyed=lambda: True,
    ),
    variant(
        "tells-its-own-twice",
        "C2S-PROP-02",
        "a client's listener receives twice what the client has called itself",
        tells_caller=lambda: 2,
    ),
    variant(
        "silent-about-its-own",
        "C2S-PROP-02",
        "a client's listener does not receive what the client has called itself",
        tells_caller=lambda: 0,
    ),
    variant(
        "keeps-calls-of-clients",
        "C2S-PROP-03",
        "a server distributes to its peers nothing that clients have called",
        distributes_of_clients=lambda: False,
    ),
    variant(
        "asks-its-writer-last",
        "C2S-PIPE-01",
        "a client asks its cache writer when its server has already answered",
        writer_runs_first=lambda: False,
    ),
    variant(
        "changes-itself-first",
        "C2S-PIPE-01",
        "a client changes its own copy before its server has replied",
        client_applies_first=lambda: True,
    ),
    variant(
        "destroys-against-its-writer",
        "C2S-ABORT-01",
        "a client's destroy goes on although its cache writer has refused it",
        client_writer_aborts=lambda kind: kind is not OperationKind.DESTROY,
    ),
    variant(
        "updates-against-its-writer",
        "C2S-ABORT-01",
        "a client's create or update goes on although its cache writer has refused it",
        client_writer_aborts=lambda kind: kind is OperationKind.DESTROY,
    ),
    variant(
        "applies-against-its-writer",
        "C2S-ABORT-02",
        "a server carries out what its cache writer has refused",
        server_writer_aborts=lambda kind: False,  # noqa: ARG005
    ),
    variant(
        "keeps-what-was-vetoed",
        "C2S-ABORT-02",
        "the calling client keeps in its own copy what its server's cache writer has refused",
        keeps_vetoed=lambda: True,
    ),
    variant(
        "veto-is-success",
        "C2S-ABORT-02",
        "a client's call that its server's cache writer has refused ends well, and changes nothing",
        veto_fails=lambda: False,
    ),
    variant(
        "clears-what-it-holds",
        "C2S-OPS-05",
        "a client's clear removes from its server what the client holds",
        cleared_at_server=lambda keys, held: tuple(key for key in keys if key in held),
    ),
    variant(
        "forwards-invalidations",
        "C2S-OPS-06 C2S-OPS-07",
        "a client's invalidations go to its server",
        dialect=Dialect.GEMFIRE6,
        forwards_invalidates=lambda: True,
    ),
    variant(
        "keeps-invalidations",
        "CONS-CL-02",
        "a client changes its own copy without asking its server, and sends nothing afterwards",
        forwards_invalidates=lambda: False,
    ),
    variant(
        "forwards-local",
        "C2S-LOCAL-01",
        "a client's local operations go to its server",
        forwards_local=lambda: True,
    ),
    variant(
        "forwards-without-pool",
        "C2S-LOCAL-01",
        "what a client does in a region that names no pool goes to its server",
        forwards_without_pool=lambda: True,
    ),
    variant(
        "forwards-local-region-invalidates",
        "C2S-OPS-07",
        "a client's local invalidate of its region goes to its server",
        dialect=Dialect.GEMFIRE6,
        forwards_local_region_invalidate=lambda: True,
    ),
    variant(
        "forwards-local-clear",
        "C2S-OPS-05",
        "a client's local clear clears the region of its server",
        forwards_local_clear=lambda: True,
    ),
    variant(
        "returns-clears",
        "S2C-OPS-04",
        "clients send a clear that they receive back to their server, which announces it once more",
        returns_clears=lambda: True,
    ),
    variant(
        "returns-region-destroys",
        "S2C-OPS-03",
        "clients send a region destroy that they receive back to their server, which announces it once more",
        returns_region_destroys=lambda: True,
    ),
    variant(
        "destroys-its-own-region-only",
        "C2S-OPS-04",
        "a client's destroy of its region leaves that of its servers alone",
        forwards_region_destroy=lambda: False,
    ),
    variant(
        "forwards-local-region-destroy",
        "C2S-OPS-04",
        "a client's local destroy of its region destroys that of its servers",
        forwards_local_region_destroy=lambda: True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
