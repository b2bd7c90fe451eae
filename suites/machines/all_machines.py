"""Every state machine by name, and how one is driven.

The outcome of a plan is remembered, so Hypothesis always sees a function of the plan.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, configuration, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import RegionAttributes
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.async_queues import ASYNC_QUEUE_MACHINES
from plumbline.suites.machines.buckets import BUCKET_MACHINES
from plumbline.suites.machines.callback_arguments import CALLBACK_ARGUMENT_MACHINES
from plumbline.suites.machines.client_faults import CLIENT_FAULT_MACHINES
from plumbline.suites.machines.clients import CLIENT_MACHINES
from plumbline.suites.machines.conflation import CONFLATION_MACHINES
from plumbline.suites.machines.constants import without_local_constants
from plumbline.suites.machines.drawing import Execute, Machine, PlanMachine
from plumbline.suites.machines.durable import DURABLE_MACHINES
from plumbline.suites.machines.event_filters import EVENT_FILTER_MACHINES
from plumbline.suites.machines.event_substitution import EVENT_SUBSTITUTION_MACHINES
from plumbline.suites.machines.failing_events import FAILING_EVENT_MACHINES
from plumbline.suites.machines.gateways import GATEWAY_MACHINES
from plumbline.suites.machines.joining import JOINING_MACHINES
from plumbline.suites.machines.meshes import MESH_MACHINES
from plumbline.suites.machines.mixtures import MIXTURE_MACHINES
from plumbline.suites.machines.parallel_queues import PARALLEL_QUEUE_MACHINES
from plumbline.suites.machines.parallel_senders import PARALLEL_SENDER_MACHINES
from plumbline.suites.machines.registrations import REGISTRATION_MACHINES
from plumbline.suites.machines.replicates import REPLICATE_MACHINES
from plumbline.suites.machines.restarts import RESTART_MACHINES
from plumbline.suites.machines.starting import STARTING_MACHINES
from plumbline.suites.machines.subscription_conflation import SUBSCRIPTION_CONFLATION_MACHINES
from plumbline.suites.machines.tombstones import TOMBSTONE_MACHINES
from plumbline.suites.machines.transaction_groups import TRANSACTION_GROUP_MACHINES
from plumbline.suites.machines.transactions import TRANSACTION_MACHINES
from plumbline.suites.machines.worlds import WORLD_MACHINES

MACHINES: dict[str, Machine] = {
    machine.name: machine
    for machine in (
        *REPLICATE_MACHINES,
        *GATEWAY_MACHINES,
        *MESH_MACHINES,
        *CLIENT_MACHINES,
        *CLIENT_FAULT_MACHINES,
        *BUCKET_MACHINES,
        *TOMBSTONE_MACHINES,
        *TRANSACTION_MACHINES,
        *ASYNC_QUEUE_MACHINES,
        *PARALLEL_QUEUE_MACHINES,
        *PARALLEL_SENDER_MACHINES,
        *RESTART_MACHINES,
        *STARTING_MACHINES,
        *FAILING_EVENT_MACHINES,
        *DURABLE_MACHINES,
        *REGISTRATION_MACHINES,
        *JOINING_MACHINES,
        *WORLD_MACHINES,
        *MIXTURE_MACHINES,
        *CONFLATION_MACHINES,
        *EVENT_FILTER_MACHINES,
        *TRANSACTION_GROUP_MACHINES,
        *SUBSCRIPTION_CONFLATION_MACHINES,
        *CALLBACK_ARGUMENT_MACHINES,
        *EVENT_SUBSTITUTION_MACHINES,
    )
}
"""Every machine by name."""


def drive(
    machine: Machine,
    execute: Execute,
    *,
    offers: frozenset[Capability],
    examples: int,
    steps: int,
    draw_seed: int,
    shrink: bool,
    members: tuple[str, ...] = (),
    loose_logs: Callable[[RegionAttributes], bool] = lambda _: False,
) -> None:
    """Have Hypothesis draw plans and hand each to `execute`, until one raises or there were enough.

    Args:
        machine: which machine.
        execute: carries a plan out; raises what a failing plan should fail with. Called once per plan.
        offers: the candidate's capabilities.
        examples: how many plans.
        steps: how many rules a plan has at most.
        draw_seed: the same seed draws the same plans.
        shrink: whether a failing plan is made smaller by trying smaller ones on the candidate.
        members: always these members, where starting others is slow; empty to draw them.
        loose_logs: whether the logs of such a region carry no order between threads.
    """
    remembered: dict[Plan, BaseException | None] = {}

    def once(plan: Plan) -> None:
        if plan not in remembered:
            remembered[plan] = None
            try:
                execute(plan)
            except Exception as error:  # noqa: BLE001 - raised again below, now and every time
                remembered[plan] = error
        outcome = remembered[plan]
        if outcome is not None:
            raise outcome.with_traceback(None)

    attributes: dict[str, Any] = {
        "execute": staticmethod(once),
        "offers": offers,
        "loose_logs": staticmethod(loose_logs),
    }
    if members:
        attributes["fixed_members"] = members
    phases = [Phase.generate, *([Phase.shrink] if shrink else [])]
    chapters = min(examples, machine.chapters)
    for chapter in range(chapters):
        attributes["chapter"] = draw_seed + chapter
        begun = draw_seed if chapters == 1 else f"{draw_seed}, {chapter}"
        bound = seed(begun)(type(machine.draws.__name__, (machine.draws,), dict(attributes)))
        with contextlib.redirect_stdout(io.StringIO()), _kept_elsewhere(), without_local_constants():
            run_state_machine_as_test(
                bound,
                settings=settings(
                    max_examples=(examples * (chapter + 1)) // chapters - (examples * chapter) // chapters,
                    stateful_step_count=steps
                    if machine.most_rules is None
                    else min(steps, machine.most_rules),
                    deadline=None,
                    database=None,
                    phases=phases,
                    print_blob=False,
                    report_multiple_bugs=False,
                    suppress_health_check=list(HealthCheck),
                ),
            )


def _cache() -> Path:
    """The user's cache folder; the folder of temporary files for a user without a home."""
    if said := os.environ.get("XDG_CACHE_HOME"):
        return Path(said)
    try:
        return Path.home() / ".cache"
    except RuntimeError:
        return Path(tempfile.gettempdir())


@contextlib.contextmanager
def _kept_elsewhere() -> Iterator[None]:
    """Have Hypothesis keep what it remembers in the user's cache, not in the folder that they work in.

    A folder that the user has set stays in force, also for the user's own tests.
    """
    if os.environ.get("HYPOTHESIS_STORAGE_DIRECTORY"):
        yield
        return
    configuration.set_hypothesis_home_dir(_cache() / "plumbline" / "hypothesis")
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(None)


__all__ = ["MACHINES", "Machine", "PlanMachine", "drive"]
