"""Decisions about clients whose queue several servers keep, and whose server fails (001, L44 to L73).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.operations import Interest
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.interests import LOADS_KEYS, LOADS_NOTHING
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


def moved_or_not(interest: Interest, again: bool, earlier: bool) -> Free:  # noqa: ARG001
    """As it was, not at all, or with the other form of what is sent."""
    other = msgspec.structs.replace(interest, receive_values=not interest.receive_values)
    return Free((interest, None, other))


def any_policy(policy: str | None) -> Free:
    """The registration's own, keys alone, or nothing."""
    return Free(tuple(dict.fromkeys((policy, LOADS_KEYS, LOADS_NOTHING))))


DROPPED_WITHIN_MS = 60_000
"""By then a secondary has dropped what its client acknowledged: an interval is a second by default."""


class FailoverDecisions(Subject):
    """What clients and servers do when a server dies."""

    @staticmethod
    @decision("INT-REG-01")
    def registers_at_secondaries() -> bool:
        """Whether interest is registered at all servers that keep a client's queue: it is (001, L56, L61)."""
        return True

    @staticmethod
    @decision("TRK-ID-01", "TRK-DUP-02")
    def counts_all_keys() -> bool:
        """Whether the operations of a thread are numbered in one sequence, of all keys: they are.

        Source: 001, L44.
        """
        return True

    @staticmethod
    @decision("TRK-ID-01")
    def entries_have_identities() -> bool:
        """Whether each entry of an operation on many keys is an event with an identity: it is (001, L44)."""
        return True

    @staticmethod
    @decision("TRK-ID-01")
    def copies_keep_identity() -> bool:
        """Whether an event has one identity in the queues of primary and secondaries: it has (001, L44)."""
        return True

    @staticmethod
    @decision("TRK-DUP-01", "TRK-DUP-02", "FO-HA-01")
    def is_repeated(number: int, highest: int, of_others: int) -> bool:  # noqa: ARG004
        """Whether an event is a repetition: if its number is not above its thread's highest.

        Source: 001, L46, L48.
        """
        return number <= highest

    @staticmethod
    @decision("TRK-EXPIRE-02")
    def forgets(active_ms: int, idle_ms: int, timeout_ms: int) -> Free | bool:  # noqa: ARG004
        """Whether a client forgets a thread: it may once it was idle for longer than the time-out.

        Source: 001, L48.
        """
        return Free((False, True)) if idle_ms > timeout_ms else False

    @staticmethod
    @decision("TRK-HIGH-01")
    def server_recognises(number: int, highest: int) -> bool:
        """Whether a server leaves out an operation: if its number is not above the highest (001, L44)."""
        return number <= highest

    @staticmethod
    @decision("TRK-HIGH-01")
    def notes_of_peers() -> bool:
        """Whether a server remembers what it has seen of other members, too: it does (001, L44)."""
        return True

    @staticmethod
    @decision("TRK-HIGH-01")
    def retries_keep_identity() -> bool:
        """Whether what a client tries again has the identity of its first attempt: it has (001, L44)."""
        return True

    @staticmethod
    @decision("FO-HA-03", "TRK-DUP-02")
    def keeps_tracks() -> bool:
        """Whether a client knows after a failover what it has processed before: it does (001, L71)."""
        return True

    @staticmethod
    @decision("FO-HA-01", "FO-HA-05")
    def secondary_queues() -> bool:
        """Whether a secondary queues all that the primary does: it does (001, L71)."""
        return True

    @staticmethod
    @decision("FO-HA-04")
    def removes_copies_when_sent() -> bool:
        """Whether a secondary drops events that were sent and not yet received: it does not (001, L71)."""
        return False

    @staticmethod
    @decision("FO-HA-04")
    def drops_acknowledged(passed_ms: int) -> Free | bool:
        """Whether a secondary drops what its client acknowledged so long ago: within a few intervals.

        Source: 001, L71, where the events that are sent again are few.

        Args:
            passed_ms: for how long everything has known that it was acknowledged, at least.
        """
        return True if passed_ms > DROPPED_WITHIN_MS else Free((False, True))

    @staticmethod
    @decision("FO-HA-02")
    def resumes_at_once() -> bool:
        """Whether a secondary that takes over sends what it has queued at once: it does (001, L71)."""
        return True

    @staticmethod
    @decision("FO-HA-06", free=Free)
    def promoted(secondaries: tuple[str, ...]) -> str:
        """Which secondary takes over, of those that live: the longest-lived, which comes first (001, L72)."""
        return secondaries[0]

    @staticmethod
    @decision("FO-HA-07")
    def others_keep_copies() -> bool:
        """Whether other secondaries keep what they have queued when one takes over: they do (001, L72)."""
        return True

    @staticmethod
    @decision("FO-AUTO-01")
    def fails_over(secondary: bool) -> bool:  # noqa: ARG004
        """Whether another server takes over from a dead one without being asked to: it does (001, L69).

        Args:
            secondary: whether one that keeps the client's queue lives.
        """
        return True

    @staticmethod
    @decision("FO-NONHA-02")
    def keeps_looking() -> bool:
        """Whether a client that found no server goes on looking for one: it does (001, L70)."""
        return True

    @staticmethod
    @decision("FO-NONHA-01", "FO-NONHA-02")
    def starts_anew(secondary: bool, redundant: bool) -> bool:  # noqa: ARG004
        """Whether a client starts anew at a failover: only if no secondary takes over (001, L70, L71).

        Args:
            secondary: whether a secondary takes over.
            redundant: whether the client is configured to have one.
        """
        return not secondary

    @staticmethod
    @decision("FO-NONHA-08")
    def leftovers_overtaken() -> bool:
        """Whether events of a new server overtake a dead one's of the same threads: they do not.

        Source: 001, L46.
        """
        return False

    @staticmethod
    @decision("FO-NONHA-08")
    def drains_first() -> bool:
        """Whether a client starts anew only behind all that it gets from the dead server: it does.

        Source: 001, L70.
        """
        return True

    @staticmethod
    @decision("FO-NONHA-07", "FO-NONHA-03")
    def drops_anew() -> bool:
        """Whether a client that starts anew drops what it holds of its interest: it does (001, L70)."""
        return True

    @staticmethod
    @decision("FO-NONHA-04")
    def drops_uncovered_anew() -> bool:
        """Whether a client that starts anew drops what it has no interest in: it does not (001, L70)."""
        return False

    @staticmethod
    @decision("FO-NONHA-03")
    def fetches_anew() -> bool:
        """Whether a client that starts anew fetches what its registrations load: it does (001, L70)."""
        return True

    @staticmethod
    @decision("FO-NONHA-03", free=any_policy)
    def policy_anew(policy: str | None) -> str | None:
        """By which policy a client that starts anew fetches: that of each registration (001, L57, L70)."""
        return policy

    @staticmethod
    @decision("FO-NONHA-06")
    def anew_is_local() -> bool:
        """Whether dropping keys to start anew leaves servers as they are: it does (001, L70)."""
        return True

    @staticmethod
    @decision("FO-NONHA-07", "FO-NONHA-06")
    def anew_tells_of_dropped() -> bool:
        """Whether listeners receive what a client drops to start anew: they do not (001, L70)."""
        return False

    @staticmethod
    @decision("FO-NONHA-09")
    def withdrawn_comes_back() -> bool:
        """Whether a client that gets another server registers there for what it has withdrawn: no.

        Source: 001, L70.
        """
        return False

    @staticmethod
    @decision("FO-NONHA-06")
    def anew_tells() -> bool:
        """Whether listeners receive what a client that starts anew fetches: they do not (001, L70)."""
        return False

    @staticmethod
    @decision("FO-NONHA-09", free=moved_or_not)
    def moves_interest(interest: Interest, again: bool, earlier: bool) -> Interest | Free | None:  # noqa: ARG004
        """What becomes of a registration on the new server: it is in force as it was (001, L70).

        The process of a durable client does not know what an earlier one has registered. So this may be lost.

        Args:
            interest: the registration.
            again: whether the client has changed its server before.
            earlier: whether an earlier life of the client has registered it.
        """
        return Free((interest, None)) if earlier else interest


