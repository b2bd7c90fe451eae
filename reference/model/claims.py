"""The claims that the steps of replicated regions make: why a step may be taken at once.

Each is attacked by the tests beside the search; the conditions stand where the step is made.
"""

from __future__ import annotations

from plumbline.reference.search.transition import Claim

LOOKED_AT = frozenset(("look",))
"""Conflicts with what must have happened by quiescence: the harness reads a queue before that."""

LOOKED_AT_IN_ORDER = LOOKED_AT | {"look at order"}
"""Conflicts with what may enter a queue before or behind another event: the harness reads the queue later."""

TIME_PASSES = frozenset(("time",))
"""Clashes with what makes a batch leave, or adds to one: time is let pass, or stands still."""

REPEATED_SHOWS = frozenset(("repetition",))
"""Clashes with what spares a repetition: the logs show one."""

STAMPS_GROW = frozenset(
    {
        "stamp",
        "stamp_stored",
        "image_has_versions",
        "takes_part",
        "applies_newer",
        "applies_older",
        "applies_tie_of_higher",
        "applies_tie_of_lower",
        "applies_same_stamp",
        "is_higher",
        "checks_in_force",
        "setting_obeyed",
        "versions_of_commit",
        "stamped_at_commit",
        "commit_stamp_stored",
        "stamp_rolled_back",
        "commit_keeps_tombstone",
        "commit_yields",
        "keeps_tombstone_unchecked",
        "counts_unchecked",
        "client_keeps_tombstone",
        "stamp_of_answer",
        "signer_of_commit",
        "stores_before_checking",
        "value_stored",
        "value_stored_unchecked",
        "value_received",
        "announces_discarded",
        "announces_refused",
        "announces_repeated",
        "answers_discarded",
        "destroys_absent",
        "stamp_kept",
        "announcements_of_applied",
        "counted_by",
        "counts_applied",
        "client_compares",
        "compares_answers",
        "compares_discarded",
        "keeps_tombstone",
        "remembers_unseen_destroy",
        "compared_with_tombstone",
        "goes_on_from",
        "tombstone_read_as",
        "compared_between_sites",
    }
)
"""Decisions on which "a stored stamp only grows, and a loser stays one" rests."""

QUEUES_IN_ORDER = frozenset(
    {
        "queue_place",
        "next_of_queue",
        "next_of_wire",
        "times_queued",
        "queues_before_return",
        "removes_when_sent",
        "tells_removal_when_sent",
        "sends_while_unanswered",
        "removed_by_reply",
        "removed_where_kept",
        "removed_from",
        "removes_locally_first",
        "waits_for_other_senders",
        "waits_for_other_listeners",
        "replies_after_applying",
        "collects_while_unconnected",
        "applies_repeated",
        "dispatches",
        "reconnects",
        "groups_by",
        "completes_transaction",
        "sends_larger",
        "takes_beyond",
        "removes_passed_over",
        "removes_part",
    }
)
"""Decisions on which "first queued, first sent, and removed once it was answered" rests."""

UNANSWERED_STAYS = frozenset(
    {
        "resends_unanswered",
        "resends_applied",
        "repeats_in_order",
        "resends_first",
        "keeps_trying",
        "answers_when_stopped",
    }
)
"""Decisions on which "a message without effect is as if it had not been sent" rests."""

BUCKETS_SEND_IN_ORDER = frozenset(
    {
        "dispatchers_of",
        "next_of_bucket",
        "named_in_removal",
        "named_of_batch",
        "cut_from_copies",
        "waits_for_other_members",
    }
)
"""Decisions on which "a primary alone sends its buckets, and copies keep what is unanswered" rests."""

BATCHES_AS_SET = frozenset(
    {"batch_of", "settings_of", "interval_of", "full_batch_waits", "leaves_partial", "leaves_at_interval"}
)
"""Decisions on which "what a batch takes, and when it leaves, is as it is set" rests."""

TAKEN_OVER_WHOLE = frozenset(
    {
        "records_behind_queue",
        "records_in_order",
        "merges_records",
        "looks_for_queued",
        "merges_before_new",
        "keeps_inherited",
        "skipped_at_takeover",
        "takes_over",
        "stays_primary",
        "stays_eligible",
        "queued_clears_record",
        "remembers_queued_first",
        "secondary_remembers",
        "joins_with_queue",
        "queues_while_joining",
        "removal_clears_record",
        "queues_of_other_origin",
        "copies_of_queue",
        "tracks_after_takeover",
    }
)
"""Decisions on which "a survivor has all that the dead primary had not sent" rests."""

