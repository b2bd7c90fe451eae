"""The rulebook: every decision, answered as the documents say.

Its classes hold the decisions by subject. Knows neither models nor logs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NoReturn

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.rulebook.answers import AnswerDecisions
from plumbline.reference.rulebook.batches import BatchDecisions, RemovalDecisions, RetryDecisions
from plumbline.reference.rulebook.callback_arguments import ArgumentDecisions
from plumbline.reference.rulebook.checking import CheckingDecisions, ClientCheckDecisions, HostingDecisions
from plumbline.reference.rulebook.clearing import ClearDecisions
from plumbline.reference.rulebook.clients import CallDecisions
from plumbline.reference.rulebook.conflict_resolvers import ResolverDecisions
from plumbline.reference.rulebook.crossing import CrossingDecisions, OnwardDecisions
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.dialects import answers, is_documented
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


class Rulebook(
    AnswerDecisions,
    ArgumentDecisions,
    BatchDecisions,
    CallDecisions,
    CheckingDecisions,
    ClearDecisions,
    ClientCheckDecisions,
    ComparisonDecisions,
    ConcurrencyDecisions,
    ConflationDecisions,
    CrossingDecisions,
    DiskDecisions,
    DispatcherDecisions,
    DistributionDecisions,
    DurableDecisions,
    EntryOperationDecisions,
    OfflineDecisions,
    ExpiryDecisions,
    FailoverDecisions,
    FailureDecisions,
    FilterDecisions,
    GaugeDecisions,
    GroupDecisions,
    HostingDecisions,
    InterestDecisions,
    JoiningDecisions,
    ListenerDecisions,
    MarkDecisions,
    OnwardDecisions,
    OverflowDecisions,
    ParallelDecisions,
    PartitionDecisions,
    PolicyDecisions,
    QueueDecisions,
    ReceiverDecisions,
    RecordDecisions,
    RedundancyDecisions,
    RegionEventDecisions,
    RemovalDecisions,
    ReplayDecisions,
    ResolverDecisions,
    RetentionDecisions,
    RetryDecisions,
    StampDecisions,
    SubscriptionConflationDecisions,
    SubscriptionDecisions,
    SubstitutionDecisions,
    TakeoverDecisions,
    TimestampDecisions,
    TransactionDecisions,
):
    """All decisions, each a method. Where two documents contradict each other, the older one counts.

    `dialects` tells where documents contradict each other. A rulebook is never changed.

    Args:
        answers: decisions that this one answers otherwise, by name.

    Raises:
        TypeError: for a decision that there is none of.
    """

    def __init__(self, **answers: Callable[..., Any]) -> None:
        if unknown := answers.keys() - DECISIONS.keys():
            raise TypeError(f"no decision is called {', '.join(sorted(unknown))}")
        vars(self).update({name: one.answer for name, one in DECISIONS.items()} | answers)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a rulebook is never changed: ask it `with_answers({name}=...)`")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rulebook) and self.answers() == other.answers()

    def __hash__(self) -> int:
        return hash(tuple(self.answers().values()))

    def answers(self) -> dict[str, Callable[..., Any]]:
        """Each decision's answer, by its name."""
        return {name: getattr(self, name) for name in DECISIONS}

    def with_answers(self, **answers: Callable[..., Any]) -> Rulebook:
        """The rulebook in which these decisions are answered otherwise.

        Raises:
            TypeError: for a decision that there is none of.
        """
        return Rulebook(**(self.answers() | answers))

    def replaced(self) -> frozenset[str]:
        """Names of the decisions that are not answered as the documents of some dialect say."""
        return self._replaced

    @cached_property
    def _replaced(self) -> frozenset[str]:
        """What `replaced` tells: looked up once, as it is asked several times for each history."""
        return frozenset(
            name
            for name, answer in self.answers().items()
            if answer is not DECISIONS[name].answer and not is_documented(name, answer)
        )

    def with_free(self, *names: str) -> Rulebook:
        """The rulebook in which these decisions may be answered in any way.

        A copy of all answers: naming asks for hundreds of each history, and to set each answer anew, and then
        look each up, took longer than many a search.
        """
        freed = object.__new__(type(self))
        free = {name: DECISIONS[name].free for name in names}
        vars(freed).update(vars(self) | free | {"_replaced": self._replaced.union(names)})
        return freed


def rulebook_of(dialect: Dialect) -> Rulebook:
    """The rulebook of a dialect: what its documents say, and the others without contradiction."""
    return Rulebook(**answers(dialect))
