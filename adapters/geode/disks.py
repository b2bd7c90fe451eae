"""The disk of a member: a folder of its own in which its persistent queues and regions are kept.

A member that is started again from its disk is given the folder that it had; else it is given a new one.
Talks to the JVM and may hang with it. Knows nothing of examples.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

NAME = "plumbline"
MOST_MIB = 8
"""Files that are begun with this size: Geode takes a gigabyte for each by default."""


def disk_store(java: Any, cache: Any, folder: Path) -> str:
    """The name of the member's disk store, which is in this folder; it is made the first time."""
    if cache.findDiskStore(NAME) is None:
        folder.mkdir(parents=True, exist_ok=True)
        folders = java.java.lang.reflect.Array.newInstance(java.java.lang.Class.forName("java.io.File"), 1)
        folders[0] = java.java.io.File(str(folder))
        factory = cache.createDiskStoreFactory()
        factory.setDiskDirs(folders)
        factory.setMaxOplogSize(MOST_MIB)
        # By default Geode closes the cache where the disk is nearly full.
        factory.setDiskUsageWarningPercentage(0.0)
        factory.setDiskUsageCriticalPercentage(0.0)
        factory.create(NAME)
    return NAME
