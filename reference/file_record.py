"""Files of run directories: read if they are files and not too large, written whole, never through a link.

A run directory may come from anywhere. A pipe or a device in place of a file would be waited for without end,
and a link would lead a writer out of the directory. Knows nothing of what the files hold.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path

import msgspec


class UnreadableRunError(Exception):
    """A directory is not a whole run; the message says what is missing or damaged."""


class FileRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was when the run ended: its size and its SHA-256 digest."""

    bytes: int
    sha256: str


def must_be_file(path: Path) -> None:
    """Raises FileNotFoundError for nothing, UnreadableRunError for a pipe, a device or a link to nothing."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise UnreadableRunError(f"{path}: this is a link to nothing") from None
        raise
    except OSError as error:
        raise UnreadableRunError(f"{path}: {error.strerror or error}") from error
    if not stat.S_ISREG(mode):
        raise UnreadableRunError(f"{path}: this is no file, but {_kind(mode)}")


def _kind(mode: int) -> str:
    for is_so, what in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if is_so(mode):
            return what
    return "something else"


def bounded(path: Path, most: int) -> bytes:
    """All bytes of a file that are at most so many; raises as `must_be_file` does, and OSError."""
    must_be_file(path)
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UnreadableRunError(f"{path}: more than {most:,} bytes are too many")
    return data


def recorded(path: Path) -> FileRecord:
    """A file's size and digest; raises as `must_be_file` does, and OSError."""
    must_be_file(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileRecord(bytes=os.fstat(file.fileno()).st_size, sha256=digest)


def write_atomically(path: Path, data: bytes, *, within: Path | None = None) -> None:
    """Write a whole file or none of it; raises OSError (a full disk, say) with the old file untouched.

    Args:
        path: the file; a link there is replaced, and what it leads to stays as it is.
        data: all of it.
        within: the run directory; no folder between it and the file may be a link.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    refuse_links(path.parent, within)
    draft = path.with_name(path.name + ".part")
    try:
        draft.unlink(missing_ok=True)
        with os.fdopen(new_file(draft), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        error.filename = error.filename or str(path)  # writing to an open file does not name it
        raise
    finally:
        draft.unlink(missing_ok=True)


def new_file(path: Path) -> int:
    """A descriptor of a file that was not there before; raises OSError where anything is, be it a link."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)


def reserve(path: Path, size: int) -> None:
    """Take up so many bytes of a disk, or none, to have them when it is full; never raises OSError."""
    try:
        file = new_file(path)
    except OSError:
        return
    try:
        os.posix_fallocate(file, 0, size)
    except OSError:
        path.unlink(missing_ok=True)
    finally:
        os.close(file)


def refuse_links(folder: Path, within: Path | None) -> None:
    """Raises OSError, naming it, where a folder or one above it within a run directory is a link."""
    while within is not None and folder not in (within, folder.parent):
        if folder.is_symlink():
            raise OSError(errno.ELOOP, "this is a link, and a run writes only below itself", str(folder))
        folder = folder.parent
