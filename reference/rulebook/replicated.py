"""Decisions about concurrent updates of replicated regions, and what distribution leaves (document 004).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.history.operations import Status
from plumbline.reference.rulebook.decision import Subject, any_recipients, any_value, decision
from plumbline.reference.rulebook.values import NO_ENTRY, Free
from plumbline.reference.rulebook.variant import variant


def any_status(status: Status, discarded: bool) -> Free:
    """As it is, or failed where some member discarded the update."""
    return Free((status, Status.FAILED) if discarded else (status,))


def any_counters(receiver: str, caller: str) -> Free:
    """The receiver, the caller, both or none."""
    return Free(((receiver,), (), (caller,), (receiver, caller)))


class ConcurrencyDecisions(Subject):
    """What becomes of concurrent updates: who waits, what is discarded, counted and announced."""

    @staticmethod
    @decision("CONS-RR-01", "EX-A3C3-01")
    def waits_for_other_writers(other_writers: int, to_send: bool) -> bool:  # noqa: ARG004
        """Whether an operation waits for others of its key elsewhere, to apply or to send: no (L16)."""
        return False

    @staticmethod
    @decision("EX-A3C3-02")
    def applies_while_another_is_under_way() -> bool:
        """Whether an update is applied although a concurrent one has not arrived yet: it is (L77)."""
        return True

    @staticmethod
    @decision("CONS-RR-02", free=any_status)
    def status_of_loser(status: Status, discarded: bool) -> Status:  # noqa: ARG004
        """What a caller is told whose update some member discarded: the same as any other (L16)."""
        return status

    @staticmethod
    @decision("CONS-RR-02")
    def answers_discarded() -> bool:
        """Whether a member answers what it discards, so that the call returns: it does (L16)."""
        return True

    @staticmethod
    @decision("CONS-RR-03")
    def stores_before_checking() -> bool:
        """Whether a member stores an update before it has compared the versions: it does not (L16, L67)."""
        return False

    @staticmethod
    @decision("STAT-CONFLATED-01", "STAT-CONFLATED-02", "EX-A3C3-03", free=any_counters)
    def counted_by(receiver: str, caller: str) -> tuple[str, ...]:  # noqa: ARG004
        """Which members' conflatedEvents a discarded update adds to: the one that discarded it (L71)."""
        return (receiver,)

    @staticmethod
    @decision("STAT-CONFLATED-01")
    def counts_applied() -> bool:
        """Whether an applied update moves conflatedEvents: it does not (L71)."""
        return False

    @staticmethod
    @decision("VER-DUP-01")
    def announces_repeated() -> bool:
        """Whether listeners are told once more of an update that is stored already: they are not (L69)."""
        return False

    @staticmethod
    @decision("DISC-LSN-01", "CONS-RR-03", "EX-A3C3-03")
    def announces_discarded() -> bool:
        """Whether listeners receive a discarded update: they do not (L71)."""
        return False

    @staticmethod
    @decision("DISC-APPLIED-01", "DISC-LSN-01", "EX-A3C3-02", "EX-A3C3-04", free=lambda *_: Free((1, 0, 2)))
    def announcements_of_applied(overwrites_concurrent: bool) -> int:  # noqa: ARG004
        """How often listeners receive an applied update: once, also where it replaces a loser (L71, L77)."""
        return 1


