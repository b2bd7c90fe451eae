"""Right but unusual sites: gateway senders, their queues and copies, receivers, resolvers, rings and clocks.

Knows what each does; whether the suite accepts it, ci/tests/test_right_behaviours.py asks.
"""

from __future__ import annotations

import random

from msgspec.structs import replace

from plumbline.adapters.protocol import Introduction
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.selftest.checks.behaviour import (
    Behaviour,
    Leaning,
    Rank,
    first,
    last,
    leaning,
    of_sites,
    usual,
)
from plumbline.ci.selftest.checks.ticking import TickingReference
from plumbline.reference.history.operations import RegionAttributes
from plumbline.reference.model.messages import Message
from plumbline.reference.model.setting import Propagation
from plumbline.reference.model.sites.dispatch import TRIES_AGAIN
from plumbline.reference.model.sites.records import FORGETS
from plumbline.reference.model.sites.wandering import GOES_ELSEWHERE
from plumbline.reference.model.system import Model
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import Stamp
from plumbline.reference.search.transition import Step
from plumbline.suites.scenarios.scenario import Scenario

QUEUES = ("gateway_order", "several_dispatchers", "gateway_faults", "asynchronous_queues")
SITES = (*QUEUES, "sites_conflicts", "three_sites")
CALLS_PER_TICK = 3


def _whoever_is_first(scenario: Scenario) -> bool:
    """Scenarios in which it does not count who was started first."""
    return of_sites(scenario) and "SER-PRIMARY-02" not in scenario.requirements


def _one_by_one(world: World, step: Step) -> int | None:
    """A batch of one event: nothing is sent while anything is unanswered."""
    if step.name[0] != "sends event":
        return usual(world, step)
    _, member, queue, _ = step.name
    return None if world.wan.senders[member, queue].sent else 0


def _tries_again(world: World, step: Step) -> int | None:
    """While answers are lost, a sender gives up waiting as soon as all that it has sent was dealt with."""
    return 1 if step.name[0] == TRIES_AGAIN else usual(world, step)


def _silent(world: World, step: Step) -> int | None:
    """Takes steps that show no event first."""
    return usual(world, step) if step.shows else -1


def _forgets(world: World, step: Step) -> int | None:
    """A secondary hears of what its dead primary had discarded."""
    return -2 if step.name[0] == FORGETS else usual(world, step)


def _dies_before_copying(world: World, step: Step) -> int | None:
    """What a dead member has told its peers arrives; the copies of its queue were never sent."""
    return -2 if step.name[0] == "is not copied" else last("is lost")(world, step)


def _without_groups(scenario: Scenario) -> bool:
    """Scenarios whose senders group no transactions.

    The model does not follow yet what a takeover sends again behind an event that a batch has passed over.
    """
    return of_sites(scenario) and not any(queue.group_transactions for queue in scenario.queues)


def _hands_over_at_once(world: World, step: Step) -> int | None:
    """Nothing of a dead member arrives any more, and another takes over before anything else happens."""
    order = {"is lost": -3, "takes over": -2}
    return order.get(str(step.name[0]), usual(world, step))


class _LastIsPrimary(Leaning):
    """The member that was started last is primary of each queue."""

    def __init__(self, model: Model, draw: random.Random | None, rank: Rank, **how: bool) -> None:
        super().__init__(model, draw, rank, **how)
        senders = self.world.wan.senders
        for (member, queue), sender in senders.items():
            running = model.setting.runners(model.setting.queues[queue])
            senders = senders.set((member, queue), replace(sender, primary=member == running[-1]))
        self.world = self.world.but(wan=replace(self.world.wan, senders=senders))


class _CountingRefused(Leaning):
    """Its conflatedEvents moves for each event of another site that it refuses."""

    def left_by(self, step: Step) -> World:
        """The world in which what was refused is counted."""
        world: World = step.state
        if step.name[0] != "discards from another site":
            return world
        member = step.name[1]
        return world.but(discards=world.discards.set(member, world.discards.get(member, 0) + 1))


