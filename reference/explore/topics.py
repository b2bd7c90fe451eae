"""What worlds that are looked at whole are about, and how large they are. Knows names only."""

from __future__ import annotations

from enum import StrEnum


class Topic(StrEnum):
    """What of the documents a world is about."""

    REPLICATED = "replicated"
    GATEWAYS = "gateways"
    THREE_SITES = "three-sites"
    TRANSACTIONS = "transactions"
    PARTITIONED = "partitioned"
    LESSER = "lesser"
    CLEARS = "clears"
    TOMBSTONES = "tombstones"
    RESOLVERS = "resolvers"
    QUEUES = "queues"
    CLIENTS = "clients"
    REGISTRATIONS = "registrations"
    COPIES = "copies"
    REPLAYS = "replays"
    RECRUITS = "recruits"
    LISTENERS = "listeners"
    BUCKETS = "buckets"
    RESTARTS = "restarts"


class ExploreScope(StrEnum):
    """How large worlds are."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    """Only drawn from at random: too large to exhaust. Not of every part."""
