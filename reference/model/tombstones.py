"""Tombstones: what stays of a destroyed entry, and how callers, readers and comparisons find it.

Asks the rulebook only where there is a tombstone. Does not know how it comes to be, nor who asks.
"""

from __future__ import annotations

from plumbline.reference.model.world import Entry
from plumbline.reference.operations import Operation, OperationKind, RegionPolicy
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import EntryState, Stamp, each

ALWAYS = (True,)


def kept(
    book: Rulebook,
    becomes: EntryState | None,
    entry: Entry | None,
    policy: RegionPolicy,
    *,
    of_client: bool = False,
    of_other_site: bool = False,
) -> tuple[bool, ...]:
    """Whether a change leaves something behind; what is destroyed leaves a tombstone.

    Args:
        book: the decisions.
        becomes: what the entry becomes.
        entry: what a message from elsewhere finds; None where the change was called.
        policy: what the member keeps of the region.
        of_client: whether it is a client's copy.
        of_other_site: whether another site has called it.
    """
    if becomes is not EntryState.TOMBSTONE:
        return ALWAYS
    keeps = each(book.keeps_tombstone(policy, entry is None))
    if of_client:
        keeps = tuple(dict.fromkeys(a and b for a in keeps for b in each(book.client_keeps_tombstone())))
    if entry is None or entry.state is not EntryState.ABSENT:
        return keeps
    remembers = each(book.remembers_unseen_destroy(of_other_site))
    return tuple(dict.fromkeys(a and b for a in keeps for b in remembers))


def kept_unchecked(book: Rulebook, becomes: EntryState | None) -> tuple[bool, ...]:
    """Whether a change leaves a tombstone behind where nothing is checked."""
    return each(book.keeps_tombstone_unchecked()) if becomes is EntryState.TOMBSTONE else (False,)


def compared(book: Rulebook, entry: Entry) -> tuple[Stamp | None, ...]:
    """The stamps that an update may be compared with where it finds the entry."""
    if entry.state is not EntryState.TOMBSTONE or entry.stamp is None:
        return (entry.stamp,)
    return each(book.compared_with_tombstone(entry.stamp))


def goes_on_from(book: Rulebook, entry: Entry) -> tuple[Stamp | None, ...]:
    """The stamps that a local change of the entry may go on from."""
    if entry.state is not EntryState.TOMBSTONE or entry.stamp is None:
        return (entry.stamp,)
    return each(book.goes_on_from(entry.stamp))


def read_as(book: Rulebook, entry: Entry) -> tuple[EntryState, ...]:
    """What anybody who reads may take the entry for."""
    return each(book.tombstone_read_as()) if entry.state is EntryState.TOMBSTONE else (entry.state,)


def between_sites(book: Rulebook, entry: Entry, operation: Operation) -> tuple[bool, ...]:
    """Whether an event of another site is compared with what it finds."""
    finds, destroys = entry.state is EntryState.TOMBSTONE, operation.kind is OperationKind.DESTROY
    return each(book.compared_between_sites(finds, destroys)) if finds or destroys else ALWAYS
