"""Adapters that die, hang, chatter or lie: each is an adapter error in time, and no process is left."""

from __future__ import annotations

import json
import os
import select
import shlex
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.process.client import ProcessAdapter, ReplyLimits
from plumbline.adapters.process.messages import LINE_LIMIT
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import Interest, Operation, OperationKind, Site, Topology

SHORT = ReplyLimits(call_ms=400, deploy_ms=400, grace_ms=100)
PATIENT = ReplyLimits(call_ms=30_000, deploy_ms=30_000, grace_ms=300)
TOPOLOGY = Topology((Site(1, ("a",)),))
GATE = Gate("a", 1)

PRELUDE = """
import json, os, signal, sys, time
def ask():
    return json.loads(sys.stdin.buffer.readline())
def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
def answer(request, result):
    say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))
def cry(text):
    print(text, file=sys.stderr, flush=True)
def hang():
    while True:
        signal.pause()
"""

Start = Callable[..., ProcessAdapter]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a script; its process group and our threads must be gone afterwards, in each test."""
    started: list[ProcessAdapter] = []
    threads = threading.active_count()
    files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted, not used

    def start_script(body: str, limits: ReplyLimits = PATIENT) -> ProcessAdapter:
        script = tmp_path / "script.py"
        script.write_text(PRELUDE + body)
        started.append(ProcessAdapter(shlex.join([sys.executable, "-S", "-E", str(script)]), limits))
        return started[-1]

    yield start_script
    for adapter in started:
        adapter.close()
        adapter.close()
        assert is_gone(adapter.pid)
        assert all(is_gone(pid) for pid in living_members(adapter.pid))
    assert threading.active_count() == threads
    # What an earlier test has left to the collector may be closed meanwhile.
    assert len(os.listdir("/proc/self/fd")) <= files  # noqa: PTH208


def is_gone(pid: int) -> bool:
    """Whether a process has ended, within five seconds."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 5)[0])
    finally:
        os.close(handle)


def living_members(group: int) -> list[int]:
    """The processes of a group; one that has ended and waits to be collected by its parent counts no more."""
    members = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            state, _, its_group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                members.append(int(entry.name))
    return members


def said(result: object, request_id: object = 1) -> str:
    """A script that answers the first request with this."""
    line = json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result})
    return f"ask()\nsay({line!r})\nhang()"


def test_an_adapter_that_dies_at_once_is_told_with_its_exit_status_and_last_words(start: Start):
    adapter = start("cry('no licence found'); sys.exit(3)")
    with pytest.raises(AdapterError, match=r"hello: the adapter ended with exit status 3") as error:
        adapter.hello()
    assert error.value.last_words == "no licence found\n"


