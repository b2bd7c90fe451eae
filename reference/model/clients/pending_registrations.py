"""Registrations under way: their answers meet what the application does meanwhile, and events (001; 003).

A registration is called, drops keys, comes on its server's list, is answered and ends, in steps between which
all else may happen. Owns what has become of keys meanwhile. Knows nothing of how a plan asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.moments import Moment
from plumbline.reference.history.operations import (
    DESTROYS,
    STORES_VALUE,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.history.registration_moments import (
    AnswerHeld,
    AnswerReleased,
    RegistrationBegun,
    RegistrationEnded,
)
from plumbline.reference.model.clients.client_state import (
    DESTROYED,
    NO_SERVER,
    KeyMark,
    PendingRegistration,
    PendingStage,
    Registration,
)
from plumbline.reference.model.clients.registrations import PRESENT, Interests, Shows, with_interests
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import EntryState, Free, each
from plumbline.reference.search.transition import Step

EITHER = Free((False, True))

_UNDER_WAY = (PendingStage.LISTED, PendingStage.ANSWERED)


class PendingRegistrations:
    """The part of the model that carries registrations on while other things happen."""

    def __init__(self, setting: Setting, interests: Interests) -> None:
        self._setting = setting
        self._interests = interests

    def after(self, world: World, moment: Moment) -> World | None:
        """The world after a moment of a registration; None where it cannot come now, and for all others."""
        match moment:
            case RegistrationBegun(number, interest, held):
                return self.begun(world, number, interest, held=held)
            case AnswerHeld(number):
                return world if self.is_held(world, number) else None
            case AnswerReleased(number):
                return self.released(world, number)
            case RegistrationEnded(number, _, status):
                return self.returned(world, number) if self.status(world, number) is status else None
            case _:
                return None

    def begun(self, world: World, number: int, interest: Interest, *, held: bool) -> World:
        """The world in which a registration was called; what was destroyed during another may be older."""
        earlier = {
            key
            for one in world.served.pending.values()
            if (one.interest.client, one.interest.region) == (interest.client, interest.region)
            for key, mark in one.marks
            if mark in DESTROYED
        }
        marks = frozenset((key, KeyMark.UNSURE) for key in earlier)
        return _with(
            world,
            number,
            PendingRegistration(interest, held, marks=marks, lost=self._lost_servers(world, interest.client)),
        )

    @staticmethod
    def released(world: World, number: int) -> World:
        """The world in which an answer is held back no more."""
        return _with(world, number, replace(world.served.pending[number], held=False))

    @staticmethod
    def is_held(world: World, number: int) -> bool:
        """Whether an answer is on its way and held back."""
        pending = world.served.pending[number]
        return bool(pending.held) and pending.stage is PendingStage.ANSWERED

    @staticmethod
    def status(world: World, number: int) -> Status | None:
        """How a registration has ended; None while it is under way."""
        pending = world.served.pending[number]
        return pending.status if pending.stage is PendingStage.ENDED else None

    @staticmethod
    def returned(world: World, number: int) -> World:
        """The world in which the caller knows that a registration has ended."""
        return world.but(served=replace(world.served, pending=world.served.pending.delete(number)))

    def has_ended(self, world: World, number: int | None) -> bool:
        """Whether a registration of this number has ended."""
        if number is None or number not in world.served.pending:
            return False
        return self.status(world, number) is not None

    def quiet(self, world: World) -> bool:
        """Whether no registration goes on by itself."""
        return all(
            one.stage is PendingStage.ENDED or self.is_held(world, number)
            for number, one in world.served.pending.items()
        )

    @staticmethod
    def holders(world: World) -> set[str]:
        """The clients that register, and may hold their events back until that has ended."""
        return {
            one.interest.client
            for one in world.served.pending.values()
            if one.stage is not PendingStage.ENDED
        }

    def loses_event(self, world: World, client: str, operation: Operation) -> tuple[bool, ...]:
        """Whether an event is lost that reaches a client now, as it should not."""
        registers = any(
            (one.interest.client, one.interest.region) == (client, operation.region)
            and one.stage in _UNDER_WAY
            for one in world.served.pending.values()
        )
        if not registers or self._setting.originators.get(operation.op_id) == client:
            return (False,)
        return tuple(not takes for takes in each(self._setting.book.takes_events_meanwhile()))

    def steps(self, world: World) -> Iterator[Step]:
        """Each registration goes on."""
        for number, one in world.served.pending.in_order():
            lives = self._interests.server(world, one.interest.client) not in (NO_SERVER, *world.wan.dead)
            if one.stage is not PendingStage.ENDED and self._has_lost_servers(world, one):
                yield from self._broken_off(world, number, one, lives=lives)
            if one.stage is PendingStage.BEGUN:
                yield from self._begun(world, number, one)
            elif one.stage is PendingStage.DROPPED and lives:
                yield from self._listed(world, number, one)
            elif one.stage is PendingStage.LISTED and lives:
                yield from self._answered(world, number, one)
            elif one.stage is PendingStage.ANSWERED and not one.held:
                yield from self._applied(world, number, one)

    def _has_lost_servers(self, world: World, one: PendingRegistration) -> bool:
        """Whether a server of the client has died since: a registration may fail then, or be asked again."""
        return self._lost_servers(world, one.interest.client) > one.lost

    def _lost_servers(self, world: World, client: str) -> int:
        return sum(server in world.wan.dead for server in self._setting.clients[client].servers)

    def _broken_off(
        self, world: World, number: int, one: PendingRegistration, *, lives: bool
    ) -> Iterator[Step]:
        """A registration is completed at another server, or fails and leaves nothing behind."""
        book, client = self._setting.book, one.interest.client
        if lives and one.stage in _UNDER_WAY:
            # What held the first server's answer back need not hold the next one's.
            for held in (True, False) if one.held else (False,):
                asked = replace(one, stage=PendingStage.DROPPED, answer=(), held=held)
                yield Step(("registers again", client, number), _with(world, number, asked))
        ended = replace(one, stage=PendingStage.ENDED, status=Status.FAILED, marks=frozenset())
        for stays, holds in product(each(book.failed_stays_listed()), each(book.failed_holds_up())):
            kept = stays or one.before or not one.listed
            after = _with(world if kept else _unlisted(world, one.interest), number, ended)
            stuck = after.served.stuck.set(client, value=True) if holds else after.served.stuck
            yield Step(
                ("fails to register", client, number),
                after.but(served=replace(after.served, stuck=stuck)),
            )

    def _begun(self, world: World, number: int, one: PendingRegistration) -> Iterator[Step]:
        """The client drops one key after the other, or the registration is refused."""
        interest = one.interest
        for accepted in self._interests.accepted(world, interest):
            if not accepted:
                ended = replace(one, stage=PendingStage.ENDED, status=Status.REFUSED)
                yield Step(("refuses to register", interest.client, number), _with(world, number, ended))
                continue
            for keys in self._interests.drops(world, interest):
                left = [key for key in keys if key not in one.dropped]
                if not left:
                    dropped = replace(one, stage=PendingStage.DROPPED)
                    yield Step(
                        ("has dropped what it held", interest.client, number), _with(world, number, dropped)
                    )
                for key in left:
                    gone = replace(one.with_mark(key, None), dropped=one.dropped | {key})
                    for after, shows in self._interests.dropped(world, interest, (key,)):
                        yield Step(("drops", interest.client, number, key), _with(after, number, gone), shows)

    def _listed(self, world: World, number: int, one: PendingRegistration) -> Iterator[Step]:
        name = ("comes on the list", one.interest.client, number)
        for first in each(self._setting.book.lists_before_loading()):
            found: tuple[Registration, ...] = world.served.interests.get(
                (one.interest.client, one.interest.region), ()
            )
            before = one.before or any(other.interest == one.interest for other in found)
            on_its_way = replace(
                one, stage=PendingStage.LISTED, listed=first, before=(before and not one.listed) or one.before
            )
            for after in self._interests.listed(world, one.interest) if first else (world,):
                yield Step(name, _with(after, number, on_its_way))

    def _answered(self, world: World, number: int, one: PendingRegistration) -> Iterator[Step]:
        """The server reads what the answer brings; what was destroyed before may be there again."""
        interest = one.interest
        server = self._interests.server(world, interest.client)
        marks = frozenset((key, KeyMark.UNSURE if mark in DESTROYED else mark) for key, mark in one.marks)
        for there in self._interests.there(world, server, interest.region):
            for places, brought in self._interests.answers(interest, there):
                answer = tuple(sorted({**places, **brought}.items()))
                answered = replace(one, stage=PendingStage.ANSWERED, answer=answer, marks=marks)
                yield Step(("reads what there is", interest.client, number), _with(world, number, answered))

    def _applied(self, world: World, number: int, one: PendingRegistration) -> Iterator[Step]:
        """The client applies the answer, one key after the other."""
        client, region = one.interest.client, one.interest.region
        if not one.answer:
            yield from self._ended(world, number, one)
        for key, item in one.answer:
            rest = replace(one, answer=tuple(other for other in one.answer if other[0] != key))
            left = _with(world, number, rest)
            name = ("applies the answer", client, number, key)
            for takes in self._takes(world, one, key, item):
                if not takes:
                    yield Step(name, left)
                    continue
                after = left.but(entries=left.entries.set((client, region, key), item))
                live = item.state is EntryState.LIVE
                for tells in each(self._setting.book.registration_tells(live)):
                    told: Shows = (self._interests.shown(client, region, key, item.token),) * tells
                    yield Step(name, after, told)

    def _takes(self, world: World, one: PendingRegistration, key: str, item: Entry) -> tuple[bool, ...]:
        """Whether one entry of an answer comes into the client's copy; several answers where that is open."""
        book, client, region = self._setting.book, one.interest.client, one.interest.region
        if key in world.served.unloaded.get((client, region), ()):
            return (False,)
        entry, mark = world.entry(client, region, key), one.mark(key)
        if entry.state is EntryState.LIVE:
            if item.state is EntryState.LIVE and _is_newer(item, entry):
                return each(EITHER)  # by the rule it stays; by its version the newer one wins
            if mark is KeyMark.OWN:
                return each(book.answer_replaces_own())
            event = mark is KeyMark.EVENT
            return each(book.answer_replaces_event() if event else book.answer_replaces_fetched())
        if entry.state is EntryState.INVALID:
            if item.state is not EntryState.LIVE:
                return (False,)
            if mark is KeyMark.UNSURE or _is_newer(entry, item):
                return each(EITHER)
            ways = (book.answer_fills_invalid(checks) for checks in self._setting.client_checks(client))
            return tuple(dict.fromkeys(takes for way in ways for takes in each(way)))
        if mark is KeyMark.UNSURE:
            return each(EITHER)
        if mark in (KeyMark.DESTROYED, KeyMark.DESTROYED_LOCALLY):
            return each(book.answer_revives_destroyed(mark is KeyMark.DESTROYED_LOCALLY))
        return each(book.answer_revives_after_event()) if mark is KeyMark.GONE else (True,)

    def _ended(self, world: World, number: int, one: PendingRegistration) -> Iterator[Step]:
        """A registration returns; what marks destroyed entries goes with the last one."""
        book, client, region = self._setting.book, one.interest.client, one.interest.region
        ended = replace(one, stage=PendingStage.ENDED, listed=True, marks=frozenset())
        destroyed = sorted(key for key, mark in one.marks if mark in DESTROYED)
        gone = [key for key in destroyed if world.entry(client, region, key).state not in PRESENT]
        for listed in (world,) if one.listed else self._interests.listed(world, one.interest):
            ways = [_with(listed, number, ended)]
            if destroyed:
                ways = [
                    _unloading(w, client, region, gone) if leaks else w
                    for w in ways
                    for leaks in each(book.marks_outlast())
                ]
                ways = [
                    _shown(w, client, region, gone) if shows else w
                    for w in ways
                    for shows in each(book.marks_show())
                ]
                ways = [
                    w if serves else _unmarked(w, one.interest)
                    for w in ways
                    for serves in each(book.marks_serve_all())
                ]
            for after in ways:
                yield Step(("has registered", client, number), after)

    def noted(
        self, world: World, client: str, operation: Operation, outcome: Outcome | None, *, bare: bool = False
    ) -> World:
        """The world in which registrations know what an operation has made of the client's copy.

        Args:
            world: where the client has taken an event or an answer, or done something itself.
            client: the client.
            operation: what was called.
            outcome: how it has ended, where the client has called it.
            bare: whether an event has brought no value.
        """
        for number, one in world.served.pending.items():
            if (one.interest.client, one.interest.region) == (client, operation.region):
                entry = world.entry(client, operation.region, operation.key)
                own = self._setting.originators.get(operation.op_id) == client
                mark = _mark_of(operation, entry, one.mark(operation.key), outcome, own=own, bare=bare)
                world = _with(world, number, one.with_mark(operation.key, mark))
        return world

    @staticmethod
    def unsure(world: World, client: str, operation: Operation) -> World:
        """The world in which a listener was told of an event that leaves the copy alone: all is open.

        No document says what an answer brings of a key whose stored event was told of meanwhile (003, L48).
        """
        for number, one in world.served.pending.items():
            if (one.interest.client, one.interest.region) == (client, operation.region):
                world = _with(world, number, one.with_mark(operation.key, KeyMark.UNSURE))
        return world


