"""Both sides of the protocol together: what an in-process adapter does, it does over a wire as well."""

from __future__ import annotations

import inspect
import io
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.asking import AskingAdapter
from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.process.client import ProcessAdapter, RemoteAdapter, ReplyLimits
from plumbline.adapters.process.messages import LINE_LIMIT
from plumbline.adapters.process.server import Loopback, Server, serve
from plumbline.adapters.protocol import METHODS, ClientLook, Nothing
from plumbline.adapters.tests.small_adapter import SmallAdapter
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Content,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

SERVED = shlex.join([sys.executable, str(Path(__file__).with_name("small_adapter.py"))])
TOPOLOGY = Topology((Site(1, ("a", "b")),))
REGIONS = (RegionAttributes(name="r"),)


def put(op_id: int, key: str = "k") -> Operation:
    return Operation(
        op_id=op_id, thread="t", member="a", region="r", kind=OperationKind.PUT, key=key, token=f"t{op_id}"
    )


@pytest.fixture(params=["process", "loopback"])
def adapter(request: pytest.FixtureRequest) -> Iterator[Adapter]:
    chosen = ProcessAdapter(SERVED) if request.param == "process" else RemoteAdapter(Loopback(SmallAdapter()))
    with chosen as opened:
        yield opened


def test_a_whole_session_gives_what_the_adapter_itself_gives(adapter: Adapter):
    own = SmallAdapter()
    assert adapter.hello() == own.hello()
    assert adapter.deploy(TOPOLOGY) == own.deploy(TOPOLOGY)
    for each in (own, adapter):
        each.reset(REGIONS)
        each.begin(put(1))
    assert adapter.finish(1, 1_000) == Outcome(Status.OK)
    assert adapter.finish(2, 0) is None
    seen = adapter.observe(0)
    assert seen == own.observe(0)
    assert [event.member for event in seen.events] == ["a", "b"]
    assert adapter.observe(seen.position).events == ()
    assert adapter.settle(1_000) == own.settle(1_000)
    assert adapter.contents("a", "r") == (Content("k", "t1"),)


def test_what_the_adapter_does_not_offer_is_unsupported_and_the_session_goes_on(adapter: Adapter):
    with pytest.raises(UnsupportedError, match=r"arm: .*cannot park"):
        adapter.arm(Gate("a", 1))
    with pytest.raises(UnsupportedError, match="shows no conflatedEvents of a"):
        adapter.statistic("a", "conflatedEvents")
    with pytest.raises(UnsupportedError, match="pending_events: needs the capability durable_clients"):
        adapter.call("pending_events", ClientLook(client="K"))
    with pytest.raises(UnsupportedError, match="time cannot be held"):
        adapter.advance(1)
    assert adapter.hello().name == "small"


def test_what_the_adapter_raises_is_an_adapter_error_with_its_stack_as_last_words(adapter: Adapter):
    adapter.deploy(TOPOLOGY)
    with pytest.raises(AdapterError, match=r"begin: ZeroDivisionError: no such\\nluck \\ud800") as error:
        adapter.begin(put(1, "explode"))
    assert "in begin\n" in error.value.last_words
    with pytest.raises(AdapterError, match="begin: the wire is cut") as error:
        adapter.begin(put(2, "fail"))
    assert error.value.last_words.startswith("it went dark")
    assert adapter.hello().name == "small"


def test_a_closed_adapter_says_so(adapter: Adapter):
    adapter.close()
    adapter.close()
    with pytest.raises(AdapterError, match="hello: the adapter is gone: it was closed"):
        adapter.hello()


def test_a_process_is_asked_to_close_before_it_is_ended():
    adapter = ProcessAdapter(SERVED)
    adapter.hello()
    adapter.close()
    assert adapter.last_words() == "closed\n"


def test_an_adapter_in_this_process_prints_to_the_error_stream(capsys: pytest.CaptureFixture[str]):
    with RemoteAdapter(Loopback(SmallAdapter())) as adapter:
        adapter.deploy(TOPOLOGY)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "deploying a b\nclosed\n"


