"""Counterexamples and verdict tables on a terminal.

Pure functions from records to rich renderables. Strangers' text is put into `rich.text.Text`, never into
markup, after `visible` has spelled out every control character. Knows nothing of where it is printed.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.runs import Counterexample
from plumbline.reference.results.totals import Totals, binding, exit_code_of, merged, reasons, totals
from plumbline.reference.results.verdicts import MEANING, Verdict, VerdictRow
from plumbline.reports.signs import EXIT_MEANING, SIGNS
from plumbline.reports.text import one_line, visible
from plumbline.reports.timeline import arrange, due_words, without_questions

MOST_STEPS = 200
"""So many steps, moments and events of a counterexample are printed; the file has them all."""

MOST_NAMED = 3
"""So many requirements are named first, with their titles, the narrowest first; of the others, their ids."""

MOST_FAILING = 40
MOST_ALIKE = 3
MOST_DEAD_ENDS = 40
LONGEST = 600
LONGEST_REASON = 300

UNBROKEN = r"""(?:'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|\\.|[^\s'"])+\s*|\s+"""
"""A word of a shell's command line with the blanks behind it; blanks in quotes do not end it."""


def render_counterexample(
    counterexample: Counterexample, titles: Mapping[str, str] | None = None
) -> RenderableType:
    """Set-up, steps, what happened, expected against seen, the ids, the dead ends, and how to replay it.

    Args:
        counterexample: the failing example.
        titles: of requirements by id.
    """
    parts: list[RenderableType] = [_headline(counterexample), _named(counterexample, titles or {})]
    parts += _section("Set-up", _setup(counterexample))
    parts += _section("Steps", _numbered(counterexample.plan))
    parts += _section("What happened", _happened(counterexample))
    parts += _section("Expected", [_plain(line, "green") for line in counterexample.expected])
    parts += _section("Seen", [_plain(line, "red") for line in counterexample.seen])
    if counterexample.nearest and not counterexample.expects_nearest:
        parts += _section(
            f"Closest correct run ({counterexample.right_runs} tried)", [_nearest(counterexample)]
        )
    if counterexample.dead_ends:
        parts += _section("Where the check got stuck", [_dead_ends(counterexample)])
    if counterexample.replay:
        # Not padded as other sections are: a blank behind a backslash would break the command.
        parts += ["", _heading("Replay it"), _Command(one_line(counterexample.replay))]
    return Group(*parts)


def render_summary(
    rows: Iterable[VerdictRow],
    titles: Mapping[str, str] | None = None,
    *,
    complete: bool = True,
    known: Collection[str] = (),
    asked: Collection[str] = (),
    untested: Collection[str] = (),
    advice: Iterable[str] = (),
) -> RenderableType:
    """How many requirements got each verdict, which failed or went unjudged and why, and the exit code.

    Args:
        rows: the verdict table of a run; several rows on one requirement are merged.
        titles: of requirements by id.
        complete: whether the run ended in order; if not, it is never called green.
        known: all requirements of the catalogue, for those that nothing was said of.
        asked: those that the run was to judge; all if empty.
        untested: those that no test exists for; they are counted apart.
        advice: what else should be said, one sentence each; it changes nothing.
    """
    by_requirement: dict[str, list[VerdictRow]] = {}
    for row in rows:
        by_requirement.setdefault(row.requirement, []).append(row)
    stays = merged((row for found in by_requirement.values() for row in found), whole=complete)
    wrong = [name for name, verdict in stays.items() if MEANING[verdict].exit_code]
    wrong.sort(key=lambda name: (-MEANING[stays[name]].rank, name))
    parts: list[RenderableType] = [_counts(totals(stays, known, asked, untested))]
    why = {name: "; ".join(reasons(by_requirement[name], stays[name], whole=complete)) for name in wrong}
    alike = Counter((stays[name], why[name]) for name in wrong if why[name])
    # An adapter that cannot even start has one reason for hundreds of requirements.
    common = [told for told, count in alike.items() if count > MOST_ALIKE]
    for verdict, reason in common:
        words = f"{SIGNS[verdict].symbol} {SIGNS[verdict].word}  {alike[verdict, reason]} requirements: "
        parts += [
            "",
            Text(words, style=SIGNS[verdict].style) + Text(one_line(reason, LONGEST), style="default"),
        ]
    wrong = [name for name in wrong if (stays[name], why[name]) not in common]
    if wrong:
        parts += ["", _failing(wrong[:MOST_FAILING], stays, why, titles or {})]
    if len(wrong) > MOST_FAILING:
        parts.append(Text(f"… and {len(wrong) - MOST_FAILING} more", style="dim"))
    told = [Text(one_line(sentence, LONGEST), style="yellow") for sentence in advice]
    parts += ["", *told] if told else []
    code = exit_code_of(binding(stays, asked), whole=complete)
    last = Text(f"exit code {code}: {EXIT_MEANING[code]}", style=("green", "bold red", "yellow")[code])
    if not complete:
        last = Text(f"UNFINISHED RUN, exit code {code}: {EXIT_MEANING[code]}", style="bold red")
    return Group(*parts, "", last)


def as_text(renderable: RenderableType, width: int = 100) -> str:
    """A renderable as plain text without any colour, `width` columns wide; for pytest and log files."""
    sink = io.StringIO()
    console = Console(file=sink, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(renderable, markup=False, highlight=False)
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines()) + "\n"


class _Command:
    """A command line that can be copied from the terminal: broken only where a shell joins it again."""

    def __init__(self, line: str) -> None:
        self.line = line

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console  # rich's parameter; only the width matters here
        rows = ["  "]
        for word in re.findall(UNBROKEN, self.line):
            if rows[-1].strip() and len(rows[-1]) + len(word) + 2 > options.max_width:
                rows[-1] += "\\"
                rows.append("    ")
            rows[-1] += word
        for row in rows:
            for part in self._parts(row, options.max_width):
                yield Text(part, style="bold", overflow="fold")

    @staticmethod
    def _parts(row: str, width: int) -> Iterator[str]:
        """A row with a word longer than a line, such as a path, broken within that; never within quotes."""
        left, joined = row.removesuffix("\\"), "\\" if row.endswith("\\") else ""
        while len(left) + len(joined) > width > 1 and not re.search(r"['\"\\]", left):
            yield left[: width - 1] + "\\"
            left = left[width - 1 :]
        yield left + joined


def _headline(counterexample: Counterexample) -> Text:
    failed, tried = counterexample.times_failed, counterexample.times_tried
    text = Text(
        f"{SIGNS[Verdict.FAIL].symbol} {one_line(counterexample.title.replace('_', ' '), LONGEST)}\n",
        style="bold red",
    )
    text.append(
        f"{one_line(counterexample.candidate, LONGEST)} {one_line(counterexample.product_version, LONGEST)},"
        f" failed in {failed} of {tried} replay{'' if tried == 1 else 's'}, seed {counterexample.seed}",
        style="not bold default",
    )
    if counterexample.reduction is not None:
        text.append(f"\n{counterexample.reduction.words}", style="not bold default")
    return text


def _named(counterexample: Counterexample, titles: Mapping[str, str]) -> Text:
    text = Text("Violates ")
    for position, name in enumerate(counterexample.requirements):
        between = "; it may also violate " if position == MOST_NAMED else ", "
        text.append(between if position else "")
        text.append(one_line(name, LONGEST), style="bold")
        if name in titles and position < MOST_NAMED:
            text.append(f" ({one_line(titles[name], LONGEST)})")
    if not counterexample.requirements:
        text.append("a requirement that Plumbline could not name")
    return text


def _heading(title: str) -> Text:
    return Text(title, style="bold underline")


def _section(title: str, lines: Iterable[RenderableType]) -> list[RenderableType]:
    return ["", _heading(title), Padding(Group(*lines), (0, 0, 0, 2))]


def _plain(text: str, style: str = "") -> Text:
    return Text(visible(text, LONGEST), style=style)


def _setup(counterexample: Counterexample) -> list[RenderableType]:
    lines = setup_words(counterexample.history)
    return [*(Text(one_line(line, LONGEST)) for line in lines[:MOST_STEPS]), *_left_out(len(lines))]


def _numbered(steps: tuple[str, ...]) -> list[RenderableType]:
    width = len(str(len(steps)))
    shown = enumerate(steps[:MOST_STEPS], 1)
    lines = [Text(f"{number:>{width}}. {one_line(step, LONGEST)}") for number, step in shown]
    return [*lines, *_left_out(len(steps))]


def _happened(counterexample: Counterexample) -> list[RenderableType]:
    dead_ends, nearest = counterexample.dead_ends[:MOST_DEAD_ENDS], counterexample.nearest[:MOST_DEAD_ENDS]
    entries = without_questions(arrange(counterexample.history, dead_ends, nearest))
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="dim")
    table.add_column(style="cyan")
    table.add_column()
    for entry in entries[:MOST_STEPS]:
        words = Text(one_line(entry.numbered, LONGEST))
        if entry.shown is not None:
            words = Text("• ", style="bold") + words
            if entry.op_id is None:
                words.append(" (no called operation has this token)", style="red")
        if entry.due:
            words = Text(f"{SIGNS[Verdict.FAIL].symbol} ", style="bold red") + words
        number = str(entry.number) if entry.moment is not None else ""
        table.add_row(number, Text(one_line(entry.place or "harness", 60)), words)
    return [table, *_left_out(len(entries))]


