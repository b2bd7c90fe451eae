"""`plumbline schema`: the JSON Schemas of what commands print with `--json`.

Knows the command line; schemas are made in `plumbline.ci.terminal.documents`.
"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from plumbline.ci.terminal.documents import kinds, schema, version_of
from plumbline.reference.catalogue.loader import did_you_mean
from plumbline.reference.results.runs import write_atomically

_EPILOG = """\
\b
Examples:
  plumbline schema                          the names
  plumbline schema plumbline.gate           one schema
  plumbline schema --out schemas            all of them, a file each
"""


@click.command("schema", epilog=_EPILOG)
@click.argument("name", required=False)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write all into.")
def command(name: str | None, out: Path | None) -> None:
    """Print the JSON Schema of a document that a command prints with --json, or list all of them.

    Each document names its schema in `schema` and the version in `schema_version`.
    """
    found = kinds()
    if name is not None and name not in found:
        raise click.UsageError(f"no schema is named {name!r}{did_you_mean(name, list(found))}")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for each, kind in found.items():
            write_atomically(out / f"{each}.json", msgspec.json.format(msgspec.json.encode(schema(kind))))
    elif name is None:
        for each, kind in found.items():
            click.echo(f"{each:<30} {version_of(kind)}  {(kind.__doc__ or '').splitlines()[0]}")
    else:
        click.echo(msgspec.json.format(msgspec.json.encode(schema(found[name]))).decode())
