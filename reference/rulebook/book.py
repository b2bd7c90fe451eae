"""The rulebook: one field per decision, and what is known of each decision.

Knows which requirements a decision carries and in which ways it could be answered at all; knows nothing
of models or logs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.operations import Interest, OperationKind, RegionPolicy, Status
from plumbline.reference.rulebook import (
    clearing,
    clients,
    failover,
    gateways,
    interests,
    partitioned,
    policies,
    replicated,
    subscriptions,
    tombstones,
)
from plumbline.reference.rulebook.dialects import answers, is_documented
from plumbline.reference.rulebook.values import EntryState, Free, Stamp


@dataclasses.dataclass(frozen=True)
class Rulebook:
    """All decisions. The defaults are what the documents say; of two that contradict each other, the older.

    See `replicated`, `tombstones`, `policies`, `partitioned`, `clients`, `interests`, `subscriptions`,
    `failover` and `gateways` for each, and `dialects` for where the documents part.
    """

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
    keeps_tombstone: Callable[[RegionPolicy], Any] = tombstones.keeps_tombstone
    remembers_unseen_destroy: Callable[[], Any] = tombstones.remembers_unseen_destroy
    compared_with_tombstone: Callable[[Stamp], Any] = tombstones.compared_with_tombstone
    goes_on_from: Callable[[Stamp], Any] = tombstones.goes_on_from
    tombstone_read_as: Callable[[], Any] = tombstones.tombstone_read_as
    checks_less_than_replicate: Callable[[], Any] = policies.checks_less_than_replicate
    absent_goes_to_replicate: Callable[[], Any] = policies.absent_goes_to_replicate
    stamp_taken_over: Callable[[Stamp, str], Any] = policies.stamp_taken_over
    ends_without_replicate: Callable[[], Any] = policies.ends_without_replicate
    asks_another_replicate: Callable[[], Any] = policies.asks_another_replicate
    clear_goes_to_replicate: Callable[[], Any] = policies.clear_goes_to_replicate
    recognises_asked_again: Callable[[], Any] = policies.recognises_asked_again
    tombstone_timeout: Callable[[int | None], Any] = tombstones.tombstone_timeout
    has_expired: Callable[[int, int], Any] = tombstones.has_expired
    age_counted_from: Callable[[int, int], Any] = tombstones.age_counted_from
    other_timeout: Callable[[int | None], Any] = tombstones.other_timeout
    others_remove_by_age: Callable[[], Any] = tombstones.others_remove_by_age
    removed_by_age: Callable[[], Any] = tombstones.removed_by_age
    collection_threshold: Callable[[int | None], Any] = tombstones.collection_threshold
    sets_off_collection: Callable[[int, int], Any] = tombstones.sets_off_collection
    counted_together: Callable[[int], Any] = tombstones.counted_together
    collects: Callable[[bool], Any] = tombstones.collects
    told_of_collection: Callable[[tuple[str, ...]], Any] = tombstones.told_of_collection
    overwrites_expired: Callable[[], Any] = tombstones.overwrites_expired
    collects_replaced: Callable[[], Any] = tombstones.collects_replaced
    tombstones_reported: Callable[[int, int], Any] = tombstones.tombstones_reported
    collections_counted: Callable[[int], Any] = tombstones.collections_counted
    adds_to_size: Callable[[bool, bool], Any] = tombstones.adds_to_size
    compared_between_sites: Callable[[bool, bool], Any] = tombstones.compared_between_sites
    carried_out_at: Callable[[str, str, tuple[str, ...]], Any] = partitioned.carried_out_at
    locks_key: Callable[[], Any] = partitioned.locks_key
    works_off_in_order: Callable[[], Any] = partitioned.works_off_in_order
    copies_sent: Callable[[tuple[str, ...]], Any] = partitioned.copies_sent
    copies_awaited: Callable[[tuple[str, ...]], Any] = partitioned.copies_awaited
    synchronises: Callable[[], Any] = partitioned.synchronises
    keeps_copies: Callable[[], Any] = partitioned.keeps_copies
    loaded_from: Callable[[str, tuple[str, ...]], Any] = partitioned.loaded_from
    shuts_out: Callable[[bool], Any] = clearing.shuts_out
    clear_waits_for_updates: Callable[[], Any] = clearing.clear_waits_for_updates
    cleared_with: Callable[[tuple[str, ...]], Any] = clearing.cleared_with
    clear_keeps_tombstones: Callable[[], Any] = clearing.clear_keeps_tombstones
    clear_told: Callable[[], Any] = clearing.clear_told
    frees_lock_of_dead: Callable[[], Any] = clearing.frees_lock_of_dead
    serves_client: Callable[[bool, bool], Any] = clients.serves_client
    client_takes: Callable[[bool, bool], Any] = clients.client_takes
    forwards_updates: Callable[[bool], Any] = clients.forwards_updates
    forwards_destroy_of_held: Callable[[], Any] = clients.forwards_destroy_of_held
    forwards_destroy_of_absent: Callable[[], Any] = clients.forwards_destroy_of_absent
    forwards_invalidates: Callable[[], Any] = clients.forwards_invalidates
    forwards_local: Callable[[], Any] = clients.forwards_local
    writer_runs_first: Callable[[], Any] = clients.writer_runs_first
    client_writer_aborts: Callable[[OperationKind], Any] = clients.client_writer_aborts
    server_writer_aborts: Callable[[OperationKind], Any] = clients.server_writer_aborts
    keeps_vetoed: Callable[[], Any] = clients.keeps_vetoed
    client_applies_first: Callable[[], Any] = clients.client_applies_first
    cleared_at_server: Callable[[tuple[str, ...], tuple[str, ...]], Any] = clients.cleared_at_server
    forwards_region_destroy: Callable[[], Any] = clients.forwards_region_destroy
    forwards_local_region_destroy: Callable[[], Any] = clients.forwards_local_region_destroy
    sends_region_destroys: Callable[[], Any] = subscriptions.sends_region_destroys
    sends_clears: Callable[[], Any] = subscriptions.sends_clears
    clears_uncovered: Callable[[], Any] = subscriptions.clears_uncovered
    sends_region_invalidates: Callable[[], Any] = subscriptions.sends_region_invalidates
    expression_covers: Callable[[str, str], Any] = interests.expression_covers
    accepts_expression: Callable[[bool], Any] = interests.accepts_expression
    refusal_keeps_list: Callable[[], Any] = interests.refusal_keeps_list
    interests_kept: Callable[[tuple[Interest, ...], Interest], Any] = interests.interests_kept
    interests_left: Callable[[tuple[Interest, ...], Interest], Any] = interests.interests_left
    in_force_on_return: Callable[[], Any] = interests.in_force_on_return
    outlasts_destroy: Callable[[], Any] = interests.outlasts_destroy
    dropped_for_keys: Callable[[tuple[str, ...], tuple[str, ...]], Any] = interests.dropped_for_keys
    dropped_for_expression: Callable[[tuple[str, ...], tuple[str, ...]], Any] = (
        interests.dropped_for_expression
    )
    drop_is_local: Callable[[], Any] = interests.drop_is_local
    unnamed_loads: Callable[[], Any] = interests.unnamed_loads
    keys_load: Callable[[], Any] = interests.keys_load
    keys_values_load: Callable[[], Any] = interests.keys_values_load
    none_loads: Callable[[], Any] = interests.none_loads
    none_drops: Callable[[], Any] = interests.none_drops
    loaded_of: Callable[[tuple[str, ...]], Any] = interests.loaded_of
    registration_tells: Callable[[], Any] = interests.registration_tells
    loads_of_others: Callable[[], Any] = interests.loads_of_others
    sends_local: Callable[[], Any] = subscriptions.sends_local
    sends_uninterested: Callable[[], Any] = subscriptions.sends_uninterested
    times_sent: Callable[[int], Any] = subscriptions.times_sent
    sends_to_caller: Callable[[], Any] = subscriptions.sends_to_caller
    sends_of_clients: Callable[[], Any] = subscriptions.sends_of_clients
    sends_of_peers: Callable[[], Any] = subscriptions.sends_of_peers
    sends_invalidates: Callable[[], Any] = subscriptions.sends_invalidates
    sends_destroys: Callable[[], Any] = subscriptions.sends_destroys
    value_for_values: Callable[[], Any] = subscriptions.value_for_values
    value_for_invalidations: Callable[[], Any] = subscriptions.value_for_invalidations
    invalidates_absent: Callable[[bool], Any] = subscriptions.invalidates_absent
    get_asks_server: Callable[[], Any] = subscriptions.get_asks_server
    keeps_fetched: Callable[[], Any] = subscriptions.keeps_fetched
    waits_for_subscribers: Callable[[], Any] = subscriptions.waits_for_subscribers
    queue_for: Callable[[str], Any] = subscriptions.queue_for
    applies_unprocessed: Callable[[bool], Any] = subscriptions.applies_unprocessed
    keeps_sending: Callable[[int], Any] = subscriptions.keeps_sending
    compares_answers: Callable[[], Any] = subscriptions.compares_answers
    compares_discarded: Callable[[], Any] = subscriptions.compares_discarded
    client_compares: Callable[[], Any] = subscriptions.client_compares
    registers_at_secondaries: Callable[[], Any] = failover.registers_at_secondaries
    secondary_queues: Callable[[], Any] = failover.secondary_queues
    copies_keep_identity: Callable[[], Any] = failover.copies_keep_identity
    removes_copies_when_sent: Callable[[], Any] = failover.removes_copies_when_sent
    is_repeated: Callable[[int, int, int], Any] = failover.is_repeated
    forgets: Callable[[int, int, int], Any] = failover.forgets
    server_recognises: Callable[[int, int], Any] = failover.server_recognises
    notes_of_peers: Callable[[], Any] = failover.notes_of_peers
    retries_keep_identity: Callable[[], Any] = failover.retries_keep_identity
    fails_over: Callable[[], Any] = failover.fails_over
    keeps_looking: Callable[[], Any] = failover.keeps_looking
    starts_anew: Callable[[bool], Any] = failover.starts_anew
    keeps_tracks: Callable[[], Any] = failover.keeps_tracks
    resumes_at_once: Callable[[], Any] = failover.resumes_at_once
    promoted: Callable[[tuple[str, ...]], Any] = failover.promoted
    others_keep_copies: Callable[[], Any] = failover.others_keep_copies
    drains_first: Callable[[], Any] = failover.drains_first
    drops_anew: Callable[[], Any] = failover.drops_anew
    drops_uncovered_anew: Callable[[], Any] = failover.drops_uncovered_anew
    fetches_anew: Callable[[], Any] = failover.fetches_anew
    anew_tells: Callable[[], Any] = failover.anew_tells
    moves_interest: Callable[[Interest], Any] = failover.moves_interest
    create_crosses: Callable[[], Any] = gateways.create_crosses
    put_crosses: Callable[[], Any] = gateways.put_crosses
    destroy_crosses: Callable[[], Any] = gateways.destroy_crosses
    get_crosses: Callable[[], Any] = gateways.get_crosses
    invalidate_crosses: Callable[[], Any] = gateways.invalidate_crosses
    local_destroy_crosses: Callable[[], Any] = gateways.local_destroy_crosses
    region_operations_cross: Callable[[], Any] = gateways.region_operations_cross
    expirations_cross: Callable[[], Any] = gateways.expirations_cross
    no_effect_crosses: Callable[[], Any] = gateways.no_effect_crosses
    feeds_queue: Callable[[bool], Any] = gateways.feeds_queue
    sends_back: Callable[[bool], Any] = gateways.sends_back
    waits_for_remote_site: Callable[[], Any] = gateways.waits_for_remote_site
    queues_before_return: Callable[[], Any] = gateways.queues_before_return
    queues_discarded: Callable[[], Any] = gateways.queues_discarded
    queue_place: Callable[[int], Any] = gateways.queue_place
    copies_of_queue: Callable[[tuple[str, ...]], Any] = gateways.copies_of_queue
    waits_for_copies: Callable[[], Any] = gateways.waits_for_copies
    queues_of_other_origin: Callable[[], Any] = gateways.queues_of_other_origin
    times_queued: Callable[[bool], Any] = gateways.times_queued
    secondary_remembers: Callable[[], Any] = gateways.secondary_remembers
    queued_clears_record: Callable[[], Any] = gateways.queued_clears_record
    remembers_queued_first: Callable[[], Any] = gateways.remembers_queued_first
    removal_clears_record: Callable[[], Any] = gateways.removal_clears_record
    starts_as_primary: Callable[[bool], Any] = gateways.starts_as_primary
    dispatches: Callable[[bool], Any] = gateways.dispatches
    takes_over: Callable[[], Any] = gateways.takes_over
    stays_eligible: Callable[[int, int], Any] = gateways.stays_eligible
    keeps_inherited: Callable[[], Any] = gateways.keeps_inherited
    merges_records: Callable[[], Any] = gateways.merges_records
    records_behind_queue: Callable[[], Any] = gateways.records_behind_queue
    records_in_order: Callable[[], Any] = gateways.records_in_order
    skipped_at_takeover: Callable[[int], Any] = gateways.skipped_at_takeover
    tracks_after_takeover: Callable[[], Any] = gateways.tracks_after_takeover
    next_of_queue: Callable[[int], Any] = gateways.next_of_queue
    batch_of: Callable[[int, int], Any] = gateways.batch_of
    settings_of: Callable[[str, tuple[str, ...]], Any] = gateways.settings_of
    full_batch_waits: Callable[[], Any] = gateways.full_batch_waits
    leaves_partial: Callable[[int, int], Any] = gateways.leaves_partial
    leaves_at_interval: Callable[[int], Any] = gateways.leaves_at_interval
    sends_while_unanswered: Callable[[], Any] = gateways.sends_while_unanswered
    removes_when_sent: Callable[[], Any] = gateways.removes_when_sent
    removed_by_reply: Callable[[int], Any] = gateways.removed_by_reply
    resends_unanswered: Callable[[], Any] = gateways.resends_unanswered
    resends_first: Callable[[], Any] = gateways.resends_first
    keeps_trying: Callable[[int], Any] = gateways.keeps_trying
    stays_without_receiver: Callable[[], Any] = gateways.stays_without_receiver
    reconnects: Callable[[], Any] = gateways.reconnects
    collects_while_unconnected: Callable[[], Any] = gateways.collects_while_unconnected
    replies_after_applying: Callable[[], Any] = gateways.replies_after_applying
    answers_when_stopped: Callable[[], Any] = gateways.answers_when_stopped
    tells_removals: Callable[[], Any] = gateways.tells_removals
    tells_removal_when_sent: Callable[[], Any] = gateways.tells_removal_when_sent
    range_removed: Callable[[int], Any] = gateways.range_removed
    depth_reported: Callable[[int, int], Any] = gateways.depth_reported
    next_of_wire: Callable[[int], Any] = gateways.next_of_wire
    applies_to_present: Callable[[bool], Any] = gateways.applies_to_present
    value_received: Callable[[str | None, str | None], Any] = gateways.value_received
    applies_repeated: Callable[[], Any] = gateways.applies_repeated
    receiver_tells: Callable[[tuple[str, ...]], Any] = gateways.receiver_tells
    applies_unrecorded: Callable[[], Any] = gateways.applies_unrecorded
    applies_same_site: Callable[[], Any] = gateways.applies_same_site
    applies_later_time: Callable[[], Any] = gateways.applies_later_time
    applies_earlier_time: Callable[[], Any] = gateways.applies_earlier_time
    applies_tie_of_higher_site: Callable[[], Any] = gateways.applies_tie_of_higher_site
    applies_tie_of_lower_site: Callable[[], Any] = gateways.applies_tie_of_lower_site
    keeps_later_time: Callable[[], Any] = gateways.keeps_later_time
    received_keeps_origin: Callable[[], Any] = gateways.received_keeps_origin

    def replaced(self) -> frozenset[str]:
        """Names of the decisions that are not answered as the documents of some dialect say."""
        return frozenset(
            field.name
            for field in dataclasses.fields(self)
            if (answer := getattr(self, field.name)) is not field.default
            and not is_documented(field.name, answer)
        )

    def with_free(self, *names: str) -> Rulebook:
        """The rulebook in which these decisions may be answered in any way."""
        return dataclasses.replace(self, **{name: DECISIONS[name].free for name in names})


def rulebook_of(dialect: Dialect) -> Rulebook:
    """The rulebook of a dialect: what its documents say, and the others without contradiction."""
    return dataclasses.replace(Rulebook(), **answers(dialect))


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


def _any_carrier(primary: str, member: str, copies: tuple[str, ...]) -> Free:
    return Free(tuple(dict.fromkeys((primary, *((member,) if member in copies else ())))))


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


def _any_batch(waiting: int, size: int) -> Free:
    right = min(waiting, size)
    return Free(tuple(dict.fromkeys((right, min(waiting, size + 1), 1))))


def _yes_or_no(*_: object) -> Free:
    return _YES_OR_NO


def _kept_or_replaced(earlier: tuple[Interest, ...], new: Interest) -> Free:
    return Free((interests.interests_kept(earlier, new), (new,), earlier))


def _left_or_gone(earlier: tuple[Interest, ...], withdrawn: Interest) -> Free:
    return Free((interests.interests_left(earlier, withdrawn), (), earlier))


def _moved_or_not(interest: Interest) -> Free:
    other = msgspec.structs.replace(interest, receive_values=not interest.receive_values)
    return Free((interest, None, other))


def _any_drop(covered: tuple[str, ...], held: tuple[str, ...]) -> Free:
    return Free((covered, held, ()))


def _any_load() -> Free:
    return Free((interests.LOADS_VALUES, interests.LOADS_KEYS, interests.LOADS_NOTHING))


def _all_but_one(keys: tuple[str, ...]) -> Free:
    return Free((keys, *(tuple(k for k in keys if k != without) for without in keys)))


def _compared_or_not(stamp: Stamp) -> Free:
    return Free((stamp, None, stamp._replace(version=stamp.version + 1)))


REPLICATED: dict[str, Decision] = {
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
    "remembers_unseen_destroy": Decision(("TOMB-RETAIN-05",), _yes_or_no),
    "compared_with_tombstone": Decision(("TOMB-RETAIN-02",), _compared_or_not),
    "goes_on_from": Decision(("TOMB-RETAIN-04",), lambda stamp: Free((stamp, None))),
    "tombstone_read_as": Decision(("TOMB-INVIS-01",), lambda: Free((EntryState.ABSENT, EntryState.INVALID))),
    "keeps_tombstone": Decision(("TOMB-RETAIN-01", "TOMB-RETAIN-03"), _yes_or_no),
    "stamp": Decision(("VER-STAMP-02", "VER-STAMP-01"), _any_stamp),
    "stamp_stored": Decision(("VER-STAMP-03", "VER-STAMP-01"), _any_stamp_stored),
    "image_includes": Decision(("VER-STAMP-04",), _yes_or_no),
    "value_stored": Decision(("CONS-RR-05",), _any_value),
    "value_stored_unchecked": Decision(("CFG-CHECKS-07",), _any_value),
    "recipients": Decision(("CONS-RR-04",), _any_recipients),
    "checks_in_force": Decision(("CFG-CHECKS-01",), _yes_or_no),
}
"""Decisions about replicated regions, which every example asks."""

POLICIES: dict[str, Decision] = {
    "ends_without_replicate": Decision(("CONS-NR-03",), _yes_or_no),
    "asks_another_replicate": Decision(("CONS-NR-03",), _yes_or_no),
    "recognises_asked_again": Decision(("CONS-NR-03",), _yes_or_no),
    "clear_goes_to_replicate": Decision(("CLEAR-NR-01",), _yes_or_no),
    "checks_less_than_replicate": Decision(("CONS-NR-01",), _yes_or_no),
    "stamp_taken_over": Decision(
        ("CONS-NR-02",),
        lambda given, caller: Free(
            (given, Stamp(given.version, caller), Stamp(1, given.member), Stamp(1, caller))
        ),
    ),
    "absent_goes_to_replicate": Decision(("CONS-NR-02",), _yes_or_no),
}
"""Decisions that only examples ask in which some member keeps less than a replicate."""

TOMBSTONES: dict[str, Decision] = {
    "age_counted_from": Decision(("TOMB-TTL-04",), lambda called, arrived: Free((called, arrived))),
    "tombstone_timeout": Decision(
        ("TOMB-TTL-02",), lambda named: Free((tombstones.tombstone_timeout(named), 480_000, 600_000))
    ),
    "other_timeout": Decision(
        ("TOMB-TTL-01",), lambda named: Free((tombstones.other_timeout(named), 480_000, 600_000))
    ),
    "others_remove_by_age": Decision(("TOMB-TTL-01",), _yes_or_no),
    "removed_by_age": Decision(("TOMB-TTL-02",), _yes_or_no),
    "has_expired": Decision(("TOMB-TTL-03",), _yes_or_no),
    "collects": Decision(("TOMB-TTL-03",), _yes_or_no),
    "collection_threshold": Decision(
        ("TOMB-GC-02",), lambda named: Free((tombstones.collection_threshold(named), 100_000))
    ),
    "counted_together": Decision(("TOMB-GC-03",), _yes_or_no),
    "sets_off_collection": Decision(("TOMB-GC-01",), _yes_or_no),
    "told_of_collection": Decision(("TOMB-GC-04",), _any_recipients),
    "overwrites_expired": Decision(("TOMB-GC-06",), _yes_or_no),
    "collects_replaced": Decision(("TOMB-GC-07",), _yes_or_no),
}
"""Decisions that only examples ask in which tombstones expire."""

CLEARING: dict[str, Decision] = {
    "clear_keeps_tombstones": Decision(("CLEAR-TOMB-01",), _yes_or_no),
    "clear_told": Decision(("CLEAR-TOMB-01",), lambda: Free((1, 0, 2))),
    "frees_lock_of_dead": Decision(("CLEAR-LIVE-01",), _yes_or_no),
    "shuts_out": Decision(("CLEAR-LOCK-01",), _yes_or_no),
    "clear_waits_for_updates": Decision(("CLEAR-LOCK-02", "CLEAR-CONV-01"), _yes_or_no),
    "cleared_with": Decision(("CLEAR-CONV-01",), _any_recipients),
}
"""Decisions that only examples ask in which a region is cleared."""

GAUGES: dict[str, Decision] = {
    "tombstones_reported": Decision(
        ("STAT-TOMB-01",), lambda count, present: Free((count, present, 0, count + 1))
    ),
    "collections_counted": Decision(("STAT-TOMB-02",), lambda removed: Free((1, 0, removed))),
    "adds_to_size": Decision(("STAT-TOMB-03",), _yes_or_no),
}
"""Decisions that only examples ask in which tombstones are counted."""

PARTITIONED: dict[str, Decision] = {
    "carried_out_at": Decision(("CONS-PR-01",), _any_carrier),
    "locks_key": Decision(("CONS-PR-02",), _yes_or_no),
    "works_off_in_order": Decision(("CONS-PR-03",), _yes_or_no),
    "copies_sent": Decision(("CONS-PR-04",), _any_recipients),
    "copies_awaited": Decision(("CONS-PR-04",), _any_recipients),
    "synchronises": Decision(("CONS-PR-05",), _yes_or_no),
    "keeps_copies": Decision(("CONS-PR-05",), _yes_or_no),
    "loaded_from": Decision(("INT-BULK-02",), lambda server, members: Free((members, (server,)))),
}
"""Decisions that only examples with partitioned regions ask."""

CLIENTS: dict[str, Decision] = {
    "sends_local": Decision(("S2C-OPS-05",), _yes_or_no),
    "loads_of_others": Decision(("INT-BULK-03",), _yes_or_no),
    "forwards_updates": Decision(("C2S-OPS-01",), _yes_or_no),
    "forwards_destroy_of_held": Decision(("C2S-OPS-02",), _yes_or_no),
    "forwards_destroy_of_absent": Decision(("C2S-OPS-03",), _yes_or_no),
    "forwards_invalidates": Decision(("C2S-OPS-06", "C2S-OPS-07", "CONS-CL-02"), _yes_or_no),
    "forwards_local": Decision(("C2S-LOCAL-01",), _yes_or_no),
    "writer_runs_first": Decision(("C2S-PIPE-01",), _yes_or_no),
    "client_applies_first": Decision(("C2S-PIPE-01",), _yes_or_no),
    "client_writer_aborts": Decision(("C2S-ABORT-01",), _yes_or_no),
    "server_writer_aborts": Decision(("C2S-ABORT-02",), _yes_or_no),
    "keeps_vetoed": Decision(("C2S-ABORT-02",), _yes_or_no),
    "cleared_at_server": Decision(("C2S-OPS-05",), lambda keys, held: Free((keys, held, ()))),
    "forwards_region_destroy": Decision(("C2S-OPS-04",), _yes_or_no),
    "forwards_local_region_destroy": Decision(("C2S-OPS-04",), _yes_or_no),
    "sends_region_destroys": Decision(("S2C-OPS-03",), _yes_or_no),
    "sends_clears": Decision(("S2C-OPS-04",), _yes_or_no),
    "clears_uncovered": Decision(("S2C-OPS-04",), _yes_or_no),
    "sends_region_invalidates": Decision(("S2C-OPS-06",), _yes_or_no),
    "expression_covers": Decision(("INT-REGEX-01",), _yes_or_no),
    "accepts_expression": Decision(("INT-REGEX-02",), _yes_or_no),
    "refusal_keeps_list": Decision(("INT-REGEX-02",), _yes_or_no),
    "interests_kept": Decision(("INT-UNION-01",), _kept_or_replaced),
    "interests_left": Decision(("INT-UNION-01",), _left_or_gone),
    "in_force_on_return": Decision(("INT-REG-01",), _yes_or_no),
    "outlasts_destroy": Decision(("INT-REG-02",), _yes_or_no),
    "dropped_for_keys": Decision(("INT-CLEAR-01",), _any_drop),
    "dropped_for_expression": Decision(("INT-CLEAR-02",), _any_drop),
    "drop_is_local": Decision(("INT-CLEAR-03",), _yes_or_no),
    "unnamed_loads": Decision(("INT-POLICY-03",), _any_load),
    "keys_load": Decision(("INT-POLICY-01",), _any_load),
    "keys_values_load": Decision(("INT-POLICY-02",), _any_load),
    "none_loads": Decision(("INT-POLICY-04",), _any_load),
    "none_drops": Decision(("INT-POLICY-04",), _yes_or_no),
    "loaded_of": Decision(("INT-BULK-01",), _all_but_one),
    "registration_tells": Decision(("INT-NOEVT-01",), _yes_or_no),
    "sends_uninterested": Decision(("S2C-INT-01",), _yes_or_no),
    "times_sent": Decision(("INT-UNION-02", "S2C-RECV-05", "TRK-ONCE-01"), lambda *_: Free((1, 0, 2))),
    "sends_to_caller": Decision(("C2S-PROP-02",), _yes_or_no),
    "sends_of_clients": Decision(("C2S-PROP-01",), _yes_or_no),
    "sends_of_peers": Decision(("S2C-OPS-07", "C2S-PROP-05"), _yes_or_no),
    "sends_invalidates": Decision(("S2C-OPS-01",), _yes_or_no),
    "sends_destroys": Decision(("S2C-OPS-02",), _yes_or_no),
    "value_for_values": Decision(("S2C-RECV-01",), _yes_or_no),
    "value_for_invalidations": Decision(("S2C-RECV-02",), _yes_or_no),
    "invalidates_absent": Decision(("S2C-RECV-03",), lambda _: Free(tuple(subscriptions.Absent))),
    "get_asks_server": Decision(("S2C-RECV-04",), _yes_or_no),
    "keeps_fetched": Decision(("S2C-RECV-04",), _yes_or_no),
    "waits_for_subscribers": Decision(("TRK-ASYNC-01",), _yes_or_no),
    "queue_for": Decision(("TRK-ORDER-01", "TRK-SINGLE-01"), lambda key: Free(("", key))),
    "applies_unprocessed": Decision(("C2S-PROP-03",), _yes_or_no),
    "keeps_sending": Decision(("C2S-PROP-04",), _yes_or_no),
    "compares_answers": Decision(("CONS-CL-01",), _yes_or_no),
    "compares_discarded": Decision(("DISC-CLIENT-01",), _yes_or_no),
    "client_compares": Decision(("TRK-ORDER-02", "TRK-EXPIRE-03", "CONS-CL-01"), _yes_or_no),
    "registers_at_secondaries": Decision(("INT-REG-01",), _yes_or_no),
    "copies_keep_identity": Decision(("TRK-ID-01",), _yes_or_no),
    "is_repeated": Decision(("TRK-DUP-01", "TRK-DUP-02"), _yes_or_no),
    "forgets": Decision(("TRK-EXPIRE-02",), _yes_or_no),
    "server_recognises": Decision(("TRK-HIGH-01",), _yes_or_no),
    "notes_of_peers": Decision(("TRK-HIGH-01",), _yes_or_no),
    "retries_keep_identity": Decision(("TRK-HIGH-01",), _yes_or_no),
    "keeps_tracks": Decision(("FO-HA-03", "TRK-DUP-02"), _yes_or_no),
    "secondary_queues": Decision(("FO-HA-01", "FO-HA-05"), _yes_or_no),
    "removes_copies_when_sent": Decision(("FO-HA-04",), _yes_or_no),
    "resumes_at_once": Decision(("FO-HA-02",), _yes_or_no),
    "promoted": Decision(("FO-HA-06",), Free),
    "others_keep_copies": Decision(("FO-HA-07",), _yes_or_no),
    "fails_over": Decision(("FO-AUTO-01",), _yes_or_no),
    "keeps_looking": Decision(("FO-NONHA-02",), _yes_or_no),
    "starts_anew": Decision(("FO-NONHA-01",), _yes_or_no),
    "drains_first": Decision(("FO-NONHA-08",), _yes_or_no),
    "drops_anew": Decision(("FO-NONHA-07", "FO-NONHA-03"), _yes_or_no),
    "drops_uncovered_anew": Decision(("FO-NONHA-04",), _yes_or_no),
    "fetches_anew": Decision(("FO-NONHA-03",), _yes_or_no),
    "anew_tells": Decision(("FO-NONHA-06",), _yes_or_no),
    "moves_interest": Decision(("FO-NONHA-09",), _moved_or_not),
    "serves_client": Decision(("CFG-CHECKS-05",), _yes_or_no),
    "client_takes": Decision(("CFG-CHECKS-05",), _yes_or_no),
}
"""Decisions that only examples with clients ask."""

GATEWAYS: dict[str, Decision] = {
    "queued_clears_record": Decision(("SER-SECONDARY-02",), _yes_or_no),
    "removal_clears_record": Decision(("SER-SECONDARY-05",), _yes_or_no),
    "create_crosses": Decision(("WAN-OPS-01",), _yes_or_no),
    "put_crosses": Decision(("WAN-OPS-02",), _yes_or_no),
    "destroy_crosses": Decision(("WAN-OPS-03",), _yes_or_no),
    "get_crosses": Decision(("WAN-OPS-04",), _yes_or_no),
    "invalidate_crosses": Decision(("WAN-OPS-05",), _yes_or_no),
    "local_destroy_crosses": Decision(("WAN-OPS-06",), _yes_or_no),
    "region_operations_cross": Decision(("WAN-OPS-08", "CLEAR-SCOPE-01"), _yes_or_no),
    "expirations_cross": Decision(("WAN-OPS-07",), _yes_or_no),
    "no_effect_crosses": Decision(("WAN-OPS-10", "WAN-OPS-09"), _yes_or_no),
    "feeds_queue": Decision(("WAN-CFG-01", "SHQ-CREATE-01"), _yes_or_no),
    "sends_back": Decision(("SER-ENQ-01",), _yes_or_no),
    "waits_for_remote_site": Decision(("WAN-ASYNC-01", "WANC-ASYNC-01", "GWQ-RETRY-07"), _yes_or_no),
    "queues_before_return": Decision(("WAN-ASYNC-02",), _yes_or_no),
    "queues_discarded": Decision(("WANC-LOCAL-01",), _yes_or_no),
    "queue_place": Decision(
        ("WAN-ORDER-01",), lambda length: Free(tuple(dict.fromkeys((length, 0, max(length - 1, 0)))))
    ),
    "copies_of_queue": Decision(("SHQ-TYPE-01", "SHQ-CREATE-01"), _any_recipients),
    "waits_for_copies": Decision(("REM-SCOPE-01",), _yes_or_no),
    "queues_of_other_origin": Decision(("SER-ENQ-01", "SER-SECONDARY-04"), _yes_or_no),
    "times_queued": Decision(("SER-ENQ-01", "GWQ-ACK-04"), lambda *_: Free((1, 0, 2))),
    "secondary_remembers": Decision(("SER-SECONDARY-01", "SER-ENQ-02"), _yes_or_no),
    "remembers_queued_first": Decision(("SER-SECONDARY-03", "SER-SECONDARY-04"), _yes_or_no),
    "starts_as_primary": Decision(("SER-PRIMARY-02",), _yes_or_no),
    "dispatches": Decision(("SER-PRIMARY-03", "SER-PRIMARY-01", "GWQ-PROC-01"), _yes_or_no),
    "takes_over": Decision(("SER-PRIMARY-04", "SER-PRIMARY-05"), _yes_or_no),
    "stays_eligible": Decision(("SER-PRIMARY-06",), _yes_or_no),
    "keeps_inherited": Decision(("SER-FAILOVER-01", "GWQ-ACK-03"), _yes_or_no),
    "merges_records": Decision(("SER-FAILOVER-01", "SER-ENQ-02"), _yes_or_no),
    "records_behind_queue": Decision(("SER-FAILOVER-02",), _yes_or_no),
    "records_in_order": Decision(("SER-FAILOVER-02",), _yes_or_no),
    "skipped_at_takeover": Decision(
        ("REM-SERIAL-04",), lambda inherited: Free(tuple(range(min(inherited, 3) + 1)))
    ),
    "tracks_after_takeover": Decision(("SER-SECONDARY-06",), _yes_or_no),
    "next_of_queue": Decision(
        ("GWQ-BATCH-06", "WAN-ORDER-01", "SHQ-FIFO-01"), lambda unsent: Free(tuple(range(min(unsent, 3))))
    ),
    "batch_of": Decision(("GWQ-BATCH-01", "GWQ-BATCH-04"), _any_batch),
    "settings_of": Decision(("GWQ-BATCH-05",), lambda queue, others: Free((queue, *others))),
    "full_batch_waits": Decision(("GWQ-BATCH-02",), _yes_or_no),
    "leaves_partial": Decision(("GWQ-BATCH-04",), _yes_or_no),
    "leaves_at_interval": Decision(("GWQ-BATCH-03", "GWQ-BATCH-07"), _yes_or_no),
    "sends_while_unanswered": Decision(("GWQ-ACK-05",), _yes_or_no),
    "removes_when_sent": Decision(("GWQ-ACK-01", "GWQ-PROC-02"), _yes_or_no),
    "removed_by_reply": Decision(
        ("GWQ-ACK-02", "SHQ-FIFO-02"), lambda answered: Free((answered, answered + 1, max(answered - 1, 0)))
    ),
    "resends_unanswered": Decision(("GWQ-RETRY-01", "GWQ-ACK-06"), _yes_or_no),
    "resends_first": Decision(("WAN-ORDER-03", "GWQ-RETRY-05"), _yes_or_no),
    "keeps_trying": Decision(("GWQ-RETRY-02",), _yes_or_no),
    "stays_without_receiver": Decision(("GWQ-RETRY-03",), _yes_or_no),
    "reconnects": Decision(("GWQ-RETRY-04",), _yes_or_no),
    "collects_while_unconnected": Decision(("GWQ-RETRY-05", "WAN-ASYNC-01"), _yes_or_no),
    "replies_after_applying": Decision(("GWQ-PROC-02", "GWQ-ACK-06"), _yes_or_no),
    "answers_when_stopped": Decision(("RCV-RETRY-02",), _yes_or_no),
    "tells_removals": Decision(("REM-SERIAL-02", "SER-FAILOVER-03"), _yes_or_no),
    "tells_removal_when_sent": Decision(("REM-GEN-01",), _yes_or_no),
    "range_removed": Decision(("REM-SERIAL-03",), lambda last: Free((last, last + 1, last - 1))),
    "depth_reported": Decision(
        ("STAT-QUEUE-01",), lambda queued, unanswered: Free((queued, queued - unanswered, queued + 1, 0))
    ),
    "next_of_wire": Decision(("RCV-APPLY-01",), lambda waiting: Free(tuple(range(min(waiting, 3))))),
    "applies_to_present": Decision(("WAN-OPS-02", "WAN-OPS-01"), _yes_or_no),
    "value_received": Decision(("RCV-APPLY-01", "WAN-OPS-02"), _any_value),
    "applies_repeated": Decision(("RCV-DEDUP-01",), _yes_or_no),
    "receiver_tells": Decision(("WANC-PEER-01",), _any_recipients),
    "applies_unrecorded": Decision(("WANC-NEW-01",), _yes_or_no),
    "applies_same_site": Decision(("WANC-SAME-01",), _yes_or_no),
    "compared_between_sites": Decision(("WANC-TOMB-01",), _yes_or_no),
    "applies_later_time": Decision(("WANC-TS-01", "WANC-CHK-01"), _yes_or_no),
    "applies_earlier_time": Decision(("WANC-TS-02", "WANC-CHK-01"), _yes_or_no),
    "applies_tie_of_higher_site": Decision(("WANC-TIE-01",), _yes_or_no),
    "applies_tie_of_lower_site": Decision(("WANC-TIE-02",), _yes_or_no),
    "keeps_later_time": Decision(("WANC-LOCAL-02",), _yes_or_no),
    "received_keeps_origin": Decision(("WANC-PEER-01", "WANC-META-01"), _yes_or_no),
}
"""Decisions that only examples with gateway senders ask."""

DECISIONS: dict[str, Decision] = {
    **REPLICATED,
    **TOMBSTONES,
    **CLEARING,
    **GAUGES,
    **POLICIES,
    **PARTITIONED,
    **CLIENTS,
    **GATEWAYS,
}
"""Every decision by name, narrow ones first; the field of the same name in `Rulebook` answers it."""
