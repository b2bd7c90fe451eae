"""Decisions about transactions on regions that check consistency (document 004, L109 to L113).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.values import Stamp


def versions_of_commit(touched: int) -> int:  # noqa: ARG001
    """By how many versions a commit raises an entry touched so often: by one (L109)."""
    return 1


def stamped_at_commit() -> bool:
    """Whether what a transaction changes is stamped when it commits, and not before: it is (L109)."""
    return True


def commit_stamp_stored(incoming: Stamp, receiver: str) -> Stamp:  # noqa: ARG001
    """The stamp that a member stores with what a commit has changed: the one it came with (L109)."""
    return incoming


def applies_before_commit(kind: OperationKind) -> bool:  # noqa: ARG001
    """Whether an operation of a transaction takes effect before the commit: it does not (L109)."""
    return False


def rollback_applies(elsewhere: bool) -> bool:  # noqa: ARG001
    """Whether what was rolled back takes effect, here or where another carries it out: it does not (L109)."""
    return False


def stamp_rolled_back(stamp: Stamp) -> Stamp:
    """The stamp of an entry that a transaction would have changed that was rolled back: as before (L109)."""
    return stamp


def transaction_host(caller: str, replicates: tuple[str, ...]) -> tuple[str, ...]:
    """Who may carry out a transaction called where there is no replicate: a replicate, if any (L111)."""
    return replicates or (caller,)


def commits_elsewhere() -> bool:
    """Whether a commit reaches the replicate that carries the transaction out: it does (L111)."""
    return True


def refuses_local_in_transaction(kind: OperationKind) -> bool:  # noqa: ARG001
    """Whether a transaction refuses what is local where there is no replicate: it does (L113 s1, s2)."""
    return True


def takes_in_transaction(kind: OperationKind) -> bool:  # noqa: ARG001
    """Whether a transaction takes destroys and invalidates where there is no replicate: it does (L113 s3)."""
    return True


def commit_keeps_tombstone() -> bool:
    """Whether a destroy that is committed leaves a tombstone: it does, as any other (L109, L113 s3)."""
    return True


def commit_yields() -> bool:
    """Whether a member discards what a commit has changed where it loses: it does (L109, L16)."""
    return True
