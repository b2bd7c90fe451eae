"""State machines of queues with substitution filters: senders both ways, queues that listen, parallel queues.

An extension. Some keys have substitutes, and some filters fail at a key. Queues gather, conflate, fail and
change hands, so that a substitute has to outlast what its event does.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import ANSWERS
from plumbline.reference.history.operations import (
    STORES_VALUE,
    OperationKind,
    QueueAttributes,
)
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.gathering import GatheringMachine, writes_named_key
from plumbline.suites.machines.parallel_queues import ParallelQueuesMachine
from plumbline.suites.machines.queued_buckets import BATCH_SIZES as BUCKET_BATCH_SIZES
from plumbline.suites.machines.queued_buckets import HERE as MEMBERS
from plumbline.suites.machines.queued_buckets import REDUNDANCY
from plumbline.suites.machines.sites_drawing import BATCH_SIZES, HERE
from plumbline.suites.scenarios.listening import listened_queues, topology
from plumbline.suites.scenarios.parallel import parallel_region
from plumbline.suites.scenarios.sites import queues, substituting

_Keys = tuple[str, ...]
_Filter = tuple[_Keys, _Keys]

_FILTERS = st.sampled_from(
    ((("x", "y"), ()), (("x", "y", "z"), ()), (("x", "y"), ("z",)), (("y", "z"), ("x",)), (("x", "p"), ()))
)
"""The keys for whose values a filter gives others, and those at whose events it fails."""

_PUTS = st.lists(st.integers(0, 2), min_size=2, max_size=4)

_MOSTLY = st.sampled_from((True, True, False))

_FILTERS_BACK = st.sampled_from((((), ()), ((), ()), (("p",), ()), (("x", "q"), ())))


class EventSubstitutionMachine(GatheringMachine):
    """Events of several keys pass a queue whose filter gives some of them other values."""

    @initialize(
        batch_size=st.sampled_from(BATCH_SIZES),
        conflate=st.sampled_from((False, False, True)),
        here=_FILTERS,
        back=_FILTERS_BACK,
        listens=st.none() | _FILTERS | st.just(((), ())),
    )
    def begin(
        self, batch_size: int, conflate: bool, here: _Filter, back: _Filter, listens: _Filter | None
    ) -> None:
        """Choose the queues and their filters before anything is called."""
        conflate = conflate and Capability.QUEUE_CONFLATION in self.offers
        first, there = queues(batch_size, conflate=conflate)
        fed = [substituting(first, *here), substituting(there, *back)]
        if listens is not None and Capability.ASYNC_QUEUES in self.offers:
            fed += [substituting(queue, *listens) for queue in listened_queues(batch_size)]
        self.lead_by(tuple(fed))

    @rule(puts=_PUTS, who=st.integers(0, 1), listening=_MOSTLY, victim=st.sampled_from((*HERE[:1], *HERE)))
    @precondition(lambda self: not (self.faults or self.parked) and Capability.MEMBER_FAULTS in self.offers)
    def outlive(self, puts: list[int], who: int, listening: bool, victim: str) -> None:
        """Events wait in a paused queue, one member dies, and the other goes on with its own copy of them."""
        self.rest()
        queue = self.queues[-1 if listening and self.listens else 0]
        self.break_(*(Fault(kind=FaultKind.PAUSE, member=member, queue=queue.id) for member in HERE))
        self.put_in_turn(who, puts, queue)
        self.settle_now()
        self.faults += 1
        self.break_(Fault(kind=FaultKind.CRASH, member=victim))

    def put_in_turn(self, who: int, puts: list[int], queue: QueueAttributes) -> None:
        """Plan puts of both members in turn, the first of a key whose values the queue's filter changes."""
        own = [key for key in self.keys if key in queue.substituted_keys] or self.keys
        for turn, put in enumerate(puts):
            keys = self.keys if turn else own
            self.do(self.change(who + turn, HERE, OperationKind.PUT, keys[put % len(keys)]))

    @rule(
        puts=_PUTS,
        who=st.integers(0, 1),
        answers=st.lists(st.sampled_from(ANSWERS[1:]), min_size=1, max_size=2),
    )
    @precondition(
        lambda self: self.listens and Capability.CALLBACK_SCRIPTS in self.offers and not self.parked
    )
    def fail_at(self, puts: list[int], who: int, answers: list[str]) -> None:
        """The listeners of the queue that listens fail at what is put next."""
        self.fail(answers)
        self.put_in_turn(who, puts, self.queues[-1])


class ParallelSubstitutionMachine(ParallelQueuesMachine):
    """Events of partitioned regions pass a parallel queue whose filter gives some of them other values."""

    @initialize(
        here=MEMBERS,
        redundancy=REDUNDANCY,
        batch_size=BUCKET_BATCH_SIZES,
        two=st.booleans(),
        filtered=_FILTERS,
    )
    def begin(self, here: int, redundancy: int, batch_size: int, two: bool, filtered: _Filter) -> None:
        """Choose members, copies, the queue and its filter, and the regions, before anything is called."""
        fed = tuple(substituting(queue, *filtered) for queue in listened_queues(batch_size, parallel=True))
        self.feed(topology(here), fed, parallel_region(fed, redundancy), two=two)


def some_value_has_a_substitute(history: History) -> bool:
    """Whether a value is put for which the filter of a queue of its site gives another."""
    named = {(queue.site, key) for queue in history.queues for key in queue.substituted_keys}
    return writes_named_key(history, named, STORES_VALUE)


EVENT_SUBSTITUTION_MACHINES = (
    Machine(
        name="event_substitution",
        requirements=(
            *("EXT-SUBST-01", "EXT-SUBST-02", "EXT-SUBST-03", "EXT-SUBST-04", "EXT-SUBST-05"),
            *("EXT-SUBST-06", "EXT-SUBST-07", "EXT-SUBST-08", "EXT-SUBST-09"),
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.GATEWAYS, Capability.EVENT_SUBSTITUTION),
        draws=EventSubstitutionMachine,
        counts=some_value_has_a_substitute,
    ),
    Machine(
        name="substitution_in_parallel",
        requirements=(
            *("EXT-SUBST-02", "EXT-SUBST-03", "EXT-SUBST-04", "EXT-SUBST-06", "EXT-SUBST-07", "EXT-SUBST-09"),
        ),
        needs=(
            *(Capability.PARTITIONED_REGIONS, Capability.ASYNC_QUEUES, Capability.PARALLEL_QUEUES),
            Capability.EVENT_SUBSTITUTION,
        ),
        draws=ParallelSubstitutionMachine,
        counts=some_value_has_a_substitute,
    ),
)
"""The machines of queues with substitution filters."""
