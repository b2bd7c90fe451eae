"""A rule: one SQL text that finds in a trace every chance to break a requirement, and whether it was taken.

Its answer is a relation with one row per opportunity: run_id, example, seq (where to look), subject (what is
judged), witness (what was seen, for people) and violated. A violation is an opportunity that was taken, so a
rule that finds no opportunity has judged nothing. Rules read the view `ev` and nothing else;
`plumbline.reference.rules.lint` lists the SQL that they may use. A query that several rules need is written
once, as a part: named expressions that are put in front of a rule's own. Knows no engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec

ANSWER = ("run_id", "example", "seq", "subject", "witness", "violated")
"""The columns of a rule's answer: text, text, integer, text, text, truth."""


class RuleView(StrEnum):
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
        only_with: a kind of row without which a trace holds no opportunity, "" if there is none. The engine
            skips the rule where that kind is missing.
        parts: the parts that it names; what those need comes with them.
        columns: every column of the trace that it reads, by its parts too.
        opportunity: what one row of its answer is.
        violation: when that row says `violated`.
        text: the statement, parts included, without the header.
        own: the statement alone, which reads the expressions of its parts.
    """

    requirement: str
    view: RuleView
    empty_start: bool
    only_with: str = ""
    parts: tuple[str, ...] = ()
    columns: tuple[str, ...]
    opportunity: str
    violation: str
    text: str
    own: str


_EXPRESSION = re.compile(r"^(\w+) AS \(\n(.*?)\n\)", re.MULTILINE | re.DOTALL)
"""A named expression, which begins and ends at a line's beginning."""

_HEADER_LINE = re.compile(r"^-- ([a-z-]+): ?(.*)$")
_CONTINUED = re.compile(r"^--   (.*)$")
_FIELDS = ("requirement", "view", "empty-start", "columns", "opportunity", "violation")
_PART_FIELDS = ("part", "columns", "needs")


class SharedExpressions(msgspec.Struct, frozen=True, kw_only=True):
    """What several rules need to know of a trace: named expressions, for a rule's WITH.

    Attributes:
        name: its file's name, without suffix.
        meaning: what it tells.
        columns: every column of the trace that it reads.
        needs: other parts that stand before it.
        text: the expressions.
    """

    name: str
    meaning: str
    columns: tuple[str, ...]
    needs: tuple[str, ...]
    text: str

    def expressions(self) -> list[tuple[str, str]]:
        """Each expression's name and statement, in their order: one may read those before it."""
        return _EXPRESSION.findall(self.text)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())


def _header(name: str, text: str) -> tuple[dict[str, str], str]:
    """The fields of a file's header, and what follows it. Raises RuleError."""
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
    return fields, "\n".join(lines).strip().removesuffix(";")


def _read(folder: Traversable) -> Iterator[tuple[str, str]]:
    """The texts of a folder with their names, in the order of the names."""
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda file: file.name)
    return ((file.name, file.read_text(encoding="utf-8")) for file in files)


@cache
def load_parts() -> dict[str, SharedExpressions]:
    """All parts by name. Raises RuleError."""
    parts = {}
    for file, text in _read(resources.files(__package__) / "parts"):
        fields, expressions = _header(f"parts/{file}", text)
        if tuple(fields) != _PART_FIELDS:
            raise RuleError(f"parts/{file}: the header has to be {', '.join(_PART_FIELDS)}")
        part = SharedExpressions(
            name=file.removesuffix(".sql"),
            meaning=fields["part"],
            columns=_listed(fields["columns"]),
            needs=_listed(fields["needs"]),
            text=expressions,
        )
        parts[part.name] = part
    names = [name for part in parts.values() for name, _ in part.expressions()]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RuleError(f"parts: several name an expression {', '.join(twice)}")
    return parts


def parts_of(rules: Iterable[Rule]) -> list[SharedExpressions]:
    """All parts that the rules need, each once, after those that it needs itself."""
    return list(dict.fromkeys(part for rule in rules for part in _in_order(rule.requirement, rule.parts)))


def _in_order(name: str, wanted: Iterable[str]) -> Iterator[SharedExpressions]:
    """The parts wanted, each after those that it needs; a part may come more than once."""
    for part_name in wanted:
        part = load_parts().get(part_name)
        if part is None:
            raise RuleError(f"{name}: there is no part {part_name}")
        yield from _in_order(name, part.needs)
        yield part


def _joined(parts: Iterable[SharedExpressions], statement: str) -> str:
    """The statement with the parts in front of its own expressions."""
    front = ",\n".join(part.text for part in parts)
    if not front:
        return statement
    own = f",\n{statement.removeprefix('WITH ')}" if statement.startswith("WITH ") else f"\n{statement}"
    return f"WITH {front}{own}"


def parse_rule(name: str, text: str) -> Rule:
    """Read a rule's file; `name` is its file name, for errors. Raises RuleError."""
    fields, statement = _header(name, text)
    only_with = fields.pop("only-with", "")
    named = _listed(fields.pop("parts", ""))
    if tuple(fields) != _FIELDS:
        raise RuleError(
            f"{name}: the header has to be {', '.join(_FIELDS)}; it is {', '.join(fields) or 'missing'}"
        )
    if name != f"{fields['requirement']}.sql":
        raise RuleError(f"{name}: its requirement is {fields['requirement']}, so its name should be too")
    if fields["empty-start"] not in {"yes", "no"}:
        raise RuleError(f"{name}: empty-start is yes or no, not {fields['empty-start']}")
    try:
        view = RuleView(fields["view"])
    except ValueError:
        raise RuleError(f"{name}: view is black-box or internal, not {fields['view']}") from None
    parts = tuple(dict.fromkeys(_in_order(name, named)))
    columns = [*_listed(fields["columns"]), *(column for part in parts for column in part.columns)]
    return Rule(
        requirement=fields["requirement"],
        view=view,
        empty_start=fields["empty-start"] == "yes",
        only_with=only_with,
        parts=named,
        columns=tuple(dict.fromkeys(columns)),
        opportunity=fields["opportunity"],
        violation=fields["violation"],
        text=_joined(parts, statement),
        own=statement,
    )


@cache
def load_rules() -> dict[str, Rule]:
    """All rules by requirement id, in the order of the ids. Raises RuleError."""
    rules = (parse_rule(name, text) for name, text in _read(resources.files(__package__)))
    return {rule.requirement: rule for rule in rules}
