"""The decisions by the examples that ask them, and in which order they are blamed.

Knows nothing of how each is answered: that stands with the decision, in the module of its subject.
"""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.reference.rulebook.answers import AnswerDecisions
from plumbline.reference.rulebook.batches import BatchDecisions, RemovalDecisions, RetryDecisions
from plumbline.reference.rulebook.callback_arguments import ArgumentDecisions
from plumbline.reference.rulebook.checking import CheckingDecisions, ClientCheckDecisions, HostingDecisions
from plumbline.reference.rulebook.clearing import ClearDecisions
from plumbline.reference.rulebook.clients import CallDecisions
from plumbline.reference.rulebook.conflict_resolvers import ResolverDecisions
from plumbline.reference.rulebook.crossing import CrossingDecisions, OnwardDecisions
from plumbline.reference.rulebook.decision import Decision, Subject, merged
from plumbline.reference.rulebook.disks import DiskDecisions
from plumbline.reference.rulebook.duplicate_marks import MarkDecisions
from plumbline.reference.rulebook.durable import DurableDecisions
from plumbline.reference.rulebook.entry_operations import EntryOperationDecisions
from plumbline.reference.rulebook.event_filters import FilterDecisions
from plumbline.reference.rulebook.event_substitution import SubstitutionDecisions
from plumbline.reference.rulebook.failover import FailoverDecisions
from plumbline.reference.rulebook.failures import FailureDecisions
from plumbline.reference.rulebook.interests import InterestDecisions
from plumbline.reference.rulebook.joining import JoiningDecisions
from plumbline.reference.rulebook.listeners import ListenerDecisions
from plumbline.reference.rulebook.offline import OfflineDecisions
from plumbline.reference.rulebook.overflow import OverflowDecisions
from plumbline.reference.rulebook.parallel_queues import ParallelDecisions
from plumbline.reference.rulebook.partitioned import PartitionDecisions
from plumbline.reference.rulebook.policies import PolicyDecisions
from plumbline.reference.rulebook.queue_conflation import ConflationDecisions
from plumbline.reference.rulebook.queues import DispatcherDecisions, QueueDecisions
from plumbline.reference.rulebook.receivers import ReceiverDecisions, TimestampDecisions
from plumbline.reference.rulebook.redundancy import RedundancyDecisions
from plumbline.reference.rulebook.replays import ReplayDecisions
from plumbline.reference.rulebook.replicated import ConcurrencyDecisions, DistributionDecisions
from plumbline.reference.rulebook.subscription_conflation import SubscriptionConflationDecisions
from plumbline.reference.rulebook.subscriptions import RegionEventDecisions, SubscriptionDecisions
from plumbline.reference.rulebook.takeover import RecordDecisions, TakeoverDecisions
from plumbline.reference.rulebook.tombstones import ExpiryDecisions, GaugeDecisions, RetentionDecisions
from plumbline.reference.rulebook.transaction_groups import GroupDecisions
from plumbline.reference.rulebook.transactions import TransactionDecisions
from plumbline.reference.rulebook.versions import ComparisonDecisions, StampDecisions


def _of(*subjects: type[Subject], first: tuple[str, ...] = ()) -> dict[str, Decision]:
    """The decisions of these subjects, narrow ones first; `first` come before all others."""
    named = merged(*(subject.decisions for subject in subjects))
    return {name: named[name] for name in dict.fromkeys((*first, *named))}


TRANSACTIONS = _of(TransactionDecisions)
"""Decisions that only examples ask in which there are transactions."""

CHECKING = _of(CheckingDecisions)
"""Decisions that only examples ask in which consistency checking is set for a region or client."""

HOSTING = _of(HostingDecisions)
"""Decisions that only examples ask in which a member hosts a region with settings of its own."""

REPLICATED = _of(
    ConcurrencyDecisions, ComparisonDecisions, RetentionDecisions, StampDecisions, DistributionDecisions
)
"""Decisions about replicated regions, which every example asks."""

TOMBSTONES = _of(ExpiryDecisions)
"""Decisions that only examples ask in which tombstones expire."""

CLEARING = _of(ClearDecisions)
"""Decisions that only examples ask in which a region is cleared."""

GAUGES = _of(GaugeDecisions)
"""Decisions that only examples ask in which tombstones are counted."""

