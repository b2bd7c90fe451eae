"""The seal of a run directory: which files an ended run has left, with the digest of each.

    seal.json    run.json, *.parquet, trace/manifest.json and counterexamples/*.json (Seal)

What `plumbline judge` writes is sealed alike.

It is written last. It shows each file that was changed, added or removed afterwards, by mistake or by hand.
It does not prove who wrote the files, since any user can write a new seal. Knows nothing of what the files
mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from plumbline.reference.file_record import (
    FileRecord,
    UnreadableRunError,
    bounded,
    recorded,
    refuse_links,
    write_atomically,
)

SEAL = "seal.json"
SEAL_FORMAT = 1
LARGEST_SEAL = 64 * 1024 * 1024

RECORD, TABLE, MANIFEST = "run.json", "verdicts.parquet", "trace/manifest.json"
EXAMPLES = "counterexamples"

UNSEALED = (
    "it has no seal, so a change to it would not show; "
    "a run of an older version, or one that did not end, has none: run again"
)


def records_below(folder: Path) -> list[Path]:
    """Every `run.json` in a folder and below it, sorted, links to nothing among them."""
    # A name without a wildcard would be looked for, and a link to nothing not be found.
    return sorted(folder.glob("**/run.jso[n]"))


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """All files of a run that has ended, by their path below the run directory."""

    files: dict[str, FileRecord]
    format: int = SEAL_FORMAT


class Broken(msgspec.Struct, frozen=True):
    """What does not fit the seal: the file, and why."""

    path: Path
    reason: str


def seal_run(directory: Path) -> Seal:
    """Write the seal of a run directory, as its last file; raises OSError."""
    refuse_links(directory / EXAMPLES, directory)
    files = {name: recorded(directory / name) for name in _names(directory)}
    seal = Seal(files=files)
    data = msgspec.json.format(msgspec.json.encode(seal), indent=1)
    write_atomically(directory / SEAL, data, within=directory)
    return seal


def broken_seal(directory: Path, only: Iterable[str] = ()) -> tuple[Broken, ...]:
    """What of a run directory does not fit its seal; the seal itself where there is none or it is damaged.

    Args:
        directory: the run directory.
        only: the names of those files that matter, for a reader that reads no others; all if left out.
    """
    path = directory / SEAL
    try:
        seal = msgspec.json.decode(bounded(path, LARGEST_SEAL), type=Seal)
    except FileNotFoundError:
        return (Broken(path, UNSEALED),)
    except UnreadableRunError as error:
        return (Broken(path, str(error).removeprefix(f"{path}: ")),)
    except (OSError, UnicodeDecodeError, RecursionError, msgspec.MsgspecError) as error:
        return (Broken(path, f"unreadable: {error}"),)
    if seal.format != SEAL_FORMAT:
        return (Broken(path, f"layout {seal.format}, but this version reads {SEAL_FORMAT}"),)
    outside = [name for name in seal.files if Path(name).is_absolute() or ".." in Path(name).parts]
    if outside:
        return (Broken(path, f"it names {outside[0]!r:.80}, which is not below the run"),)
    if (directory / EXAMPLES).is_symlink():
        return (Broken(directory / EXAMPLES, "this is a link, and a run leaves a folder"),)
    names = dict.fromkeys((*seal.files, *_names(directory)))
    wanted = set(only) or set(names)
    found = ((name, _damage(directory / name, seal.files.get(name))) for name in names if name in wanted)
    return tuple(Broken(directory / name, reason) for name, reason in found if reason)


def _names(directory: Path) -> Iterator[str]:
    """The files that a seal is about, of those that are there."""
    for name in (RECORD, *sorted(path.name for path in directory.glob("*.parquet")), MANIFEST):
        if (directory / name).is_file():
            yield name
    for path in sorted((directory / EXAMPLES).glob("*.json")):
        yield f"{EXAMPLES}/{path.name}"


def _damage(path: Path, sealed: FileRecord | None) -> str:
    """Why a file is not the one that was sealed, or ""."""
    if sealed is None:
        return "not in the seal: it was added after the run ended"
    try:
        found = recorded(path)
    except FileNotFoundError:
        return "in the seal, but missing"
    except UnreadableRunError as error:
        return str(error).removeprefix(f"{path}: ")
    except OSError as error:
        return f"unreadable: {error.strerror or error}"
    return "" if found == sealed else "changed after the run ended: its digest is not the seal's"
