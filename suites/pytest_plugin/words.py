"""What pytest is told of a failure, and at the end of a session: the same as `plumbline run` prints.

Knows reports; knows nothing of how items are played.
"""

from __future__ import annotations

from plumbline.reference.catalogue.loader import all_requirements, catalogue
from plumbline.reference.results.runs import Check, Counterexample
from plumbline.reference.results.totals import totals
from plumbline.reports.checks import render_checks
from plumbline.reports.clauses_reached import clauses_not_reached
from plumbline.reports.terminal import as_text, render_counterexample
from plumbline.reports.text import one_line
from plumbline.suites.pytest_plugin.findings import ItemFinding
from plumbline.suites.pytest_plugin.item_verdicts import ExitStatus
from plumbline.suites.run.rows import left_out
from plumbline.suites.run.tested import ids_without_tests
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

LONGEST = 400


def counterexample_words(counterexample: Counterexample) -> str:
    """The whole counterexample: set-up, steps, what happened, expected, seen, and how to replay it."""
    titles = {requirement.id: requirement.title for requirement in all_requirements().values()}
    return as_text(render_counterexample(counterexample, titles))


def statistics(candidate: str, findings: list[ItemFinding], status: ExitStatus) -> list[str]:
    """What was played and left out, how many requirements got which verdict, clauses, counterexamples.

    Args:
        candidate: as it was named.
        findings: what the items found of it.
        status: what the requirement items came to.
    """
    verdicts = status.verdicts.get(candidate, {})
    product = next((one.product for one in findings if one.product), "")
    lines = [one_line(product, LONGEST)] if product else []
    lines += [left_out(count)] if (count := status.left_out.get(candidate, 0)) else []
    lines += as_text(render_checks(_checks(findings))).splitlines()
    if verdicts:
        lines.append(totals(verdicts, catalogue(), list(verdicts), ids_without_tests()).words)
    lines += clauses_not_reached(status.missed.get(candidate, {}))
    kept = [one.counterexample for one in findings if one.counterexample]
    lines += [one_line(f"counterexample: {file}", LONGEST) for file in kept]
    return lines


def _checks(findings: list[ItemFinding]) -> list[Check]:
    """One for all scenarios together, and one for each machine, in that order."""
    scenarios = [one.check for one in findings if one.check is not None and one.title in SCENARIOS]
    machines = [one.check for one in findings if one.check is not None and one.title not in SCENARIOS]
    together = Check(
        name="scenarios",
        examples=sum(one.examples for one in scenarios),
        seconds=sum(one.seconds for one in scenarios),
        own_s=sum(one.own_s for one in scenarios),
    )
    return [*([together] if scenarios else []), *machines]
