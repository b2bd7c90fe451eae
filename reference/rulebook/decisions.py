"""The decisions: what is known of each, by the examples that ask it.

Knows nothing of how the documents answer them: that is the field of the same name in `Rulebook`.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from plumbline.reference.rulebook import subscriptions, tombstones
from plumbline.reference.rulebook.decision import (
    Decision,
    all_but_one,
    any_batch,
    any_carrier,
    any_counters,
    any_drop,
    any_load,
    any_recipients,
    any_stamp,
    any_stamp_stored,
    any_status,
    any_told,
    any_value,
    compared_or_not,
    kept_or_replaced,
    left_or_gone,
    merged,
    moved_or_not,
    yes_or_no,
)
from plumbline.reference.rulebook.values import EntryState, Free, Stamp

REPLICATED: dict[str, Decision] = {
    "waits_for_other_writers": Decision(("CONS-RR-01", "EX-A3C3-01"), yes_or_no),
    "applies_while_another_is_under_way": Decision(("EX-A3C3-02",), yes_or_no),
    "status_of_loser": Decision(("CONS-RR-02",), any_status),
    "stores_before_checking": Decision(("CONS-RR-03",), yes_or_no),
    "counted_by": Decision(("STAT-CONFLATED-01", "STAT-CONFLATED-02"), any_counters),
    "counts_applied": Decision(("STAT-CONFLATED-01",), yes_or_no),
    "announces_discarded": Decision(("DISC-LSN-01",), yes_or_no),
    "announcements_of_applied": Decision(("DISC-APPLIED-01", "DISC-LSN-01"), lambda *_: Free((1, 0, 2))),
    "applies_same_stamp": Decision(("VER-DUP-01",), yes_or_no),
    "applies_newer": Decision(("VER-CMP-01",), yes_or_no),
    "applies_older": Decision(("VER-CMP-02",), yes_or_no),
    "applies_tie_of_higher": Decision(("VER-TIE-01", "EX-A3C3-04"), yes_or_no),
    "applies_tie_of_lower": Decision(("VER-TIE-02", "EX-A3C3-03"), yes_or_no),
    "is_higher": Decision(("VER-ID-01", "VER-TIE-03", "EX-A3C3-05"), yes_or_no),
    "takes_part": Decision(("VER-OPS-01",), yes_or_no),
    "remembers_unseen_destroy": Decision(("TOMB-RETAIN-05", "WANC-NEW-01"), yes_or_no),
    "compared_with_tombstone": Decision(("TOMB-RETAIN-02",), compared_or_not),
    "goes_on_from": Decision(("TOMB-RETAIN-04",), lambda stamp: Free((stamp, None))),
    "tombstone_read_as": Decision(("TOMB-INVIS-01",), lambda: Free((EntryState.ABSENT, EntryState.INVALID))),
    "keeps_tombstone": Decision(("TOMB-RETAIN-01", "TOMB-RETAIN-03"), yes_or_no),
    "stamp": Decision(("VER-STAMP-02", "VER-STAMP-01"), any_stamp),
    "stamp_stored": Decision(("VER-STAMP-03", "VER-STAMP-01"), any_stamp_stored),
    "image_includes": Decision(("VER-STAMP-04",), yes_or_no),
    "value_stored": Decision(("CONS-RR-05",), any_value),
    "value_stored_unchecked": Decision(("CFG-CHECKS-07",), any_value),
    "recipients": Decision(("CONS-RR-04",), any_recipients),
    "checks_in_force": Decision(("CFG-CHECKS-01",), yes_or_no),
}
"""Decisions about replicated regions, which every example asks."""

CHECKING: dict[str, Decision] = {
    "setting_obeyed": Decision(
        ("CFG-CHECKS-03",), lambda own, _: Free(tuple(dict.fromkeys((own, True, False))))
    ),
    "keeps_tombstone_unchecked": Decision(("CFG-CHECKS-08",), yes_or_no),
    "counts_unchecked": Decision(("CFG-CHECKS-08",), yes_or_no),
    "sends_discarded_unchecked": Decision(("CFG-CHECKS-06",), yes_or_no),
}
"""Decisions that only examples ask in which consistency checking is set for a region or client."""

HOSTING: dict[str, Decision] = {
    "setting_of_joiner": Decision(("CFG-CHECKS-04",), yes_or_no),
    "setting_of_persistent": Decision(("CFG-CHECKS-02",), yes_or_no),
}
"""Decisions that only examples ask in which a member hosts a region with settings of its own."""

POLICIES: dict[str, Decision] = {
    "ends_without_replicate": Decision(("CONS-NR-03",), yes_or_no),
    "asks_another_replicate": Decision(("CONS-NR-03",), yes_or_no),
    "recognises_asked_again": Decision(("CONS-NR-03",), yes_or_no),
    "clear_goes_to_replicate": Decision(("CLEAR-NR-01",), yes_or_no),
    "checks_less_than_replicate": Decision(("CONS-NR-01",), yes_or_no),
    "stamp_taken_over": Decision(
        ("CONS-NR-02",),
        lambda given, caller: Free(
            (given, Stamp(given.version, caller), Stamp(1, given.member), Stamp(1, caller))
        ),
    ),
    "absent_goes_to_replicate": Decision(("CONS-NR-02",), yes_or_no),
    "takes_destroy_of_invalid": Decision(("CONS-NR-01",), yes_or_no),
    "stamp_of_fetched": Decision(
        ("CONS-NR-01",), lambda given, reader: Free((given, Stamp(0, reader), Stamp(1, reader)))
    ),
    "told_by_less_than_replicate": Decision(
        ("CONS-NR-01",), lambda others, replicates: Free((others, replicates))
    ),
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
    "others_remove_by_age": Decision(("TOMB-TTL-01",), yes_or_no),
    "removed_by_age": Decision(("TOMB-TTL-02",), yes_or_no),
    "has_expired": Decision(("TOMB-TTL-03",), yes_or_no),
    "collects": Decision(("TOMB-TTL-03",), yes_or_no),
    "collection_threshold": Decision(
        ("TOMB-GC-02",), lambda named: Free((tombstones.collection_threshold(named), 100_000))
    ),
    "counted_together": Decision(("TOMB-GC-03",), yes_or_no),
    "sets_off_collection": Decision(("TOMB-GC-01",), yes_or_no),
    "told_of_collection": Decision(("TOMB-GC-04",), any_recipients),
    "overwrites_expired": Decision(("TOMB-GC-06",), yes_or_no),
    "collects_replaced": Decision(("TOMB-GC-07",), yes_or_no),
}
"""Decisions that only examples ask in which tombstones expire."""

CLEARING: dict[str, Decision] = {
    "clear_keeps_tombstones": Decision(("CLEAR-TOMB-01",), yes_or_no),
    "clear_told": Decision(("CLEAR-TOMB-01",), lambda: Free((1, 0, 2))),
    "frees_lock_of_dead": Decision(("CLEAR-LIVE-01",), yes_or_no),
    "shuts_out": Decision(("CLEAR-LOCK-01",), yes_or_no),
    "clear_waits_for_updates": Decision(("CLEAR-LOCK-02", "CLEAR-CONV-01"), yes_or_no),
    "cleared_with": Decision(("CLEAR-CONV-01",), any_recipients),
}
"""Decisions that only examples ask in which a region is cleared."""

GAUGES: dict[str, Decision] = {
    "tombstones_reported": Decision(
        ("STAT-TOMB-01",), lambda count, present: Free((count, present, 0, count + 1))
    ),
    "collections_counted": Decision(("STAT-TOMB-02",), lambda removed: Free((1, 0, removed))),
    "adds_to_size": Decision(("STAT-TOMB-03",), yes_or_no),
}
"""Decisions that only examples ask in which tombstones are counted."""

TRANSACTIONS: dict[str, Decision] = {
    "refuses_local_in_transaction": Decision(("TX-LIMIT-01",), yes_or_no),
    "takes_in_transaction": Decision(("TX-LIMIT-02",), yes_or_no),
    "commits_elsewhere": Decision(("TX-DELEG-01",), yes_or_no),
    "transaction_host": Decision(("TX-DELEG-01",), lambda caller, replicates: Free((*replicates, caller))),
    "stamp_rolled_back": Decision(
        ("TX-VER-02",), lambda stamp: Free((stamp, replace(stamp, version=stamp.version + 1)))
    ),
    "rollback_applies": Decision(("TX-VER-02",), yes_or_no),
    "commit_keeps_tombstone": Decision(("TX-LIMIT-02",), yes_or_no),
    "commit_yields": Decision(("TX-CONV-01",), yes_or_no),
    "versions_of_commit": Decision(
        ("TX-VER-01",), lambda touched: Free(tuple(dict.fromkeys((1, touched, touched + 1))))
    ),
    "stamped_at_commit": Decision(("TX-VER-01",), yes_or_no),
    "commit_stamp_stored": Decision(
        ("TX-VER-01",),
        lambda incoming, receiver: Free(
            (incoming, replace(incoming, member=receiver), Stamp(incoming.version + 1, receiver))
        ),
    ),
    "applies_before_commit": Decision(("TX-VER-02",), yes_or_no),
}
"""Decisions that only examples ask in which there are transactions."""

PARTITIONED: dict[str, Decision] = {
    "carried_out_at": Decision(("CONS-PR-01",), any_carrier),
    "locks_key": Decision(("CONS-PR-02",), yes_or_no),
    "works_off_in_order": Decision(("CONS-PR-03",), yes_or_no),
    "copies_sent": Decision(("CONS-PR-04",), any_recipients),
    "copies_awaited": Decision(("CONS-PR-04",), any_recipients),
    "synchronises": Decision(("CONS-PR-05",), yes_or_no),
    "keeps_copies": Decision(("CONS-PR-05",), yes_or_no),
    "sends_overheard": Decision(("S2C-OPS-07",), yes_or_no),
    "loaded_from": Decision(("INT-BULK-02",), lambda server, members: Free((members, (server,)))),
}
"""Decisions that only examples with partitioned regions ask."""

CLIENTS: dict[str, Decision] = {
    "sends_local": Decision(("S2C-OPS-05",), yes_or_no),
    "loads_of_others": Decision(("INT-BULK-03",), yes_or_no),
    "forwards_updates": Decision(("C2S-OPS-01",), yes_or_no),
    "forwards_destroy_of_held": Decision(("C2S-OPS-02",), yes_or_no),
    "forwards_destroy_of_absent": Decision(("C2S-OPS-03",), yes_or_no),
    "forwards_invalidates": Decision(("C2S-OPS-06", "C2S-OPS-07", "CONS-CL-02"), yes_or_no),
    "forwards_local": Decision(("C2S-LOCAL-01",), yes_or_no),
    "writer_runs_first": Decision(("C2S-PIPE-01",), yes_or_no),
    "client_keeps_tombstone": Decision(("CONS-CL-03",), yes_or_no),
    "client_applies_first": Decision(("C2S-PIPE-01",), yes_or_no),
    "client_writer_aborts": Decision(("C2S-ABORT-01",), yes_or_no),
    "server_writer_aborts": Decision(("C2S-ABORT-02",), yes_or_no),
    "keeps_vetoed": Decision(("C2S-ABORT-02",), yes_or_no),
    "cleared_at_server": Decision(("C2S-OPS-05",), lambda keys, held: Free((keys, held, ()))),
    "forwards_region_destroy": Decision(("C2S-OPS-04",), yes_or_no),
    "forwards_local_region_destroy": Decision(("C2S-OPS-04",), yes_or_no),
    "sends_region_destroys": Decision(("S2C-OPS-03",), yes_or_no),
    "sends_clears": Decision(("S2C-OPS-04",), yes_or_no),
    "clears_uncovered": Decision(("S2C-OPS-04",), yes_or_no),
    "sends_region_invalidates": Decision(("S2C-OPS-06",), yes_or_no),
    "expression_covers": Decision(("INT-REGEX-01",), yes_or_no),
    "accepts_expression": Decision(("INT-REGEX-02",), yes_or_no),
    "refusal_keeps_list": Decision(("INT-REGEX-02",), yes_or_no),
    "interests_kept": Decision(("INT-UNION-01",), kept_or_replaced),
    "interests_left": Decision(("INT-UNION-01",), left_or_gone),
    "in_force_on_return": Decision(("INT-REG-01",), yes_or_no),
    "outlasts_destroy": Decision(("INT-REG-02",), yes_or_no),
    "dropped_for_keys": Decision(("INT-CLEAR-01",), any_drop),
    "dropped_for_expression": Decision(("INT-CLEAR-02",), any_drop),
    "drop_is_local": Decision(("INT-CLEAR-03",), yes_or_no),
    "unnamed_loads": Decision(("INT-POLICY-03",), any_load),
    "keys_load": Decision(("INT-POLICY-01",), any_load),
    "keys_values_load": Decision(("INT-POLICY-02",), any_load),
    "none_loads": Decision(("INT-POLICY-04",), any_load),
    "none_drops": Decision(("INT-POLICY-04",), yes_or_no),
    "loaded_of": Decision(("INT-BULK-01",), all_but_one),
    "registration_tells": Decision(("INT-NOEVT-01",), yes_or_no),
    "sends_uninterested": Decision(("S2C-INT-01",), yes_or_no),
    "times_sent": Decision(("INT-UNION-02", "S2C-RECV-05", "TRK-ONCE-01"), lambda *_: Free((1, 0, 2))),
    "sends_to_caller": Decision(("C2S-PROP-02",), yes_or_no),
    "sends_of_clients": Decision(("C2S-PROP-01",), yes_or_no),
    "sends_of_peers": Decision(("S2C-OPS-07", "C2S-PROP-05"), yes_or_no),
    "sends_invalidates": Decision(("S2C-OPS-01",), yes_or_no),
    "sends_destroys": Decision(("S2C-OPS-02",), yes_or_no),
    "value_for_values": Decision(("S2C-RECV-01",), yes_or_no),
    "value_for_invalidations": Decision(("S2C-RECV-02",), yes_or_no),
    "invalidates_absent": Decision(("S2C-RECV-03",), lambda _: Free(tuple(subscriptions.Absent))),
    "get_asks_server": Decision(("S2C-RECV-04",), yes_or_no),
    "keeps_fetched": Decision(("S2C-RECV-04",), yes_or_no),
    "waits_for_subscribers": Decision(("TRK-ASYNC-01",), yes_or_no),
    "queue_for": Decision(("TRK-ORDER-01", "TRK-SINGLE-01"), lambda key: Free(("", key))),
    "applies_unprocessed": Decision(("C2S-PROP-03",), yes_or_no),
    "keeps_sending": Decision(("C2S-PROP-04",), yes_or_no),
    "compares_answers": Decision(("CONS-CL-01",), yes_or_no),
    "compares_discarded": Decision(("DISC-CLIENT-01",), yes_or_no),
    "client_compares": Decision(("TRK-ORDER-02", "TRK-EXPIRE-03", "CONS-CL-01"), yes_or_no),
    "registers_at_secondaries": Decision(("INT-REG-01",), yes_or_no),
    "copies_keep_identity": Decision(("TRK-ID-01",), yes_or_no),
    "is_repeated": Decision(("TRK-DUP-01", "TRK-DUP-02"), yes_or_no),
    "forgets": Decision(("TRK-EXPIRE-02",), yes_or_no),
    "server_recognises": Decision(("TRK-HIGH-01",), yes_or_no),
    "notes_of_peers": Decision(("TRK-HIGH-01",), yes_or_no),
    "retries_keep_identity": Decision(("TRK-HIGH-01",), yes_or_no),
    "keeps_tracks": Decision(("FO-HA-03", "TRK-DUP-02"), yes_or_no),
    "secondary_queues": Decision(("FO-HA-01", "FO-HA-05"), yes_or_no),
    "removes_copies_when_sent": Decision(("FO-HA-04",), yes_or_no),
    "resumes_at_once": Decision(("FO-HA-02",), yes_or_no),
    "promoted": Decision(("FO-HA-06",), Free),
    "others_keep_copies": Decision(("FO-HA-07",), yes_or_no),
    "fails_over": Decision(("FO-AUTO-01",), yes_or_no),
    "keeps_looking": Decision(("FO-NONHA-02",), yes_or_no),
    "starts_anew": Decision(("FO-NONHA-01",), yes_or_no),
    "drains_first": Decision(("FO-NONHA-08",), yes_or_no),
    "drops_anew": Decision(("FO-NONHA-07", "FO-NONHA-03"), yes_or_no),
    "drops_uncovered_anew": Decision(("FO-NONHA-04",), yes_or_no),
    "fetches_anew": Decision(("FO-NONHA-03",), yes_or_no),
    "anew_tells": Decision(("FO-NONHA-06",), yes_or_no),
    "moves_interest": Decision(("FO-NONHA-09",), moved_or_not),
    "serves_client": Decision(("CFG-CHECKS-05",), yes_or_no),
    "client_takes": Decision(("CFG-CHECKS-05",), yes_or_no),
}
"""Decisions that only examples with clients ask."""

GATEWAYS: dict[str, Decision] = {
    "queued_clears_record": Decision(("SER-SECONDARY-02",), yes_or_no),
    "removal_clears_record": Decision(("SER-SECONDARY-05",), yes_or_no),
    "create_crosses": Decision(("WAN-OPS-01",), yes_or_no),
    "put_crosses": Decision(("WAN-OPS-02",), yes_or_no),
    "destroy_crosses": Decision(("WAN-OPS-03",), yes_or_no),
    "get_crosses": Decision(("WAN-OPS-04",), yes_or_no),
    "invalidate_crosses": Decision(("WAN-OPS-05",), yes_or_no),
    "local_destroy_crosses": Decision(("WAN-OPS-06",), yes_or_no),
    "region_operations_cross": Decision(("WAN-OPS-08", "CLEAR-SCOPE-01"), yes_or_no),
    "expirations_cross": Decision(("WAN-OPS-07",), yes_or_no),
    "no_effect_crosses": Decision(("WAN-OPS-10", "WAN-OPS-09"), yes_or_no),
    "feeds_queue": Decision(("WAN-CFG-01", "SHQ-CREATE-01"), yes_or_no),
    "sends_back": Decision(("SER-ENQ-01",), yes_or_no),
    "waits_for_remote_site": Decision(("WAN-ASYNC-01", "WANC-ASYNC-01", "GWQ-RETRY-07"), yes_or_no),
    "queues_before_return": Decision(("WAN-ASYNC-02",), yes_or_no),
    "queues_discarded": Decision(("WANC-LOCAL-01", "DISC-GW-01"), yes_or_no),
    "queue_place": Decision(
        ("WAN-ORDER-01",), lambda length: Free(tuple(dict.fromkeys((length, 0, max(length - 1, 0)))))
    ),
    "copies_of_queue": Decision(("SHQ-TYPE-01", "SHQ-CREATE-01"), any_recipients),
    "waits_for_copies": Decision(("REM-SCOPE-01",), yes_or_no),
    "queues_of_other_origin": Decision(("SER-ENQ-01", "SER-SECONDARY-04"), yes_or_no),
    "times_queued": Decision(("SER-ENQ-01", "GWQ-ACK-04"), lambda *_: Free((1, 0, 2))),
    "secondary_remembers": Decision(("SER-SECONDARY-01", "SER-ENQ-02"), yes_or_no),
    "remembers_queued_first": Decision(("SER-SECONDARY-03", "SER-SECONDARY-04"), yes_or_no),
    "starts_as_primary": Decision(("SER-PRIMARY-02",), yes_or_no),
    "dispatches": Decision(("SER-PRIMARY-03", "SER-PRIMARY-01", "GWQ-PROC-01"), yes_or_no),
    "takes_over": Decision(("SER-PRIMARY-04", "SER-PRIMARY-05"), yes_or_no),
    "stays_eligible": Decision(("SER-PRIMARY-06",), yes_or_no),
    "keeps_inherited": Decision(("SER-FAILOVER-01", "GWQ-ACK-03"), yes_or_no),
    "merges_records": Decision(("SER-FAILOVER-01", "SER-ENQ-02"), yes_or_no),
    "records_behind_queue": Decision(("SER-FAILOVER-02",), yes_or_no),
    "records_in_order": Decision(("SER-FAILOVER-02",), yes_or_no),
    "skipped_at_takeover": Decision(
        ("REM-SERIAL-04",), lambda inherited: Free(tuple(range(min(inherited, 3) + 1)))
    ),
    "tracks_after_takeover": Decision(("SER-SECONDARY-06",), yes_or_no),
    "next_of_queue": Decision(
        ("GWQ-BATCH-06", "WAN-ORDER-01", "SHQ-FIFO-01"), lambda unsent: Free(tuple(range(min(unsent, 3))))
    ),
    "batch_of": Decision(("GWQ-BATCH-01", "GWQ-BATCH-04"), any_batch),
    "settings_of": Decision(("GWQ-BATCH-05",), lambda queue, others: Free((queue, *others))),
    "full_batch_waits": Decision(("GWQ-BATCH-02",), yes_or_no),
    "leaves_partial": Decision(("GWQ-BATCH-04",), yes_or_no),
    "leaves_at_interval": Decision(("GWQ-BATCH-03", "GWQ-BATCH-07"), yes_or_no),
    "sends_while_unanswered": Decision(("GWQ-ACK-05",), yes_or_no),
    "removes_when_sent": Decision(("GWQ-ACK-01", "GWQ-PROC-02"), yes_or_no),
    "removed_by_reply": Decision(
        ("GWQ-ACK-02", "SHQ-FIFO-02"), lambda answered: Free((answered, answered + 1, max(answered - 1, 0)))
    ),
    "resends_unanswered": Decision(("GWQ-RETRY-01", "GWQ-ACK-06"), yes_or_no),
    "resends_first": Decision(("WAN-ORDER-03", "GWQ-RETRY-05"), yes_or_no),
    "keeps_trying": Decision(("GWQ-RETRY-02",), yes_or_no),
    "stays_without_receiver": Decision(("GWQ-RETRY-03",), yes_or_no),
    "reconnects": Decision(("GWQ-RETRY-04",), yes_or_no),
    "collects_while_unconnected": Decision(("GWQ-RETRY-05", "WAN-ASYNC-01"), yes_or_no),
    "replies_after_applying": Decision(("GWQ-PROC-02", "GWQ-ACK-06"), yes_or_no),
    "answers_when_stopped": Decision(("RCV-RETRY-02",), yes_or_no),
    "tells_removals": Decision(("REM-SERIAL-02", "SER-FAILOVER-03"), yes_or_no),
    "tells_removal_when_sent": Decision(("REM-GEN-01",), yes_or_no),
    "range_removed": Decision(("REM-SERIAL-03",), lambda last: Free((last, last + 1, last - 1))),
    "depth_reported": Decision(
        ("STAT-QUEUE-01",), lambda queued, unanswered: Free((queued, queued - unanswered, queued + 1, 0))
    ),
    "next_of_wire": Decision(("RCV-APPLY-01",), lambda waiting: Free(tuple(range(min(waiting, 3))))),
    "applies_to_present": Decision(("WAN-OPS-02", "WAN-OPS-01"), yes_or_no),
    "value_received": Decision(("RCV-APPLY-01", "WAN-OPS-02"), any_value),
    "applies_repeated": Decision(("RCV-DEDUP-01",), yes_or_no),
    "receiver_tells": Decision(("WANC-PEER-01",), any_recipients),
    "applies_unrecorded": Decision(("WANC-NEW-01",), yes_or_no),
    "applies_same_site": Decision(("WANC-SAME-01",), yes_or_no),
    "compared_between_sites": Decision(("WANC-TOMB-01",), yes_or_no),
    "applies_later_time": Decision(("WANC-TS-01", "WANC-CHK-01"), yes_or_no),
    "applies_earlier_time": Decision(("WANC-TS-02", "WANC-CHK-01"), yes_or_no),
    "applies_tie_of_higher_site": Decision(("WANC-TIE-01",), yes_or_no),
    "applies_tie_of_lower_site": Decision(("WANC-TIE-02",), yes_or_no),
    "keeps_later_time": Decision(("WANC-LOCAL-02",), yes_or_no),
    "received_keeps_origin": Decision(("WANC-PEER-01", "WANC-META-01"), yes_or_no),
    "dated_after_stored": Decision(("WANC-CAUSAL-01",), yes_or_no),
    "is_higher_site": Decision(("WANC-MULTI-01",), yes_or_no),
    "decides_ties_of_others": Decision(("WANC-MULTI-01",), yes_or_no),
    "decided_by_time": Decision(("WANC-CLOCK-01",), yes_or_no),
}
"""Decisions that only examples with gateway senders ask."""

DISPATCHERS: dict[str, Decision] = {
    "group_of": Decision(("WAN-ORDER-02",), lambda _, key, thread, number: Free((key, thread, str(number)))),
}
"""Decisions that only a sender of several dispatchers asks."""

ONWARD: dict[str, Decision] = {
    "refused_goes_on": Decision(("WANC-TS-02",), yes_or_no),
    "lists_writer": Decision(("SER-ENQ-01",), yes_or_no),
    "goes_on": Decision(("WAN-CFG-01", "WANC-TOMB-01"), yes_or_no),
}
"""Decisions that only examples ask in which events travel on by way of a site that did not write them."""

RESOLVERS: dict[str, Decision] = {
    "asks_without_conflict": Decision(("WANC-RESOLVER-02",), yes_or_no),
    "asks_resolver": Decision(("WANC-RESOLVER-01",), yes_or_no),
    "told_to_resolver": Decision(("WANC-RESOLVER-06",), any_told),
    "compares_allowed": Decision(("WANC-RESOLVER-03",), yes_or_no),
    "applies_allowed": Decision(("WANC-RESOLVER-03",), yes_or_no),
    "announces_disallowed": Decision(("WANC-RESOLVER-04",), yes_or_no),
    "takes_time_of_allowed": Decision(("WANC-RESOLVER-03",), yes_or_no),
    "takes_time_of_disallowed": Decision(("WANC-RESOLVER-04",), yes_or_no),
    "applies_disallowed": Decision(("WANC-RESOLVER-04",), yes_or_no),
    "value_replaced": Decision(("WANC-RESOLVER-05",), any_value),
    "goes_on_after_error": Decision(("WANC-RESOLVER-07",), yes_or_no),
}
"""Decisions that only examples with a conflict resolver ask."""

DECISIONS: dict[str, Decision] = merged(
    TRANSACTIONS,
    CHECKING,
    HOSTING,
    REPLICATED,
    TOMBSTONES,
    CLEARING,
    GAUGES,
    POLICIES,
    PARTITIONED,
    CLIENTS,
    GATEWAYS,
    DISPATCHERS,
    ONWARD,
    RESOLVERS,
)
"""Every decision by name, narrow ones first; the field of the same name in `Rulebook` answers it."""

IN_FRONT = (
    ("sends_invalidates", "sends_of_clients"),
    ("sends_destroys", "sends_of_clients"),
    ("drains_first", "queue_for"),
    ("keeps_looking", "fails_over"),
    ("drops_anew", "starts_anew"),
    # These explain nearly every event that a client lacks, and what stands in front says why it does.
    ("sends_of_peers", "serves_client"),
    ("keeps_sending", "serves_client"),
    ("is_repeated", "serves_client"),
    ("times_sent", "serves_client"),
)
"""Decisions on clients that are blamed in front of others, whatever their order above: random examples are
drawn by that, and would be others."""


def narrowest_first(decisions: Iterable[str]) -> tuple[str, ...]:
    """Decisions in the order in which they are blamed where freeing any of several explains an example."""
    ordered = list(decisions)
    for first, then in IN_FRONT:
        if first in ordered and then in ordered:
            ordered.remove(first)
            ordered.insert(ordered.index(then), first)
    return tuple(ordered)
