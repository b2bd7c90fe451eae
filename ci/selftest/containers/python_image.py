"""An image with Python, the adapter of the example and what it imports: made of this machine's own files.

No registry and no package index is asked. Knows what the files are, not who starts them.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator, Mapping
from importlib.metadata import files
from pathlib import Path
from typing import Any

import plumbline.adapters
import plumbline.reference

_LEFT_OUT = {
    "test",
    "tests",
    "idlelib",
    "site-packages",
    "dist-packages",
    "__pycache__",
    "ensurepip",
    "tkinter",
}
_PACKAGES = ("msgspec", "typing_extensions")


UNPRIVILEGED = 65_534


def import_python_image(client: Any, name: str, programs: Mapping[str, str] | None = None) -> None:
    """Give the engine an image: `python` in it is this Python, and its command is the example's adapter.

    Args:
        client: of the engine.
        name: of the image, with a tag.
        programs: further files, by their paths in the image.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for source, target in _all_files():
            info = archive.gettarinfo(str(source.resolve()), target.lstrip("/"))
            info.uid = info.gid = 0
            with source.open("rb") as file:
                archive.addfile(info, file)
        for path, text in (programs or {}).items():
            info = tarfile.TarInfo(path.lstrip("/"))
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
        for folder in ("tmp", "proc", "dev", "sys", "data"):
            info = tarfile.TarInfo(folder)
            info.type, info.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            # What is kept in a volume belongs to those that containers run as.
            info.uid = info.gid = UNPRIVILEGED if folder == "data" else 0
            archive.addfile(info)
        link = tarfile.TarInfo("bin/python")
        link.type, link.linkname = tarfile.SYMTYPE, str(Path(sys.executable).resolve())
        archive.addfile(link)
    repository, _, tag = name.rpartition(":")
    changes = ["ENV PATH=/bin", "ENV PYTHONPATH=/site", 'CMD ["python", "/adapter/checked_adapter.py"]']
    client.api.import_image_from_data(packed.getvalue(), repository=repository, tag=tag, changes=changes)


def _all_files() -> Iterator[tuple[Path, str]]:
    """Each file with its place in the image."""
    python = Path(sys.executable).resolve()
    standard = [python, *_below(Path(sysconfig.get_path("stdlib")))]
    imported = [file for name in _PACKAGES for file in files(name) or () if file.suffix in (".py", ".so")]
    installed = {Path(str(file.locate())): f"/site/{file}" for file in imported}
    libraries = _libraries([python, *(path for path in (*standard, *installed) if path.suffix == ".so")])
    for path in (*standard, *libraries):
        yield path, str(path)
    yield from installed.items()
    for room in (plumbline.adapters, plumbline.reference):
        folder = Path(room.__path__[0])
        for path in _below(folder):
            yield path, f"/site/plumbline/{folder.name}/{path.relative_to(folder)}"
    example = Path(plumbline.adapters.__path__[0]) / "examples" / "python"
    for path in example.glob("*.py"):
        yield path, f"/adapter/{path.name}"


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in _LEFT_OUT:
            yield from _below(path)
        elif path.is_file() and path.suffix not in (".a", ".pyc"):
            yield path


def _libraries(compiled: list[Path]) -> list[Path]:
    """The shared libraries that these need, where the loader finds them, and the loader."""
    said = subprocess.run(["ldd", *map(str, compiled)], capture_output=True, text=True, check=False).stdout
    return [Path(found) for found in sorted(set(re.findall(r"(?:=> |^\t)(/\S+) \(", said, re.MULTILINE)))]
