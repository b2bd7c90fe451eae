"""A mismatch: what was seen is not what is written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class MismatchError(AssertionError):
    """An observation differs from the one that the scenario expects.

    Attributes:
        expected: in words.
        seen: in words.
        blames: the requirements that are broken, where they are not those of the scenario.
    """

    def __init__(self, expected: str, seen: str, blames: tuple[str, ...] = ()) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen
        self.blames = blames


def in_words(value: object) -> str:
    """A value, or some of them, as people write them: nothing of Python's brackets and quotes."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{in_words(key)} = {in_words(held)}" for key, held in value.items()) or "nothing"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(in_words, value)) or "nothing"
    return str(value)
