"""How long pages of this disk take to open in Chromium, spoken to over its pipe for tools of developers.

Knows a browser and pages, not what is on them. https://chromedevtools.github.io/devtools-protocol/ tells of
the messages; each is JSON and ends with a zero byte.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from plumbline.reports.screenshots import HEIGHT, WIDTH, CannotTakeError, browser

LIMIT_S = 60.0
"""Most that starting the browser, or opening a page, may take."""

_READS, _WRITES = 3, 4
"""Where Chromium reads and writes its messages."""

_HIGH = 10
"""Descriptors from here on disturb no other code."""

_SHOWN = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))
"""
"""Milliseconds from the beginning of the navigation until a frame has been drawn."""


class Browser:
    """A running Chromium without a window, with one empty page."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests = requests
        self._answers = answers
        self._ready = select.poll()
        self._ready.register(answers, select.POLLIN)
        self._received = bytearray()
        self._sent = 0
        self._session = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._ask("Page.enable")

    def seconds_to_open(self, page: Path) -> float:
        """Seconds until a page is loaded and drawn, by the browser's own clock; raises CannotTakeError."""
        deadline = time.monotonic() + LIMIT_S
        failure = self._ask("Page.navigate", url=page.resolve().as_uri()).get("errorText")
        if failure:
            raise CannotTakeError(f"{page}: the browser cannot open it: {failure}")
        while self._message(deadline).get("method") != "Page.loadEventFired":
            pass
        shown = self._ask("Runtime.evaluate", expression=_SHOWN, awaitPromise=True)
        return float(shown["result"]["value"]) / 1000

    def _ask(self, method: str, **parameters: object) -> dict[str, Any]:
        self._sent += 1
        request: dict[str, object] = {"id": self._sent, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        try:
            os.write(self._requests, msgspec.json.encode(request) + b"\0")
        except BrokenPipeError:
            raise CannotTakeError("the browser has ended") from None
        deadline = time.monotonic() + LIMIT_S
        while (answer := self._message(deadline)).get("id") != self._sent:
            pass
        if "error" in answer:
            raise CannotTakeError(f"{method}: the browser refuses: {answer['error'].get('message')}")
        result: dict[str, Any] = answer["result"]
        return result

    def _message(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._received:
            left = deadline - time.monotonic()
            if left <= 0 or not self._ready.poll(left * 1000):
                raise CannotTakeError(f"the browser did not answer within {LIMIT_S:g} s")
            chunk = os.read(self._answers, 1 << 16)
            if not chunk:
                raise CannotTakeError("the browser has ended")
            self._received += chunk
        line, _, rest = self._received.partition(b"\0")
        self._received = bytearray(rest)
        return msgspec.json.decode(line, type=dict[str, Any])


@contextmanager
def opened() -> Iterator[Browser]:
    """A browser with a profile of its own, which ends with the block; raises CannotTakeError."""
    program = browser()
    with ExitStack() as ours, ExitStack() as theirs:
        profile = ours.enter_context(
            tempfile.TemporaryDirectory(prefix="plumbline-browser-", ignore_cleanup_errors=True)
        )
        reads, requests = _pipe(theirs, ours)
        answers, writes = _pipe(ours, theirs)
        process = _start(program, Path(profile), reads, writes)
        ours.callback(_end, process)
        theirs.close()  # so that its end is seen
        yield Browser(requests, answers)


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """The two ends of a pipe, each closed with its stack; the browser uses other numbers."""
    ends = []
    for low, stack in zip(os.pipe(), (reader, writer), strict=True):
        ends.append(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _HIGH))
        os.close(low)
        stack.callback(os.close, ends[-1])
    return ends[0], ends[1]


def _start(program: str, profile: Path, reads: int, writes: int) -> int:
    """Start the browser; gives its process id. Not by subprocess: its descriptors have fixed numbers."""
    flags = (
        *("--headless", "--disable-gpu", "--hide-scrollbars", "--no-sandbox", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *("--remote-debugging-pipe", f"--user-data-dir={profile}", f"--window-size={WIDTH},{HEIGHT}"),
    )
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    spoken = [(os.POSIX_SPAWN_DUP2, reads, _READS), (os.POSIX_SPAWN_DUP2, writes, _WRITES)]
    return os.posix_spawn(
        program, [program, *flags], os.environ, file_actions=[*silent, *spoken], setsid=True
    )


def _end(process: int) -> None:
    """Kill the browser with all its processes, and collect its status."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
