"""Accusations: what the rules say of runs that are right by construction, where nothing is to be said.

A right run that a rule accuses shows a rule that takes more for wrong than the documents do, or a reference
that is not right. Knows nothing of the search.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pyarrow as pa

from plumbline.ci.selftest.generators.right_runs import draw_right
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rules.judging import RuleFinding, as_owed, findings
from plumbline.reference.trace.rows import rows
from plumbline.reference.trace.schema import TRACE_SCHEMA

TOGETHER = 100
"""So many runs make one trace, of which each rule is asked once."""

RUN = "right"


class Accusation(msgspec.Struct, frozen=True, kw_only=True):
    """A rule and the first right run that it accuses.

    Attributes:
        requirement: the rule's.
        seed: the right run's.
        violations: how many the rule counted in all runs asked together with this one.
        witness: what it says.
    """

    requirement: str
    seed: int
    violations: int
    witness: str


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules said of some right runs asked together.

    Attributes:
        runs: how many they were.
        judged: rules with an opportunity.
        accusations: the false accusations.
    """

    runs: int
    judged: frozenset[str]
    accusations: tuple[Accusation, ...]


def hear(
    seeds: Iterable[int],
    sites: int,
    dialect: Dialect,
    *,
    clients: bool = False,
    policies: bool = False,
    buckets: bool = False,
) -> Heard:
    """Ask every rule about the right runs of these seeds, together."""
    book = rulebook_of(dialect)
    runs = {
        str(seed): draw_right(
            seed, sites, book, clients=clients, policies=policies, buckets=buckets, less=False
        )
        for seed in seeds
    }
    events = [
        event
        for example, history in runs.items()
        for event in rows(RUN, example, Source.MACHINE, Verdict.PASS, history)
    ]
    table = pa.Table.from_pylist(events, schema=TRACE_SCHEMA)
    found = [as_owed(finding, dialect) for finding in findings(table, [RUN])]
    return Heard(
        runs=len(runs),
        judged=frozenset(one.requirement for one in found if one.opportunities),
        accusations=tuple(_accusation(one) for one in found if one.violations),
    )


def _accusation(finding: RuleFinding) -> Accusation:
    first = finding.witnesses[0]
    return Accusation(
        requirement=finding.requirement,
        seed=int(first.example),
        violations=finding.violations,
        witness=f"{first.subject}: {first.witness}",
    )
