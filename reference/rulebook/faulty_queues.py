"""Faulty variants of a gateway sender's queue: its copies, a secondary's records, takeover, removal."""

from __future__ import annotations

from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.variant import variant

QUEUES = (
    variant(
        "queue-of-nothing",
        "WAN-CFG-01 SHQ-CREATE-01",
        "events of an attached region enter no queue",
        feeds_queue=lambda attached: False,  # noqa: ARG005
    ),
    variant(
        "queue-of-everything",
        "WAN-CFG-01",
        "events of every region enter every queue",
        feeds_queue=lambda attached: True,  # noqa: ARG005
    ),
    variant(
        "queue-without-copies",
        "SHQ-TYPE-01 SHQ-CREATE-01",
        "queued events are not copied to the other members",
        copies_of_queue=lambda others: (),  # noqa: ARG005
    ),
    variant(
        "queues-late",
        "WAN-ASYNC-02",
        "a call returns before its event is queued",
        chaotic=True,
        queues_before_return=lambda: False,
    ),
    variant(
        "queue-unacknowledged",
        "REM-SCOPE-01",
        "a call returns before the copies of the queue have its event",
        chaotic=True,
        waits_for_copies=lambda: False,
    ),
    variant(
        "deals-out-in-turn",
        "WAN-ORDER-02",
        "events are dealt out to the dispatchers in turn, whatever their key and thread",
        group_of=lambda policy, key, thread, number: str(number),  # noqa: ARG005
    ),
    variant(
        "deals-out-by-key-alone",
        "WAN-ORDER-02",
        "events are dealt out by their key, though the policy is that of threads",
        group_of=lambda policy, key, thread, number: key,  # noqa: ARG005
    ),
    variant(
        "queues-in-front",
        "WAN-ORDER-01",
        "a new event enters the queue in front of the others",
        queue_place=lambda length: 0,  # noqa: ARG005
    ),
    variant(
        "sends-newest-first",
        "GWQ-BATCH-06 WAN-ORDER-01 SHQ-FIFO-01",
        "a batch begins with the newest event",
        next_of_queue=lambda unsent: unsent - 1,
    ),
    variant(
        "batch-of-one-more",
        "GWQ-BATCH-01",
        "a batch takes one event more than its size",
        batch_of=lambda waiting, size: min(waiting, size + 1),
    ),
    variant(
        "leaves-some-behind",
        "GWQ-BATCH-04",
        "a batch that is not full takes the oldest event and leaves the others",
        batch_of=lambda waiting, size: size if waiting >= size else 1,
    ),
    variant(
        "leaves-at-once",
        "GWQ-BATCH-04",
        "a batch leaves as soon as there is an event, full or not",
        leaves_partial=lambda since_ms, interval_ms: True,  # noqa: ARG005
    ),
    variant(
        "full-waits",
        "GWQ-BATCH-02",
        "a batch leaves when its interval is over, and not before though it is full",
        full_batch_waits=lambda: True,
    ),
    variant(
        "waits-to-be-full",
        "GWQ-BATCH-03 GWQ-BATCH-07",
        "a batch leaves when it is full, and not before",
        leaves_at_interval=lambda waiting: False,  # noqa: ARG005
    ),
    variant(
        "lone-event-waits",
        "GWQ-BATCH-07",
        "an event that is alone in its queue waits for another",
        leaves_at_interval=lambda waiting: waiting > 1,
    ),
    variant(
        "settings-of-another",
        "GWQ-BATCH-05",
        "every queue has the batch size and interval of the one whose id is the first",
        settings_of=lambda queue, others: min((queue, *others)),
    ),
    variant(
        "removes-when-sent",
        "GWQ-ACK-01 GWQ-PROC-02",
        "an event leaves the queue when it is sent",
        removes_when_sent=lambda: True,
    ),
    variant(
        "removes-one-more",
        "GWQ-ACK-02 SHQ-FIFO-02",
        "an answer removes an event of the next batch, too",
        removed_by_reply=lambda answered: answered + 1,
    ),
    variant(
        "read-is-removed",
        "STAT-QUEUE-01",
        "events that have been read for a batch are not counted",
        depth_reported=lambda queued, unanswered: queued - unanswered,
    ),
    variant(
        "tells-no-removals",
        "REM-SERIAL-02 SER-FAILOVER-03",
        "the other members are never told what has left the queue",
        tells_removals=lambda: False,
    ),
    variant(
        "tells-removal-when-sent",
        "REM-GEN-01",
        "the other members are told of a removal when the event is sent",
        tells_removal_when_sent=lambda: True,
    ),
    variant(
        "removes-range-and-one",
        "REM-SERIAL-03",
        "a removal message empties a copy up to one event too many",
        range_removed=lambda last: last + 1,
    ),
    variant(
        "everybody-dispatches",
        "SER-PRIMARY-03 SER-PRIMARY-01 GWQ-PROC-01",
        "secondaries dispatch from their copies as well",
        dispatches=lambda primary: True,  # noqa: ARG005
    ),
    variant(
        "everybody-is-primary",
        "SER-PRIMARY-02",
        "every sender that starts takes itself for the primary",
        starts_as_primary=lambda first: True,  # noqa: ARG005
    ),
    variant(
        "queues-own-only",
        "SER-ENQ-01 SER-SECONDARY-04",
        "the primary queues only what is called on its own member",
        queues_of_other_origin=lambda: False,
    ),
    variant(
        "queues-others-twice",
        "SER-ENQ-01 GWQ-ACK-04",
        "what is called on a secondary's member is queued twice",
        times_queued=lambda called_here: 1 if called_here else 2,
    ),
    variant(
        "sends-back",
        "SER-ENQ-01",
        "an event that came from another site is queued for that site",
        sends_back=lambda from_other_site: from_other_site,
    ),
    variant(
        "secondary-forgets",
        "SER-SECONDARY-01 SER-ENQ-02",
        "a secondary does not record what the primary has not queued",
        secondary_remembers=lambda *_: False,
    ),
    variant(
        "destroys-not-recorded",
        "SER-SECONDARY-01 SER-ENQ-02",
        "a secondary records what the primary has not queued, but no destroys",
        secondary_remembers=lambda kind, _: kind is not OperationKind.DESTROY,
    ),
    variant(
        "records-its-own-site-alone",
        "SER-SECONDARY-01 SER-ENQ-02",
        "a secondary does not record what came from another site and is to go on to a third",
        secondary_remembers=lambda _, of_other_site: not of_other_site,
    ),
    variant(
        "records-never-cleared",
        "SER-SECONDARY-02",
        "the primary's queue entry does not remove the record at a secondary",
        queued_clears_record=lambda: False,
    ),
    variant(
        "records-survive-removal",
        "SER-SECONDARY-02 SER-SECONDARY-05",
        "neither a queue entry nor its removal drops what a secondary recorded",
        queued_clears_record=lambda: False,
        removal_clears_record=lambda: False,
    ),
    variant(
        "queued-first-is-forgotten",
        "SER-SECONDARY-03 SER-SECONDARY-04",
        "a secondary does not remember a queue entry that came before its operation",
        remembers_queued_first=lambda: False,
    ),
    variant(
        "nobody-takes-over",
        "SER-PRIMARY-04 SER-PRIMARY-05",
        "a secondary never becomes primary",
        takes_over=lambda: False,
    ),
    variant(
        "waits-once",
        "SER-PRIMARY-06",
        "a secondary that another was preferred to no longer waits to become primary",
        stays_eligible=lambda missed, waited_ms: not missed,  # noqa: ARG005
    ),
    variant(
        "tires-of-waiting",
        "SER-PRIMARY-06",
        "a secondary waits an hour to become primary, and no longer",
        stays_eligible=lambda missed, waited_ms: waited_ms < 3_600_000,  # noqa: ARG005
    ),
    variant(
        "begins-empty",
        "SER-FAILOVER-01 GWQ-ACK-03",
        "a new primary begins with an empty queue",
        keeps_inherited=lambda: False,
    ),
    variant(
        "drops-records",
        "SER-FAILOVER-01 SER-ENQ-02",
        "a new primary drops what it has only a record of",
        merges_records=lambda: False,
    ),
    variant(
        "records-first",
        "SER-FAILOVER-02",
        "a new primary puts what it has only a record of in front of what was queued",
        records_behind_queue=lambda: False,
    ),
    variant(
        "records-reversed",
        "SER-FAILOVER-02",
        "a new primary queues the last record first",
        records_in_order=lambda: False,
    ),
    variant(
        "tracks-as-primary",
        "SER-SECONDARY-06",
        "a new primary goes on recording what is called on its member, and queues none of it",
        tracks_after_takeover=lambda: True,
    ),
    variant(
        "inherited-is-delivered",
        "REM-SERIAL-04",
        "a new primary takes all that it inherits for delivered",
        skipped_at_takeover=lambda inherited: inherited,
    ),
)
