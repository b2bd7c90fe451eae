"""A digest of what a run holds, wherever it lies: the name under which ledgers know it.

The seal and the manifest hold the digests of all files. Without them the times of files stand for these.
Knows nothing of who keeps a ledger.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from plumbline.reference.results.sealing import MANIFEST, RECORD, SEAL
from plumbline.reference.trace.packs import open_pack, pack_of


def content_of(directory: Path) -> str:
    """The digest of a run's content; a run in a pack keeps the one that it had before.

    Raises UnreadableRunError for a pack that cannot be read.
    """
    pack = pack_of(directory)
    if pack is not None:
        return open_pack(pack).runs[directory.name].content
    digest = hashlib.sha256()
    sealed = all((directory / name).is_file() for name in (SEAL, MANIFEST))
    for name in (RECORD, SEAL, MANIFEST) if sealed else (RECORD,):
        try:
            data = (directory / name).read_bytes()
        except OSError as error:
            data = str(error).encode()  # judging says what is wrong
        digest.update(f"{name} {len(data)}\n".encode() + data)
    trace = directory / "trace"
    for path in (*directory.glob("*.parquet"), *(sorted(trace.iterdir()) if trace.is_dir() else ())):
        state = path.lstat()  # a link to nothing has no other
        changed = "" if sealed else f" {state.st_mtime_ns}"
        digest.update(f"{path.name} {state.st_size}{changed}\n".encode())
    return digest.hexdigest()
