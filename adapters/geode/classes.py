"""The classes that members load, read and checked once and kept in an archive, as Java keeps its own.

Most of what starting a member costs is loading some seven thousand classes out of sixty jars. A JVM that maps
an archive of them (class data sharing) starts in half the time. Java itself looks whether the archive fits
its version and the jars, and loads classes as ever where it does not. Knows nothing of what members do.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.jars import Jars, cache_directory, locked
from plumbline.adapters.geode.jvm import class_path_of, find_java

UNUSED_S = 30 * 24 * 3600
"""An archive that was unused for so long is deleted when another is made."""

# Java prints messages on archives where the JVM prints its port.
_SILENT = "-Xlog:cds*=off"


def using(archive: Path | None) -> tuple[str, ...]:
    """The options of a JVM that takes its classes from the archive, if there is one."""
    return () if archive is None else (f"-XX:SharedArchiveFile={archive}", "-Xshare:auto", _SILENT)


def making(archive: Path) -> tuple[str, ...]:
    """The options of a JVM that leaves an archive of the classes that it has loaded as it ends in order."""
    return (f"-XX:ArchiveClassesAtExit={archive}", _SILENT)


def kept(jars: Jars, make: Callable[[Path], None]) -> Path | None:
    """The archive of these jars' classes, made the first time; None where it cannot be made or kept.

    Args:
        jars: where the classes come from.
        make: leaves an archive in this file; may raise AdapterError. Called by one process at a time.
    """
    try:
        archive = cache_directory() / "geode" / f"classes-{_told_apart_by(jars)}.jsa"
        if not archive.is_file():
            archive.parent.mkdir(parents=True, exist_ok=True)
            with locked(archive.with_suffix(".lock")):
                if not archive.is_file():  # else another process has made it while this one waited
                    draft = archive.with_suffix(".part")
                    draft.unlink(missing_ok=True)  # of a process that was killed
                    make(draft)
                    draft.rename(archive)
                    _sweep(archive.parent)
        archive.touch()
    except (AdapterError, OSError, RuntimeError):  # RuntimeError: there is no home directory
        return None
    return archive


def _sweep(folder: Path) -> None:
    """Delete unused archives: each environment has a py4j, and so archives, of its own."""
    for archive in folder.glob("classes-*.jsa"):
        if time.time() - archive.stat().st_mtime > UNUSED_S:
            archive.unlink()


def _told_apart_by(jars: Jars) -> str:
    """What changes where Java or a jar does: an archive of others would be of no use."""
    files = (Path(find_java()).resolve(), *class_path_of(jars))
    seen = [(str(file), (status := file.stat()).st_size, status.st_mtime_ns) for file in files]
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]