class _Trying(Leaning):
    """While answers are lost it sends again what was not answered, as often as it may."""

    def __init__(self, model: Model, draw: random.Random | None) -> None:
        super().__init__(model, draw, _tries_again, lazy=False, backwards=False)


class _Renewing(Leaning):
    """A repetition is a new version of its entry, which its receiver sends to the others."""

    def left_by(self, step: Step) -> World:
        """The world in which what was applied once more has the next version."""
        name = step.name
        world: World = step.state
        if name[0] != "applies from another site" or (name[1], name[2]) not in self.world.wan.seen:
            return world
        _, member, op_id = name
        operation = self.setting.operations[op_id]
        where = (member, operation.region, operation.key)
        entry = world.entries.get(where)
        if entry is None or entry.stamp is None:
            return world
        stamp = replace(entry.stamp, version=entry.stamp.version + 1, member=member)
        channels = world.channels
        for channel, messages in world.channels.items():
            if channel.source == member and self.world.channels.get(channel, ()) != messages:
                channels = channels.set(channel, (*messages[:-1], _renewed(messages[-1], op_id, stamp)))
        entries = world.entries.set(where, replace(entry, stamp=stamp))
        return world.but(entries=entries, channels=channels)


def _renewed(message: Message, op_id: int, stamp: Stamp) -> Message:
    return replace(message, stamp=stamp) if message.op_id == op_id and message.event else message


class _KeepsToItself(ReferenceAdapter):
    """What came from another site goes no further: sites are sent only what their neighbours write."""

    def hello(self) -> Introduction:
        """Say so."""
        return replace(super().hello(), sends_on=False)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Begin an example in which nothing travels on."""
        super().reset(regions)
        self._ready().setting.onward = Propagation.STAYS


class _Wandering(ReferenceAdapter):
    """A sender hands each batch to another receiver."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Begin an example in which senders stay nowhere."""
        super().reset(regions)
        self._ready().setting.wanders = True


