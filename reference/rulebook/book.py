"""The rulebook: one field per decision, and what is known of each decision.

Knows which requirements a decision carries and in which ways it could be answered at all; knows nothing
of models or logs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec

from plumbline.reference.operations import OperationKind, Status
from plumbline.reference.rulebook import clients, replicated
from plumbline.reference.rulebook.values import EntryState, Free, Stamp


@dataclasses.dataclass(frozen=True)
class Rulebook:
    """All decisions. The defaults are what document 004 says; see `replicated` and `clients` for each."""

    waits_for_other_writers: Callable[[int], Any] = replicated.waits_for_other_writers
    status_of_loser: Callable[[Status, bool], Any] = replicated.status_of_loser
    stores_before_checking: Callable[[], Any] = replicated.stores_before_checking
    recipients: Callable[[tuple[str, ...]], Any] = replicated.recipients
    value_stored: Callable[[str | None, str | None], Any] = replicated.value_stored
    value_stored_unchecked: Callable[[str | None, str | None], Any] = replicated.value_stored_unchecked
    stamp: Callable[[Stamp | None, str, OperationKind], Any] = replicated.stamp
    stamp_stored: Callable[[Stamp, Stamp | None, str], Any] = replicated.stamp_stored
    takes_part: Callable[[OperationKind], Any] = replicated.takes_part
    applies_newer: Callable[[int], Any] = replicated.applies_newer
    applies_older: Callable[[], Any] = replicated.applies_older
    applies_tie_of_higher: Callable[[], Any] = replicated.applies_tie_of_higher
    applies_tie_of_lower: Callable[[], Any] = replicated.applies_tie_of_lower
    applies_same_stamp: Callable[[], Any] = replicated.applies_same_stamp
    is_higher: Callable[[str, str, tuple[str, ...], str], Any] = replicated.is_higher
    applies_while_another_is_under_way: Callable[[], Any] = replicated.applies_while_another_is_under_way
    announces_discarded: Callable[[], Any] = replicated.announces_discarded
    announcements_of_applied: Callable[[bool], Any] = replicated.announcements_of_applied
    counted_by: Callable[[str, str], Any] = replicated.counted_by
    counts_applied: Callable[[], Any] = replicated.counts_applied
    image_includes: Callable[[EntryState], Any] = replicated.image_includes
    checks_in_force: Callable[[bool | None], Any] = replicated.checks_in_force
    serves_client: Callable[[bool, bool], Any] = clients.serves_client
    client_takes: Callable[[bool, bool], Any] = clients.client_takes

    def replaced(self) -> frozenset[str]:
        """Names of the decisions that are not answered as the documents say."""
        return frozenset(
            field.name for field in dataclasses.fields(self) if getattr(self, field.name) is not field.default
        )

    def with_free(self, *names: str) -> Rulebook:
        """The rulebook in which these decisions may be answered in any way."""
        return dataclasses.replace(self, **{name: DECISIONS[name].free for name in names})


class Decision(msgspec.Struct, frozen=True):
    """What is known of one decision.

    Attributes:
        requirements: the ids that it carries, the most specific first.
        free: the decision answered in every way at once.
    """

    requirements: tuple[str, ...]
    free: Callable[..., Free]


_YES_OR_NO = Free((True, False))


def _any_status(status: Status, discarded: bool) -> Free:
    return Free((status, Status.FAILED) if discarded else (status,))


def _any_recipients(others: tuple[str, ...]) -> Free:
    without_one = tuple(tuple(m for m in others if m != left_out) for left_out in others)
    return Free((others, *without_one, ()))


def _any_value(incoming: str | None, stored: str | None) -> Free:
    return Free((incoming, stored, None))


def _any_stamp(stored: Stamp | None, member: str, kind: OperationKind) -> Free:
    del kind
    version = 0 if stored is None else stored.version
    members = (member,) if stored is None else (member, stored.member)
    return Free(tuple(Stamp(version + step, by) for step in (1, 0, 2) for by in members))


def _any_stamp_stored(incoming: Stamp, stored: Stamp | None, receiver: str) -> Free:
    versions = {incoming.version, incoming.version + 1, *(() if stored is None else (stored.version,))}
    members = {incoming.member, receiver, *(() if stored is None else (stored.member,))}
    return Free(tuple(Stamp(version, member) for version in sorted(versions) for member in sorted(members)))


def _any_counters(receiver: str, caller: str) -> Free:
    return Free(((receiver,), (), (caller,), (receiver, caller)))


def _yes_or_no(*_: object) -> Free:
    return _YES_OR_NO


DECISIONS: dict[str, Decision] = {
    "waits_for_other_writers": Decision(("CONS-RR-01", "EX-A3C3-01"), _yes_or_no),
    "applies_while_another_is_under_way": Decision(("EX-A3C3-02",), _yes_or_no),
    "status_of_loser": Decision(("CONS-RR-02",), _any_status),
    "stores_before_checking": Decision(("CONS-RR-03",), _yes_or_no),
    "counted_by": Decision(("STAT-CONFLATED-01", "STAT-CONFLATED-02"), _any_counters),
    "counts_applied": Decision(("STAT-CONFLATED-01",), _yes_or_no),
    "announces_discarded": Decision(("DISC-LSN-01",), _yes_or_no),
    "announcements_of_applied": Decision(("DISC-APPLIED-01", "DISC-LSN-01"), lambda *_: Free((1, 0, 2))),
    "applies_same_stamp": Decision(("VER-DUP-01",), _yes_or_no),
    "applies_newer": Decision(("VER-CMP-01",), _yes_or_no),
    "applies_older": Decision(("VER-CMP-02",), _yes_or_no),
    "applies_tie_of_higher": Decision(("VER-TIE-01", "EX-A3C3-04"), _yes_or_no),
    "applies_tie_of_lower": Decision(("VER-TIE-02", "EX-A3C3-03"), _yes_or_no),
    "is_higher": Decision(("VER-ID-01", "VER-TIE-03", "EX-A3C3-05"), _yes_or_no),
    "takes_part": Decision(("VER-OPS-01",), _yes_or_no),
    "stamp": Decision(("VER-STAMP-02", "VER-STAMP-01"), _any_stamp),
    "stamp_stored": Decision(("VER-STAMP-03", "VER-STAMP-01"), _any_stamp_stored),
    "image_includes": Decision(("VER-STAMP-04",), _yes_or_no),
    "value_stored": Decision(("CONS-RR-05",), _any_value),
    "value_stored_unchecked": Decision(("CFG-CHECKS-07",), _any_value),
    "recipients": Decision(("CONS-RR-04",), _any_recipients),
    "checks_in_force": Decision(("CFG-CHECKS-01",), _yes_or_no),
    "serves_client": Decision(("CFG-CHECKS-05",), _yes_or_no),
    "client_takes": Decision(("CFG-CHECKS-05",), _yes_or_no),
}
"""Every decision by name, narrow ones first; the field of the same name in `Rulebook` answers it."""
