"""Decisions about which events servers send to their clients, and what clients make of them (001).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from enum import StrEnum


def sends_uninterested() -> bool:
    """Whether a client is sent events of keys that it has not registered for: it is not (001, L26)."""
    return False


def times_sent(matching: int) -> int:  # noqa: ARG001
    """How often a client is sent an event that so many of its registrations cover: once (001, L63)."""
    return 1


def sends_to_caller() -> bool:
    """Whether a client is sent what it has called itself: it is not (001, L5)."""
    return False


def sends_of_clients() -> bool:
    """Whether clients are sent what another client has called: they are (001, L5, L7)."""
    return True


def sends_of_peers() -> bool:
    """Whether clients are sent what was called at other members than their server: they are (001, L13)."""
    return True


def sends_invalidates() -> bool:
    """Whether clients are sent distributed invalidates of entries: they are (001, L35)."""
    return True


def sends_destroys() -> bool:
    """Whether clients are sent distributed destroys of entries: they are (001, L35)."""
    return True


def sends_clears() -> bool:
    """Whether clients are sent that a region was cleared: they are (001, L36)."""
    return True


def clears_uncovered() -> bool:
    """Whether a clear removes at clients also what they have not registered for: it does (001, L36)."""
    return True


def sends_region_destroys() -> bool:
    """Whether clients with any interest are sent that a region was destroyed: they are (001, L36)."""
    return True


def sends_region_invalidates() -> bool:
    """Whether clients are sent that a region was invalidated: they are not (001, L38)."""
    return False


def value_for_values() -> bool:
    """Whether a registration that receives values is sent them: it is (001, L31)."""
    return True


def value_for_invalidations() -> bool:
    """Whether a registration that receives no values is sent them: it is sent invalidations (001, L33)."""
    return False


class Absent(StrEnum):
    """What becomes of a key that a client lacks."""

    STAYS = "stays"
    SILENTLY_INVALID = "silently invalid"
    TOLD_INVALID = "told invalid"


def invalidates_absent(checks: bool) -> Absent:  # noqa: ARG001
    """What an invalidation in place of a value does to a client without the key: nothing (001, L33).

    Args:
        checks: whether the client checks.
    """
    return Absent.STAYS


def get_asks_server() -> bool:
    """Whether a get of what a client has no value of goes to its server: it does (001, L26, L33)."""
    return True


def keeps_fetched() -> bool:
    """Whether a client keeps what a get has fetched: it does (001, L26, L33)."""
    return True


def waits_for_subscribers() -> bool:
    """Whether a call waits until clients have processed its event: it does not (001, L44)."""
    return False


def queue_for(key: str) -> str:  # noqa: ARG001
    """In which of a client's queues, each emptied by a thread, an event of a key waits: in one (001, L46)."""
    return ""


def applies_unprocessed(processed: bool) -> bool:  # noqa: ARG001
    """Whether a server applies what clients have not processed: it does, and sends then (001, L13)."""
    return True


def keeps_sending(waiting: int) -> bool:  # noqa: ARG001
    """Whether a server goes on sending with so many events in a client's queue: it does (001, L14)."""
    return True


def compares_answers() -> bool:
    """Whether a client compares what its own call brings back with what it holds: it does (004, L39)."""
    return True


def compares_discarded() -> bool:
    """Whether a client compares what its server has discarded and sends all the same: it does (004, L39)."""
    return True


def client_compares() -> bool:
    """Whether a client keeps what is newer than what it is sent: it does, as it checks (001, L31, L35)."""
    return True


def sends_local() -> bool:
    """Whether a server sends its clients what is local to it: it does not (001, L35, L38)."""
    return False
