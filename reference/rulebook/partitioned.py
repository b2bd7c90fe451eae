"""Decisions about partitioned regions (document 004; bulk loads of them: 001).

Each function answers one question about plain values. None knows the model's state, nor which key belongs to
which bucket: that is the candidate's own affair.
"""

from __future__ import annotations


def carried_out_at(primary: str, member: str, copies: tuple[str, ...]) -> str:  # noqa: ARG001
    """On which member an update is carried out, and stamped, first: on its key's primary (L12 s1)."""
    return primary


def locks_key() -> bool:
    """Whether a primary holds a key's next update back until copies have the last: it does (L12 s2)."""
    return True


def works_off_in_order() -> bool:
    """Whether a copy applies what it is sent one after the other, and then answers: it does (L12 s3)."""
    return True


def copies_sent(copies: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the members that hold a copy of a key are sent an update of it: all (L12 s2)."""
    return copies


def copies_awaited(copies: tuple[str, ...]) -> tuple[str, ...]:
    """Which copies have answered before a call returns: all that were sent the update (L12 s2, s3)."""
    return copies


def synchronises() -> bool:
    """Whether the copies that survive a primary agree on one state of each key: they do (L12 s3)."""
    return True


def keeps_copies() -> bool:
    """Whether what the copies hold outlasts their primary: it does (L12 s3)."""
    return True


def loaded_from(server: str, members: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    """Whose buckets a client's bulk load covers: those of all members (001, L57 s3)."""
    return members


def sends_overheard() -> bool:
    """Whether a server sends its clients what it holds no copy of: it does, as of any peer (001, L38)."""
    return True
