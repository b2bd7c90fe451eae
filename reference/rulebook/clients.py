"""Decisions about what clients call, and the servers that carry it out (001, L5 to L22; 004, L39 to L47).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.operations import OperationKind


def serves_client(checks: bool, server_checks: bool) -> bool:  # noqa: ARG001
    """Whether a server carries out what a client calls: also where only one of them checks (004, L47)."""
    return True


def client_takes(checks: bool, versioned: bool) -> bool:  # noqa: ARG001
    """Whether a client takes what its server sends: with a version, too, if it does not check (004, L47)."""
    return True


def forwards_updates(held: bool) -> bool:  # noqa: ARG001
    """Whether a client's create or update goes to its server, held or not: it does (001, L19)."""
    return True


def forwards_destroy_of_held() -> bool:
    """Whether a client's destroy of a key that it holds goes to its server: it does (001, L20)."""
    return True


def forwards_destroy_of_absent() -> bool:
    """Whether a client's destroy of a key that it does not hold goes to its server: it does (001, L20)."""
    return True


def forwards_invalidates() -> bool:
    """Whether a client's invalidation goes to its server: it does not (001, L22)."""
    return False


def forwards_all() -> bool:
    """The same where all that a client calls is sent to a server first: it does (004, L39)."""
    return True


def forwards_local() -> bool:
    """Whether a client's local operation goes to its server: it does not (001, L16, L20)."""
    return False


def cleared_at_server(keys: tuple[str, ...], held: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    """Which of the server's keys a client's clear removes: all, whatever the client holds (001, L21)."""
    return keys


def writer_runs_first() -> bool:
    """Whether a client asks its cache writer before it asks its server: it does (001, L16)."""
    return True


def client_writer_aborts(kind: OperationKind) -> bool:  # noqa: ARG001
    """Whether a client's cache writer can abort what it calls, of whatever kind: it can (001, L16)."""
    return True


def server_writer_aborts(kind: OperationKind) -> bool:  # noqa: ARG001
    """Whether a server's cache writer can abort what a client calls, of whatever kind: it can (001, L16)."""
    return True


def keeps_vetoed() -> bool:
    """Whether a client keeps what its server's cache writer has refused: it does not (001, L16)."""
    return False


def client_keeps_tombstone() -> bool:
    """Whether a destroy that reaches a client leaves a tombstone there: it does (004, L95; L39)."""
    return True


def client_applies_first() -> bool:
    """Whether a client changes its own copy before its server has answered: it does so last (001, L16)."""
    return False


def forwards_region_destroy() -> bool:
    """Whether a client's destroy of its region destroys that of its servers: it does (001, L21)."""
    return True


def forwards_local_region_destroy() -> bool:
    """Whether a client's local destroy of its region does so as well: it does not (001, L21)."""
    return False
