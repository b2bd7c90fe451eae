"""The model of replicated regions as a whole: the parts put together.

Knows which parts there are and in which order they are asked; each part knows its own steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.model import claims
from plumbline.reference.model.buckets import Buckets
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.checks import Checks
from plumbline.reference.model.clients.attempts import counted
from plumbline.reference.model.clients.client_calls import ClientCalls
from plumbline.reference.model.clients.clients import Clients
from plumbline.reference.model.clients.dead_queues import without_processed
from plumbline.reference.model.clients.durable_clients import Durable
from plumbline.reference.model.clients.failover import Failover
from plumbline.reference.model.clients.pending_registrations import PendingRegistrations
from plumbline.reference.model.clients.registrations import Interests
from plumbline.reference.model.collecting import Collecting
from plumbline.reference.model.committing import Committing
from plumbline.reference.model.deliveries import Deliveries
from plumbline.reference.model.faults import Faults
from plumbline.reference.model.forwarding import Forwarding
from plumbline.reference.model.independence import Independence, NoIndependence
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.pending_copies import PendingCopies
from plumbline.reference.model.quiescence import Quiescence
from plumbline.reference.model.region_operations import RegionOperations
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.conflation import Conflation
from plumbline.reference.model.sites.cut_through import CutThrough
from plumbline.reference.model.sites.dead_state import DeadState
from plumbline.reference.model.sites.dispatch import Dispatch
from plumbline.reference.model.sites.order_pairs import without_idle
from plumbline.reference.model.sites.parallel_queues import ParallelQueues
from plumbline.reference.model.sites.parallel_senders import ParallelSenders
from plumbline.reference.model.sites.precedence import Precedence
from plumbline.reference.model.sites.receivers import Receivers
from plumbline.reference.model.sites.resolving import Resolving
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.takeover import Takeover
from plumbline.reference.model.timeline import Answers, Timeline
from plumbline.reference.model.transactions import Transactions
from plumbline.reference.model.version_normalization import VersionNormalization
from plumbline.reference.model.world import World, empty_world
from plumbline.reference.search.transition import EveryWay, Step, View


class Model:
    """The parts of the model for one example; a `System` for the search, and what the simulation steps."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        lookahead: Lookahead,
        answers: Answers,
        client_strength: OrderStrength | None = None,
        independence: Independence | None = None,
    ) -> None:
        independence = independence or NoIndependence()
        self.setting = setting
        self._lookahead = lookahead
        # Readings of clocks are known of removed entries, too. Timestamps are also kept by clients, by
        # transactions, and for repeated deliveries.
        self._compares_what_is_left = setting.redeliverable == frozenset() and not (
            setting.readings or setting.clients or setting.transactions
        )
        precedence = Precedence(setting, lookahead)
        self.dead_state = DeadState(setting, lookahead)
        self._version_normalization = VersionNormalization(setting)
        self.senders = Senders(setting, lookahead, precedence, self.dead_state)
        self.takeover = Takeover(setting, self.senders, precedence)
        region_operations = RegionOperations(setting, strength, client_strength or strength, self.senders)
        self.callers = Callers(setting, strength, lookahead, independence, self.senders, region_operations)
        self.lanes = ParallelSenders(setting, lookahead, self.senders.feeding)
        self.parallel = ParallelQueues(setting, lookahead, self.senders, self.lanes)
        fed = (self.senders, self.parallel)
        self.replicates = Replicates(setting, strength, lookahead, independence, *fed)
        resolving = Resolving(setting, strength)
        self.deliveries = Deliveries(setting, lookahead, self.replicates, self.senders, precedence, resolving)
        self.buckets = Buckets(setting, strength, independence, self.replicates, self.parallel, lookahead)
        at_clients = Replicates(setting, client_strength or strength, lookahead, independence, *fed)
        self.interests = Interests(setting, client_strength or strength)
        failover = Failover(setting, strength, client_strength or strength, self.interests, independence)
        self._failover = failover
        client_calls = ClientCalls(setting, at_clients, region_operations, independence)
        self.durable = Durable(
            setting, client_strength or strength, at_clients, self.interests, failover, independence
        )
        self.pending = PendingRegistrations(setting, self.interests)
        self.clients = Clients(
            setting,
            independence,
            at_clients,
            self.interests,
            failover,
            client_calls,
            self.durable,
            self.pending,
        )
        self.receivers = Receivers(
            setting,
            strength,
            lookahead,
            self.replicates,
            self.senders,
            region_operations,
            resolving,
            independence,
        )
        self.conflation = Conflation(setting, lookahead, self.replicates)
        self.dispatch = Dispatch(
            setting,
            lookahead,
            CutThrough(setting, lookahead, self.replicates),
            self.lanes,
            self.conflation,
        )
        self.faults = Faults(setting, lookahead, self.durable, self.parallel, independence)
        self.forwarding = Forwarding(setting, strength, self.callers, self.replicates)
        self.collecting = Collecting(setting)
        self.copies = PendingCopies(setting, Checks(setting))
        committing = Committing(setting, self.callers, self.replicates, self.deliveries, self.forwarding)
        self.transactions = Transactions(setting, self.callers, self.forwarding, committing)
        self.rest = Quiescence(
            setting,
            self.callers,
            self.buckets,
            self.deliveries,
            self.clients,
            self.takeover,
            self.receivers,
            self.dispatch,
            self.parallel,
            self.forwarding,
            self.collecting,
            self.transactions,
            self.copies,
        )
        self.timeline = Timeline(
            setting,
            self.deliveries,
            self.receivers,
            self.rest,
            answers,
            self.interests,
            self.pending,
            self.copies,
        )

    def initial(self) -> World:
        """Nothing has happened yet."""
        return self.interests.begun(empty_world())

    def steps(self, state: World, view: View) -> Iterator[Step]:
        """Every step that could be taken now: the harness's, then the callers', then deliveries."""
        if self.setting.queues and len(state.wan.senders) == 0 and not state.wan.dead and self.setting.serial:
            yield from self.senders.starts(state)
            return
        yield from self.timeline.steps(state, view)
        yield from self._by_themselves(state, view)

    def internal_steps(self, state: World, view: View) -> Iterator[Step]:
        """The steps that happen by themselves, for the simulation."""
        yield from self._by_themselves(state, view)

    def _by_themselves(self, state: World, view: View) -> Iterator[Step]:
        setting = self.setting
        copies = setting.joiners and self._meets_copies(state, view)
        late = any(since <= view.now <= until for since, until in setting.beside_late)
        meanwhile = setting.registers_meanwhile or copies or (setting.clients and counted(state))
        if setting.lesser or setting.transactions or meanwhile or late:
            return self._one_by_one(state, EveryWay(view))
        return self._of_parts(state, view)

    def _meets_copies(self, state: World, view: View) -> bool:
        """Whether a copy is taken beside all else, or is still to be before all comes to rest."""
        windows = self.setting.beside_copies
        return bool(state.images) or any(since < view.now <= until for since, until in windows)

    def _one_by_one(self, state: World, view: View) -> Iterator[Step]:
        """The steps, hardly any claimed, where clients try again, members keep less, or transactions run."""
        transacts = bool(self.setting.transactions)
        sends = claims.SEND if self.setting.lesser or transacts else None
        of_transactions = self.transactions.steps(state, view) if transacts else ()
        for step in (
            *self._of_parts(state, view),
            *self.forwarding.steps(state, view),
            *of_transactions,
        ):
            step.claim = sends if step.claim is claims.SEND else None
            step.loses = ()
            yield step

    def _of_parts(self, state: World, view: View) -> Iterator[Step]:
        if state.calls:
            yield from self.callers.steps(state, view)
        if state.channels:
            yield from self.deliveries.steps(state, view)
        if self.setting.partitioned:
            yield from self.buckets.steps(state, view)
        if self.setting.clients:
            yield from self.clients.steps(state, view)
        if self.setting.parallel or self.setting.parted:
            yield from self.parallel.steps(state, view)
        if self.setting.queues:
            yield from self.senders.steps(state)
            yield from self.takeover.steps(state, view)
            # Sending comes last: the less is on its way when something breaks, the less there is to choose.
            yield from self.dispatch.heard(state, view)
            yield from self.receivers.steps(state, view)
            if self.setting.conflates:
                yield from self.conflation.steps(state, view)
            yield from self.dispatch.sent(state, view)
        if state.images:
            yield from self.copies.steps(state)
        if self.setting.tombstones is not None:
            yield from self.collecting.steps(state)
        if state.wan.faults:
            yield from self.faults.steps(state, view)

    def open(self, state: World, view: View) -> frozenset[str]:
        """Faults to come and under way, and what else steps may clash with."""
        found = self._lookahead.open(state, view)
        return found | claims.TIME_PASSES if self.dispatch.may_take_in(state) else found

    def canonical(self, state: World, now: int) -> World:
        """The state without what can no longer matter (see `dead_state`), nor how high versions are."""
        forgotten = self.dead_state.forgotten(state, now)
        if self.setting.durable:
            forgotten = without_processed(forgotten, self.setting, self._failover, self._lookahead, now)
        return self._version_normalization.counted_anew(
            without_idle(forgotten) if self._compares_what_is_left else forgotten, now
        )
