"""A temporary folder that is gone after this process, even after one that was killed: the next one sweeps it.

A process that lives holds a lock on a file in its folder. The system lets go of it when the process dies.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "plumbline-geode-"


class Folder:
    """A folder of this process alone. `path` is it; `remove` may be called twice."""

    def __init__(self) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        draft = self.path / "lock.part"
        self._lock = draft.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        draft.rename(self.path / "lock")  # only now a sweep looks at this folder, and finds it locked

    def remove(self) -> None:
        """Delete it and all that is in it."""
        _delete(self.path)
        self._lock.close()


def sweep() -> None:
    """Delete the folders of processes that did not live to do it."""
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/lock"):
        try:
            with lock.open("r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _delete(lock.parent)
        except OSError:  # locked: its process lives; or not ours to touch
            continue


def _delete(folder: Path) -> None:
    """Delete a folder, its lock last: where something stays, the next sweep still finds it."""
    for path in folder.glob("*"):
        if path.name == "lock":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
    if [path.name for path in folder.glob("*")] == ["lock"]:
        shutil.rmtree(folder, ignore_errors=True)
