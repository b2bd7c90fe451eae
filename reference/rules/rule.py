"""A rule: one SQL text that finds in a trace every chance to break a requirement, and whether it was taken.

Its answer is a relation with one row per opportunity: run_id, example, seq (where to look), subject (what is
judged), witness (what was seen, for people) and violated. A violation is an opportunity that was taken, so
a rule that finds no opportunity has judged nothing. Rules read the view `ev` and nothing else; what they may
be written in is said by `plumbline.reference.rules.lint`. Knows no engine.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from importlib import resources

import msgspec

ANSWER = ("run_id", "example", "seq", "subject", "witness", "violated")
"""The columns of a rule's answer: text, text, integer, text, text, truth."""


class View(StrEnum):
    """What a rule needs to see: what the harness asked and was shown, or the candidate's inside."""

    BLACK_BOX = "black-box"
    INTERNAL = "internal"


class RuleError(Exception):
    """A rule's file is not as a rule's file has to be; names the file and the fault."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule as its file states it.

    Attributes:
        requirement: the id of the requirement judged.
        view: black-box or internal.
        empty_start: whether it assumes that regions are empty where an example begins.
        columns: every column of the trace that it reads.
        opportunity: what one row of its answer is.
        violation: when that row says `violated`.
        text: the statement, without the header.
    """

    requirement: str
    view: View
    empty_start: bool
    columns: tuple[str, ...]
    opportunity: str
    violation: str
    text: str


_HEADER_LINE = re.compile(r"^-- ([a-z-]+): (.*)$")
_CONTINUED = re.compile(r"^--   (.*)$")
_FIELDS = ("requirement", "view", "empty-start", "columns", "opportunity", "violation")


def parse_rule(name: str, text: str) -> Rule:
    """Read a rule's file; `name` is its file name, for errors. Raises RuleError."""
    fields: dict[str, str] = {}
    lines = text.splitlines()
    last = ""
    while lines and lines[0].startswith("--"):
        line = lines.pop(0)
        if found := _HEADER_LINE.match(line):
            last = found[1]
            fields[last] = found[2].strip()
        elif last and (more := _CONTINUED.match(line)):
            fields[last] += " " + more[1].strip()
        else:
            raise RuleError(f"{name}: this line of the header says nothing: {line}")
    if tuple(fields) != _FIELDS:
        raise RuleError(
            f"{name}: the header has to be {', '.join(_FIELDS)}; it is {', '.join(fields) or 'missing'}"
        )
    if name != f"{fields['requirement']}.sql":
        raise RuleError(f"{name}: its requirement is {fields['requirement']}, so its name should be too")
    if fields["empty-start"] not in {"yes", "no"}:
        raise RuleError(f"{name}: empty-start is yes or no, not {fields['empty-start']}")
    try:
        view = View(fields["view"])
    except ValueError:
        raise RuleError(f"{name}: view is black-box or internal, not {fields['view']}") from None
    return Rule(
        requirement=fields["requirement"],
        view=view,
        empty_start=fields["empty-start"] == "yes",
        columns=tuple(column.strip() for column in fields["columns"].split(",")),
        opportunity=fields["opportunity"],
        violation=fields["violation"],
        text="\n".join(lines).strip().removesuffix(";"),
    )


@cache
def load_rules() -> dict[str, Rule]:
    """All rules by requirement id, in the order of the ids. Raises RuleError."""
    files = sorted(
        (file for file in resources.files(__package__).iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    rules = (parse_rule(file.name, file.read_text(encoding="utf-8")) for file in files)
    return {rule.requirement: rule for rule in rules}