BEHAVIOURS = (
    Behaviour(
        name="clocks-tick-once-in-three-calls",
        does="calls of one tick get equal timestamps, at one site and at several",
        allowed="no document names a resolution of clocks; 004 L119 says what follows from equal timestamps",
        machines=("sites_conflicts", "three_sites"),
        concerns=of_sites,
        open=lambda: TickingReference(CALLS_PER_TICK),
    ),
    Behaviour(
        name="last-started-is-primary",
        does="the member that was started last is primary of each queue",
        allowed="002 L45: the member that gets the lock is primary; it is only generally the first",
        machines=QUEUES,
        concerns=_whoever_is_first,
        open=leaning(simulation=_LastIsPrimary),
    ),
    Behaviour(
        name="batches-of-one",
        does="each event is a batch of its own, sent when the one in front of it was answered",
        allowed="000 L34: a batch is processed when its size or its interval is reached",
        machines=SITES,
        concerns=of_sites,
        open=leaning(_one_by_one),
    ),
    Behaviour(
        name="receivers-answer-last",
        does="a receiver acknowledges, and a sender hears it, only once nothing else happens",
        allowed="000 L27: a batch is sent, then a reply is waited for; for how long, no document says",
        machines=QUEUES,
        concerns=of_sites,
        open=leaning(last("answers", "hears the answer", "removes"), lazy=True),
    ),
    Behaviour(
        name="copies-of-queues-come-last",
        does="secondaries store queue entries, and are told of them, behind everything else",
        allowed="002, Serial: either of the operation and the queue entry may come first",
        machines=QUEUES,
        concerns=of_sites,
        open=leaning(
            last("stores queue entry", "is told of queue entry", "removes from its copy"), lazy=True
        ),
    ),
    Behaviour(
        name="copies-of-queues-come-first",
        does="secondaries have queue entries before they hear of the operations",
        allowed="002, Serial: either of the operation and the queue entry may come first",
        machines=QUEUES,
        concerns=of_sites,
        open=leaning(first("stores queue entry", "is told of queue entry"), lazy=True),
    ),
    Behaviour(
        name="queues-wait",
        does="events leave a queue after all other steps, and no step is taken before a request waits",
        allowed="000 L7: events are distributed asynchronously",
        machines=SITES,
        concerns=of_sites,
        open=leaning(last("connects", "sends event"), lazy=True),
    ),
    Behaviour(
        name="sites-go-backwards",
        does="of all that may happen next the last by name happens: the last receiver, the last successor",
        allowed="no document orders members, nor says to which receiver a sender connects",
        machines=SITES,
        concerns=of_sites,
        open=leaning(backwards=True, lazy=True),
    ),
    Behaviour(
        name="hands-each-batch-to-another-receiver",
        does="a sender leaves its receiver for another one as soon as a batch was answered",
        allowed="no document keeps a sender at the receiver that it has found first",
        machines=SITES,
        concerns=of_sites,
        open=leaning(first(GOES_ELSEWHERE), adapter=_Wandering),
    ),
    Behaviour(
        name="counts-what-it-refuses-of-other-sites",
        does="conflatedEvents moves for what is refused for its timestamp as it comes from another site",
        allowed="004 L71 speaks of versions; docs/protocol.md leaves it open for timestamps",
        machines=("gateway_faults", "sites_conflicts", "three_sites"),
        concerns=of_sites,
        open=leaning(simulation=_CountingRefused),
    ),
    Behaviour(
        name="recognises-what-comes-again",
        does="no listener shows an unanswered event that comes once more",
        allowed="000 L30: a message could be processed more than once, and need not be",
        machines=("gateway_faults",),
        concerns=of_sites,
        open=leaning(first("recognises")),
    ),
    Behaviour(
        name="applies-again-as-a-new-version",
        does="the same, as a new version, which the other members of the site take for a new update",
        allowed="000 L30: a message could be processed more than once",
        machines=("gateway_faults",),
        concerns=_without_groups,
        open=leaning(simulation=_Renewing),
    ),
    Behaviour(
        name="tries-again-while-answers-are-lost",
        does="a sender whose answers are lost sends once more, and its receiver applies that",
        allowed="002 L105: it keeps trying if no ack is received, for any reason",
        machines=("gateway_faults",),
        concerns=of_sites,
        open=lambda: ReferenceAdapter(simulate=_Trying, most_tries=2),
    ),
    Behaviour(
        name="hands-over-at-once",
        does="what a dead member has sent is lost, and its successor takes over before anything else",
        allowed="002 L45: the others keep trying to acquire the lock",
        machines=("gateway_faults",),
        concerns=of_sites,
        open=leaning(_hands_over_at_once, lazy=True),
    ),
    Behaviour(
        name="hands-over-last",
        does="what a dead member has sent arrives, and its successor takes over behind everything else",
        allowed="002 L45: when another gets the lock, no document says",
        machines=("gateway_faults",),
        concerns=of_sites,
        open=leaning(last("is lost", "takes over"), lazy=True),
    ),
    Behaviour(
        name="dies-before-copying",
        does="a primary that dies has sent its peers an update, and no member its queue entry",
        allowed="002, Serial B2, B3 and B6 put neither message first",
        machines=("gateway_faults",),
        concerns=of_sites,
        open=leaning(_dies_before_copying, lazy=True),
    ),
    Behaviour(
        name="secondaries-hear-of-discards",
        does="a secondary forgets what its dead primary had discarded",
        allowed="002, Serial: a record is of what the primary has not received",
        machines=("gateway_faults",),
        concerns=of_sites,
        open=leaning(_forgets, lazy=True),
    ),
    Behaviour(
        name="sites-tell-little",
        does="listeners are told only what they must be: nothing of what finds nothing to destroy",
        allowed="no document says whether a listener is told of a destroy that finds nothing",
        machines=("gateway_order", "sites_conflicts"),
        concerns=of_sites,
        open=leaning(_silent),
    ),
    Behaviour(
        name="sends-nothing-on",
        does="what came from another site goes no further, in rings and chains as well",
        allowed="docs/protocol.md: sends_on may be false; no document says that events travel on",
        machines=("three_sites",),
        concerns=of_sites,
        open=_KeepsToItself,
    ),
)
"""All of them."""
