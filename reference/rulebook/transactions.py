"""Decisions about transactions on regions that check consistency (document 004, L109 to L113).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free, Stamp
from plumbline.reference.rulebook.variant import variant


class TransactionDecisions(Subject):
    """What transactions do when they commit, roll back, or are hosted elsewhere."""

    @staticmethod
    @decision("TX-LIMIT-01")
    def refuses_local_in_transaction(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether a transaction refuses what is local where there is no replicate: it does (L113 s1, s2)."""
        return True

    @staticmethod
    @decision("TX-LIMIT-02")
    def takes_in_transaction(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether a transaction takes destroys and invalidates where there is no replicate: it does.

        Source: L113 s3.
        """
        return True

    @staticmethod
    @decision("TX-DELEG-01", free=lambda host, caller: Free((host, caller)))
    def signer_of_commit(host: str, caller: str) -> str:  # noqa: ARG004
        """Whose id the versions of a commit carry: that of the replicate that carries it out (L111)."""
        return host

    @staticmethod
    @decision("TX-DELEG-01")
    def commits_elsewhere() -> bool:
        """Whether a commit reaches the replicate that carries the transaction out: it does (L111)."""
        return True

    @staticmethod
    @decision("TX-DELEG-01", free=lambda caller, replicates: Free((*replicates, caller)))
    def transaction_host(caller: str, replicates: tuple[str, ...]) -> tuple[str, ...]:
        """The members that may host a transaction of a member without a replicate: any replicate (L111)."""
        return replicates or (caller,)

    @staticmethod
    @decision("TX-VER-02", free=lambda stamp: Free((stamp, replace(stamp, version=stamp.version + 1))))
    def stamp_rolled_back(stamp: Stamp) -> Stamp:
        """The stamp of an entry that a transaction would have changed that was rolled back: as before.

        Source: L109.
        """
        return stamp

    @staticmethod
    @decision("TX-VER-02", "WAN-OPS-10")
    def rollback_applies(elsewhere: bool) -> bool:  # noqa: ARG004
        """Whether what was rolled back takes effect, here or where another carries it out: it does not.

        Source: L109.
        """
        return False

    @staticmethod
    @decision("TX-LIMIT-02")
    def commit_keeps_tombstone() -> bool:
        """Whether a destroy that is committed leaves a tombstone: it does, as any other (L109, L113 s3)."""
        return True

    @staticmethod
    @decision("TX-CONV-01")
    def commit_yields() -> bool:
        """Whether a member discards what a commit has changed where it loses: it does (L109, L16)."""
        return True

    @staticmethod
    @decision("TX-VER-01", free=lambda touched: Free(tuple(dict.fromkeys((1, touched, touched + 1)))))
    def versions_of_commit(touched: int) -> int:  # noqa: ARG004
        """By how many versions a commit raises an entry touched so often: by one (L109)."""
        return 1

    @staticmethod
    @decision("TX-VER-01")
    def stamped_at_commit() -> bool:
        """Whether what a transaction changes is stamped when it commits, and not before: it is (L109)."""
        return True

    @staticmethod
    @decision(
        "TX-VER-01",
        free=lambda incoming, receiver: Free(
            (incoming, replace(incoming, member=receiver), Stamp(incoming.version + 1, receiver))
        ),
    )
    def commit_stamp_stored(incoming: Stamp, receiver: str) -> Stamp:  # noqa: ARG004
        """The stamp that a member stores with what a commit has changed: the one it came with (L109)."""
        return incoming

    @staticmethod
    @decision("TX-VER-02")
    def applies_before_commit(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether an operation of a transaction takes effect before the commit: it does not (L109)."""
        return False


FAULTS = (
    variant(
        "a-version-for-each-operation",
        "TX-VER-01",
        "a commit raises the version of an entry once for each operation of the transaction on it",
        versions_of_commit=lambda touched: touched,
    ),
    variant(
        "stamps-at-first-touch",
        "TX-VER-01",
        "an entry gets its version when the transaction touches it first, not when it commits",
        stamped_at_commit=lambda: False,
    ),
    variant(
        "receivers-count-commits",
        "TX-VER-01",
        "a member gives what a commit has changed a version of its own, one above the one that came",
        commit_stamp_stored=lambda incoming, receiver: replace(
            incoming, version=incoming.version + 1, member=receiver
        ),
    ),
    variant(
        "no-transaction-at-all",
        "TX-VER-02",
        "the operations of a transaction take effect at once",
        applies_before_commit=lambda kind: True,  # noqa: ARG005
    ),
    variant(
        "destroys-before-the-commit",
        "TX-VER-02",
        "a destroy in a transaction leaves its tombstone at once",
        applies_before_commit=lambda kind: kind is OperationKind.DESTROY,
    ),
    variant(
        "rollback-commits",
        "TX-VER-02 WAN-OPS-10",
        "a rollback has the same effect as a commit",
        rollback_applies=lambda elsewhere: True,  # noqa: ARG005
    ),
    variant(
        "rollback-commits-elsewhere",
        "TX-VER-02",
        "a rollback called on a member that keeps less than a replicate commits at the replicate",
        rollback_applies=lambda elsewhere: elsewhere,
    ),
    variant(
        "rollback-leaves-a-version",
        "TX-VER-02",
        "an entry that a rolled back transaction would have changed keeps a version more",
        stamp_rolled_back=lambda stamp: replace(stamp, version=stamp.version + 1),
    ),
    variant(
        "transactions-stay-at-home",
        "TX-DELEG-01",
        "a transaction called where there is no replicate is carried out there",
        transaction_host=lambda caller, replicates: (caller,),  # noqa: ARG005
    ),
    variant(
        "callers-sign-commits",
        "TX-DELEG-01",
        "what a replicate commits for another member carries the id of that member",
        signer_of_commit=lambda host, caller: caller,  # noqa: ARG005
    ),
    variant(
        "commit-lost-on-the-way",
        "TX-DELEG-01",
        "a commit ends well, and never reaches the replicate that carries the transaction out",
        commits_elsewhere=lambda: False,
    ),
    variant(
        "local-becomes-distributed",
        "TX-LIMIT-01",
        "in a transaction, a local destroy or invalidate is turned into one for all members",
        refuses_local_in_transaction=lambda kind: False,  # noqa: ARG005
    ),
    variant(
        "refuses-local-destroys-only",
        "TX-LIMIT-01",
        "in a transaction, a local destroy is refused, and a local invalidate is turned into one for all",
        refuses_local_in_transaction=lambda kind: kind is OperationKind.LOCAL_DESTROY,
    ),
    variant(
        "nothing-stands-in",
        "TX-LIMIT-02",
        "in a transaction, destroys and invalidates are refused as local ones are",
        takes_in_transaction=lambda kind: False,  # noqa: ARG005
    ),
    variant(
        "commit-forgets-at-once",
        "TX-LIMIT-02",
        "a destroy that is committed forgets the entry at once, with its version",
        commit_keeps_tombstone=lambda: False,
    ),
    variant(
        "commit-never-yields",
        "TX-CONV-01",
        "what a commit has changed is stored where it loses, under the version of the winner",
        commit_yields=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