def _nearest(counterexample: Counterexample) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("where", "right", "seen"):
        table.add_column(head, overflow="fold")
    for one in counterexample.nearest[:MOST_DEAD_ENDS]:
        told = [Text(one_line(words, LONGEST)) for words in (one.place, one.right, one.seen)]
        table.add_row(*told)
    return table


def _dead_ends(counterexample: Counterexample) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("explained", "log", "came next", "a correct system could show", "refused by"):
        table.add_column(head, justify="right" if head == "explained" else "left", overflow="fold")
    entries = arrange(counterexample.history)
    for end in counterexample.dead_ends[:MOST_DEAD_ENDS]:
        offered = "\n".join(one_line(offer, LONGEST) for offer in end.offered) or "nothing"
        table.add_row(
            str(end.consumed),
            Text(one_line(end.place, LONGEST)),
            Text(one_line(due_words(entries, end), LONGEST)),
            Text(offered),
            Text(one_line(end.decision, LONGEST) or "not known"),
        )
    return table


def _left_out(count: int) -> list[RenderableType]:
    return [Text(f"… and {count - MOST_STEPS:,} more", style="dim")] if count > MOST_STEPS else []


def _counts(found: Totals) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column()
    for verdict, count in found.verdicts.items():
        sign = SIGNS[verdict]
        table.add_row(str(count), Text(f"{sign.symbol} {sign.word}", style=sign.style))
    if found.not_asked_for:
        table.add_row(str(found.not_asked_for), Text("  not asked for", style="dim"))
    if found.without_test:
        table.add_row(str(found.without_test), Text("  without a test", style="dim"))
    if not found.verdicts:
        table.add_row("0", Text("requirements were judged"))
    for verdict, count in found.extensions.items():
        sign = SIGNS[verdict]
        table.add_row(str(count), Text(f"{sign.symbol} {sign.word}, of extensions", style=sign.style))
    return table


def _failing(
    names: list[str],
    merged: Mapping[str, Verdict],
    reasons: Mapping[str, str],
    titles: Mapping[str, str],
) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name in names:
        sign = SIGNS[merged[name]]
        told = Text(one_line(titles.get(name, ""), LONGEST), style="bold")
        if reasons[name]:
            lead = "\n" if told else ""
            told.append(lead + one_line(reasons[name], LONGEST_REASON), style="not bold")
        table.add_row(
            Text(f"{sign.symbol} {sign.word}", style=sign.style), Text(one_line(name, 60), style="bold"), told
        )
    return table
