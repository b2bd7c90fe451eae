"""`plumbline run` on adapters that die, hang, chatter or lie: it goes on to its end, and nothing is left."""

from __future__ import annotations

import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.results.runs import RunRecord, read_record, read_verdicts
from plumbline.reference.results.verdicts import Verdict, VerdictRow, merge
from plumbline.reference.trace.files import verified_files

PRELUDE = """
import itertools, json, os, signal, sys, time

from plumbline.adapters.process.server import Server
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter

server = Server(ReferenceAdapter())
requests = (line for line in iter(sys.stdin.buffer.readline, b""))
def say(line):
    # A reader that has gone is no matter of this script: it ends, and its last words stay its own.
    try:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os._exit(0)
def serve(count):
    for line in itertools.islice(requests, count):
        say(server.answer(line))
def cry(text):
    print(text, file=sys.stderr, flush=True)
"""

MISBEHAVING = {
    "dies at once": ("cry('no licence found'); sys.exit(3)", "ended with exit status 3", "no licence found"),
    "dies in the middle": (
        "serve(30); cry('out of memory'); os.kill(os.getpid(), signal.SIGKILL)",
        "was killed by SIGKILL",
        "out of memory",
    ),
    "hangs at once": ("cry('waiting for a licence')\nsignal.pause()", "did not answer within", "a licence"),
    "hangs in the middle": (
        """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
serve(30)
cry('deadlock')
while True:
    signal.pause()
""",
        "did not answer within",
        "deadlock",
    ),
    "prints a banner": (
        "cry('hello'); print('Welcome to cache 1.0', flush=True); serve(99999)",
        "Welcome to cache 1.0",
        "hello",
    ),
    "answers with the wrong id": (
        """
serve(20)
cry('lost count')
for line in requests:
    request = json.loads(line)
    request['id'] += 1
    say(server.answer(json.dumps(request).encode()))
""",
        "answered request",
        "lost count",
    ),
    "sends a line of 100 MB": (
        """
serve(20)
cry('big one')
next(requests)
for _ in range(100):
    say(b'x' * 1024 * 1024)
say(bytes([10]))
serve(99999)
""",
        "sent a line of more than",
        "big one",
    ),
    "leaves a child behind": (
        """
import subprocess
subprocess.Popen(['sleep', '600'], stdout=subprocess.DEVNULL)
serve(10)
cry('gone')
sys.exit(0)
""",
        "ended with exit status 0",
        "gone",
    ),
}


