"""Faulty variants of failover, and of what clients and servers know of repetitions.

Knows nothing of how they are found out.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.rulebook.variant import variant

FAILOVER = (
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
        "servers-forget",
        "TRK-HIGH-01",
        "a server carries out again what its client tries again, though it has done so already",
        server_recognises=lambda number, highest: False,  # noqa: ARG005
    ),
    variant(
        "remembers-its-own",
        "TRK-HIGH-01",
        "a server recognises only what was tried at itself before",
        notes_of_peers=lambda: False,
    ),
    variant(
        "asks-anew",
        "TRK-HIGH-01",
        "a client tries again under a new identity",
        retries_keep_identity=lambda: False,
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
        "stops-looking",
        "FO-NONHA-02",
        "a client that has found no server alive looks for none any more",
        keeps_looking=lambda: False,
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
)
