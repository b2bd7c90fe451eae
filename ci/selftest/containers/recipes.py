"""Build the image recipes of `ci/images` on a base that debootstrap makes, and test what they are for.

`python -m plumbline.ci.selftest.containers.recipes` prints a line a step; exit code 1 where one fails. No
image is fetched: the base is Debian's, its Python packages are those of the lock file. Root and debootstrap
are needed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from docker.errors import BuildError, DockerException

from plumbline.adapters.container.engine import Engine
from plumbline.ci.lint import FOLDERS, ROOT
from plumbline.ci.selftest.containers.private_engine import some_engine

IMAGES = ROOT / "ci" / "images"
BASE, ADAPTER, SUITE, GO = (
    f"plumbline-recipes/{name}:1" for name in ("base", "adapter", "plumbline", "grid")
)

_SUITE_OF_DEBIAN = "bookworm"
_LONGEST_S = 600


class RecipeError(Exception):
    """A step failed; the message has the end of what it printed."""


@click.command()
@click.pass_context
def main(context: click.Context) -> None:
    """Build both images, test the one as a candidate, and the example's adapter with the other."""
    steps: dict[str, Callable[[Path, Any], None]] = {
        "base image": _base,
        "wheels": _wheels,
        "image of the adapter": lambda folder, client: _build(folder, client, "adapter", ADAPTER),
        "image of Plumbline": lambda folder, client: _build(folder, client, "plumbline", SUITE),
        "image of the system in Go": _go,
        "the images as candidates": _as_candidate,
        "a mounted adapter in the image of Plumbline": _mounted,
    }
    with ExitStack() as stack:
        address = stack.enter_context(some_engine())
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        if address:
            patch.setenv("DOCKER_HOST", address)
        client = stack.enter_context(_client())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="plumbline-recipes-")))
        for title, step in steps.items():
            began = time.monotonic()
            try:
                step(folder, client)
            except (RecipeError, DockerException) as error:
                click.echo(f"✗ {title}: {error}")
                context.exit(1)
            click.echo(f"✓ {title} ({time.monotonic() - began:.1f} s)")


@contextmanager
def _client() -> Iterator[Any]:
    """A client, whose images are removed in the end."""
    client = Engine().client
    try:
        yield client
    finally:
        for name in (ADAPTER, SUITE, GO, BASE):
            if client.images.list(name):
                client.images.remove(name, force=True)
        client.close()


def _base(folder: Path, client: Any) -> None:
    root = folder / "root"
    include = "--include=python3,python3-venv"
    _run("debootstrap", "--variant=minbase", include, _SUITE_OF_DEBIAN, str(root))
    packed = folder / "base.tar"
    left_out = ("--exclude=./var/cache/apt/archives/*", "--exclude=./var/lib/apt/lists/*")
    _run("tar", "-C", str(root), *left_out, "-cf", str(packed), ".")
    shutil.rmtree(root)
    repository, _, tag = BASE.rpartition(":")
    client.api.import_image_from_file(str(packed), repository=repository, tag=tag)
    packed.unlink()


def _wheels(folder: Path, client: Any) -> None:
    """Plumbline's wheel, and the wheels of the lock for the Python of the base."""
    source, wheels = folder / "source", folder / "wheels"
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        source.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source)
    for room in FOLDERS:
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
    _run(*pip, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(source))
    (built,) = wheels.glob("*.whl")
    pins = folder / "pins.txt"
    locked = (ROOT / "ci" / "requirements.lock").read_text(encoding="utf-8")
    pins.write_text("\n".join(re.findall(r"^[\w.-]+==[\w.+-]+", locked, re.MULTILINE)), encoding="utf-8")
    told = ["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    version = client.containers.run(BASE, told, network_mode="none", remove=True).decode().strip()
    _run(
        *(*pip, "download", "--only-binary=:all:", "--python-version", version, "--constraint", str(pins)),
        *("--dest", str(wheels), str(built)),
    )
    shutil.copytree(ROOT / "adapters" / "examples" / "python", folder / "adapter")
    shutil.rmtree(source)


def _build(folder: Path, client: Any, recipe: str, name: str) -> None:
    shutil.copy(IMAGES / f"{recipe}.Dockerfile", folder)
    try:
        client.images.build(
            path=str(folder),
            dockerfile=f"{recipe}.Dockerfile",
            tag=name,
            buildargs={"BASE": BASE},
            network_mode="none",
            rm=True,
            forcerm=True,
            timeout=_LONGEST_S,
        )
    except BuildError as error:
        log = "".join(part.get("stream", "") for part in error.build_log)
        raise RecipeError(f"{error}: {log[-2000:]}") from None


def _go(folder: Path, client: Any) -> None:
    source = str(ROOT / "adapters" / "examples" / "go")
    _run("env", "-C", source, "CGO_ENABLED=0", "go", "build", "-o", str(folder / "grid"), ".")
    _build(folder, client, "grid", GO)


def _as_candidate(folder: Path, client: Any) -> None:
    del client
    for candidate in (f"docker:{ADAPTER} /adapter/checked_adapter.py", f"docker:{GO}"):
        arguments = ("--select", "EX", "--profile", "smoke", "--out", str(folder / "runs"))
        _run(sys.executable, "-m", "plumbline.ci", "run", "--candidate", candidate, *arguments)


def _mounted(folder: Path, client: Any) -> None:
    runs = folder / "runs"
    runs.chmod(0o777)
    command = ["run", "--candidate", "process:python /adapter/checked_adapter.py", "--select", "EX"]
    client.containers.run(
        SUITE,
        [*command, "--profile", "smoke"],
        network_mode="none",
        volumes={
            str(folder / "adapter"): {"bind": "/adapter", "mode": "ro"},
            str(runs): {"bind": "/suite/runs", "mode": "rw"},
        },
        remove=True,
    )
    if not list(runs.glob("*-process-python-*/seal.json")):
        raise RecipeError("the run has left no directory")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    if done.returncode != 0:
        raise RecipeError(f"{command[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")


if __name__ == "__main__":
    main()
