"""A temporary folder that is gone after this process, even after one that was killed: the next one sweeps it.

Who lives holds a lock on a file in its folder; the system lets go of it when the process dies.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
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
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def sweep() -> None:
    """Delete the folders of processes that did not live to do it."""
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/lock"):
        try:
            with lock.open("r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
        except OSError:  # locked: its process lives; or not ours to touch
            continue
