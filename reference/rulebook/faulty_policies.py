"""Faulty variants of members that keep less than a replicate, and of what is local to a server."""

from __future__ import annotations

from plumbline.reference.rulebook.values import Stamp
from plumbline.reference.rulebook.variant import variant

POLICIES = (
    variant(
        "applies-whatever-arrives",
        "CONS-NR-01",
        "a member with a normal or preloaded copy applies updates without comparing versions",
        checks_less_than_replicate=lambda: False,
    ),
    variant(
        "invalid-copies-outlive-destroys",
        "CONS-NR-01",
        "a member with a normal or preloaded copy keeps an entry without a value that another destroys",
        takes_destroy_of_invalid=lambda: False,
    ),
    variant(
        "fetches-without-version",
        "CONS-NR-01",
        "what a normal or preloaded member has fetched has version 0: whatever comes late replaces it",
        stamp_of_fetched=lambda given, reader: Stamp(0, reader),  # noqa: ARG005
    ),
    variant(
        "tells-no-other-copies",
        "CONS-NR-01",
        "a normal or preloaded member tells the replicates alone of what it changes in its own copy",
        chaotic=True,
        told_by_less_than_replicate=lambda others, replicates: replicates,  # noqa: ARG005
    ),
    variant(
        "stamps-what-it-lacks",
        "CONS-NR-02",
        "an operation on an entry that the member lacks gets version 1 and the member's own id",
        absent_goes_to_replicate=lambda: False,
    ),
    variant(
        "signs-for-the-replicate",
        "CONS-NR-02",
        "the caller keeps the replicate's version under its own id",
        stamp_taken_over=lambda given, caller: Stamp(given.version, caller),
    ),
    variant(
        "waits-for-a-replicate",
        "CONS-NR-03",
        "an operation waits until there is a replicate that can be asked",
        ends_without_replicate=lambda: False,
    ),
    variant(
        "asks-nobody-else",
        "CONS-NR-03",
        "a caller waits for ever for the answer of a replicate that has died",
        asks_another_replicate=lambda: False,
    ),
    variant(
        "does-it-again",
        "CONS-NR-03",
        "a replicate that has the operation already carries it out once more when it is asked",
        recognises_asked_again=lambda: False,
    ),
    variant(
        "clears-its-own-copy",
        "CLEAR-NR-01",
        "a clear called on a member without a replicate clears that member's copy and no other",
        clear_goes_to_replicate=lambda: False,
    ),
    variant(
        "sends-local-operations",
        "S2C-OPS-05",
        "a server sends its clients its own local destroys, invalidates and clears",
        sends_local=lambda: True,
    ),
    variant(
        "loads-from-everywhere",
        "INT-BULK-03",
        "a registration loads what any member holds, not only the client's server",
        loads_of_others=lambda: True,
    ),
)
