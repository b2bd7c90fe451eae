"""`plumbline check-adapter`: every method of the protocol against a candidate, one by one.

Knows the command line and what is printed; asking happens in `plumbline.suites.adapter_check.methods`.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Literal

import click
import msgspec

from plumbline.adapters.process.client import ReplyLimits
from plumbline.adapters.protocol import Introduction
from plumbline.ci.commands.run import process_limits
from plumbline.ci.terminal import completion
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.exchange import exchange_logged, log_exchange_option
from plumbline.ci.terminal.progress import patiently
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.catalogue.capabilities import LOST_WITHOUT, Capability
from plumbline.reports.text import one_line
from plumbline.suites.adapter_check.examiner import Examination, MethodResult, Standing
from plumbline.suites.adapter_check.methods import examine
from plumbline.suites.run.configuration import Settings
from plumbline.suites.run.profiles import seconds

LONGEST = 600
LONGEST_LAST_WORDS = 2_000

_SIGNS = {
    Standing.WORKS: ("✓", "green"),
    Standing.UNSUPPORTED: ("⊘", "yellow"),
    Standing.BROKEN: ("✗", "red"),
    Standing.NOT_REACHED: ("·", "magenta"),
}

_EPILOG = """\
\b
Examples:
  plumbline check-adapter --candidate 'process:./my-adapter --stdio'
  plumbline check-adapter                   the candidate of plumbline.toml
  plumbline check-adapter --candidate 'process:plumbline serve-reference' --json

\b
Exit codes:
  0  what the adapter declares works    1  something is broken; the exchange that shows it is printed
  2  it could not be asked: there is no such candidate
"""


class CheckAdapterDocument(Document, frozen=True, kw_only=True, tag="plumbline.check-adapter"):
    """How an adapter stands.

    Attributes:
        candidate: its name.
        broken: whether a method that the suite needs is broken or was not reached.
        introduction: how the adapter introduced itself; null if it could not.
        answers: one for each method of the protocol.
        lost: for each capability that is not declared, the requirements that stay unsupported.
        last_words: the end of what it printed to its error stream.
    """

    schema_version: Literal[1] = 1
    candidate: str
    broken: bool
    introduction: Introduction | None
    answers: tuple[MethodResult, ...]
    lost: dict[Capability, tuple[str, ...]]
    last_words: str


@click.command("check-adapter", epilog=_EPILOG)
@click.option(
    "--candidate",
    metavar="C",
    shell_complete=completion.candidates,
    help="What to ask; by default that of plumbline.toml.",
)
@click.option("--timeout", metavar="DURATION", help="Most that a process may take for one answer.")
@log_exchange_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_context
def command(
    context: click.Context,
    candidate: str | None,
    timeout: str | None,
    log_exchange: Path | None,
    settings: Settings,
    as_json: bool,
) -> None:
    """Ask every method of the protocol one by one, in the plainest way, and tell how each stands.

    For those who write an adapter: what works, what answers that it is unsupported, what is broken (with the
    request and its answer), and which requirements cannot be judged for lack of which capability. Nothing is
    judged here. An adapter that is not in order gets no verdict that means anything.
    """
    try:
        limits: ReplyLimits | None = None if timeout is None else process_limits(seconds(timeout))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    name = candidate or settings.candidate_name
    if not name:
        raise click.UsageError("name a candidate: --candidate C, or in plumbline.toml (`plumbline init`)")
    found = settings.find(name, limits=limits)
    with exchange_logged(log_exchange) as begun, patiently() as advanced:
        examination = examine(begun(found), advanced("Asking"))
    if as_json:
        stands = msgspec.structs.asdict(examination)
        show(CheckAdapterDocument(candidate=found.name, broken=examination.broken, **stands))
    else:
        _tell(found.name, examination)
    context.exit(int(examination.broken))


def _tell(name: str, examination: Examination) -> None:
    introduced = examination.introduction
    if introduced is not None:
        known = f"{introduced.name} {introduced.version}, dialect {introduced.dialect}"
        click.echo(f"{one_line(name, LONGEST)}: {one_line(known, LONGEST)}")
    for answer in examination.answers:
        _tell_answer(answer)
    if examination.last_words:
        click.echo("its last words:")
        words = one_line(examination.last_words[-LONGEST_LAST_WORDS:].strip(), LONGEST_LAST_WORDS)
        click.echo(textwrap.indent(words.replace("\\n", "\n"), "    "))
    lost = {capability: ids for capability, ids in examination.lost.items() if ids}
    if lost:
        click.echo("\nnot declared; so many requirements that have a test stay unsupported:")
    for capability, ids in lost.items():
        shown = ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
        click.echo(f"  {capability:<20} {len(ids):>3}  {LOST_WITHOUT[capability]} ({shown})")
    standings = [answer.standing for answer in examination.answers]
    counts = ", ".join(f"{standings.count(one)} {one}" for one in Standing if one in standings)
    click.secho(
        f"\n{counts}" + ("" if examination.broken else "; next: plumbline run --profile smoke"),
        fg="red" if examination.broken else "green",
        bold=True,
    )


def _tell_answer(answer: MethodResult) -> None:
    sign, colour = _SIGNS[answer.standing]
    told = f"{answer.standing}: {answer.told}" if answer.told else str(answer.standing)
    click.echo(f"{click.style(sign, fg=colour)} {answer.method:<15} {one_line(told, LONGEST)}")
    if answer.sent:
        click.echo("    the whole exchange, > sent, < answered:")
        for line in answer.exchange:
            click.echo(f"    {one_line(line, LONGEST)}")
        if not answer.answered:
            click.echo("    < nothing")
