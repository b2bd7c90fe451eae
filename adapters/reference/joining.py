"""Copies on the reference that are taken beside all else, also by members that start again.

Knows the simulation; how it goes on is the simulation's own.
"""

from __future__ import annotations

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.reference.serving import Serving
from plumbline.adapters.reference.simulation import Simulation
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import RegionPolicy
from plumbline.reference.model.pending_copies import PendingCopies


class Joining(Serving):
    """An adapter of a simulation, as far as copies are taken beside all else."""

    def begin_join(self, member: str, region: str, held: bool) -> None:
        """Begin a copy; calm, the member has it when this returns, unless it is held.

        A member that was killed starts again, and takes copies of all its regions.
        """
        simulation = self._ready()
        setting, where = simulation.setting, (member, region)
        if member in simulation.world.wan.dead:
            self._begin_again(simulation, where, held=held)
            return
        if where not in simulation.world.away or where in simulation.world.images:
            raise AdapterError(f"begin_join: {member} has a copy of {region}, or takes one")
        if setting.clients or setting.queues or setting.parallel or setting.distributed:
            raise UnsupportedError("begin_join: between sites, or beside queues or clients")
        if where in setting.lesser or self._regions[region].policy is not RegionPolicy.REPLICATE:
            raise UnsupportedError("begin_join: of a region that the member does not replicate")
        setting.joiners |= {where}
        simulation.world = simulation.model.copies.begun(simulation.world, where, held=held)
        simulation.go_on()

    def _begin_again(self, simulation: Simulation, where: tuple[str, str], *, held: bool) -> None:
        setting, (member, _) = simulation.setting, where
        clients_or_buckets = setting.clients or setting.partitioned or setting.lesser
        if clients_or_buckets or setting.parallel or setting.parted or setting.tombstones is not None:
            raise UnsupportedError(
                "begin_join: beside clients, buckets, lesser members or tombstones that go"
            )
        if any(queue.remote_site is None for queue in setting.queues.values()):
            raise UnsupportedError("begin_join: of a member that was killed, beside asynchronous queues")
        copies = simulation.model.copies
        for region in setting.region_names:
            setting.joiners |= {(member, region)}
            its_own = held and region == where[1]
            simulation.world = copies.begun(simulation.world, (member, region), held=its_own)
        simulation.starting.add(member)
        simulation.happen(Fault(kind=FaultKind.RESTART, member=member, meanwhile=True))

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
        starts = member in simulation.starting
        wanted = [
            where
            for where in simulation.world.images
            if where == (member, region) or (starts and where[0] == member)
        ]
        while not all(joining.may_end(simulation.world, where) for where in wanted):
            if not simulation.take_step():
                return False
        for where in wanted:
            simulation.world = joining.ended(simulation.world, where)
        simulation.starting.discard(member)
        return True

    def _taking(self, member: str, region: str) -> tuple[Simulation, PendingCopies]:
        simulation = self._ready()
        if (member, region) not in simulation.world.images:
            raise AdapterError(f"{member} takes no copy of {region}")
        return simulation, simulation.model.copies