def _mark_of(
    operation: Operation,
    entry: Entry,
    mark: KeyMark | None,
    outcome: Outcome | None,
    *,
    own: bool,
    bare: bool,
) -> KeyMark | None:
    """What has become of a key by an operation that came to its client; as before, if it changed nothing."""
    kind, there = operation.kind, entry.state in PRESENT
    if kind is OperationKind.GET:
        return KeyMark.FETCHED if entry.state is EntryState.LIVE and mark is None else mark
    if kind in DESTROYS or kind is OperationKind.LOCAL_DESTROY:
        if there:
            return mark
        if own and outcome is not None and outcome.status is not Status.OK:
            # It has destroyed nothing, so no document says what an answer brings then.
            return mark if mark in DESTROYED else KeyMark.UNSURE
        if kind is OperationKind.LOCAL_DESTROY:
            return KeyMark.DESTROYED_LOCALLY
        return KeyMark.DESTROYED if own else KeyMark.GONE
    if kind in STORES_VALUE and not bare:
        brought = entry.state is EntryState.LIVE and entry.token == operation.token
        return mark if not brought else KeyMark.OWN if own else KeyMark.EVENT
    if entry.state is EntryState.INVALID:
        return KeyMark.INVALID if own and mark in (None, KeyMark.FETCHED, KeyMark.INVALID) else KeyMark.UNSURE
    return mark if there else KeyMark.UNSURE


