"""The option `--config` of every command that reads a `plumbline.toml`, and what it gives.

Knows click; `plumbline.suites.run.configuration` describes the file.
"""

from __future__ import annotations

from pathlib import Path

import click

from plumbline.reports.text import one_line
from plumbline.suites.run.configuration import FILE, ConfigurationError, Settings, find_settings

config_option = click.option(
    "--config",
    "settings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=lambda _context, _parameter, given: settings_of(given),
    help=f"Settings of the candidate, by default {FILE} where there is one; other options win.",
)


def settings_of(given: Path | None) -> Settings:
    """What the file given, or the one in this folder, sets; a wrong one is a click.UsageError."""
    if given is not None and not given.exists():
        raise click.UsageError(one_line(f"{given}: there is no such file; `plumbline init` writes one"))
    try:
        return find_settings(given)
    except ConfigurationError as error:
        raise click.UsageError(one_line(str(error))) from error