def test_an_adapter_in_this_process_is_closed_once_even_when_it_broke_the_protocol():
    class Careless(SmallAdapter):
        def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:  # noqa: ARG002
            return {"status": "so so"}  # type: ignore[return-value]

    own = Careless()
    with RemoteAdapter(Loopback(own)) as adapter, pytest.raises(AdapterError, match=r"finish: .*\$\.outcome"):
        adapter.finish(1, 0)
    assert own.times_closed == 1


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (b"hello", -32700, "malformed"),
        (b'{"jsonrpc":"2.0","id":1,"method":"hel', -32700, "malformed"),
        (b"[]", -32600, "Expected `object`"),
        (b'{"jsonrpc":"2.0","method":"hello"}', -32600, "`id`"),
        (b'{"jsonrpc":"2.0","id":1,"method":"hello","paramz":{}}', -32600, "`paramz`"),
        (b'{"jsonrpc":"2.0","id":1,"method":"__class__"}', -32601, "no method '__class__'"),
        (b'{"jsonrpc":"2.0","id":1,"method":"call","params":{}}', -32601, "no method 'call'"),
        (b'{"jsonrpc":"2.0","id":1,"method":"observe"}', -32602, "`since`"),
        (b'{"jsonrpc":"2.0","id":1,"method":"observe","params":{"since":0,"till":1}}', -32602, "`till`"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"pending_events","params":{"client":"K"}}',
            -32001,
            "durable_clients",
        ),
    ],
)
def test_a_request_that_cannot_be_carried_out_gets_an_error_response(line: bytes, code: int, words: str):
    response = json.loads(Server(SmallAdapter()).answer(line + b"\n"))
    assert response["error"]["code"] == code
    assert words in response["error"]["message"]
    assert response["id"] == (None if code in (-32700, -32600) else 1)
    assert "result" not in response


def test_an_id_may_be_text_and_comes_back():
    response = Server(SmallAdapter()).answer(
        b'{"jsonrpc":"2.0","id":"x-1","method":"reset","params":{"regions":[]}}'
    )
    assert json.loads(response) == {"jsonrpc": "2.0", "id": "x-1", "result": {}}


HELLO = b'{"jsonrpc":"2.0","id":1,"method":"hello"}\n'
CLOSE = b'{"jsonrpc":"2.0","id":2,"method":"close"}\n'


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        (b"", 0),
        (HELLO, 1),
        (HELLO + CLOSE + HELLO, 2),
        (HELLO + b"x" * (LINE_LIMIT + 10) + b"\n" + HELLO, 2),
    ],
)
def test_serving_ends_with_the_input_with_close_or_with_a_line_too_long(sent: bytes, answers: int):
    own, sink = SmallAdapter(), io.BytesIO()
    serve(own, io.BytesIO(sent), sink)
    assert sink.getvalue().count(b"\n") == answers
    assert own.times_closed == 1


def test_nothing_that_is_printed_gets_between_the_answers_of_a_served_adapter():
    program = (
        "import os, subprocess\n"
        "from plumbline.adapters.process.server import serve_stdio\n"
        "from plumbline.adapters.tests.small_adapter import SmallAdapter\n"
        "def make():\n"
        "    print('by Python'); os.write(1, b'by C\\n'); subprocess.run(['echo', 'by a child'])\n"
        "    return SmallAdapter()\n"
        "serve_stdio(make)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=HELLO + CLOSE, capture_output=True, timeout=60, check=True
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    assert all(words in done.stderr for words in (b"by Python", b"by C", b"by a child"))


def test_a_served_adapter_ends_quietly_when_nobody_reads_its_answers():
    process = subprocess.Popen(
        shlex.split(SERVED), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stdout
        process.stdout.close()
        _, errors = process.communicate(HELLO, timeout=60)
    assert process.returncode == 0
    assert errors == b"closed\n"


def test_every_spelled_out_method_takes_the_fields_of_its_params_in_order():
    spelled = [name for name in METHODS if hasattr(Adapter, name) and name != "hello"]
    assert len(spelled) >= 14
    for name in spelled:
        arguments = list(inspect.signature(getattr(Adapter, name)).parameters)[1:]
        assert arguments == list(METHODS[name].params.__struct_fields__), name


def test_every_spelled_out_method_is_asked_for():
    """A method left out would be answered by the default of Adapter: unsupported, always."""
    for name in METHODS:
        if hasattr(Adapter, name):
            assert name in vars(AskingAdapter) | vars(RemoteAdapter), name


def test_no_round_trip_waits_for_more_than_the_answer():
    with ProcessAdapter(SERVED, ReplyLimits(call_ms=20_000)) as adapter:
        adapter.hello()
        before = time.monotonic()
        for _ in range(2_000):
            adapter.observe(0)
        # They take a third of a second; were each to wait 20 ms for anything, as a delayed packet does, 40 s.
        assert time.monotonic() - before < 20


def test_params_without_fields_are_sent_as_an_empty_object():
    sent: list[bytes] = []

    class Recorder(Loopback):
        def exchange(self, line: bytes, limit_ms: int) -> bytes:
            sent.append(line)
            return super().exchange(line, limit_ms)

    RemoteAdapter(Recorder(SmallAdapter())).call("close", Nothing())
    assert sent == [b'{"jsonrpc":"2.0","id":1,"method":"close","params":{}}\n']
