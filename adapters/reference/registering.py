"""Registrations under way on the reference: begun, answered, and ended, while all else goes on.

Knows the simulation; how it goes on is the simulation's own.
"""

from __future__ import annotations

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.limits import require_interest
from plumbline.adapters.reference.simulated import Simulated
from plumbline.adapters.reference.simulation import Simulation
from plumbline.reference.history.operations import Interest, Status
from plumbline.reference.model.clients.pending_registrations import PendingRegistrations


class Registering(Simulated):
    """An adapter of a simulation, as far as registrations go on beside all else."""

    def begin_interest(self, number: int, interest: Interest, held: bool) -> None:
        """Call a registration; calm, it has ended when this returns, unless its answer is held."""
        simulation = self._ready()
        setting, world = simulation.setting, simulation.world
        if interest.client not in setting.clients or interest.region not in setting.region_names:
            raise AdapterError(f"begin_interest: no client {interest.client} or no region {interest.region}")
        if number in world.served.pending or not interest.register:
            raise AdapterError(f"begin_interest: {number} is under way, or the interest is withdrawn")
        require_interest(interest)
        setting.registers_meanwhile = True
        simulation.world = simulation.model.pending.begun(world, number, interest, held=held)
        simulation.go_on()

    def await_answer(self, number: int, timeout_ms: int) -> bool:
        """Let things happen until the answer is held or nothing happens any more."""
        del timeout_ms
        simulation, pending = self._pending(number)
        while not pending.is_held(simulation.world, number):
            if pending.has_ended(simulation.world, number) or not simulation.take_step():
                return False
        return True

    def release_answer(self, number: int) -> None:
        """Let go the answer."""
        simulation, pending = self._pending(number)
        simulation.world = pending.released(simulation.world, number)
        simulation.go_on()

    def finish_interest(self, number: int, timeout_ms: int) -> Status | None:
        """Let things happen until the registration has ended or nothing happens any more."""
        del timeout_ms
        simulation, pending = self._pending(number)
        while (status := pending.status(simulation.world, number)) is None:
            if not simulation.take_step():
                return None
        simulation.world = pending.returned(simulation.world, number)
        return status

    def _pending(self, number: int) -> tuple[Simulation, PendingRegistrations]:
        simulation = self._ready()
        if number not in simulation.world.served.pending:
            raise AdapterError(f"registration {number} is not under way")
        return simulation, simulation.model.pending