POLICIES = _of(PolicyDecisions)
"""Decisions that only examples ask in which some member keeps less than a replicate."""

PARTITIONED = _of(PartitionDecisions)
"""Decisions that only examples with partitioned regions ask."""

CLIENTS = _of(
    CallDecisions,
    RegionEventDecisions,
    InterestDecisions,
    SubscriptionDecisions,
    RedundancyDecisions,
    FailoverDecisions,
    ClientCheckDecisions,
    first=("sends_local", "loads_of_others"),
)
"""Decisions that only examples with clients ask."""

LISTENERS = _of(ListenerDecisions)
"""Decisions that only examples with asynchronous event queues ask."""

GATEWAYS = _of(
    CrossingDecisions,
    QueueDecisions,
    RecordDecisions,
    TakeoverDecisions,
    BatchDecisions,
    RetryDecisions,
    RemovalDecisions,
    ReceiverDecisions,
    TimestampDecisions,
    first=("entry_crosses", "queued_clears_record", "removal_clears_record"),
)
"""Decisions that only examples with gateway senders ask."""

FAILURES = _of(FailureDecisions)
"""Decisions that only examples ask in which a receiver may fail to apply an event."""

DISPATCHERS = _of(DispatcherDecisions)
"""Decisions that only a sender of several dispatchers asks."""

ONWARD = _of(OnwardDecisions)
"""Decisions that only examples ask in which events travel on by way of a site that did not write them."""

RESOLVERS = _of(ResolverDecisions)
"""Decisions that only examples with a conflict resolver ask."""

PARALLEL = _of(ParallelDecisions)
"""Decisions that only examples with parallel queues ask."""

DISKS = _of(DiskDecisions)
"""Decisions that only examples ask in which members with queues are started again."""

OVERFLOW = _of(OverflowDecisions)
"""Decisions that only examples with long values in queues ask."""

CONFLATION = _of(ConflationDecisions)
"""Decisions that only examples ask in which a queue conflates."""

SUBSCRIPTION_CONFLATION = _of(SubscriptionConflationDecisions)
"""Decisions that only examples ask in which the subscription of a client conflates."""

MARKS = _of(MarkDecisions)
"""Decisions that only examples ask in which listeners show the mark of a possible duplicate."""

ARGUMENTS = _of(ArgumentDecisions)
"""Decisions that only examples ask in which callback arguments are given."""

SUBSTITUTION = _of(SubstitutionDecisions)
"""Decisions that only examples ask in which a queue has a substitution filter."""

GROUPS = _of(GroupDecisions)
"""Decisions that only examples ask in which a sender groups transactions."""

FILTERS = _of(FilterDecisions)
"""Decisions that only examples ask in which a queue has an event filter."""

ENTRY_OPERATIONS = _of(EntryOperationDecisions)
"""Decisions that only examples ask with operations that depend on what they find, or on many keys."""

DURABLE = merged(_of(DurableDecisions), _of(OfflineDecisions), _of(ReplayDecisions))
"""Decisions that only examples with a durable client ask."""

REGISTRATIONS = _of(AnswerDecisions)
"""Decisions that only examples ask in which registrations are under way beside all else."""

JOINING = _of(JoiningDecisions)
"""Decisions that only examples ask in which a copy is taken beside all else."""

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
    FAILURES,
    ONWARD,
    RESOLVERS,
    LISTENERS,
    PARALLEL,
    DISKS,
    OVERFLOW,
    DURABLE,
    REGISTRATIONS,
    JOINING,
    CONFLATION,
    FILTERS,
    MARKS,
    GROUPS,
    SUBSCRIPTION_CONFLATION,
    ARGUMENTS,
    SUBSTITUTION,
    ENTRY_OPERATIONS,
)
"""Every decision by name, narrow ones first; the method of the same name in `Rulebook` answers it."""

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
"""Decisions on clients that are blamed first.

The order above stays as it is, because random examples are drawn by it.
"""


def narrowest_first(decisions: Iterable[str]) -> tuple[str, ...]:
    """Decisions in the order in which they are blamed where freeing any of several explains an example."""
    ordered = list(decisions)
    for first, then in IN_FRONT:
        if first in ordered and then in ordered:
            ordered.remove(first)
            ordered.insert(ordered.index(then), first)
    return tuple(ordered)