@pytest.fixture
def nothing_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All processes that the run has started are gone when it is over.

    They are known by their environment.
    """
    mark = f"PLUMBLINE_TEST_{os.getpid()}_{time.monotonic_ns()}"
    monkeypatch.setenv(mark, "1")
    threads = threading.active_count()
    yield
    left = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                left.append((entry / "cmdline").read_bytes())
    assert left == []
    assert threading.active_count() == threads


def run(out: Path, candidate: str, *arguments: str, timeout: str = "20s") -> Result:
    fixed = ("--profile", "smoke", "--timeout", timeout, "--out", str(out), "--candidate", candidate)
    return CliRunner().invoke(group, ["run", *fixed, *arguments])


def left_behind(out: Path) -> tuple[RunRecord, list[VerdictRow]]:
    """The record and the verdicts of the run directory, which is whole."""
    (directory,) = out.iterdir()
    record = read_record(directory)
    assert record.complete
    _, flaws = verified_files(directory, record.run_id)
    assert flaws == []
    return record, read_verdicts(directory)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("way", one_in(2, MISBEHAVING))
def test_an_adapter_that_misbehaves_is_an_adapter_error_with_its_last_words_and_the_run_goes_on(
    tmp_path: Path, way: str
):
    body, fate, last_words = MISBEHAVING[way]
    script = tmp_path / "script.py"
    script.write_text(PRELUDE + body)
    candidate = f"process:{shlex.join([sys.executable, str(script)])}"
    # Time is given where it is not the matter: the machine may be busy.
    timeout = "3s" if "hang" in way else "30s"
    also = ("--candidate", "reference", "--select", "VER-TIE")
    result = run(tmp_path / "runs", candidate, *also, timeout=timeout)
    assert result.exit_code == 2, result.stderr
    assert "Traceback" not in result.output
    by_candidate = {}
    seconds = []
    for directory in (tmp_path / "runs").iterdir():
        (tmp_path / directory.name).mkdir()
        directory.rename(tmp_path / directory.name / "run")
        record, rows = left_behind(tmp_path / directory.name)
        by_candidate[record.candidate] = rows
        seconds.append(record.seconds)
    assert {row.verdict for row in by_candidate.pop("reference")} == {Verdict.PASS}
    (rows,) = by_candidate.values()
    if way == "hangs at once":
        assert max(seconds) < 30, "the time limit that was asked for is shorter than the usual one"
    broken = [row for row in rows if row.verdict is Verdict.ADAPTER_ERROR]
    assert {row.requirement for row in broken} == {"VER-TIE-01", "VER-TIE-02", "VER-TIE-03"}
    reasons = " ".join(row.reason for row in broken)
    assert fate in reasons
    assert last_words in reasons
    assert re.search(r"adapter error", result.stderr)


LIARS = r'''
import os
import sys

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.protocol import Deployed, Introduction, Observed, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Event, EventKind, Outcome, Status


class ShowsNothing(ReferenceAdapter):
    """Settled at once, with calls under way; no listener ever shows anything."""

    def observe(self, since):
        return Observed(events=(), position=since)

    def settle(self, timeout_ms):
        return SettleResult(settled=True)


class SaysYes(Adapter):
    """Everything is fine, and nothing is there."""

    def hello(self):
        return Introduction(name="yes", version="1", capabilities=tuple(Capability))

    def deploy(self, topology):
        return Deployed(member_order=tuple(topology.members))

    def reset(self, regions):
        self.regions = {region.name: region for region in regions}

    def begin(self, operation):
        pass

    def finish(self, op_id, timeout_ms):
        return Outcome(Status.OK)

    def observe(self, since):
        return Observed(events=(), position=since)

    def settle(self, timeout_ms):
        return SettleResult(settled=True)

    def contents(self, member, region):
        return ()

    def arm(self, gate):
        pass

    def await_parked(self, gate, timeout_ms):
        return True

    def release(self, gate):
        pass

    def statistic(self, member, name):
        return 0

    def attributes(self, member, region):
        return self.regions[region]

    def redeliver(self, op_id, member):
        pass

    def close(self):
        pass


class Modest(SaysYes):
    """The same, with as little as can be offered, and no order of members."""

    def hello(self):
        return Introduction(name="modest", version="1", capabilities=(Capability.REPLICATED_REGIONS,))

    def deploy(self, topology):
        return Deployed(member_order=None)


class Boastful(SaysYes):
    """Says that it has what it refuses as soon as it is asked."""

    def contents(self, member, region):
        raise UnsupportedError("contents: not in this version")


class Raving(ReferenceAdapter):
    """Shows events without operations, in words that are no words."""

    told = ()

    def reset(self, regions):
        super().reset(regions)
        self.told, self.read = (), 0

    def observe(self, since):
        event = Event(
            member="A", region="region", key="\x00", kind=EventKind.UPDATE, token="\u202e\x1b" * 50
        )
        honest = super().observe(self.read)
        self.read = honest.position
        self.told = (*self.told, *honest.events, event)
        return Observed(events=self.told[since:], position=len(self.told))

    def statistic(self, member, name):
        return 2**63 - 1


class Elsewhere(ReferenceAdapter):
    """Tells of regions that do not exist, in words that are no words."""

    def observe(self, since):
        event = Event(
            member="A", region="\x1b[31m", key="x", kind=EventKind.UPDATE, token="t", remote=None
        )
        return Observed(events=(event,), position=since + 1)


class Nowhere(ReferenceAdapter):
    """Tells of members that do not exist."""

    def observe(self, since):
        event = Event(member="Z", region="region", key="x", kind=EventKind.UPDATE, token="t", remote=None)
        return Observed(events=(event,), position=since + 1)


class Babel(ReferenceAdapter):
    """Speaks a dialect that there is not."""

    def hello(self):
        return Introduction(name="babel", version="1", dialect="geod", capabilities=tuple(Capability))


class Exits(ReferenceAdapter):
    """Ends its process where an example is settled, as if all were well."""

    def settle(self, timeout_ms):
        sys.exit(0)


class ExitsHard(ReferenceAdapter):
    """The same, past all that could catch it."""

    def settle(self, timeout_ms):
        os._exit(0)


class Interrupts(ReferenceAdapter):
    """Raises what Ctrl-C raises."""

    def begin(self, operation):
        raise KeyboardInterrupt


class Mute:
    """No adapter at all."""
'''


@pytest.fixture
def liars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Candidates of a module that is importable while the test runs."""
    name = f"liars_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(LIARS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return f"python:{name}"


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("liar", "verdicts", "code"),
    one_in(
        2,
        [
            ("ShowsNothing", {Verdict.FAIL}, 1),
            ("SaysYes", {Verdict.FAIL}, 1),
            ("Modest", {Verdict.FAIL, Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED}, 1),
            ("Raving", {Verdict.FAIL}, 1),
            ("Boastful", {Verdict.ADAPTER_ERROR, Verdict.UNSUPPORTED}, 2),
            ("Elsewhere", {Verdict.ADAPTER_ERROR}, 2),
            ("Nowhere", {Verdict.ADAPTER_ERROR}, 2),
            ("Babel", {Verdict.ADAPTER_ERROR}, 2),
            ("Mute", {Verdict.ADAPTER_ERROR}, 2),
        ],
    ),
)
def test_no_liar_passes_anything(tmp_path: Path, liars: str, liar: str, verdicts: set[Verdict], code: int):
    chosen = ("CONS-RR-02", "CONS-RR-04", "DISC-LSN-01", "VER-TIE-01")
    selection = [word for requirement in chosen for word in ("--select", requirement)]
    result = run(tmp_path / "runs", f"{liars}:{liar}", *selection)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output
    _, rows = left_behind(tmp_path / "runs")
    for requirement in chosen:
        assert merge(row.verdict for row in rows if row.requirement == requirement) in verdicts


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("form", "liar"),
    [
        ("python", "Exits"),
        ("python", "ExitsHard"),
        ("python", "Interrupts"),
        ("python-here", "Exits"),
        ("python-here", "Interrupts"),
    ],
)
def test_behind_a_candidate_that_ends_its_process_the_next_one_is_tested(
    tmp_path: Path, liars: str, form: str, liar: str
):
    first = f"{form}{liars.removeprefix('python')}:{liar}"
    result = run(tmp_path / "runs", first, "--candidate", "reference", "--select", "VER-TIE-01")
    assert result.exit_code == 2, result.output
    verdicts = {}
    for directory in (tmp_path / "runs").iterdir():
        record = read_record(directory)
        assert record.complete
        verdicts[record.candidate] = merge(row.verdict for row in read_verdicts(directory))
    assert verdicts == {first: Verdict.ADAPTER_ERROR, "reference": Verdict.PASS}
