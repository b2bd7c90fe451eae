"""Faulty variants of what servers and their clients do: registrations, and what is sent of events.

Knows nothing of how they are found out.
"""

from __future__ import annotations

import fnmatch
import re

import msgspec

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.interests import LOADS_KEYS, LOADS_NOTHING, LOADS_VALUES
from plumbline.reference.rulebook.subscriptions import Absent
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

_ENTERED = Free((Absent.SILENTLY_INVALID, Absent.TOLD_INVALID))

LONG_QUEUE = 6
"""So many waiting events are too many for some."""

CLIENTS = (
    variant(
        "no-room-for-versions",
        "CFG-CHECKS-05",
        "a client that does not check fails on what comes with a version",
        client_takes=lambda checks, versioned: checks or not versioned,
    ),
    variant(
        "all-or-none-check",
        "CFG-CHECKS-05",
        "a server that checks refuses the operations of a client that does not",
        serves_client=lambda checks, server_checks: checks or not server_checks,
    ),
    variant(
        "expression-as-file-name",
        "INT-REGEX-01",
        "an expression is read as a file name pattern is",
        expression_covers=lambda expression, key: fnmatch.fnmatchcase(key, expression),
    ),
    variant(
        "expression-found-anywhere",
        "INT-REGEX-01",
        "an expression covers a key if it matches any part of it",
        expression_covers=lambda expression, key: re.search(expression, key) is not None,
    ),
    variant(
        "takes-any-expression",
        "INT-REGEX-02",
        "an expression that is not well formed is registered, and matches nothing",
        accepts_expression=lambda is_one: True,  # noqa: ARG005
    ),
    variant(
        "forgets-the-list-on-refusal",
        "INT-REGEX-02",
        "a registration that is refused ends all earlier ones",
        refusal_keeps_list=lambda: False,
    ),
    variant(
        "last-registration-counts",
        "INT-UNION-01",
        "a registration replaces those before",
        interests_kept=lambda earlier, new: (new,),  # noqa: ARG005
    ),
    variant(
        "withdraws-everything",
        "INT-UNION-01",
        "whoever withdraws one registration withdraws all",
        interests_left=lambda earlier, withdrawn: (),  # noqa: ARG005
    ),
    variant(
        "registers-in-the-background",
        "INT-REG-01",
        "a registration returns before its server knows of it",
        in_force_on_return=lambda: False,
    ),
    variant(
        "interest-dies-with-entry",
        "INT-REG-02",
        "the interest in a key ends when its entry is destroyed",
        outlasts_destroy=lambda: False,
    ),
    variant(
        "drops-all-for-some",
        "INT-CLEAR-01",
        "registering for some keys drops the whole region",
        dropped_for_keys=lambda covered, held: held,  # noqa: ARG005
    ),
    variant(
        "keeps-registered-keys",
        "INT-CLEAR-01",
        "registering for keys drops none of them",
        dropped_for_keys=lambda covered, held: (),  # noqa: ARG005
    ),
    variant(
        "keeps-matching-keys",
        "INT-CLEAR-02",
        "registering for an expression drops nothing",
        dropped_for_expression=lambda covered, held: (),  # noqa: ARG005
    ),
    variant(
        "drops-at-servers-too",
        "INT-CLEAR-03",
        "what a client drops as it registers is destroyed at its servers, too",
        drop_is_local=lambda: False,
    ),
    variant(
        "unnamed-is-none",
        "INT-POLICY-03",
        "a registration that names no policy loads nothing",
        unnamed_loads=lambda: LOADS_NOTHING,
    ),
    variant(
        "keys-bring-values",
        "INT-POLICY-01",
        "the policy KEYS loads values, too",
        keys_load=lambda: LOADS_VALUES,
    ),
    variant(
        "keys-bring-nothing",
        "INT-POLICY-01",
        "the policy KEYS loads nothing",
        keys_load=lambda: LOADS_NOTHING,
    ),
    variant(
        "values-are-left-out",
        "INT-POLICY-02",
        "the policy KEYS_VALUES loads keys alone",
        keys_values_load=lambda: LOADS_KEYS,
    ),
    variant(
        "none-loads-all-the-same",
        "INT-POLICY-04",
        "the policy NONE loads keys and values",
        none_loads=lambda: LOADS_VALUES,
    ),
    variant(
        "none-drops-nothing",
        "INT-POLICY-04",
        "the policy NONE leaves out the drop at the beginning as well",
        none_drops=lambda: False,
    ),
    variant(
        "first-part-only",
        "INT-BULK-01",
        "a registration returns after the first four keys of a long answer",
        loaded_of=lambda keys: keys[:4],
    ),
    variant(
        "loads-are-announced",
        "INT-NOEVT-01",
        "listeners are told of what a registration loads",
        registration_tells=lambda: True,
    ),
    variant(
        "sends-to-everybody",
        "S2C-INT-01",
        "clients are sent events of keys that they have not registered for",
        sends_uninterested=lambda: True,
    ),
    variant(
        "sends-for-each-registration",
        "INT-UNION-02 S2C-RECV-05",
        "an event is sent once for each registration that covers it",
        times_sent=lambda matching: matching,
    ),
    variant(
        "sends-to-caller",
        "C2S-PROP-02",
        "a client is sent what it has called itself",
        sends_to_caller=lambda: True,
    ),
    variant(
        "keeps-clients-apart",
        "C2S-PROP-01",
        "what one client calls is not sent to others",
        sends_of_clients=lambda: False,
    ),
    variant(
        "sends-own-events-only",
        "C2S-PROP-05 S2C-OPS-07",
        "a server sends its clients only what was called at itself",
        sends_of_peers=lambda: False,
    ),
    variant(
        "invalidates-stay-at-servers",
        "S2C-OPS-01",
        "clients are not sent invalidates of their servers",
        sends_invalidates=lambda: False,
    ),
    variant(
        "destroys-stay-at-servers",
        "S2C-OPS-02",
        "clients are not sent destroys of their servers",
        sends_destroys=lambda: False,
    ),
    variant(
        "never-sends-values",
        "S2C-RECV-01",
        "a registration with values is sent invalidations in their place",
        value_for_values=lambda: False,
    ),
    variant(
        "always-sends-values",
        "S2C-RECV-02",
        "a registration without values is sent values all the same",
        value_for_invalidations=lambda: True,
    ),
    variant(
        "invalidates-what-is-absent",
        "S2C-RECV-03",
        "an invalidation in place of a value makes an entry where the client lacks the key",
        invalidates_absent=lambda checks: Absent.TOLD_INVALID,  # noqa: ARG005
    ),
    variant(
        "invalidates-what-is-absent-silently",
        "S2C-RECV-03",
        "an invalidation in place of a value makes an entry of what a client lacks that checks",
        # Told of where the client is just destroying the key itself.
        invalidates_absent=lambda checks: _ENTERED if checks else Absent.STAYS,
    ),
    variant(
        "gets-nothing-itself",
        "S2C-RECV-04",
        "a get of an entry without a value returns nothing without asking the server",
        get_asks_server=lambda: False,
    ),
    variant(
        "fetches-and-forgets",
        "S2C-RECV-04",
        "a client does not keep what a get has fetched",
        keeps_fetched=lambda: False,
    ),
    variant(
        "sends-twice",
        "TRK-ONCE-01",
        "every event is sent to clients twice",
        times_sent=lambda matching: 2,  # noqa: ARG005
    ),
    variant(
        "pushes-in-the-call",
        "TRK-ASYNC-01",
        "a call returns once clients have processed its event",
        waits_for_subscribers=lambda: True,
    ),
    variant(
        "two-dispatchers",
        "TRK-SINGLE-01 TRK-ORDER-01",
        "each key of a client has a queue of its own, and a thread that empties it",
        queue_for=lambda key: key,
    ),
    variant(
        "sends-then-applies",
        "C2S-PROP-03",
        "a server sends an event to its clients first, and applies it once they have processed it",
        applies_unprocessed=lambda processed: processed,
    ),
    variant(
        "drowns-in-a-long-queue",
        "C2S-PROP-04",
        "a client's queue that has grown to six events is never emptied again",
        keeps_sending=lambda waiting: waiting < LONG_QUEUE,
    ),
    variant(
        "late-news-win",
        "TRK-ORDER-02 TRK-EXPIRE-03",
        "what a client is sent replaces what it holds, even if that is newer",
        client_compares=lambda: False,
    ),
    variant(
        "last-one-again",
        "TRK-DUP-01",
        "the last event of a thread is not known as a repetition when it comes again",
        is_repeated=lambda number, highest, of_others: number < highest,  # noqa: ARG005
    ),
    variant(
        "never-the-first-time",
        "TRK-DUP-02",
        "an event is taken for a repetition if any thread was further",
        is_repeated=lambda number, highest, of_others: number <= max(highest, of_others),
    ),
    variant(
        "counts-from-the-first-event",
        "TRK-EXPIRE-02",
        "a client forgets a thread when the time-out is over since its first event, however busy it is",
        forgets=lambda active_ms, idle_ms, timeout_ms: active_ms > timeout_ms,  # noqa: ARG005
    ),
    variant(
        "forgets-at-failover",
        "FO-HA-03 TRK-DUP-02",
        "a client forgets at a failover what it has processed",
        keeps_tracks=lambda: False,
    ),
    variant(
        "copies-are-renamed",
        "TRK-ID-01",
        "a secondary gives events an identity of its own",
        copies_keep_identity=lambda: False,
    ),
    variant(
        "secondary-begins-empty",
        "FO-HA-01 FO-HA-05",
        "a secondary begins with what comes after it has taken over",
        secondary_queues=lambda: False,
    ),
    variant(
        "done-when-sent",
        "FO-HA-04",
        "secondaries are told that events are done when they have been sent",
        removes_copies_when_sent=lambda: True,
    ),
    variant(
        "resumes-with-the-next",
        "FO-HA-02",
        "a secondary that has taken over sends only when another event is queued",
        resumes_at_once=lambda: False,
    ),
    variant(
        "promotes-the-latest",
        "FO-HA-06",
        "of several secondaries the latest takes over",
        promoted=lambda secondaries: secondaries[-1],
    ),
    variant(
        "others-start-over",
        "FO-HA-07",
        "the other secondaries drop what they have queued when one takes over",
        others_keep_copies=lambda: False,
    ),
    variant(
        "stays-cut-off",
        "FO-AUTO-01",
        "a client whose server has died looks for no other",
        fails_over=lambda: False,
    ),
    variant(
        "always-starts-anew",
        "FO-NONHA-01",
        "a client starts anew at each failover",
        starts_anew=lambda secondary: True,  # noqa: ARG005
    ),
    variant(
        "never-starts-anew",
        "FO-NONHA-01",
        "a client never starts anew",
        starts_anew=lambda secondary: False,  # noqa: ARG005
    ),
    variant(
        "fetches-without-dropping",
        "FO-NONHA-03 FO-NONHA-07",
        "a client that starts anew drops nothing before it fetches",
        drops_anew=lambda: False,
    ),
    variant(
        "drops-without-fetching",
        "FO-NONHA-03",
        "a client that starts anew fetches nothing",
        fetches_anew=lambda: False,
    ),
    variant(
        "drops-whole-regions",
        "FO-NONHA-04",
        "a client that starts anew drops whole regions",
        drops_uncovered_anew=lambda: True,
    ),
    variant(
        "tells-of-fetching",
        "FO-NONHA-06",
        "listeners are told of what a client that starts anew fetches",
        anew_tells=lambda: True,
    ),
    variant(
        "comes-back-with-values",
        "FO-NONHA-09",
        "registrations without values come back as ones with values",
        moves_interest=lambda interest: msgspec.structs.replace(interest, receive_values=True),
    ),
    variant(
        "leaves-interest-behind",
        "FO-NONHA-09",
        "registrations for expressions are lost with the server that had them",
        moves_interest=lambda interest: None if interest.kind == "regex" else interest,
    ),
    variant(
        "leftovers-come-late",
        "FO-NONHA-08",
        "what the dead server had sent is processed behind what is fetched from the new one",
        chaotic=True,
        drains_first=lambda: False,
    ),
    variant(
        "registers-at-primary-only",
        "INT-REG-01",
        "interest is registered at the primary alone",
        registers_at_secondaries=lambda: False,
    ),
    variant(
        "updates-stay-at-client",
        "C2S-OPS-01",
        "updates of a key that the client holds stay there",
        forwards_updates=lambda held: not held,
    ),
    variant(
        "destroys-stay-at-client",
        "C2S-OPS-02",
        "a client destroys what it holds in its own copy only",
        forwards_destroy_of_held=lambda: False,
    ),
    variant(
        "unknown-is-nowhere",
        "C2S-OPS-03",
        "a client answers from its own copy that there is nothing to destroy",
        forwards_destroy_of_absent=lambda: False,
    ),
    variant(
        "asks-its-writer-last",
        "C2S-PIPE-01",
        "a client asks its cache writer when its server has already answered",
        writer_runs_first=lambda: False,
    ),
    variant(
        "changes-itself-first",
        "C2S-PIPE-01",
        "a client changes its own copy before its server has replied",
        client_applies_first=lambda: True,
    ),
    variant(
        "destroys-against-its-writer",
        "C2S-ABORT-01",
        "a client's destroy goes on although its cache writer has refused it",
        client_writer_aborts=lambda kind: kind is not OperationKind.DESTROY,
    ),
    variant(
        "applies-against-its-writer",
        "C2S-ABORT-02",
        "a server carries out what its cache writer has refused",
        server_writer_aborts=lambda kind: False,  # noqa: ARG005
    ),
    variant(
        "keeps-what-was-vetoed",
        "C2S-ABORT-02",
        "the calling client keeps in its own copy what its server's cache writer has refused",
        keeps_vetoed=lambda: True,
    ),
    variant(
        "clears-what-it-holds",
        "C2S-OPS-05",
        "a client's clear removes from its server what the client holds",
        cleared_at_server=lambda keys, held: tuple(key for key in keys if key in held),
    ),
    variant(
        "forwards-invalidations",
        "C2S-OPS-06 C2S-OPS-07",
        "a client's invalidations go to its server",
        dialect=Dialect.GEMFIRE6,
        forwards_invalidates=lambda: True,
    ),
    variant(
        "keeps-invalidations",
        "CONS-CL-02",
        "a client changes its own copy without asking its server, and sends nothing afterwards",
        forwards_invalidates=lambda: False,
    ),
    variant(
        "forwards-local",
        "C2S-LOCAL-01",
        "a client's local operations go to its server",
        forwards_local=lambda: True,
    ),
    variant(
        "clears-stay-at-servers",
        "S2C-OPS-04",
        "clients are not told that a region was cleared",
        sends_clears=lambda: False,
    ),
    variant(
        "clears-registered-keys",
        "S2C-OPS-04",
        "a clear removes from clients what they have registered for, and no more",
        clears_uncovered=lambda: False,
    ),
    variant(
        "destroys-its-own-region-only",
        "C2S-OPS-04",
        "a client's destroy of its region leaves that of its servers alone",
        forwards_region_destroy=lambda: False,
    ),
    variant(
        "forwards-local-region-destroy",
        "C2S-OPS-04",
        "a client's local destroy of its region destroys that of its servers",
        forwards_local_region_destroy=lambda: True,
    ),
    variant(
        "regions-stay-at-clients",
        "S2C-OPS-03",
        "clients are not told that a region was destroyed",
        sends_region_destroys=lambda: False,
    ),
    variant(
        "sends-region-invalidates",
        "S2C-OPS-06",
        "clients are told that a region was invalidated",
        sends_region_invalidates=lambda: True,
    ),
)
