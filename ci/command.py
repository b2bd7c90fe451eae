"""The `plumbline` command: one group whose subcommands are imported only when they are called.

Knows each subcommand's name and one line about it; `plumbline.ci.commands.<name>` holds each subcommand,
whose click command is called `command`. Those that show how Plumbline tests itself lie in
`plumbline.ci.selftest.commands`, which only a clone has.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.stopping import STOP, end_children
from plumbline.reference.distribution import VERSION, how_to_install
from plumbline.reference.search.garbage import collect_seldom

# The one line stands here, and not only in the module, so that `plumbline --help` imports none of them and
# works where an extra is missing.
SUBCOMMANDS = {
    "catalogue": "Show the requirements: what each says, where it stands, what tests it.",
    "doctor": "Look for every tool that Plumbline can use, and say how to install a missing one.",
    "init": "Write a plumbline.toml to begin with: one candidate, and everything that can be set.",
    "check-adapter": "Ask every method of the protocol one by one: what works, what is missing or broken.",
    "run": "Test candidates and leave a run directory with trace, verdicts and counterexamples.",
    "judge": "Judge the traces of any number of run directories by the rules.",
    "traces": "Turn logs of a system at work into runs, and many runs into few files.",
    "drift": "Compare two versions that may both conform: shares of runs, repeated events, times.",
    "plan-runs": "Compute how many runs a claim needs.",
    "coverage": "Count which features of plans met in the examples of runs.",
    "replay": "Play a counterexample again, on its own candidate or another.",
    "gate": "Decide whether a release may go, from runs, a policy, known deviations and a baseline.",
    "report": "Write a static HTML site about any number of run directories.",
    "faulty": "List the faulty variants of the reference, or show that the suite catches them.",
    "explore": "Visit every run of the model in small worlds, and check its invariants.",
    "trials": "Compare the search with the exhaustive search on random small examples.",
    "bench": "Measure how the time to explain an example grows with its size.",
    "schema": "Print the JSON Schema of what a command prints with --json.",
    "serve-reference": "Speak the adapter protocol on stdin and stdout with the reference behind it.",
}

OF_A_CLONE = ("faulty", "explore", "trials", "bench")
"""Subcommands that test Plumbline itself. The wheel leaves them out."""

if find_spec("plumbline.ci.selftest") is None:
    SUBCOMMANDS = {name: line for name, line in SUBCOMMANDS.items() if name not in OF_A_CLONE}

# Which extra brings a library that the core does without.
EXTRAS = {
    "pyspark": "spark",
    "pandas": "spark",
    "docker": "docker",
    "allure": "allure",
    "allure_commons": "allure",
    "py4j": "geode",
}

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

EXAMPLES = """\
\b
Examples:
  plumbline catalogue VER-TIE-01            what a requirement says and what tests it
  plumbline run                             the reference against itself
  plumbline run --candidate 'process:./my-adapter --stdio' --profile smoke
  plumbline run --candidate 'docker:my/adapter:1?memory=2g'
  plumbline run --candidate geode:1.15.1 --select VER --out runs/geode
  plumbline replay runs/RUN/counterexamples/FILE --candidate reference
  plumbline judge runs/* --out judged       rules over many runs
  plumbline report runs/* --out site        open site/index.html
  plumbline gate runs                       may the release go?

\b
Exit codes:
  0  nothing failed    1  a requirement failed    2  could not judge    128 + n  stopped by signal n
"""


def explain_missing(error: ModuleNotFoundError) -> str | None:
    """The remedy for a library that is not installed, or None if no extra of Plumbline would bring it."""
    library = (error.name or "").partition(".")[0]
    extra = EXTRAS.get(library)
    if extra is None:
        return None
    return f"{library} is not installed; install it with: {how_to_install(extra)}"


def explain(error: BaseException) -> str | None:
    """One line about an error that is no mistake of Plumbline's; None for those that are."""
    # Imported here: the records bring pyarrow along, which costs `plumbline --help` more than all the rest.
    from plumbline.adapters.errors import (  # noqa: PLC0415
        AdapterError,
        MissingToolError,
        UnknownCandidateError,
        UnsupportedError,
    )
    from plumbline.reference.results.runs import UnreadableRunError  # noqa: PLC0415

    if isinstance(error, ModuleNotFoundError):
        return explain_missing(error)
    if isinstance(error, AdapterError) and error.last_words:
        return f"{error}; its last words: {error.last_words.strip()}"
    if isinstance(
        error, AdapterError | MissingToolError | UnknownCandidateError | UnsupportedError | UnreadableRunError
    ):
        return str(error)
    if isinstance(error, OSError) and (error.filename is not None or error.errno in DISK_FULL):
        return ": ".join(str(part) for part in (error.filename, error.strerror) if part)
    return None


def refuse_blanks(command: click.Command) -> None:
    """Make a blank value on the command line of a command, or of those below it, a usage error.

    An unset variable of a script leaves one; no user means the default by it.
    """
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        refuse_blanks(below)
    for parameter in command.params:
        if not isinstance(parameter.type_cast_value, _Unblank):
            cast = _Unblank(parameter, parameter.type_cast_value)
            parameter.type_cast_value = cast  # type: ignore[method-assign]


class _Unblank:
    """Casts a parameter's value as click does, unless it is blank."""

    def __init__(self, parameter: click.Parameter, cast: Callable[[click.Context, Any], Any]) -> None:
        self._parameter = parameter
        self._cast = cast

    def __call__(self, ctx: click.Context, value: Any) -> Any:
        """The value; raises click.UsageError."""
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, str) and not one.strip():
                name = self._parameter.get_error_hint(ctx)
                blank = (
                    f"the value of {name} is blank, as an unset variable leaves it; name one or leave it out"
                )
                raise click.UsageError(blank, ctx)
        return self._cast(ctx, value)


class Subcommands(click.Group):
    """A group that looks its commands up in `SUBCOMMANDS` and imports them when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which a newcomer meets them."""
        del ctx
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; None if no subcommand is named so."""
        del ctx
        if cmd_name not in SUBCOMMANDS:
            return None
        room = "selftest.commands" if cmd_name in OF_A_CLONE else "commands"
        module = import_module(f"plumbline.ci.{room}.{cmd_name.replace('-', '_')}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is no click command")
        refuse_blanks(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand called; an unknown one is answered with those spelled alike."""
        name = args[0]
        if name in OF_A_CLONE and name not in SUBCOMMANDS:
            words = f"'{name}' tests Plumbline itself; only a clone of its repository has it"
            raise click.UsageError(words, ctx)
        if name not in SUBCOMMANDS and not name.startswith("-"):
            near = get_close_matches(name, SUBCOMMANDS, cutoff=0.5)
            meant = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(SUBCOMMANDS)}."
            raise click.UsageError(f"There is no subcommand '{name}'; {meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands from the table, importing none."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; expected errors become one line and exit code 2, signals 128 + n."""
        try:
            return super().invoke(ctx)
        except BaseException as error:
            if STOP.number or isinstance(error, KeyboardInterrupt):
                # This holds for each error: an error of the shutdown must not hide its cause.
                if ctx.params["traceback"]:
                    traceback.print_exception(error)
                STOP.tell(error)
                ctx.exit(STOP.exit_code)
            if not isinstance(error, Exception):
                raise
            if isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort):
                raise
            message = explain(error)
            if message is None:
                raise
            if ctx.params["traceback"]:
                traceback.print_exception(error)
            raise CommandError(message) from error


@click.group(cls=Subcommands, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="plumbline", message="%(prog)s %(version)s")
@click.option("--traceback", is_flag=True, help="Show where an expected error came from, too.")
def group(traceback: bool) -> None:
    """Test whether a system distributes cache events as GemFire and Apache Geode document it."""
    del traceback  # read from the context by Subcommands.invoke


COMPLETE = "_PLUMBLINE_COMPLETE"
"""The variable by which a shell asks for completion, as click names it."""


def main() -> None:
    """Entry point of the `plumbline` command; always exits."""
    STOP.listen()
    collect_seldom()
    if COMPLETE in os.environ:
        # A shell asks what could come next: how bash is to be answered has to be known before anything else.
        import_module("plumbline.ci.terminal.completion")
    try:
        group(prog_name="plumbline")
    except BaseException as error:
        if STOP.number:
            STOP.tell(error)
            end_children()
            sys.exit(STOP.exit_code)
        if not isinstance(error, Exception):
            raise
        # Python would exit with 1, which says that the candidate failed.
        traceback.print_exc()
        click.echo(
            "plumbline: this is a mistake of Plumbline's own; nothing is known of the candidate", err=True
        )
        sys.exit(2)
