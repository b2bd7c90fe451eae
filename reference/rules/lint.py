"""The lint of rules: refuses what one engine alone accepts, or what both accept with different answers.

Also holds a rule to its own header and to the trace: it reads the columns it names, kinds that exist, only
kinds seen from outside when it is black-box, and never joins one example with another. It reads the text
only; that both engines run a rule and agree is shown by tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from plumbline.reference.rules.rule import ANSWER, Rule, RuleView
from plumbline.reference.trace.schema import COLUMNS, TraceKind

_WORD = r"(?<![\w.])"
_REFUSED: tuple[tuple[str, str], ...] = (
    (r'"', "a double quote: an identifier in one engine, a text in the other"),
    (r"`", "a back quote: one engine only"),
    (r"\[", "a subscript: counts from 1 in one engine, from 0 in the other"),
    (r"/(?!\*)|%|\bmod\s*\(", "a division: by zero it is null in one engine, an error in the other"),
    (_WORD + r"concat\s*\(", "concat: with a null it differs; write ||"),
    (
        _WORD + r"(max_by|min_by|arg_max|arg_min)\s*\(",
        "max_by and its kin: nulls and ties differ; use row_number",
    ),
    (
        _WORD + r"(hash|xxhash64|md5|random|rand|now)\s*\(|\bcurrent_",
        "hashes, chance and clocks: not the same twice",
    ),
    (_WORD + r"(row|struct|named_struct)\s*\(", "row and struct: one engine only"),
    (
        _WORD + r"(every|some|listagg|collect_list|collect_set|array_agg|list)\s*\(",
        "an aggregate of one engine only",
    ),
    (_WORD + r"(generate_series|range|unnest|explode)\s*\(", "a table function of one engine only"),
    (_WORD + r"(regexp_\w+|rlike|similar|like|ilike)\b", "patterns: escapes differ; compare whole texts"),
    (r"\basof\b|\bmatch_recognize\b|\blateral\s+view\b", "a clause of one engine only"),
    (r"\bleft\s+(anti|semi)\b", "LEFT ANTI and LEFT SEMI: one engine only; write ANTI JOIN, SEMI JOIN"),
    (r"\bnatural\b|\bcross\s+join\b", "a join without its keys: examples would be mixed"),
    (
        r"\bexists\s*\(|\bnot\s+in\s*\(\s*select\b|\bin\s*\(\s*select\b",
        "a subquery as condition; write ANTI or SEMI JOIN",
    ),
    (r"\bignore\s+nulls\b", "IGNORE NULLS: its place differs"),
    (r"\bexclude\b|(?<!\()\*(?!\))", "a star: columns may be added to the trace"),
    (r"<=>|\|>|==", "an operator of one engine only"),
    (r"\)\s*(<|>|<=|>=)\s*\(", "a comparison of rows: one engine only"),
    (r"\blimit\b|\boffset\b|\bfetch\b", "LIMIT: which rows it keeps is chance"),
    (r";", "more than one statement"),
)
_NEXT_CLAUSE = (
    r"\b(?:inner|left|right|full|anti|semi|join|where|group|having|order|union|qualify|window)\b|\)|$"
)


def _blank(text: str) -> tuple[str, list[str]]:
    """The text without comments, each literal replaced by '', and the literals."""
    literals: list[str] = []

    def replace(found: re.Match[str]) -> str:
        if found[0].startswith("--"):
            return " "
        literals.append(found[0][1:-1])
        return "''"

    return re.sub(r"--[^\n]*|'(?:[^']|'')*'", replace, text), literals


def _until_closed(code: str, start: int) -> str:
    """What follows until the bracket that stands open at `start` is closed, or the text ends."""
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] == "(") - (code[index] == ")")
        if depth < 0:
            return code[start:index]
    return code[start:]


def _items(listing: str) -> list[str]:
    """The parts of a list, parted by commas outside brackets."""
    parts, depth = [""], 0
    for letter in listing:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _orders(code: str) -> Iterator[str]:
    for found in re.finditer(r"\border\s+by\b", code):
        listing = re.split(
            r"\b(?:rows|range|groups)\s+(?:between|unbounded|\d)", _until_closed(code, found.end())
        )[0]
        for item in _items(listing):
            if not re.search(r"\bnulls\s+(first|last)$", item):
                yield f"ORDER BY {item}: say NULLS FIRST or NULLS LAST, engines differ"


def _apart(code: str) -> Iterator[str]:
    """Examples are kept apart in every grouping, partition and join."""
    for found in re.finditer(r"\b(partition|group)\s+by\b", code):
        listing = re.split(_NEXT_CLAUSE, _until_closed(code, found.end()))[0]
        names = [item.rsplit(".", 1)[-1] for item in _items(listing)[:2]]
        if names != ["run_id", "example"]:
            yield f"{found[0].upper()} has to begin with run_id, example"
    for found in re.finditer(r"\bjoin\b\s+\w+(?:\s+(?:as\s+)?(?!on\b|using\b)\w+)?\s*", code):
        condition = re.split(
            r"\b(?:inner|left|right|full|anti|semi|join|where|group|having|union)\b", code[found.end() :]
        )[0]
        if not {"run_id", "example"} <= set(re.findall(r"\w+", condition)):
            yield f"{found[0].strip().upper()} has to join by run_id and example"


def _kinds(rule: Rule) -> Iterator[str]:
    known = {kind.value: kind for kind in TraceKind}
    named: list[str] = re.findall(r"\bkind\s*(?:=|<>)\s*'([^']*)'", rule.text)
    for listing in re.findall(r"\bkind\s+(?:NOT\s+)?IN\s*\(([^)]*)\)", rule.text, re.IGNORECASE):
        named += re.findall(r"'([^']*)'", listing)
    for name in [*named, *([rule.only_with] if rule.only_with else [])]:
        if name not in known:
            yield f"the trace has no kind {name}"
        elif rule.view is RuleView.BLACK_BOX and not known[name].outside:
            yield f"the kind {name} is seen inside only, and the rule says black-box"
    if not named:
        yield "it names no kind: every rule reads some"


def refusals() -> list[str]:
    """What is refused wherever it stands, each with its reason."""
    return [reason for _, reason in _REFUSED]


def lint(rule: Rule) -> list[str]:
    """Everything that speaks against a rule's text; empty for a good one."""
    blank, literals = _blank(rule.text)
    code = blank.lower()
    faults = [reason for pattern, reason in _REFUSED if re.search(pattern, code)]
    if any("\\" in literal for literal in literals):
        faults.append("a backslash in a text: an escape in one engine only")
    words = set(re.findall(r"[a-z_]\w*", code))
    read = words & set(COLUMNS)
    faults += [f"the trace has no column {name}" for name in rule.columns if name not in COLUMNS]
    faults += [
        f"it reads {name}, which its header does not name" for name in sorted(read - set(rule.columns))
    ]
    faults += [
        f"its header names {name}, which it does not read" for name in rule.columns if name not in words
    ]
    faults += [f"its answer has no {name}" for name in ANSWER if name not in words]
    faults += [f"it reads {table}" for table in sorted(_tables(code) - {"ev"})]
    return [*faults, *_orders(code), *_apart(code), *_kinds(rule)]


def _tables(code: str) -> set[str]:
    """What the text reads from, apart from its own WITH parts."""
    own = set(re.findall(r"(?:\bwith|,)\s+(\w+)\s+as\s*\(", code))
    return set(re.findall(r"\b(?:from|join)\s+(\w+)", code)) - own