def test_an_adapter_that_dies_in_the_middle_of_a_call_is_told_with_the_signal(start: Start):
    adapter = start(
        """
answer(ask(), {"name": "x", "version": "1", "capabilities": []})
ask()
cry("out of memory")
sys.stdout.write('{"jsonrpc":"2.0",')
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
    )
    assert adapter.hello().name == "x"
    with pytest.raises(
        AdapterError, match=r"deploy: .* killed by SIGKILL in the middle .*«\{\"jsonrpc"
    ) as error:
        adapter.deploy(TOPOLOGY)
    assert error.value.last_words == "out of memory\n"


def test_after_the_first_broken_answer_every_call_fails_at_once(start: Start):
    adapter = start("say('ready')\nhang()")
    with pytest.raises(AdapterError, match="ready"):
        adapter.hello()
    before = time.monotonic()
    with pytest.raises(AdapterError, match=r"settle: the adapter is gone: hello: .*ready"):
        adapter.settle(60_000)
    assert time.monotonic() - before < 10


def test_an_adapter_that_hangs_is_ended_when_the_time_limit_is_over(start: Start):
    adapter = start("hang()", SHORT)
    before = time.monotonic()
    with pytest.raises(AdapterError, match="did not answer within its time limit"):
        adapter.hello()
    assert 0.4 <= time.monotonic() - before < 10
    assert is_gone(adapter.pid)


def test_half_an_answer_is_shown_when_the_other_half_does_not_come(start: Start):
    adapter = start("answer(ask(), {})\nsys.stdout.write('{\"jsonrpc\":')\nsys.stdout.flush()\nask()\nhang()")
    adapter.reset(())
    with pytest.raises(AdapterError, match=r"within its time limit, only beginning with «\{\"jsonrpc\":»"):
        adapter.finish(1, 500)


def test_an_adapter_that_closes_its_output_and_lives_on_is_ended(start: Start):
    adapter = start("os.close(1)\nhang()")
    with pytest.raises(AdapterError, match="hello: the adapter closed its standard output"):
        adapter.hello()
    assert is_gone(adapter.pid)


def test_an_adapter_that_no_longer_reads_is_still_heard(start: Start):
    adapter = start("request = ask()\nos.close(0)\nanswer(request, {})\ncry('enough')\nsys.exit(4)")
    adapter.reset(())
    with pytest.raises(AdapterError, match="reset: the adapter ended with exit status 4") as error:
        adapter.reset(())
    assert error.value.last_words == "enough\n"


def test_an_adapter_that_refuses_to_close_is_not_waited_for(start: Start):
    refusal = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "not now"}}
    adapter = start(f"ask()\nsay({json.dumps(refusal)!r})\nhang()", ReplyLimits(grace_ms=20_000))
    before = time.monotonic()
    adapter.close()
    assert time.monotonic() - before < 10


def test_deploying_may_take_longer_than_another_call(start: Start):
    adapter = start(
        "answer(ask(), {'member_order': ['a']})\nhang()",
        ReplyLimits(call_ms=1, deploy_ms=30_000, grace_ms=300),
    )
    assert adapter.deploy(TOPOLOGY).member_order == ("a",)


def test_a_call_with_a_time_of_its_own_may_take_that_long(start: Start):
    adapter = start("answer(ask(), {'outcome': None})\nhang()", ReplyLimits(call_ms=1, grace_ms=300))
    assert adapter.finish(1, timeout_ms=30_000) is None


def test_a_call_with_a_time_of_its_own_takes_no_longer_than_that_and_the_grace(start: Start):
    adapter = start("hang()", SHORT)
    before = time.monotonic()
    with pytest.raises(AdapterError, match="finish: the adapter did not answer"):
        adapter.finish(1, timeout_ms=100)
    assert 0.2 <= time.monotonic() - before < 10


def test_no_call_may_ask_for_more_than_the_longest_time(start: Start):
    adapter = start("hang()", ReplyLimits(longest_ms=100, grace_ms=100))
    with pytest.raises(AdapterError, match="settle: the adapter did not answer"):
        adapter.settle(10**15)


def test_an_adapter_that_does_not_read_its_requests_is_ended(start: Start):
    adapter = start("hang()", SHORT)
    long = Operation(op_id=1, thread="t", member="a", region="r", kind=OperationKind.PUT, key="k" * 300_000)
    with pytest.raises(AdapterError, match="did not read the request within its time limit"):
        adapter.begin(long)


def test_a_banner_is_told_with_the_remedy_and_its_control_characters_escaped(start: Start):
    adapter = start("say('Welcome \\x1b[31mto \\u202eX')\nhang()")
    with pytest.raises(AdapterError) as error:
        adapter.hello()
    assert r"said «Welcome \x1b[31mto \u202eX» where an answer was due" in str(error.value)
    assert "print everything else to the error stream" in str(error.value)


@pytest.mark.parametrize("wrong", [2, 0, "1", None])
def test_an_answer_to_another_request_is_no_answer(start: Start, wrong: object):
    adapter = start(said({"member_order": None}, wrong))
    with pytest.raises(AdapterError, match=rf"deploy: the adapter answered request {wrong} instead of 1"):
        adapter.deploy(TOPOLOGY)


def test_a_line_printed_after_an_answer_is_found_out_by_the_next_call(start: Start):
    adapter = start("answer(ask(), {})\nsay('reset done')\nask()\nhang()")
    adapter.reset(())
    with pytest.raises(AdapterError, match="release: the adapter said «reset done»"):
        adapter.release(GATE)


def test_a_line_of_a_hundred_megabytes_is_cut_off_and_memory_stays_bounded(start: Start):
    adapter = start(
        """
ask()
for _ in range(1600):
    sys.stdout.write("x" * 65536)
say("")
hang()
"""
    )
    tracemalloc.start()
    try:
        with pytest.raises(
            AdapterError, match=rf"more than {LINE_LIMIT} bytes, beginning with «xxx"
        ) as error:
            adapter.hello()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * LINE_LIMIT
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "where an answer was due"),
        ("", "where an answer was due"),
        ("[" * 100_000, "no JSON-RPC 2.0 response: Expected `object`, got `array`"),
        ('{"jsonrpc": "2.0", "id": 1, "result": ' + "[" * 100_000, "where an answer was due"),
        ("[]", "no JSON-RPC 2.0 response: Expected `object`, got `array`"),
        ('{"id": 1, "result": {}}', "missing required field `jsonrpc`"),
        ('{"jsonrpc": "1.0", "id": 1, "result": {}}', "Invalid enum value '1.0'"),
        ('{"jsonrpc": "2.0", "id": 1}', "with both a result and an error, or with neither"),
        (
            '{"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": ""}}',
            "with both a result and an error, or with neither",
        ),
        ('{"jsonrpc": "2.0", "id": 1, "result": {}, "warning": 1}', "unknown field `warning`"),
        ('{"jsonrpc": "2.0", "id": 1, "error": "no"}', "Expected `object`"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "reset"}', "unknown field `method`"),
    ],
)
def test_an_answer_that_is_no_response_is_told(start: Start, line: str, complaint: str):
    adapter = start(f"ask()\nsay({line!r})\nhang()")
    with pytest.raises(AdapterError) as error:
        adapter.reset(())
    assert complaint in str(error.value)
    assert str(error.value).startswith("reset: ")


def test_an_answer_in_another_encoding_is_told(start: Start):
    adapter = start(
        """
ask()
sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":1,"result":{"name":"\\xe9","version":"1","capabilities":[]}}\\n')
sys.stdout.buffer.flush()
hang()
"""
    )
    with pytest.raises(AdapterError, match=r"hello: its result breaks the protocol: .*utf-8"):
        adapter.hello()


EVENT = {"member": "a", "region": "r", "key": "k", "kind": "update", "token": "t"}


@pytest.mark.parametrize(
    ("call", "result", "complaint"),
    [
        (lambda adapter: adapter.hello(), {"name": "x", "version": "1"}, "field `capabilities`"),
        (
            lambda adapter: adapter.hello(),
            {"name": "x", "version": "1", "capabilities": ["magic"]},
            "'magic' - at `$.capabilities[0]`",
        ),
        (lambda adapter: adapter.reset(()), None, "Expected `object`, got `null`"),
        (lambda adapter: adapter.reset(()), {"ok": True}, "unknown field `ok`"),
        (lambda adapter: adapter.finish(1, 0), {}, "field `outcome`"),
        (lambda adapter: adapter.finish(1, 0), {"outcome": {"status": "fine"}}, "at `$.outcome.status`"),
        (
            lambda adapter: adapter.finish(1, 0),
            {"outcome": {"status": "ok", "valeu": "t"}},
            "unknown field `valeu` - at `$.outcome`",
        ),
        (
            lambda adapter: adapter.observe(0),
            {"events": [EVENT, {**EVENT, "tag": 1}], "position": 2},
            "unknown field `tag` - at `$.events[1]`",
        ),
        (
            lambda adapter: adapter.observe(0),
            {"events": [], "position": 2**63},
            "Expected `int` <= 9223372036854775807 - at `$.position`",
        ),
        (lambda adapter: adapter.await_parked(GATE, 0), {"parked": "yes"}, "at `$.parked`"),
        (lambda adapter: adapter.statistic("a", "s"), {"value": 1.5}, "at `$.value`"),
    ],
)
def test_a_result_of_another_shape_is_told_with_method_and_field(
    start: Start, call: Callable[[ProcessAdapter], object], result: object, complaint: str
):
    adapter = start(said(result))
    with pytest.raises(AdapterError, match="its result breaks the protocol") as error:
        call(adapter)
    assert complaint in str(error.value)


def test_an_adapter_of_another_protocol_version_is_refused(start: Start):
    adapter = start(said({"protocol": 2, "name": "x", "version": "1", "capabilities": []}))
    with pytest.raises(AdapterError, match="speaks version 2 of the protocol, and this suite 1"):
        adapter.hello()


def test_a_refusal_is_an_exception_and_the_adapter_goes_on(start: Start):
    adapter = start(
        """
for code in (-32001, -32601, -32603, 7):
    request = ask()
    error = {"code": code, "message": "no\\x07\\ngo", "data": {"at": "line 3"}}
    say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}))
