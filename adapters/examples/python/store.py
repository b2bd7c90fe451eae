"""A toy system to be tested: a store that every member holds in full. It knows nothing of Plumbline.

A call changes the copy of the member on which it is made, tells that member's listener, and sends the change
to the others, on one connection for each calling thread and member. Each update that arrives is applied:
there is no check of what was there before. Members are threads of one process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from crew import Crew


@dataclass(frozen=True)
class Change:
    """What travels: update, invalidate or destroy of a key, the caller's tag, and a stamp if there is one."""

    kind: str
    key: str
    tag: str
    stamp: tuple[int, int] | None = None


Listener = Callable[[str, Change], None]
"""Told of a member and what was changed there, while the entry is locked."""


class Store:
    """The members, each with its copy: values by key, None where an entry has lost its value.

    Attributes:
        discarded: by member, how many changes have arrived there and were not applied.
    """

    def __init__(self, members: tuple[str, ...], listener: Listener, *, wait_for_answers: bool) -> None:
        self.members = members
        self.crew = Crew()
        self.discarded = Counter[str]()
        self._copies: dict[str, dict[str, str | None]] = {member: {} for member in members}
        self._locked: set[tuple[str, str]] = set()
        self._listener = listener
        self._wait_for_answers = wait_for_answers

    def copy(self, member: str) -> dict[str, str | None]:
        """What a member holds now."""
        with self.crew.change():
            return dict(self._copies[member])

    def call(self, thread: str, member: str, kind: str, key: str, tag: str) -> tuple[str, str | None]:
        """An operation on a member: how it ended (`ok`, `exists` or `absent`) and what it gave back.

        To be called by a thread of the crew.
        """
        if kind in {"get", "contains_key"}:
            copy = self.copy(member)
            return "ok", copy.get(key) if kind == "get" else str(key in copy).lower()
        with self._entry(member, key):
            ending, old, change_kind = self._decide(kind, self._copies[member], key)
            if change_kind is None:
                return ending, old
            change = self._made(member, Change(change_kind, key, tag))
            self._apply(member, change)
        self._send(thread, member, change)
        return ending, old

    @staticmethod
    def _decide(kind: str, copy: dict[str, str | None], key: str) -> tuple[str, str | None, str | None]:
        """How an operation ends, what it gives back, and what it does to the entry (None: nothing)."""
        there = key in copy
        match kind:
            case "put":
                return "ok", None, "update"
            case "create":
                return ("exists", None, None) if there else ("ok", None, "update")
            case "put_if_absent":
                return ("ok", copy[key], None) if there else ("ok", None, "update")
            case "replace":
                return ("ok", copy[key], "update") if there else ("ok", None, None)
            case "destroy" | "invalidate":
                return ("ok", None, kind) if there else ("absent", None, None)
        raise ValueError(f"no operation {kind}")

    def _send(self, thread: str, member: str, change: Change) -> None:
        others = [other for other in self.members if other != member]
        answered: set[str] = set()
        for other in others:
            self.crew.give((thread, other), partial(self._arrive, other, change, answered))
        if self._wait_for_answers:
            self.crew.wait(lambda: len(answered) == len(others))

    def _arrive(self, member: str, change: Change, answered: set[str]) -> None:
        with self._entry(member, change.key):
            if self._accepts(member, change):
                self._apply(member, change)
            else:
                self.discarded[member] += 1
        with self.crew.change():
            answered.add(member)

    def _apply(self, member: str, change: Change) -> None:
        with self.crew.change():
            if change.kind == "destroy":
                self._copies[member].pop(change.key, None)
            else:
                self._copies[member][change.key] = change.tag if change.kind == "update" else None
        self._listener(member, change)

    @contextmanager
    def _entry(self, member: str, key: str) -> Iterator[None]:
        """The lock of an entry of a member."""
        entry = (member, key)
        self.crew.wait(lambda: entry not in self._locked, lambda: self._locked.add(entry))
        yield
        with self.crew.change():
            self._locked.remove(entry)

    def _made(self, member: str, change: Change) -> Change:  # noqa: ARG002 - for stores that stamp
        """A change as it leaves the member on which it is called; its entry is locked."""
        return change

    def _accepts(self, member: str, change: Change) -> bool:  # noqa: ARG002 - for stores that check
        """Whether a change that has arrived is applied; its entry is locked."""
        return True