TOLD_LATE = (
    QUEUES_IN_ORDER
    | UNANSWERED_STAYS
    | TAKEN_OVER_WHOLE
    | {"range_removed", "removes_whole_range", "tells_removals", "stays_without_receiver"}
)
"""Decisions on which "each position was the last one removed at some time, and may be told of later" rests.

A receiver may answer each event just before it applies the next. So a primary that reports late may report
any position up to the last. That position is as if it had been reported then, and had been on its way since.
"""

IN_SEQUENCE = (
    TOLD_LATE
    | STAMPS_GROW
    | {"starts_as_primary", "receiver_tells", "waits_for_remote_site", "recipients"}
    | {"applies_to_present", "applies_unrecorded", "applies_same_site", "applies_repeated"}
    | {
        "applies_later_time",
        "applies_earlier_time",
        "applies_tie_of_higher_site",
        "applies_tie_of_lower_site",
    }
)
"""Decisions on which "what waits in a queue comes to the other site in its order" rests."""

ENTERS_AT_ANY_TIME = frozenset(
    {
        "next_of_queue",
        "queue_place",
        "removed_by_reply",
        "removed_where_kept",
        "removed_from",
        "collects_while_unconnected",
        "resends_first",
        "stays_without_receiver",
        "range_removed",
        "dispatches",
        *BATCHES_AS_SET,
    }
)
"""Decisions on which "what stands in front of an event fares the same whenever the event enters" rests."""

ENTRIES_AS_FOUND = frozenset(
    {
        "changes_expected",
        "put_if_absent_stores",
        "replace_stores",
        "returns_previous",
        "create_stores",
        "invalid_is_present",
        "finds_own_change",
        "carries_out_entry",
        "removes_lacking",
    }
)
"""Decisions on which "what an operation does follows from what it finds" rests."""

OTHERS_DO_NOT_MATTER = frozenset({"waits_for_other_writers", "applies_while_another_is_under_way"})
"""Decisions on which "what another operation is doing does not matter" rests."""

FORWARDS = frozenset(
    {
        "forwards_updates",
        "forwards_destroy_of_held",
        "forwards_destroy_of_absent",
        "forwards_invalidates",
        "forwards_local",
        "forwards_region_destroy",
        "forwards_local_region_destroy",
        "forwards_local_region_invalidate",
        "forwards_local_clear",
        "forwards_without_pool",
        "writer_runs_first",
        "client_writer_aborts",
        "client_applies_first",
        "decides_by_own_copy",
    }
)
"""Decisions on which "a call goes to the server, independent of what the client holds" rests."""

CLIENTS_AS_DOCUMENTED = FORWARDS | {
    "serves_client",
    "client_takes",
    "tells_caller",
    "tells_value",
    "tells_bare",
    "tells_destroy",
    "tells_of_nothing_destroyed",
    "distributes_of_clients",
    "veto_fails",
    "in_force_on_return",
    "interest_outlasts",
    "lists_lacking",
    "lists_unloaded",
    "registers_unsubscribed",
    "drop_tells",
    "counts_all_keys",
    "leftovers_overtaken",
    "policy_anew",
    "anew_is_local",
    "anew_tells_of_dropped",
    "withdrawn_comes_back",
    "drop_is_local",
    "sends_of_sites",
    "sends_uninterested",
    "times_sent",
    "sends_to_caller",
    "value_for_values",
    "value_for_invalidations",
    "invalidates_absent",
    "get_asks_server",
    "keeps_fetched",
    "fetched_replaces_newer",
    "waits_for_subscribers",
    "queue_for",
    "registers_at_secondaries",
    "secondary_queues",
    "recruits",
    "recruit_knows_interest",
    "recruit_gets_queue",
    "recruit_gets_marker",
    "copies_keep_identity",
    "entries_have_identities",
    "removes_copies_when_sent",
    "is_repeated",
    "fails_over",
    "starts_anew",
    "keeps_tracks",
    "resumes_at_once",
    "others_keep_copies",
    "drains_first",
    "drops_anew",
    "drops_uncovered_anew",
    "fetches_anew",
    "anew_tells",
    "moves_interest",
    "applies_unprocessed",
    "keeps_sending",
    "flows_unasked",
    "ready_is_harmless",
    "promoted",
    "forgets",
    "server_writer_aborts",
    "keeps_vetoed",
    "sends_region_destroys",
    "returns_region_destroys",
    "returns_clears",
    "sends_local",
    "sends_discarded_unchecked",
}
"""Decisions on which "what a server changes goes to its clients once, in that order" rests."""

