"""The error of a command that its user can mend. Knows nothing of what commands do."""

from __future__ import annotations

import click


class CommandError(click.ClickException):
    """An error that the user can do something about: told in one line, exit code 2."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """Print the message to the error stream, without usage and traceback."""
        del file  # click's parameter for another stream; nothing here uses it
        click.echo(f"plumbline: {self.format_message()}", err=True)
