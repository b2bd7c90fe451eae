"""Copies on the reference that are taken beside all else: begun, held, let go, and ended.

Knows the simulation; how it goes on is the simulation's own.
"""

from __future__ import annotations

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.reference.serving import Serving
from plumbline.adapters.reference.simulation import Simulation
from plumbline.reference.history.operations import RegionPolicy
from plumbline.reference.model.pending_copies import PendingCopies


class Joining(Serving):
    """An adapter of a simulation, as far as copies are taken beside all else."""

    def begin_join(self, member: str, region: str, held: bool) -> None:
        """Begin a copy; calm, the member has it when this returns, unless it is held."""
        simulation = self._ready()
        setting, where = simulation.setting, (member, region)
        if where not in simulation.world.away or where in simulation.world.images:
            raise AdapterError(f"begin_join: {member} has a copy of {region}, or takes one")
        if setting.clients or setting.queues or setting.parallel or setting.distributed:
            raise UnsupportedError("begin_join: between sites, or beside queues or clients")
        if where in setting.lesser or self._regions[region].policy is not RegionPolicy.REPLICATE:
            raise UnsupportedError("begin_join: of a region that the member does not replicate")
        setting.joiners |= {where}
        simulation.world = simulation.model.copies.begun(simulation.world, where, held=held)
        simulation.go_on()

    def await_copy(self, member: str, region: str, timeout_ms: int) -> bool:
        """Let things happen until the copy is held or nothing happens any more."""
        del timeout_ms
        simulation, joining = self._taking(member, region)
        while not joining.is_held(simulation.world, (member, region)):
            if not simulation.take_step():
                return False
        return True

    def release_copy(self, member: str, region: str) -> None:
        """Let go the copy."""
        simulation, joining = self._taking(member, region)
        simulation.world = joining.released(simulation.world, (member, region))
        simulation.go_on()

    def finish_join(self, member: str, region: str, timeout_ms: int) -> bool:
        """Let things happen until the member has its copy or nothing happens any more."""
        del timeout_ms
        simulation, joining = self._taking(member, region)
        where = (member, region)
        while not joining.may_end(simulation.world, where):
            if not simulation.take_step():
                return False
        simulation.world = joining.ended(simulation.world, where)
        return True

    def _taking(self, member: str, region: str) -> tuple[Simulation, PendingCopies]:
        simulation = self._ready()
        if (member, region) not in simulation.world.images:
            raise AdapterError(f"{member} takes no copy of {region}")
        return simulation, simulation.model.copies