KNOWN_AGAIN = frozenset({"is_repeated", "counts_all_keys", "entries_have_identities", "keeps_tracks"})
"""Decisions on which "what a client has processed it knows by its number" rests."""

CALLS_AS_DOCUMENTED = frozenset(
    {
        "removes_when_offered",
        "value_offered",
        "depth_reported",
        "queue_place",
        "waits_for_other_listeners",
    }
)
"""Decisions on which "the log fixes each call of a listener, and a call changes nothing else" rests."""

NEXT_MOMENT = Claim(
    "next moment",
    "The timeline is one order: nothing else can come before its next moment in it, and all that the "
    "moment does is to allow more.",
    # An event that may be tried again, or be given up, is at rest and is not.
    frozenset({"retries_kept", "tries_failed_again", "waits_behind_retried", "answers_before_success"}),
)
READ = Claim(
    "read",
    "A reading that is right now changes no state and enters no queue; its caller goes on.",
    OTHERS_DO_NOT_MATTER | {"get_crosses", "no_effect_crosses"} | ENTRIES_AS_FOUND,
)
SEND = Claim(
    "send",
    "Sending only allows more: a message may stay on its way as long as it likes.",
    OTHERS_DO_NOT_MATTER | {"recipients", "told_by_less_than_replicate", "distributes_of_clients"},
)
SEND_TO_COPIES = Claim(
    "send to copies",
    "What a primary has sent may stay on its way, or be lost with it, as if it had not been sent; and "
    "nothing else of the key is sent meanwhile.",
    frozenset({"carried_out_at", "locks_key", "copies_sent", "copies_awaited", "works_off_in_order"}),
)
LOST = Claim(
    "lost",
    "A copy tells of what it applies: what a dead primary has sent, and a copy does not tell of, has never "
    "arrived.",
    STAMPS_GROW,
)
CARRIES_OUT = Claim(
    "carries out",
    "As for show; the log of a key's primary fixes which update of the key it carries out next, and no "
    "other member carries out any.",
    STAMPS_GROW | ENTRIES_AS_FOUND | SEND_TO_COPIES.relies_on,
)
TAKES_OVER = Claim(
    "takes over",
    "Where the copies of a key are alike, and it is known who becomes primary, nothing of the key can come "
    "first.",
    SEND_TO_COPIES.relies_on | {"synchronises", "keeps_copies"},
)
TELLS = Claim(
    "tells",
    "The log fixes what a listener is told next; being told changes nothing else, and lets others go on.",
)
PASSES_BY = Claim(
    "passes by",
    "A member without a copy keeps nothing of an update that its listener does not show.",
)
SHOW = Claim(
    "show",
    "The log fixes which change of this key comes next on this member; no call still to come can "
    "read the present value, and no silent change may come first.",
    OTHERS_DO_NOT_MATTER | STAMPS_GROW | ENTRIES_AS_FOUND,
)
SHOW_AND_QUEUE = Claim(
    "show and queue",
    "As for show; and whether a secondary is told of an operation or of its queue entry first makes no "
    "difference.",
    SHOW.relies_on | TAKEN_OVER_WHOLE | ENTERS_AT_ANY_TIME,
)
DISCARD = Claim(
    "discard",
    "Stored stamps only grow, so an update that loses now loses for ever, and losing shows only "
    "in a counter that the harness does not read in between.",
    OTHERS_DO_NOT_MATTER | STAMPS_GROW,
)
ACKNOWLEDGED = Claim(
    "acknowledged",
    "What a client has processed it recognises when it comes again, so it does not matter whether it does.",
    KNOWN_AGAIN | {"copies_keep_identity", "queue_for", "times_sent"},
)
PASS_ON = Claim(
    "pass on",
    "Passing on a client's call, or answering it, only allows more: the call may take effect, and the answer "
    "arrive, as late as it likes.",
    OTHERS_DO_NOT_MATTER | {"serves_client"} | FORWARDS,
)
SHOW_AND_SEND = Claim(
    "show and send",
    "As for show; and clients are sent what their server changes in the order in which it shows it: they do "
    "not receive what it does not show, and the server that takes over sends what it holds first.",
    SHOW.relies_on | CLIENTS_AS_DOCUMENTED,
)
DISCARD_UNHEARD = Claim(
    "discard unheard",
    "As for discard; and no client shows that it was sent what its server has discarded.",
    DISCARD.relies_on | CLIENTS_AS_DOCUMENTED,
)
SHOW_AT_CLIENT = Claim(
    "show at client",
    "As for show; what waits in a client's queue comes in order, the client does nothing to the key "
    "meanwhile, and what it was told before it loses its server it knows if it comes again. What the harness "
    "reads of the copy it has read before, where it can.",
    SHOW.relies_on | CLIENTS_AS_DOCUMENTED | READ.relies_on,
)
DISCARD_AT_CLIENT = Claim(
    "discard at client",
    "What waits first in a client's queue and shows no more changes nothing that the client would show: the "
    "sooner it is out of the way, the better.",
    DISCARD.relies_on | CLIENTS_AS_DOCUMENTED | READ.relies_on,
)
RECOGNISED = Claim(
    "recognised",
    "What a client has processed once changes nothing; numbers only grow, so it stays a repetition.",
    KNOWN_AGAIN | {"forgets"},
)
QUEUE_COPY = Claim(
    "queue copy",
    "A secondary's copy matters only to what takes it over or looks at it; both name what they clash with, "
    "and a copy is put at its place whenever it comes.",
    TAKEN_OVER_WHOLE | ENTERS_AT_ANY_TIME,
)
LOST_IN_ORDER = Claim(
    "lost in order",
    "What would stand in an order that the other site rules out has not arrived, nor has anything behind it.",
)
CALLBACK = Claim(
    "callback",
    "Operation and queue entry lead a secondary to the same state in either order; a takeover "
    "counts what its listener has not received yet as queued.",
    TAKEN_OVER_WHOLE,
)
TAKEOVER = Claim(
    "takeover",
    "What the survivor applied before it took over comes behind what it inherits, and so does what it "
    "applies afterwards.",
    TAKEN_OVER_WHOLE | QUEUES_IN_ORDER,
)
CONNECT = Claim(
    "connect",
    "There is one receiver to connect to, and a connection only allows more.",
    QUEUES_IN_ORDER | BUCKETS_SEND_IN_ORDER,
)
SEND_EVENT = Claim(
    "send event",
    "An event may stay on its connection as long as it likes, and none overtakes another.",
    QUEUES_IN_ORDER | UNANSWERED_STAYS | BATCHES_AS_SET | BUCKETS_SEND_IN_ORDER,
)
ANSWER = Claim(
    "answer",
    "What was dealt with need not be sent again, and nothing shows that it was not: a repetition changes "
    "nothing.",
    QUEUES_IN_ORDER | BUCKETS_SEND_IN_ORDER,
)
REPEATED = Claim(
    "repeated",
    "A repeated event that is not shown changes nothing.",
    frozenset({"applies_repeated"}),
)
REPEATED_BY_PEER = Claim(
    "repeated by a peer",
    "What a peer tells of once more is left out where it could only be shown, or counted, and neither was.",
    frozenset({"applies_repeated"}),
)
CALL = Claim(
    "call",
    "The log fixes what a listener receives next and with which answer; until it has answered, nothing "
    "leaves its queue, and nothing that comes first could make the batch another one.",
    CALLS_AS_DOCUMENTED,
)
CALL_IN_PARALLEL = Claim(
    "call in parallel",
    "The log fixes what a listener receives next of its member's buckets, and with which answer. What other "
    "members receive of their own changes nothing of it.",
    CALLS_AS_DOCUMENTED | BUCKETS_SEND_IN_ORDER,
)
ENTERS_QUEUE = Claim(
    "enters the queue",
    "What has entered the primary's copy of a parallel queue may stay there for any time, as if it had yet "
    "to enter. A look at the queue shows it, or a crash of the primary: the call is tried again behind it.",
    BUCKETS_SEND_IN_ORDER | {"enters_primary"},
)
REMOVAL = Claim(
    "removal",
    "What a secondary still holds of what was answered would only be sent again, and a repetition changes "
    "nothing.",
    QUEUES_IN_ORDER
    | TAKEN_OVER_WHOLE
    | BUCKETS_SEND_IN_ORDER
    | {"range_removed", "removes_whole_range", "tells_removals"},
)