FAULTS = (
    variant(
        "last-one-again",
        "TRK-DUP-01 FO-HA-01",
        "the last event of a thread is not known as a repetition when it comes again",
        is_repeated=lambda number, highest, of_others: number < highest,  # noqa: ARG005
    ),
    variant(
        "never-the-first-time",
        "TRK-DUP-02",
        "an event is taken for a repetition if any thread was further",
        is_repeated=lambda number, highest, of_others: number <= max(highest, of_others),
    ),
    variant(
        "servers-forget",
        "TRK-HIGH-01",
        "a server carries out again what its client tries again, though it has done so already",
        server_recognises=lambda number, highest: False,  # noqa: ARG005
    ),
    variant(
        "remembers-its-own",
        "TRK-HIGH-01",
        "a server recognises only what was tried at itself before",
        notes_of_peers=lambda: False,
    ),
    variant(
        "asks-anew",
        "TRK-HIGH-01",
        "a client tries again under a new identity",
        retries_keep_identity=lambda: False,
    ),
    variant(
        "counts-from-the-first-event",
        "TRK-EXPIRE-02",
        "a client forgets a thread when the time-out is over since its first event, however busy it is",
        forgets=lambda active_ms, idle_ms, timeout_ms: active_ms > timeout_ms,  # noqa: ARG005
    ),
    variant(
        "forgets-at-failover",
        "FO-HA-03 TRK-DUP-02",
        "a client forgets at a failover what it has processed",
        keeps_tracks=lambda: False,
    ),
    variant(
        "copies-are-renamed",
        "TRK-ID-01",
        "a secondary gives events an identity of its own",
        copies_keep_identity=lambda: False,
    ),
    variant(
        "bulk-shares-identity",
        "TRK-ID-01",
        "a client takes the entries of one putAll or removeAll for repetitions of each other",
        entries_have_identities=lambda: False,
    ),
    variant(
        "secondary-begins-empty",
        "FO-HA-01 FO-HA-05",
        "a secondary begins with what comes after it has taken over",
        secondary_queues=lambda: False,
    ),
    variant(
        "done-when-sent",
        "FO-HA-04",
        "secondaries hear that events are done as soon as they are sent",
        removes_copies_when_sent=lambda: True,
    ),
    variant(
        "copies-never-dropped",
        "FO-HA-04",
        "secondaries keep for ever what their client has acknowledged",
        drops_acknowledged=lambda passed_ms: False,  # noqa: ARG005
    ),
    variant(
        "resumes-with-the-next",
        "FO-HA-02",
        "a secondary that has taken over sends only when another event is queued",
        resumes_at_once=lambda: False,
    ),
    variant(
        "promotes-the-latest",
        "FO-HA-06",
        "of several secondaries the latest takes over",
        promoted=lambda secondaries: secondaries[-1],
    ),
    variant(
        "others-start-over",
        "FO-HA-07",
        "the other secondaries drop what they have queued when one takes over",
        others_keep_copies=lambda: False,
    ),
    variant(
        "stays-cut-off",
        "FO-AUTO-01",
        "a client whose server has died looks for no other",
        fails_over=lambda secondary: False,  # noqa: ARG005
    ),
    variant(
        "turns-to-secondaries-only",
        "FO-AUTO-01",
        "a client whose server has died looks for no other but its secondaries",
        fails_over=lambda secondary: secondary,
    ),
    variant(
        "stops-looking",
        "FO-NONHA-02",
        "a client that has found no server alive looks for none any more",
        keeps_looking=lambda: False,
    ),
    variant(
        "always-starts-anew",
        "FO-NONHA-01",
        "a client starts anew at each failover",
        starts_anew=lambda secondary, redundant: True,  # noqa: ARG005
    ),
    variant(
        "never-starts-anew",
        "FO-NONHA-01 FO-NONHA-02",
        "a client never starts anew",
        starts_anew=lambda secondary, redundant: False,  # noqa: ARG005
    ),
    variant(
        "redundant-never-start-anew",
        "FO-NONHA-01",
        "a client with redundancy does not start anew, though all its secondaries have died",
        starts_anew=lambda secondary, redundant: not secondary and not redundant,
    ),
    variant(
        "fetches-without-dropping",
        "FO-NONHA-03 FO-NONHA-07",
        "a client that starts anew drops nothing before it fetches",
        drops_anew=lambda: False,
    ),
    variant(
        "drops-without-fetching",
        "FO-NONHA-03",
        "a client that starts anew fetches nothing",
        fetches_anew=lambda: False,
    ),
    variant(
        "fetches-keys-anew",
        "FO-NONHA-03",
        "a client that starts anew fetches keys without values, whatever its registrations load",
        policy_anew=lambda policy: "keys",  # noqa: ARG005
    ),
    variant(
        "drops-at-new-server-too",
        "FO-NONHA-06",
        "what a client drops to start anew is destroyed at its new server, too",
        anew_is_local=lambda: False,
    ),
    variant(
        "tells-of-dropping-anew",
        "FO-NONHA-07 FO-NONHA-06",
        "listeners receive destroys of what a client drops to start anew",
        anew_tells_of_dropped=lambda: True,
    ),
    variant(
        "withdrawn-comes-back",
        "FO-NONHA-09",
        "a client registers on its new server also for what it has withdrawn",
        withdrawn_comes_back=lambda: True,
    ),
    variant(
        "leftovers-overtaken",
        "FO-NONHA-08",
        "events of a new server are processed in front of what a dead one had sent of the same threads",
        leftovers_overtaken=lambda: True,
    ),
    variant(
        "counts-by-key",
        "TRK-ID-01 TRK-DUP-02",
        "the operations of a thread are numbered key by key, so that two of its events have one identity",
        counts_all_keys=lambda: False,
    ),
    variant(
        "drops-whole-regions",
        "FO-NONHA-04",
        "a client that starts anew drops whole regions",
        drops_uncovered_anew=lambda: True,
    ),
    variant(
        "tells-of-fetching",
        "FO-NONHA-06",
        "listeners receive what a client that starts anew fetches",
        anew_tells=lambda: True,
    ),
    variant(
        "comes-back-with-values",
        "FO-NONHA-09",
        "registrations without values come back as ones with values",
        moves_interest=lambda interest, *_: msgspec.structs.replace(interest, receive_values=True),
    ),
    variant(
        "leaves-interest-behind",
        "FO-NONHA-09",
        "registrations for expressions are lost with the server that had them",
        moves_interest=lambda interest, *_: None if interest.kind == "regex" else interest,
    ),
    variant(
        "leaves-keys-behind",
        "FO-NONHA-09",
        "registrations for keys and lists are lost with the server that had them",
        moves_interest=lambda interest, *_: None if interest.kind in ("key", "list") else interest,
    ),
    variant(
        "loses-interest-at-the-second-change",
        "FO-NONHA-09",
        "registrations are lost at the second change of server",
        moves_interest=lambda interest, again, earlier: None if again else interest,  # noqa: ARG005
    ),
    variant(
        "leftovers-come-late",
        "FO-NONHA-08",
        "what the dead server had sent is processed behind what is fetched from the new one",
        drains_first=lambda: False,
    ),
    variant(
        "registers-at-primary-only",
        "INT-REG-01",
        "interest is registered at the primary alone",
        registers_at_secondaries=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
