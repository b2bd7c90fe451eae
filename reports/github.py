"""What GitHub shows of a gate: annotations, and a summary of the step in Markdown.

Text of candidates is escaped for each: it can neither end an annotation nor begin another, nor become a link,
a picture or HTML. Knows nothing of environments and files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

from plumbline.reference.catalogue.records import Requirement
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.broken import Violation
from plumbline.reports.clauses_reached import clauses_not_reached
from plumbline.reports.gate_decision import GateDecision, GateReason, VerdictCount, Weight
from plumbline.reports.signs import SIGNS
from plumbline.reports.text import one_line
from plumbline.reports.unjudged import Loudness, unjudged

MOST_ANNOTATIONS = 10
"""GitHub shows no more errors of one step."""

MOST_ROWS = 200
"""A summary may be 1 MiB."""

LONGEST, LONGEST_LIST = 400, 20_000

_SIGN = {Loudness.CALM: "⚪", Loudness.AMBER: "🟠", Loudness.RED: "🔴"}
_ANSWER = {
    0: "✅ The release may go",
    1: "❌ The release may not go",
    2: "❔ The question could not be answered",
}
_MARKDOWN = {ord(letter): f"&#{ord(letter)};" for letter in "\\`*_{}[]()#+-.!|~:@/"}


def annotated(decision: GateDecision, violations: Iterable[Violation]) -> Iterator[str]:
    """Commands for the runner, a line each: an error for each red reason, a warning for what is unjudged."""
    known = {(found.candidate, found.requirement): found for found in violations}
    serious = [reason for reason in decision.reasons if reason.weight is not Weight.ADVISORY]
    for reason in serious[:MOST_ANNOTATIONS]:
        yield _annotation(reason, known.get((reason.candidate, reason.requirement)))
    left = len(serious) - MOST_ANNOTATIONS
    if left > 0:
        yield f"::error title=Plumbline::{left} more reasons; the summary of the step has them"
    for count in decision.candidates:
        open_ones = unjudged(count.totals)
        if open_ones.level is not Loudness.CALM:
            kind = "error" if open_ones.level is Loudness.RED else "warning"
            title = _property(f"Plumbline: {open_ones.words}")
            yield f"::{kind} title={title}::{_data(f'{count.candidate}: {count.words}')}"


def _annotation(reason: GateReason, found: Violation | None) -> str:
    title = " ".join(word for word in (reason.requirement, reason.verdict) if word) or "Plumbline"
    properties = [f"title={_property(title)}"]
    lines = [reason.told]
    if found is not None:
        if found.test:
            lines.append(f"test: {found.test.replace('_', ' ')}")
        if found.file is not None:
            properties.insert(0, f"file={_property(str(relative(found.file)))}")
        lines += found.sentences
    if reason.advice:
        lines.append(reason.advice)
    text = "%0A".join(_data(line) for line in lines)
    return f"::error {','.join(properties)}::{text}"


def summary(
    decision: GateDecision, violations: Iterable[Violation], catalogue: Mapping[str, Requirement]
) -> str:
    """The answer, what is left open, and every reason, in Markdown."""
    known = {(found.candidate, found.requirement): found for found in violations}
    lines = [f"## Plumbline: {_ANSWER[decision.exit_code]}", ""]
    for count in decision.candidates:
        lines += [*_candidate(count), ""]
    for weight in Weight:
        reasons = [reason for reason in decision.reasons if reason.weight is weight]
        if reasons:
            lines += [f"### {str(weight).capitalize()}: {len(reasons)}", ""]
            lines += _table(reasons, known, catalogue)
            lines.append("")
    return "\n".join(lines)


def _candidate(count: VerdictCount) -> list[str]:
    open_ones = unjudged(count.totals)
    said = f"{_SIGN[open_ones.level]} **{open_ones.words}**"
    name = f"**{_text(count.candidate)}** ({_text(f'{count.product} {count.version}, {count.dialect}')})"
    verdicts = [(Verdict(name), number) for name, number in count.verdicts.items()]
    head = [f"{SIGNS[verdict].symbol} {verdict}" for verdict, _ in verdicts]
    numbers = [str(number) for _, number in verdicts]
    for word, number in (("not asked for", count.not_asked_for), ("without a test", count.without_test)):
        if number:
            head.append(word)
            numbers.append(str(number))
    return [
        f"{name}: {said}",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---:|' * len(head)}",
        f"| {' | '.join(numbers)} |",
        *(
            line
            for told in clauses_not_reached(count.clauses_not_reached, count.runs)
            for line in ("", _text(told, LONGEST_LIST))
        ),
    ]


def _table(
    reasons: list[GateReason],
    known: Mapping[tuple[str, str], Violation],
    catalogue: Mapping[str, Requirement],
) -> Iterator[str]:
    yield "| Requirement | Verdict | What is the matter | What to do |"
    yield "|---|---|---|---|"
    for reason in reasons[:MOST_ROWS]:
        requirement = catalogue.get(reason.requirement)
        told = [_text(reason.told)]
        found = known.get((reason.candidate, reason.requirement))
        if found is not None:
            told += [_text(sentence) for sentence in found.sentences if sentence != reason.told]
        name = f"**{_text(reason.requirement)}**" if reason.requirement else _text(reason.candidate)
        title = f"<br>{_text(requirement.title)}" if requirement else ""
        advice = f"<code>{_text(reason.advice)}</code>" if reason.advice.startswith("plumbline ") else ""
        yield (
            f"| {name}{title} | {_text(reason.verdict)} | {'<br>'.join(told)} "
            f"| {advice or _text(reason.advice)} |"
        )
    if len(reasons) > MOST_ROWS:
        yield f"| … | | {len(reasons) - MOST_ROWS} more | |"


def relative(path: Path) -> Path:
    """The path from where the command runs, as servers show files; unchanged if it lies elsewhere."""
    try:
        return path.resolve().relative_to(Path.cwd())
    except ValueError:
        return path


def _text(text: str, longest: int = LONGEST) -> str:
    """Text that Markdown and HTML show as it is."""
    return escape(one_line(text, longest)).replace("&", "\0").translate(_MARKDOWN).replace("\0", "&")


def _data(text: str) -> str:
    """Text behind the two colons of a command."""
    return one_line(text, LONGEST).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Text of a property of a command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
