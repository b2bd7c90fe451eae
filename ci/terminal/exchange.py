"""The option `--log-exchange FILE`: the lines between the harness and candidates are kept in a file.

Knows click and files; `plumbline.adapters.process.exchange_log` describes the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from plumbline.adapters.candidates import Candidate, logged
from plumbline.adapters.process.exchange_log import NOTED, ExchangeLog
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.reports.text import one_line

log_exchange_option = click.option(
    "--log-exchange",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep every line sent and answered, with the time, in FILE; the newest 64 MiB or more.",
)


@contextmanager
def exchange_logged(file: Path | None) -> Iterator[Callable[[Candidate], Candidate]]:
    """Gives what has a candidate's exchange logged, if a file is named; raises CommandError."""
    if file is None:
        yield lambda candidate: candidate
        return
    try:
        log = ExchangeLog(file)
    except OSError as error:
        raise CommandError(one_line(f"{file}: the exchange cannot be logged: {error.strerror}")) from error

    def begun(candidate: Candidate) -> Candidate:
        log.add(NOTED, candidate.name.encode(errors="backslashreplace"))
        return logged(candidate, log)

    try:
        yield begun
    finally:
        log.close()
        if log.trouble:
            click.echo(f"the log of the exchange ends early: {one_line(log.trouble)}", err=True)