def _is_newer(one: Entry, other: Entry) -> bool:
    """Whether one entry has a higher version than another, where both have any."""
    return one.stamp is not None and other.stamp is not None and one.stamp.version > other.stamp.version


def _with(world: World, number: int, pending: PendingRegistration) -> World:
    return world.but(served=replace(world.served, pending=world.served.pending.set(number, pending)))


def _unloading(world: World, client: str, region: str, keys: list[str]) -> World:
    """The world in which later registrations load none of these keys, as they should."""
    where = (client, region)
    unloaded = world.served.unloaded.get(where, frozenset()).union(keys)
    return world.but(served=replace(world.served, unloaded=world.served.unloaded.set(where, unloaded)))


def _unlisted(world: World, interest: Interest) -> World:
    """The world in which a registration is on the list no more."""
    where = (interest.client, interest.region)
    found: tuple[Registration, ...] = world.served.interests.get(where, ())
    kept = tuple(one for one in found if one.interest != interest)
    interests = world.served.interests
    return with_interests(world, interests.set(where, kept) if kept else interests.delete(where))


def _shown(world: World, client: str, region: str, keys: list[str]) -> World:
    """The world in which destroyed keys show without a value, as they should not."""
    entries = world.entries
    for key in keys:
        entries = entries.set((client, region, key), Entry(EntryState.INVALID, None, None))
    return world.but(entries=entries)


def _unmarked(world: World, interest: Interest) -> World:
    """The world in which no other registration knows what was destroyed, as they should."""
    for number, one in world.served.pending.items():
        if (one.interest.client, one.interest.region) == (interest.client, interest.region):
            kept = frozenset(pair for pair in one.marks if pair[1] not in DESTROYED)
            world = _with(world, number, replace(one, marks=kept))
    return world
