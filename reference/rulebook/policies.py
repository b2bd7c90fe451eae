"""Decisions about members that keep less than a replicate: normal, preloaded, empty (document 004, L37).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free, Stamp
from plumbline.reference.rulebook.variant import variant


class PolicyDecisions(Subject):
    """What a member does that keeps less than a replicate."""

    @staticmethod
    @decision("CONS-NR-03")
    def ends_without_replicate() -> bool:
        """Whether an operation ends that finds no replicate to go to: it does (L37)."""
        return True

    @staticmethod
    @decision("CONS-NR-03")
    def asks_another_replicate() -> bool:
        """Whether another replicate is asked when the one that was asked has died: it is (L37)."""
        return True

    @staticmethod
    @decision("CONS-NR-03")
    def recognises_asked_again() -> bool:
        """Whether a replicate announces a retried request that it has carried out once only: it does.

        Source: L37.
        """
        return True

    @staticmethod
    @decision("CLEAR-NR-01")
    def clear_goes_to_replicate() -> bool:
        """Whether a clear called on a member without a replicate is one for all members: it is.

        Source: L37, L105.
        """
        return True

    @staticmethod
    @decision("CLEAR-NR-01")
    def forwarded_clear_shuts_out() -> bool:
        """Whether an update waits while a clear called elsewhere has the lock of a replicate: yes (L105)."""
        return True

    @staticmethod
    @decision("CONS-NR-01")
    def checks_less_than_replicate() -> bool:
        """Whether a member without a replicate checks an update of an entry that it holds: it does (L37)."""
        return True

    @staticmethod
    @decision(
        "CONS-NR-02",
        free=lambda given, caller: Free(
            (given, Stamp(given.version, caller), Stamp(1, given.member), Stamp(1, caller))
        ),
    )
    def stamp_taken_over(given: Stamp, caller: str) -> Stamp:  # noqa: ARG004
        """The stamp that a caller keeps of what a replicate did for it: the replicate's (L37)."""
        return given

    @staticmethod
    @decision("CONS-NR-02")
    def absent_goes_to_replicate() -> bool:
        """Whether an operation on an entry that the member lacks goes to a replicate first: it does (L37)."""
        return True

    @staticmethod
    @decision("CONS-NR-01")
    def takes_destroy_of_invalid() -> bool:
        """Whether a member without a replicate takes a destroy of an entry without a value: it does (L37)."""
        return True

    @staticmethod
    @decision("CONS-NR-01", free=lambda given, reader: Free((given, Stamp(0, reader), Stamp(1, reader))))
    def stamp_of_fetched(given: Stamp, reader: str) -> Stamp:  # noqa: ARG004
        """The stamp of what a member without a replicate keeps of another's answer: as of that copy (L37)."""
        return given

    @staticmethod
    @decision("CONS-NR-01", free=lambda others, replicates: Free((others, replicates)))
    def told_by_less_than_replicate(others: tuple[str, ...], replicates: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG004
        """The members that receive a change of a member without a replicate: all others (L16, L37)."""
        return others


FAULTS = (
    variant(
        "applies-whatever-arrives",
        "CONS-NR-01",
        "a member with a normal or preloaded copy applies updates without comparing versions",
        checks_less_than_replicate=lambda: False,
    ),
    variant(
        "invalid-copies-outlive-destroys",
        "CONS-NR-01",
        "a member with a normal or preloaded copy keeps an entry without a value that another destroys",
        takes_destroy_of_invalid=lambda: False,
    ),
    variant(
        "fetches-without-version",
        "CONS-NR-01",
        "what a normal or preloaded member has fetched has version 0, so that any late update replaces it",
        stamp_of_fetched=lambda given, reader: Stamp(0, reader),  # noqa: ARG005
    ),
    variant(
        "tells-no-other-copies",
        "CONS-NR-01",
        "a normal or preloaded member distributes changes of its own copy to replicates only",
        chaotic=True,
        told_by_less_than_replicate=lambda others, replicates: replicates,  # noqa: ARG005
    ),
    variant(
        "stamps-what-it-lacks",
        "CONS-NR-02",
        "an operation on an entry that the member lacks gets version 1 and the member's own id",
        absent_goes_to_replicate=lambda: False,
    ),
    variant(
        "signs-for-the-replicate",
        "CONS-NR-02",
        "the caller keeps the replicate's version under its own id",
        stamp_taken_over=lambda given, caller: Stamp(given.version, caller),
    ),
    variant(
        "waits-for-a-replicate",
        "CONS-NR-03",
        "an operation waits until there is a replicate that can be asked",
        ends_without_replicate=lambda: False,
    ),
    variant(
        "asks-nobody-else",
        "CONS-NR-03",
        "a caller waits for ever for the answer of a replicate that has died",
        asks_another_replicate=lambda: False,
    ),
    variant(
        "does-it-again",
        "CONS-NR-03",
        "a replicate that has the operation already carries it out once more when it is asked",
        recognises_asked_again=lambda: False,
    ),
    variant(
        "clears-its-own-copy",
        "CLEAR-NR-01",
        "a clear called on a member without a replicate clears that member's copy and no other",
        clear_goes_to_replicate=lambda: False,
    ),
    variant(
        "forwarded-clear-takes-no-lock",
        "CLEAR-NR-01",
        "a clear called on a member without a replicate is carried out by a replicate that takes no lock",
        forwarded_clear_shuts_out=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
