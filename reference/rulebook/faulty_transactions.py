"""Faulty variants of transactions.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.variant import variant

TRANSACTIONS = (
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
        "TX-VER-02",
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
