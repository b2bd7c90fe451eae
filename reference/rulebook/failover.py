"""Decisions about clients whose queue several servers keep, and whose server fails (001, L44 to L73).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.operations import Interest
from plumbline.reference.rulebook.values import Free


def registers_at_secondaries() -> bool:
    """Whether interest is registered at all servers that keep a client's queue: it is (001, L56, L61)."""
    return True


def secondary_queues() -> bool:
    """Whether a secondary queues all that the primary does: it does (001, L71)."""
    return True


def copies_keep_identity() -> bool:
    """Whether an event has one identity in the queues of primary and secondaries: it has (001, L44)."""
    return True


def removes_copies_when_sent() -> bool:
    """Whether a secondary drops events that were sent and not yet received: it does not (001, L71)."""
    return False


def is_repeated(number: int, highest: int, of_others: int) -> bool:  # noqa: ARG001
    """Whether an event is a repetition: if its number is not above its thread's highest (001, L46, L48)."""
    return number <= highest


def server_recognises(number: int, highest: int) -> bool:
    """Whether a server leaves out an operation: if its number is not above the highest (001, L44)."""
    return number <= highest


def notes_of_peers() -> bool:
    """Whether a server remembers what it has seen of other members, too: it does (001, L44)."""
    return True


def retries_keep_identity() -> bool:
    """Whether what a client tries again has the identity of its first attempt: it has (001, L44)."""
    return True


def forgets(active_ms: int, idle_ms: int, timeout_ms: int) -> Free | bool:  # noqa: ARG001
    """Whether a client forgets a thread: it may once it was idle for longer than the time-out (001, L48)."""
    return Free((False, True)) if idle_ms > timeout_ms else False


def fails_over() -> bool:
    """Whether another server takes over from a dead one without being asked to: it does (001, L69)."""
    return True


def keeps_looking() -> bool:
    """Whether a client that found no server goes on looking for one: it does (001, L70)."""
    return True


def starts_anew(secondary: bool) -> bool:
    """Whether a client starts anew at a failover: only if no secondary takes over (001, L70, L71)."""
    return not secondary


def keeps_tracks() -> bool:
    """Whether a client knows after a failover what it has processed before: it does (001, L71)."""
    return True


def resumes_at_once() -> bool:
    """Whether a secondary that takes over sends what it has queued at once: it does (001, L71)."""
    return True


def promoted(secondaries: tuple[str, ...]) -> str:
    """Which secondary takes over, of those that live: the longest-lived, which comes first (001, L72)."""
    return secondaries[0]


def others_keep_copies() -> bool:
    """Whether other secondaries keep what they have queued when one takes over: they do (001, L72)."""
    return True


def drains_first() -> bool:
    """Whether a client starts anew only behind all that it gets from the dead server: it does (001, L70)."""
    return True


def drops_anew() -> bool:
    """Whether a client that starts anew drops what it holds of its interest: it does (001, L70)."""
    return True


def drops_uncovered_anew() -> bool:
    """Whether a client that starts anew drops what it has no interest in: it does not (001, L70)."""
    return False


def fetches_anew() -> bool:
    """Whether a client that starts anew fetches what its registrations load: it does (001, L70)."""
    return True


def anew_tells() -> bool:
    """Whether listeners are told of what a client that starts anew fetches: they are not (001, L70)."""
    return False


def moves_interest(interest: Interest) -> Interest | None:
    """What becomes of a registration on the new server: it is in force as it was (001, L70)."""
    return interest
