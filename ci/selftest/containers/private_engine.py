"""A Docker engine for tests: the one that runs, else one started for them, with its data in one folder.

Knows how an engine is started and ended, not what is done in it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plumbline.adapters.errors import MissingToolError
from plumbline.adapters.waiting import wait_until

START_S = 30
END_S = 15
_PR_SET_PDEATHSIG = 1


def missing_for_containers() -> str:
    """Why no engine can be had on this machine; "" where one runs or can be started."""
    try:
        from plumbline.adapters.container.engine import Engine  # noqa: PLC0415 - needs the extra [docker]
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed"
    try:
        Engine().client.close()
    except MissingToolError as error:
        if sys.platform == "linux" and os.geteuid() == 0 and shutil.which("dockerd"):
            return ""
        return f"{error}; or, for these tests, have root install docker.io"
    return ""


@contextmanager
def some_engine() -> Iterator[str]:
    """The address of an engine that answers: "" for the one that runs already, else one that ends afterwards.

    Raises RuntimeError with the end of its log where it does not start.
    """
    from plumbline.adapters.container.engine import Engine  # noqa: PLC0415 - needs the extra [docker]

    try:
        Engine().client.close()
    except MissingToolError:
        pass
    else:
        yield ""
        return
    folder = Path(tempfile.mkdtemp(prefix="plumbline-engine-"))
    socket = folder / "engine.sock"
    log = folder / "log"
    with log.open("wb") as output:
        engine = subprocess.Popen(
            [
                "dockerd",
                *("--host", f"unix://{socket}"),
                *("--data-root", str(folder / "data")),
                *("--exec-root", str(folder / "exec")),
                *("--pidfile", str(folder / "pid")),
                # It shares the machine with others: no rule of a firewall and no bridge is made for it.
                *("--iptables=false", "--ip6tables=false", "--bridge=none"),
            ],
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_end_with_parent,  # noqa: PLW1509 - it calls nothing but the system
        )
    try:
        if not wait_until(lambda: socket.exists() or engine.poll() is not None, START_S, 0.05):
            raise RuntimeError(f"dockerd has not started within {START_S} s: {_end_of(log)}")
        if engine.poll() is not None:
            raise RuntimeError(f"dockerd ended with exit code {engine.returncode}: {_end_of(log)}")
        yield f"unix://{socket}"
    finally:
        engine.terminate()
        try:
            engine.wait(END_S)
        except subprocess.TimeoutExpired:
            os.killpg(engine.pid, signal.SIGKILL)
            engine.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-600:]
