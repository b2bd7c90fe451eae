"""How the outcome of judging is told to people, in lines.

Text from a trace or a candidate is untrusted. It is made harmless for a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from plumbline.reference.rules.results import rows_about, sums_by_rule
from plumbline.reference.rules.survey import SurveyResult

_WITNESSES_TOLD = 3


def harmless(text: str) -> str:
    """The text with everything that could steer a terminal, line feeds included, spelled out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def lines(judged: SurveyResult) -> Iterator[str]:
    """What was found: sizes, one line a rule, the first violations, and every flaw by name."""
    runs = rows_about(judged.results, "run").to_pylist()
    examples = sum(run["examples"] for run in runs)
    events = sum(run["events"] for run in runs)
    before = f", {judged.known} of them judged before" if judged.known else ""
    yield f"{len(runs)} runs{before}: {examples} examples, {events} events"
    for requirement, rows in groupby(sums_by_rule(judged.results), key=itemgetter("requirement")):
        found = list(rows)
        verdicts = ", ".join(f"{one['run_id_count']} {one['verdict']}" for one in found)
        violations, occasions = (
            sum(one[name] for one in found) for name in ("failures_sum", "exercised_sum")
        )
        yield f"  {requirement:<16} {verdicts}; violations: {violations} of {occasions} opportunities"
    told: Counter[str] = Counter()
    for row in rows_about(judged.results, "witness").to_pylist():
        told[row["requirement"]] += 1
        if told[row["requirement"]] <= _WITNESSES_TOLD:
            where = f"{row['run_id']} {row['example']} row {row['seq']}"
            yield harmless(f"  {row['requirement']} violated in {where}: {row['subject']}: {row['witness']}")
    for flaw in judged.flaws:
        yield harmless(f"  set aside: {flaw.path}: {flaw.reason}")
