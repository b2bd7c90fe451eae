"""The rulebook: one field per decision, answered as the documents say.

Knows nothing of which requirements a decision carries (`decisions`), nor of models or logs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cached_property
from typing import Any

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.operations import Interest, OperationKind, RegionPolicy, Status
from plumbline.reference.rulebook import (
    checking,
    clearing,
    clients,
    failover,
    gateways,
    interests,
    partitioned,
    policies,
    replicated,
    resolvers,
    subscriptions,
    tombstones,
    transactions,
)
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.dialects import answers, is_documented
from plumbline.reference.rulebook.resolvers import Told
from plumbline.reference.rulebook.values import EntryState, Stamp


@dataclasses.dataclass(frozen=True)
class Rulebook:
    """All decisions. The defaults are what the documents say; of two that contradict each other, the older.

    See `replicated`, `tombstones`, `policies`, `partitioned`, `clients`, `interests`, `subscriptions`,
    `failover`, `gateways` and `resolvers` for each, and `dialects` for where the documents part.
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
    setting_obeyed: Callable[[bool | None, tuple[bool | None, ...]], Any] = checking.setting_obeyed
    keeps_tombstone_unchecked: Callable[[], Any] = checking.keeps_tombstone_unchecked
    counts_unchecked: Callable[[], Any] = checking.counts_unchecked
    versions_of_commit: Callable[[int], Any] = transactions.versions_of_commit
    stamped_at_commit: Callable[[], Any] = transactions.stamped_at_commit
    commit_stamp_stored: Callable[[Stamp, str], Any] = transactions.commit_stamp_stored
    applies_before_commit: Callable[[OperationKind], Any] = transactions.applies_before_commit
    rollback_applies: Callable[[bool], Any] = transactions.rollback_applies
    stamp_rolled_back: Callable[[Stamp], Any] = transactions.stamp_rolled_back
    transaction_host: Callable[[str, tuple[str, ...]], Any] = transactions.transaction_host
    commits_elsewhere: Callable[[], Any] = transactions.commits_elsewhere
    refuses_local_in_transaction: Callable[[OperationKind], Any] = transactions.refuses_local_in_transaction
    takes_in_transaction: Callable[[OperationKind], Any] = transactions.takes_in_transaction
    commit_keeps_tombstone: Callable[[], Any] = transactions.commit_keeps_tombstone
    commit_yields: Callable[[], Any] = transactions.commit_yields
    setting_of_joiner: Callable[[bool, bool], Any] = checking.setting_of_joiner
    setting_of_persistent: Callable[[bool], Any] = checking.setting_of_persistent
    sends_discarded_unchecked: Callable[[], Any] = checking.sends_discarded_unchecked
    keeps_tombstone: Callable[[RegionPolicy, bool], Any] = tombstones.keeps_tombstone
    remembers_unseen_destroy: Callable[[bool], Any] = tombstones.remembers_unseen_destroy
    compared_with_tombstone: Callable[[Stamp], Any] = tombstones.compared_with_tombstone
    goes_on_from: Callable[[Stamp], Any] = tombstones.goes_on_from
    tombstone_read_as: Callable[[], Any] = tombstones.tombstone_read_as
    checks_less_than_replicate: Callable[[], Any] = policies.checks_less_than_replicate
    absent_goes_to_replicate: Callable[[], Any] = policies.absent_goes_to_replicate
    stamp_taken_over: Callable[[Stamp, str], Any] = policies.stamp_taken_over
    takes_destroy_of_invalid: Callable[[], Any] = policies.takes_destroy_of_invalid
    stamp_of_fetched: Callable[[Stamp, str], Any] = policies.stamp_of_fetched
    told_by_less_than_replicate: Callable[[tuple[str, ...], tuple[str, ...]], Any] = (
        policies.told_by_less_than_replicate
    )
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
    told_of_collection: Callable[[tuple[str, ...], tuple[str, ...]], Any] = tombstones.told_of_collection
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
    sends_overheard: Callable[[], Any] = partitioned.sends_overheard
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
    client_keeps_tombstone: Callable[[], Any] = clients.client_keeps_tombstone
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
    expirations_cross: Callable[[bool], Any] = gateways.expirations_cross
    no_effect_crosses: Callable[[], Any] = gateways.no_effect_crosses
    feeds_queue: Callable[[bool], Any] = gateways.feeds_queue
    sends_back: Callable[[bool], Any] = gateways.sends_back
    goes_on: Callable[[bool, bool], Any] = gateways.goes_on
    lists_writer: Callable[[], Any] = gateways.lists_writer
    refused_goes_on: Callable[[], Any] = gateways.refused_goes_on
    waits_for_remote_site: Callable[[], Any] = gateways.waits_for_remote_site
    queues_before_return: Callable[[], Any] = gateways.queues_before_return
    queues_discarded: Callable[[], Any] = gateways.queues_discarded
    group_of: Callable[[str, str, str, int], Any] = gateways.group_of
    queue_place: Callable[[int], Any] = gateways.queue_place
    copies_of_queue: Callable[[tuple[str, ...]], Any] = gateways.copies_of_queue
    waits_for_copies: Callable[[], Any] = gateways.waits_for_copies
    queues_of_other_origin: Callable[[], Any] = gateways.queues_of_other_origin
    times_queued: Callable[[bool], Any] = gateways.times_queued
    secondary_remembers: Callable[[OperationKind, bool], Any] = gateways.secondary_remembers
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
    dated_after_stored: Callable[[bool], Any] = gateways.dated_after_stored
    decided_by_time: Callable[[int], Any] = gateways.decided_by_time
    is_higher_site: Callable[[int, int], Any] = gateways.is_higher_site
    decides_ties_of_others: Callable[[], Any] = gateways.decides_ties_of_others
    asks_resolver: Callable[[bool], Any] = resolvers.asks_resolver
    asks_without_conflict: Callable[[bool], Any] = resolvers.asks_without_conflict
    told_to_resolver: Callable[[Told], Any] = resolvers.told_to_resolver
    applies_allowed: Callable[[bool], Any] = resolvers.applies_allowed
    compares_allowed: Callable[[], Any] = resolvers.compares_allowed
    applies_disallowed: Callable[[bool], Any] = resolvers.applies_disallowed
    announces_disallowed: Callable[[], Any] = resolvers.announces_disallowed
    takes_time_of_allowed: Callable[[], Any] = resolvers.takes_time_of_allowed
    takes_time_of_disallowed: Callable[[], Any] = resolvers.takes_time_of_disallowed
    value_replaced: Callable[[str | None, str | None], Any] = resolvers.value_replaced
    goes_on_after_error: Callable[[], Any] = resolvers.goes_on_after_error

    def replaced(self) -> frozenset[str]:
        """Names of the decisions that are not answered as the documents of some dialect say."""
        return self._replaced

    @cached_property
    def _replaced(self) -> frozenset[str]:
        """What `replaced` tells: looked up once, as it is asked several times for each history."""
        return frozenset(
            field.name
            for field in dataclasses.fields(self)
            if (answer := getattr(self, field.name)) is not field.default
            and not is_documented(field.name, answer)
        )

    def with_free(self, *names: str) -> Rulebook:
        """The rulebook in which these decisions may be answered in any way.

        A copy of all answers: naming asks for hundreds of each history, and to set each answer anew, and then
        look each up, took longer than many a search.
        """
        freed = object.__new__(type(self))
        free = {name: DECISIONS[name].free for name in names}
        vars(freed).update(vars(self) | free | {"_replaced": self._replaced.union(names)})
        return freed


def rulebook_of(dialect: Dialect) -> Rulebook:
    """The rulebook of a dialect: what its documents say, and the others without contradiction."""
    return dataclasses.replace(Rulebook(), **answers(dialect))
