"""What a rule can judge of a log that a system wrote at work: only what that log shows.

A rule that reads a kind of event takes it for granted that the trace has each of them. The log of a system at
work may leave a kind out. Then the rule would accuse or acquit by what was never written. Knows no SQL but
the names of kinds in a rule's text.
"""

from __future__ import annotations

import re
from functools import cache

from plumbline.reference.results.runs import Recording, RunRecord
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.trace.files import Flaw
from plumbline.reference.trace.schema import TraceKind

_NAMED = 4
"""So many kinds are named in a reason."""

NO_OCCASION = "the log shows no occasion for it"


@cache
def kinds_read(requirement: str) -> frozenset[str]:
    """Every kind of event that the rule of a requirement names, its parts included."""
    literals = re.findall(r"'(\w+)'", load_rules()[requirement].text)
    return frozenset(literals) & frozenset(TraceKind)


def lacking(requirement: str, record: RunRecord) -> str:
    """What a rule needs and the log of a run does not show; "" where nothing is missing."""
    shown = record.recording
    if shown is None:
        return ""
    unknown = sorted(kinds_read(requirement) - set(shown.kinds))
    if unknown:
        more = f" and {len(unknown) - _NAMED} more kinds" if len(unknown) > _NAMED else ""
        return f"the log does not show {', '.join(unknown[:_NAMED])}{more}, nor does its map exclude them"
    if load_rules()[requirement].empty_start and not shown.empty_start:
        return "the rule needs regions that were empty when the log began"
    return ""


def set_aside(shown: Recording) -> list[Flaw]:
    """What a log lost on its way into the trace, record by record."""
    found = [Flaw(one.place, one.reason) for one in shown.reasons]
    if more := shown.set_aside - len(found):
        found.append(Flaw(found[-1].path, f"and {more} more records of the log were set aside"))
    return found