cry("still here")
answer(ask(), {})
hang()
"""
    )
    for _ in range(2):
        with pytest.raises(UnsupportedError, match=r"arm: no\\x07\\ngo"):
            adapter.arm(GATE)
    for code in (-32603, 7):
        with pytest.raises(AdapterError, match=rf"arm: no\\x07\\ngo \(error {code}\)") as error:
            adapter.arm(GATE)
        assert error.value.last_words.startswith('{"at":"line 3"}')
    adapter.arm(GATE)


def test_only_a_registration_can_be_refused(start: Start):
    adapter = start(
        """
for _ in range(2):
    error = {"code": -32002, "message": "no expression"}
    say(json.dumps({"jsonrpc": "2.0", "id": ask()["id"], "error": error}))
answer(ask(), {})
hang()
"""
    )
    with pytest.raises(RefusedError, match="interest: no expression"):
        adapter.interest(Interest(client="K", region="r", kind="regex", specification="["))
    with pytest.raises(AdapterError, match=r"arm: no expression \(error -32002\)"):
        adapter.arm(GATE)
    adapter.arm(GATE)


def test_a_request_that_the_adapter_could_not_read_is_an_adapter_error(start: Start):
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "not JSON"}}
    adapter = start(f"ask()\nsay({json.dumps(error)!r})\nhang()")
    with pytest.raises(AdapterError, match=r"arm: not JSON \(error -32700\)"):
        adapter.arm(GATE)


def test_an_adapter_that_floods_its_error_stream_is_heard_to_the_end_and_kept_short(start: Start):
    adapter = start(
        """
