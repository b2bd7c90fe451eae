"""Capabilities: what a candidate may or may not offer, and what cannot be judged without each.

A capability that a candidate lacks makes requirements *unsupported*, never passed.
"""

from __future__ import annotations

from enum import StrEnum


class Capability(StrEnum):
    """The whole list; a candidate's `hello` names those it has."""

    REPLICATED_REGIONS = "replicated_regions"
    PARTITIONED_REGIONS = "partitioned_regions"
    BUCKET_MOVES = "bucket_moves"
    REGION_POLICIES = "region_policies"
    CHECKS_SETTING = "checks_setting"
    LOCAL_OPERATIONS = "local_operations"
    BULK_OPERATIONS = "bulk_operations"
    CONDITIONAL_OPERATIONS = "conditional_operations"
    LOCAL_EXPIRATION = "local_expiration"
    EVICTION = "eviction"
    TRANSACTIONS = "transactions"
    REGION_VIEWS = "region_views"
    QUERIES = "queries"
    CLEAR = "clear"
    TOMBSTONES = "tombstones"
    LISTENER_GATES = "listener_gates"
    MESSAGE_CONTROL = "message_control"
    CALLBACK_SCRIPTS = "callback_scripts"
    MEMBER_FAULTS = "member_faults"
    LINK_FAULTS = "link_faults"
    GATEWAYS = "gateways"
    PARALLEL_QUEUES = "parallel_queues"
    PARALLEL_SENDERS = "parallel_senders"
    ASYNC_QUEUES = "async_queues"
    QUEUE_CONFLATION = "queue_conflation"
    EVENT_FILTERS = "event_filters"
    DUPLICATE_MARKS = "duplicate_marks"
    EVENT_ARGUMENTS = "event_arguments"
    EVENT_SUBSTITUTION = "event_substitution"
    TRANSACTION_GROUPS = "transaction_groups"
    DISK = "disk"
    QUEUE_INSPECTION = "queue_inspection"
    CLIENTS = "clients"
    DURABLE_CLIENTS = "durable_clients"
    CONCURRENT_LIVES = "concurrent_lives"
    SUBSCRIPTION_CONFLATION = "subscription_conflation"
    HELD_REGISTRATIONS = "held_registrations"
    HELD_GETS = "held_gets"
    HELD_JOINS = "held_joins"
    CONCURRENT_RESTARTS = "concurrent_restarts"
    STATISTICS = "statistics"
    VISIBLE_VERSIONS = "visible_versions"
    HELD_CLOCKS = "held_clocks"
    SITE_CLOCKS = "site_clocks"
    VIRTUAL_TIME = "virtual_time"
    RETRY_TIME = "retry_time"
    FAILURE_COUNTS = "failure_counts"
    OVERFLOW_COUNTS = "overflow_counts"
    LOG_LINES = "log_lines"
    CONFIGURATION = "configuration"


CORE: tuple[Capability, ...] = (Capability.REPLICATED_REGIONS,)
"""What every candidate offers, as nothing can be asked without it; all others are optional."""

LOST_WITHOUT: dict[Capability, str] = {
    Capability.REPLICATED_REGIONS: "everything about replicated regions, and most conflicts",
    Capability.PARTITIONED_REGIONS: "primaries of buckets, redundancy, forwarding",
    Capability.BUCKET_MOVES: "primaries that move from one living member to another, with what is queued",
    Capability.REGION_POLICIES: "normal, preloaded, empty and local regions",
    Capability.CHECKS_SETTING: "what must hold, and what may not be demanded, with consistency checks off",
    Capability.LOCAL_OPERATIONS: "that local operations stay local",
    Capability.BULK_OPERATIONS: "putAll and removeAll element by element",
    Capability.CONDITIONAL_OPERATIONS: "replace and remove of an expected value",
    Capability.LOCAL_EXPIRATION: "that expiration with a local action stays on its member",
    Capability.EVICTION: "that eviction stays on its member",
    Capability.TRANSACTIONS: "versions generated at commit, delegation, limits",
    Capability.REGION_VIEWS: "the size of a region, and its key, value and entry sets",
    Capability.QUERIES: "what queries find in a region",
    Capability.CLEAR: "operations on whole regions, the region lock of clear and what it waits for",
    Capability.TOMBSTONES: "expiry and collection of tombstones, with durations a test can wait for",
    Capability.LISTENER_GATES: "provably concurrent updates: ties, worked example, late messages",
    Capability.MESSAGE_CONTROL: "redelivered and withheld messages between members",
    Capability.CALLBACK_SCRIPTS: "aborting writers, loaders, conflict resolvers, filters, failing listeners",
    Capability.MEMBER_FAULTS: "crashes and restarts of members, failover",
    Capability.LINK_FAULTS: "cut and healed links, lost acknowledgements",
    Capability.GATEWAYS: "distribution between sites",
    Capability.PARALLEL_QUEUES: "parallel asynchronous event queues",
    Capability.PARALLEL_SENDERS: "parallel gateway senders of partitioned regions",
    Capability.ASYNC_QUEUES: "asynchronous event queues and their listeners",
    Capability.QUEUE_CONFLATION: "queues in which updates make way for later ones, an extension",
    Capability.EVENT_FILTERS: "queues whose filter keeps events out, or from being sent, an extension",
    Capability.DUPLICATE_MARKS: "which events a queue's listener has received before, an extension",
    Capability.EVENT_ARGUMENTS: "callback arguments that travel with their events, an extension",
    Capability.EVENT_SUBSTITUTION: "queues whose filter gives events other values, an extension",
    Capability.TRANSACTION_GROUPS: "senders that never split a transaction over two batches, an extension",
    Capability.DISK: "overflow, persistence, recovery",
    Capability.QUEUE_INSPECTION: "depth, contents and role of queues",
    Capability.CLIENTS: "clients, interest, subscriptions, failover between servers",
    Capability.DURABLE_CLIENTS: "queues kept for absent clients, replay, markers",
    Capability.CONCURRENT_LIVES: "durable clients that go and come back while calls are under way",
    Capability.SUBSCRIPTION_CONFLATION: "clients whose queue keeps the latest update alone, an extension",
    Capability.HELD_REGISTRATIONS: "what the answer to a registration meets that was held back on its way",
    Capability.HELD_GETS: "what the answer to a client's get meets that was held back on its way",
    Capability.HELD_JOINS: "what a copy of a region meets that was held on its way to a member",
    Capability.CONCURRENT_RESTARTS: "members that start again while calls are under way",
    Capability.STATISTICS: "the counters that the documents name",
    Capability.VISIBLE_VERSIONS: "version stamps and timestamps as such; their effects are judged without",
    Capability.HELD_CLOCKS: "time-outs longer than a test can wait: when tombstones expire and are collected",
    Capability.SITE_CLOCKS: "equal timestamps of updates of several sites, clocks of sites that differ",
    Capability.VIRTUAL_TIME: "all else that takes time: when batches leave, for how long clients remember",
    Capability.RETRY_TIME: "when a gateway sender that has found no receiver tries again",
    Capability.FAILURE_COUNTS: "how many events a gateway receiver has failed to apply",
    Capability.OVERFLOW_COUNTS: "how many events of a queue are on disk as they exceed its memory",
    Capability.LOG_LINES: "what members log of failed events, and of durable clients that have timed out",
    Capability.CONFIGURATION: "defaults, expiration, copies given up and taken again, refusals",
}
