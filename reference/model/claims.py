"""The claims that the steps of replicated regions make: why a step may be taken at once.

Each is attacked by the tests beside the search; the conditions stand where the step is made.
"""

from __future__ import annotations

from plumbline.reference.explain.steps import Claim

STAMPS_GROW = frozenset(
    {
        "stamp",
        "stamp_stored",
        "takes_part",
        "applies_newer",
        "applies_older",
        "applies_tie_of_higher",
        "applies_tie_of_lower",
        "applies_same_stamp",
        "is_higher",
        "checks_in_force",
        "stores_before_checking",
        "value_stored",
        "value_stored_unchecked",
        "announces_discarded",
        "announcements_of_applied",
        "counted_by",
        "counts_applied",
    }
)
"""Decisions on which "a stored stamp only grows, and a loser stays one" rests."""

OTHERS_DO_NOT_MATTER = frozenset({"waits_for_other_writers", "applies_while_another_is_under_way"})
"""Decisions on which "what another operation is doing does not matter" rests."""

NEXT_MOMENT = Claim(
    "next moment",
    "The timeline is one order: nothing else can come before its next moment in it, and all that the "
    "moment does is to allow more.",
)
READ = Claim(
    "read",
    "A reading that is right now changes nothing for anybody and lets its caller go on.",
)
SEND = Claim(
    "send",
    "Sending only allows more: a message may stay on its way as long as it likes.",
    OTHERS_DO_NOT_MATTER | {"recipients"},
)
SHOW = Claim(
    "show",
    "The log fixes which change of this key comes next on this member; nobody who has yet to call can "
    "read what is there now, and no silent change may come first.",
    OTHERS_DO_NOT_MATTER | STAMPS_GROW,
)
DISCARD = Claim(
    "discard",
    "Stored stamps only grow, so an update that loses now loses for ever, and losing shows nowhere but "
    "in a counter that nobody reads in between.",
    OTHERS_DO_NOT_MATTER | STAMPS_GROW,
)
PASS_ON = Claim(
    "pass on",
    "Passing on a client's call, or answering it, only allows more: the call may take effect, and the answer "
    "arrive, as late as it likes.",
    OTHERS_DO_NOT_MATTER | {"serves_client"},
)