class DistributionDecisions(Subject):
    """The members that receive an update, and the value that it stores."""

    @staticmethod
    @decision("CONS-RR-05", free=lambda incoming, stored: Free((incoming, stored, None, NO_ENTRY)))
    def value_stored(incoming: str | None, stored: str | None) -> str | None:  # noqa: ARG004
        """What an applied update leaves behind: exactly its own value (L17)."""
        return incoming

    @staticmethod
    @decision("CFG-CHECKS-07", free=any_value)
    def value_stored_unchecked(incoming: str | None, stored: str | None) -> str | None:  # noqa: ARG004
        """What an update leaves behind where checking is off: exactly its own value (L51)."""
        return incoming

    @staticmethod
    @decision("CONS-RR-04", free=any_recipients)
    def recipients(others: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the other members that host the region are sent an update: all of them (L16)."""
        return others

    @staticmethod
    @decision("CFG-CHECKS-01")
    def checks_in_force(setting: bool | None) -> bool:
        """Whether a region checks consistency: unless it is told otherwise (L43)."""
        return True if setting is None else setting


FAULTS = (
    variant(
        "cluster-lock",
        "CONS-RR-01 EX-A3C3-01",
        "a hidden lock makes a writer wait until other members' writers of the key have finished",
        waits_for_other_writers=lambda others, to_send: others > 0 and not to_send,
    ),
    variant(
        "distributes-under-a-lock",
        "CONS-RR-01",
        "a writer changes its own copy at once, and sends that once earlier writers are over",
        waits_for_other_writers=lambda others, to_send: others > 0 and to_send,
    ),
    variant(
        "losers-never-return",
        "CONS-RR-02",
        "a member does not answer what it discards, so that the call never returns",
        answers_discarded=lambda: False,
    ),
    variant(
        "removes-instead-of-replacing",
        "CONS-RR-05",
        "an update that is applied over a value removes the entry",
        value_stored=lambda incoming, stored: incoming if stored is None else NO_ENTRY,
    ),
    variant(
        "loser-is-told",
        "CONS-RR-02",
        "a call whose update some member discarded fails at its caller",
        status_of_loser=lambda status, discarded: Status.FAILED if discarded else status,
    ),
    variant(
        "stores-then-checks",
        "CONS-RR-03",
        "a losing value is stored first and taken back after the check",
        chaotic=True,
        stores_before_checking=lambda: True,
    ),
    variant(
        "mixes-values",
        "CONS-RR-05",
        "an update that is applied over a value leaves a mixture of both",
        value_stored=lambda incoming, stored: incoming if stored is None else f"{stored}+{incoming}",
    ),
    variant(
        "skips-a-member",
        "CONS-RR-04",
        "updates are not sent to the last of the other members",
        recipients=lambda others: others[:-1] or others,
    ),
    variant(
        "keeps-old-value",
        "CONS-RR-05",
        "an update that is applied over a value announces itself and leaves the old value",
        value_stored=lambda incoming, stored: incoming if stored is None else stored,
    ),
    variant(
        "garbles-unchecked",
        "CFG-CHECKS-07",
        "with checking off, an update over a value leaves a value that was never written",
        value_stored_unchecked=lambda incoming, stored: (
            incoming if stored is None else f"{stored}+{incoming}"
        ),
    ),
    variant(
        "announces-again",
        "VER-DUP-01",
        "a message that is delivered once more changes nothing, and is announced once more",
        announces_repeated=lambda: True,
    ),
    variant(
        "waits-for-everyone",
        "EX-A3C3-02",
        "an update is applied only when no concurrent one is still to come",
        applies_while_another_is_under_way=lambda: False,
    ),
    variant(
        "announces-losers",
        "DISC-LSN-01 CONS-RR-03 EX-A3C3-03",
        "listeners receive an update although it is discarded",
        announces_discarded=lambda: True,
    ),
    variant(
        "announces-twice",
        "DISC-LSN-01",
        "listeners receive an update twice when it replaces a concurrent one",
        announcements_of_applied=lambda overwrites: 2 if overwrites else 1,
    ),
    variant(
        "silent-winner",
        "DISC-APPLIED-01 EX-A3C3-04",
        "a winner that replaces a concurrent update is not announced",
        announcements_of_applied=lambda overwrites: 0 if overwrites else 1,
    ),
    variant(
        "silent-receiver",
        "EX-A3C3-02",
        "an update that arrives and replaces an older one is not announced",
        announcements_of_applied=lambda overwrites: 1 if overwrites else 0,
    ),
    variant(
        "nobody-counts",
        "STAT-CONFLATED-01 EX-A3C3-03",
        "discarded updates are not counted",
        counted_by=lambda receiver, caller: (),  # noqa: ARG005
    ),
    variant(
        "caller-counts",
        "STAT-CONFLATED-01 STAT-CONFLATED-02",
        "a discarded update is counted by the member that sent it",
        counted_by=lambda receiver, caller: (caller,),  # noqa: ARG005
    ),
    variant(
        "both-count",
        "STAT-CONFLATED-02",
        "a discarded update is counted by its receiver and by its sender",
        counted_by=lambda receiver, caller: (receiver, caller),
    ),
    variant(
        "counts-wins",
        "STAT-CONFLATED-01",
        "every update that arrives is counted, applied or not",
        counts_applied=lambda: True,
    ),
    variant(
        "unchecked-by-default",
        "CFG-CHECKS-01",
        "a region that does not name the attribute does not check",
        checks_in_force=lambda setting: setting is True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
