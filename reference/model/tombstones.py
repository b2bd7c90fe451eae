"""Tombstones: what stays of a destroyed entry, and how callers, readers and comparisons find it.

Asks the rulebook only where there is a tombstone. Does not know how it comes to be, nor who asks.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.operations import DESTROYS, Operation, OperationKind, RegionPolicy
from plumbline.reference.model.entry import ABSENT, Entry
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import NO_ENTRY, EntryState, Stamp, each
from plumbline.reference.search.hashed_map import HashedMap

ALWAYS = (True,)


def kept(
    book: Rulebook,
    becomes: EntryState | None,
    entry: Entry | None,
    policy: RegionPolicy,
    *,
    of_client: bool = False,
    called_there: bool = False,
    of_other_site: bool = False,
) -> tuple[bool, ...]:
    """Whether a change leaves something behind; a destroyed entry leaves a tombstone.

    Args:
        book: the decisions.
        becomes: what the entry becomes.
        entry: what a message from elsewhere finds; None where the change was called.
        policy: what the member keeps of the region.
        of_client: whether it is a client's copy.
        called_there: whether that client has called it.
        of_other_site: whether another site has called it.
    """
    if becomes is not EntryState.TOMBSTONE:
        return ALWAYS
    keeps = each(book.keeps_tombstone(policy, entry is None))
    if of_client:
        of_clients = each(book.client_keeps_tombstone(called_there))
        keeps = tuple(dict.fromkeys(a and b for a in keeps for b in of_clients))
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


def read_as(book: Rulebook, entry: Entry, kind: OperationKind | None = None) -> tuple[EntryState, ...]:
    """What an operation of this kind, or who reads a copy, may take the entry for."""
    return each(book.tombstone_read_as(kind)) if entry.state is EntryState.TOMBSTONE else (entry.state,)


def found_to_destroy(book: Rulebook, entry: Entry, states: tuple[EntryState, ...]) -> tuple[EntryState, ...]:
    """What a destroy that is called here may take the entry for, where a reader takes it for one of these."""
    if entry.state is not EntryState.ABSENT:
        return states
    return tuple(EntryState.INVALID if takes else EntryState.ABSENT for takes in each(book.destroys_absent()))


def between_sites(book: Rulebook, entry: Entry, operation: Operation) -> tuple[bool, ...]:
    """Whether an event of another site is compared with what it finds."""
    finds, destroys = entry.state is EntryState.TOMBSTONE, operation.kind in DESTROYS
    return each(book.compared_between_sites(finds, destroys)) if finds or destroys else ALWAYS


def changed(
    world: World,
    where: tuple[str, str, str],
    becomes: EntryState | None,
    token: str | None,
    stamp: Stamp | None,
    *,
    checks: bool,
) -> HashedMap[tuple[str, str, str], Entry]:
    """The entries after one of them has become live, invalid or a tombstone; invalid where no value came."""
    if becomes is EntryState.TOMBSTONE and not checks:
        return world.entries.delete(where)
    if becomes is None:
        return world.entries
    if becomes is EntryState.LIVE and token == NO_ENTRY:
        becomes = EntryState.TOMBSTONE
    value = token if becomes is EntryState.LIVE else None
    state = EntryState.INVALID if becomes is EntryState.LIVE and token is None else becomes
    return world.entries.set(where, replace(ABSENT, state=state, token=value, stamp=stamp))


def finds(entry: Entry, becomes: EntryState | None) -> bool:
    """Whether an update finds anything to change: a destroy or an invalidate need not."""
    return becomes is EntryState.LIVE or (
        entry.state is EntryState.LIVE or (becomes, entry.state) == (EntryState.TOMBSTONE, EntryState.INVALID)
    )