request = ask()
for _ in range(200):
    cry("y" * 100_000)
cry("and out\\x1b")
answer(request, {})
ask()
say("nonsense")
hang()
"""
    )
    adapter.reset(())
    with pytest.raises(AdapterError, match="nonsense") as error:
        adapter.reset(())
    assert error.value.last_words.endswith("yyy\nand out\\x1b\n")
    assert len(error.value.last_words) < 10_000


def test_an_adapter_that_ignores_the_request_to_end_is_killed(start: Start):
    adapter = start("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsay('deaf')\nhang()")
    with pytest.raises(AdapterError, match="deaf"):
        adapter.hello()
    assert is_gone(adapter.pid)


GRANDCHILD = """
import subprocess
code = (
    "import os, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "print(os.getpid(), flush=True); signal.pause()"
)
def bear(**options):
    child = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, text=True, **options)
    return int(child.stdout.readline())
"""


@pytest.mark.parametrize(
    "ending", ["hang()", "answer(ask(), {})", "sys.exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"]
)
def test_a_grandchild_dies_with_the_adapter_however_that_ends(start: Start, ending: str):
    adapter = start(
        GRANDCHILD
        + f"answer(ask(), {{'name': str(bear()), 'version': '1', 'capabilities': []}})\nask()\n{ending}"
    )
    grandchild = int(adapter.hello().name)
    with suppress(AdapterError):
        adapter.finish(1, timeout_ms=200)
    adapter.close()
    assert is_gone(grandchild)


def test_a_process_that_has_left_the_group_is_ended_and_holds_up_nothing(start: Start):
    adapter = start(
        GRANDCHILD
        + "answer(ask(), {'name': str(bear(start_new_session=True)), 'version': '1', 'capabilities': []})"
    )
    stray = int(adapter.hello().name)
    before = time.monotonic()
    adapter.close()
    assert time.monotonic() - before < 10
    assert is_gone(stray)


@pytest.mark.parametrize("ending", ["hang()", "sys.exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_daemon_dies_with_the_adapter_however_that_ends(start: Start, ending: str):
    """It has forked twice and leads a session of its own, so that its parent is not the adapter any more."""
    adapter = start(
        """
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(writing, str(os.getpid()).encode())
    for number in (0, 1, 2):
        os.close(number)
    hang()
os.wait()
answer(ask(), {"name": os.read(reading, 20).decode(), "version": "1", "capabilities": []})
ask()
"""
        + ending
    )
    stray = int(adapter.hello().name)
    with suppress(AdapterError):
        adapter.finish(1, timeout_ms=200)
    adapter.close()
    assert is_gone(stray)
    assert not Path(f"/proc/{stray}").exists(), "it was not collected"


def test_zombies_of_the_adapter_are_collected(start: Start):
    adapter = start(
        """
child = os.fork()
if child == 0:
    os._exit(0)
answer(ask(), {"name": str(child), "version": "1", "capabilities": []})
ask()
sys.exit(1)
"""
    )
    zombie = int(adapter.hello().name)
    adapter.close()
    assert not Path(f"/proc/{zombie}").exists()


def test_a_command_that_cannot_be_started_is_an_adapter_error():
    with pytest.raises(AdapterError, match=r"cannot start `/no/such/program --x`: .*No such file"):
        ProcessAdapter("/no/such/program --x")


def test_an_adapter_that_nobody_closed_dies_with_the_harness(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(PRELUDE + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nhang()")
    program = (
        "import sys; from plumbline.adapters.process.client import ProcessAdapter\n"
        "adapter = ProcessAdapter(sys.argv[1]); print(adapter.pid, flush=True); raise SystemExit"
    )
    command = shlex.join([sys.executable, "-S", str(script)])
    done = subprocess.run(
        [sys.executable, "-c", program, command], capture_output=True, text=True, timeout=60, check=True
    )
    assert is_gone(int(done.stdout))
