"""A mismatch: what was seen is not what is written down."""

from __future__ import annotations


class MismatchError(AssertionError):
    """What was seen is not what is written down.

    Attributes:
        expected: in words.
        seen: in words.
    """

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen
