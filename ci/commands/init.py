"""`plumbline init`: write a `plumbline.toml` to begin with.

Knows where it goes; what stands in it is told by `plumbline.suites.run.configuration`.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from plumbline.ci.terminal.error_messages import CommandError
from plumbline.reference.results.runs import write_atomically
from plumbline.suites.run.configuration import FILE, template

_EPILOG = """\
\b
Examples:
  plumbline init --command './my-adapter --stdio'
  plumbline run --profile smoke             reads plumbline.toml
  pytest --pyargs plumbline.suites          reads it, too
  plumbline gate                            and so does the gate

\b
Exit codes:
  0  written    2  there is one already, or it cannot be written
"""


@click.command("init", epilog=_EPILOG)
@click.argument("folder", required=False, default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--command",
    "candidate",
    default="./my-adapter",
    show_default=True,
    metavar="COMMAND",
    help="The command that speaks the protocol on its standard input and output.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def command(folder: Path, candidate: str, force: bool) -> None:
    """Write plumbline.toml into FOLDER (here if left out): one candidate, and everything that can be set.

    Every key stands in it, with what it is good for; all but the command are commented out. What a command
    line says wins over the file.
    """
    file = folder / FILE
    if not force and os.path.lexists(file):
        raise CommandError(f"{file} is there already; --force replaces it")
    try:
        words = shlex.split(candidate)
    except ValueError as error:
        raise click.UsageError(
            f"--command: it cannot be split into words: {error}; quote it as for a shell"
        ) from error
    if not words:
        raise click.UsageError("--command: it is empty")
    write_atomically(file, template(candidate).encode())
    click.echo(f"{file} is written; have a look at it, then: plumbline run --profile smoke")
