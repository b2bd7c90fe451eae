"""Runs the suite against its faulty variants: is each caught, and is the right requirement named?

Knows how a variant counts as killed; the rulebook lists the variants.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from itertools import product

import msgspec

from plumbline.adapters.candidates import Candidate
from plumbline.adapters.protocol import Introduction
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.explain.fault_localization import broken
from plumbline.reference.explain.remembered import remembering
from plumbline.reference.history.history import History
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.variant import FaultyVariant
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import play_plans
from plumbline.suites.run.playing import play
from plumbline.suites.run.profiles import Profile
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

UNHURRIED_MS = 600_000
"""How long naming may take here: so long that the number of states ends it, on a slow machine too."""

NAMING_MS = (300, 1_500, UNHURRIED_MS)
"""The times that each of several failing scenarios is given, one round after the other.

Most need little, and once a scenario names a requirement no other has to.
A single one has all the time at once.
"""


SMALL_S = 10.0
"""So long a machine may draw and play, and make small what fails: how small it gets is only told here."""


class Kill(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the kill matrix: a variant and one requirement that it breaks.

    Attributes:
        variant: the faulty variant.
        requirement: the id.
        killed: whether a check of this requirement failed.
        named: whether the oracle, asked without knowing, named the requirement.
        seconds: time until the variant was first caught by this check.
        examples: scenarios and plans played until then.
        steps: operations of the smallest failing plan of the first machine that caught it; 0 if none did.
    """

    variant: str
    requirement: str
    killed: bool
    named: bool
    seconds: float
    examples: int
    steps: int


def offering(candidate: Candidate, capabilities: Collection[Capability]) -> Candidate:
    """The same candidate, taken to offer nothing but these, as far as it does."""

    def introduced(introduction: Introduction) -> Introduction:
        found = candidate.introduced(introduction)
        kept = tuple(one for one in found.capabilities if one in capabilities)
        return msgspec.structs.replace(found, capabilities=kept)

    return msgspec.structs.replace(candidate, introduced=introduced)


def kill(variant: FaultyVariant, candidate: Candidate, profile: Profile, seed: int) -> list[Kill]:
    """Run everything that could catch the variant; gives a row for each requirement that it breaks."""
    began = time.monotonic()
    failed: dict[str, tuple[float, int]] = {}
    named: set[str] = set()
    refuted: list[History] = []
    examples = 0
    steps = 0
    with remembering(), Session(candidate, variant.dialect) as session:
        for scenario in SCENARIOS.values():
            if set(scenario.requirements).isdisjoint(variant.requirements):
                continue
            examples += 1
            result = play(scenario, session, session.book, naming_ms=0)
            if result.verdict is Verdict.FAIL:
                for requirement in scenario.requirements:
                    failed.setdefault(requirement, (time.monotonic() - began, examples))
                wrong = result.finding is not None and result.finding.answer is Answer.REFUTED
                if wrong and result.history is not None:
                    refuted.append(result.history)
        for machine in MACHINES.values():
            if steps or set(machine.requirements).isdisjoint(variant.requirements):
                continue  # one failing plan tells how small it gets
            if session.lacks(machine.needs):
                continue
            trouble = play_plans(
                machine,
                session,
                session.book,
                profile=profile,
                draw_seed=seed,
                deadline=None,
                last=time.monotonic() + SMALL_S,
                on_record=NOTHING,
                saw=lambda *_: None,
                progress=lambda _: None,
            )
            if trouble.failure is not None and trouble.plan is not None:
                steps = sum(step.operation_called is not None for step in trouble.plan.steps)
                finding = trouble.failure.finding
                named.update(() if finding is None else finding.requirements)
            examples += trouble.played
        for naming_ms, history in product(NAMING_MS if len(refuted) > 1 else NAMING_MS[-1:], refuted):
            missing = set(variant.requirements) - named
            if missing:
                named.update(broken(history, session.book, naming_ms, missing))
    return [
        Kill(
            variant=variant.name,
            requirement=requirement,
            killed=requirement in failed,
            named=requirement in named,
            seconds=round(failed.get(requirement, (time.monotonic() - began, 0))[0], 3),
            examples=failed.get(requirement, (0.0, examples))[1],
            steps=steps,
        )
        for requirement in variant.requirements
    ]
