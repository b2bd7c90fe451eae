"""Callbacks on the reference that answer as a script says: writers, queue listeners, conflict resolvers.

Knows the simulation; what follows from an answer is the model's own.
"""

from __future__ import annotations

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.reference.simulated import Simulated
from plumbline.reference.history.listener_calls import ANSWERS, QUEUE
from plumbline.reference.history.resolvers import policy_of
from plumbline.reference.model.sites.listeners import scripted as listener_scripted
from plumbline.reference.model.writers import WRITER, scripted


class Scripting(Simulated):
    """An adapter of a simulation, as far as scripts go."""

    def script(self, member: str, region: str, callback: str, answers: tuple[str, ...]) -> None:
        """Have a cache writer refuse changes of these keys, once everything has happened."""
        if callback == "resolver":
            self._install(member, answers)
            return
        simulation = self._ready()
        if callback == QUEUE:
            self._script_queue(member, region, answers)
            return
        if callback != WRITER or region in simulation.setting.partitioned:
            raise UnsupportedError(f"script: the reference has no {callback} to be scripted so far")
        if member not in simulation.setting.holders or region not in self._regions:
            raise AdapterError(f"script: no member or client {member}, or no region {region}")
        self.settle(0)
        if simulation.setting.queues:
            simulation.setting.refuse_received()
        simulation.world = scripted(simulation.world, member, region, answers)

    def _script_queue(self, member: str, queue: str, answers: tuple[str, ...]) -> None:
        """Have the listener of an asynchronous queue answer so, once everything has happened."""
        simulation = self._ready()
        attributes = self._queues.get(queue)
        if attributes is None or attributes.remote_site is not None or not set(answers) <= set(ANSWERS):
            raise AdapterError(f"script: no asynchronous queue {queue}, or no answers {answers!r:.80}")
        if member not in simulation.setting.runners(attributes):
            raise AdapterError(f"script: {member} does not run {queue}")
        self.settle(0)
        simulation.world = listener_scripted(simulation.world, member, queue, answers)

    def _install(self, member: str, answers: tuple[str, ...]) -> None:
        """Have a conflict resolver answer by a policy, the same on all members, before anything is called."""
        setting = self._ready().setting
        policy = policy_of(answers[0]) if len(answers) == 1 else None
        if policy is None or setting.operations or setting.resolver not in (None, policy):
            raise UnsupportedError(f"script: a resolver of {member} takes no {answers!r:.80} at this time")
        setting.resolve_by(answers[0])
