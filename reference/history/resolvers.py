"""Policies of conflict resolvers: what the harness has one answer (004, L31, L121).

A policy is a word or sentence, so that any candidate can be told it. Knows no model and no candidate.
"""

from __future__ import annotations

import re

import msgspec

ALLOW, DISALLOW, REPLACE, THROW = "allow", "disallow", "replace", "throw"
"""What a resolver may answer; as a policy: it always does."""

_PREFERS = re.compile(r"prefer (\d{1,3}) within (\d{1,9}) ms")


class ResolverPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What a resolver answers.

    Attributes:
        always: its answer to each event; "" if it prefers a site.
        site: whose updates it prefers.
        within_ms: to others whose timestamps differ from theirs by no more than this, in milliseconds; else,
            and between other sites, the later timestamp wins, and of equal ones that of the higher site.
    """

    always: str = ""
    site: int = 0
    within_ms: int = 0


def policy_of(words: str) -> ResolverPolicy | None:
    """The policy that is named: an answer, or "prefer 1 within 1000 ms"; None if there is no such."""
    if words in (ALLOW, DISALLOW, REPLACE, THROW):
        return ResolverPolicy(always=words)
    found = _PREFERS.fullmatch(words)
    return None if found is None else ResolverPolicy(site=int(found[1]), within_ms=int(found[2]))


def in_place_of(value: str | None) -> str | None:
    """What a resolver that replaces puts in place of an event's value."""
    return None if value is None else f"{value}~"
