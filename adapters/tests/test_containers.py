"""Candidates in containers: they work, hostile ones are adapter errors, and nothing of any is left behind."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.container.image_name import image_name_of
from plumbline.adapters.errors import AdapterError, MissingToolError, UnansweredError
from plumbline.adapters.process.client import ReplyLimits
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind, Site, Topology

docker = pytest.importorskip("docker", reason="the extra [docker] is not installed")

from docker.types import Mount  # noqa: E402
from testcontainers.core.config import testcontainers_config  # noqa: E402
from testcontainers.core.container import DockerContainer  # noqa: E402
from testcontainers.core.network import Network  # noqa: E402
from testcontainers.core.wait_strategies import LogMessageWaitStrategy  # noqa: E402

from plumbline.adapters.container import container_candidate  # noqa: E402 - it needs docker
from plumbline.adapters.container.engine import Engine  # noqa: E402
from plumbline.adapters.container.owners import LABEL, this_process  # noqa: E402
from plumbline.ci.selftest.containers import small_system  # noqa: E402
from plumbline.ci.selftest.containers.killed_runs import SERVES, kills, labelled  # noqa: E402
from plumbline.ci.selftest.containers.python_image import import_python_image  # noqa: E402

pytestmark = pytest.mark.containers

IMAGE = "plumbline-tests/python:1"
LIMITS = ReplyLimits(call_ms=10_000, deploy_ms=10_000, grace_ms=1_000)


@pytest.fixture(scope="module")
def engine(container_engine: None) -> Iterator[Engine]:
    """An engine that has the image."""
    del container_engine
    engine = Engine()
    import_python_image(engine.client, IMAGE, {"/small_system.py": Path(small_system.__file__).read_text()})
    yield engine
    engine.client.api.remove_image(IMAGE, force=True)
    engine.client.close()


@pytest.fixture(autouse=True)
def _nothing_is_left(engine: Engine) -> Iterator[None]:
    yield
    assert labelled(engine) == []


def running(program: str, settings: str = "", limits: ReplyLimits = LIMITS) -> Candidate:
    """A candidate whose container runs a program of Python."""
    return find_candidate(f"docker:{IMAGE}{settings} python -c {shlex.quote(program)}", limits=limits)


def complaint(candidate: Candidate) -> AdapterError:
    with pytest.raises(AdapterError) as error, candidate.open() as adapter:
        adapter.hello()
    return error.value


@pytest.mark.parametrize(
    "name", [f"docker:{IMAGE}", f"docker:{IMAGE}?port=7000 python -c {shlex.quote(SERVES)}"]
)
def test_the_adapter_of_an_image_answers_over_its_streams_and_over_a_port(name: str, engine: Engine):
    candidate = find_candidate(name, limits=LIMITS)
    with candidate.open() as first, candidate.open() as second:
        assert first.hello().name == second.hello().name == "toy store"
        assert len([one for one in labelled(engine) if one.startswith("container")]) == 2
    digest = engine.client.images.get(IMAGE).id
    assert f"image {IMAGE} {digest}, user 65534" in candidate.surroundings()
    assert candidate.surroundings().endswith(f"Docker {engine.version}")
    assert "1024 MiB of memory, 2 CPUs, 512 processes" in candidate.surroundings()


def test_a_container_has_no_rights_no_network_and_little_to_write():
    program = """
import os, socket, sys
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
def refused(what):
    try: what()
    except OSError: return True
    return False
open("/tmp/x", "w").close()
print(os.getuid(), int(status["CapBnd"], 16), status["NoNewPrivs"].strip(), os.environ["HOME"],
    refused(lambda: open("/x", "w")), os.listdir("/sys/class/net"),
    os.statvfs("/tmp").f_blocks * os.statvfs("/tmp").f_frsize, file=sys.stderr)
"""
    told = complaint(running(program, "?tmpfs=8m"))
    assert told.last_words.split() == ["65534", "0", "1", "/tmp", "True", "['lo']", str(8 << 20)]  # noqa: S108
    assert str(told) == "hello: the adapter ended with exit code 0"


FORKS = """
import os, sys
try:
    for _ in range(64):
        if os.fork() == 0: os.read(0, 1 << 20); os._exit(0)
except OSError: print("no more", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("program", "settings", "words", "last_words"),
    [
        ("import sys; sys.exit('no licence')", "", "ended with exit code 1", "no licence"),
        ("print('Welcome!'); input()", "", "said «Welcome!» where an answer was due", ""),
        ("import os; os.abort()", "", "was killed by SIG", ""),
        ("import os; os.kill(os.getpid(), 11); os._exit(7)", "", "ended with exit code 7", ""),
        ("x = bytearray(1 << 28)", "?memory=32m", "more memory than its limit of 32 MiB (exit code 137)", ""),
        ("while True: print('y' * 99)", "", "where an answer was due", ""),
        (
            "import os\nwhile True: os.write(1, bytes(1 << 16))",
            "",
            "sent a line of more than 8388608 bytes",
            "",
        ),
        ("import os\nos.write(1, b'half')", "", "in the middle of a line beginning with «half»", ""),
        (FORKS, "?processes=16", "ended with exit code 0", "no more"),
    ],
)
def test_a_hostile_container_is_an_adapter_error(program: str, settings: str, words: str, last_words: str):
    told = complaint(running(program, settings))
    assert words in str(told)
    assert last_words in told.last_words


def test_a_container_that_hangs_is_given_up_though_it_floods_its_error_stream():
    limits = ReplyLimits(call_ms=1_000, grace_ms=500)
    program = (
        "import os, signal\nsignal.signal(15, signal.SIG_IGN)\nwhile True: os.write(2, b'noise ' * 9999)"
    )
    told = complaint(running(program, limits=limits))
    assert isinstance(told, UnansweredError)
    assert len(told.last_words) == 8 * 1024


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("?port=7000 python -c 'import sys; sys.exit(5)'", "the container ended with exit code 5"),
        (" /no/such/program", "no such file or directory"),
        ("?user=unknown-user", "unknown-user"),
    ],
)
def test_a_container_that_does_not_start_is_told_with_the_reason(command: str, words: str):
    with pytest.raises(AdapterError) as error:
        find_candidate(f"docker:{IMAGE}{command}", limits=LIMITS).open()
    assert words in str(error.value)


def test_a_service_in_a_container_that_others_have_started_is_a_candidate(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    # Its reaper is an image from a registry; what is started here ends with the block.
    monkeypatch.setattr(testcontainers_config, "ryuk_disabled", True)
    command = shlex.join(["python", "-c", SERVES])
    # The engine's proxy accepts connections before anything listens behind it: its log says when.
    listening = LogMessageWaitStrategy("listening").with_startup_timeout(20)
    with (
        Network() as network,
        DockerContainer(IMAGE, command=command, network=network)
        .with_exposed_ports(7000)
        .waiting_for(listening) as service,
        find_candidate(f"tcp:127.0.0.1:{service.get_exposed_port(7000)}", limits=LIMITS).open() as adapter,
    ):
        assert adapter.hello().name == "toy store"
        Engine().sweep()
        assert engine.client.containers.get(service.get_wrapped_container().id).status == "running"


def test_an_image_that_is_not_there_is_never_fetched_unasked():
    with pytest.raises(
        MissingToolError, match="has no image plumbline-tests/none:1: build it, load it or fetch"
    ):
        find_candidate("docker:plumbline-tests/none:1").open()
    with pytest.raises(AdapterError, match="image localhost:1/none:1: "):
        find_candidate("docker:localhost:1/none:1?pull=missing").open()


def test_every_container_of_a_run_is_of_one_image_though_its_name_moves(engine: Engine):
    name = "plumbline-tests/moving:1"
    api = engine.client.api
    api.tag(IMAGE, *name.split(":"))
    candidate = find_candidate(f"docker:{name}", limits=LIMITS)
    with candidate.open() as adapter:
        adapter.hello()
    api.remove_image(name, force=True)
    with candidate.open() as adapter:
        assert adapter.hello().name == "toy store"


def test_an_image_can_be_named_by_its_id(engine: Engine):
    with find_candidate(f"docker:{engine.client.images.get(IMAGE).id}", limits=LIMITS).open() as adapter:
        assert adapter.hello().name == "toy store"


def test_limits_that_an_engine_refuses_are_left_out_and_told(engine: Engine, monkeypatch: pytest.MonkeyPatch):
    info = engine.client.info() | {"MemoryLimit": False, "SwapLimit": False, "CpuCfsQuota": False}
    monkeypatch.setattr(docker.DockerClient, "info", lambda _: info)
    candidate = find_candidate(f"docker:{IMAGE}", limits=LIMITS)
    with candidate.open() as adapter:
        adapter.hello()
    assert "at most 512 processes; the engine refuses limits on memory, cpus" in candidate.surroundings()


@pytest.mark.usefixtures("engine")
def test_an_engine_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch):
    old = {"Version": "19.03.15", "ApiVersion": "1.40"}
    monkeypatch.setattr(docker.DockerClient, "version", lambda _: old)
    with pytest.raises(
        MissingToolError, match=r"Docker Engine 19.03.15 is too old; 20.10 or newer is needed"
    ):
        Engine()


def test_a_container_that_is_removed_by_others_is_told_so(engine: Engine):
    with running("input()").open() as adapter:
        (own,) = engine.client.api.containers(filters={"label": "plumbline.run"})
        engine.client.api.remove_container(own["Id"], force=True)
        with pytest.raises(AdapterError, match="was removed while it was in use"):
            adapter.hello()


def test_an_adapter_that_is_forgotten_takes_its_container_along(engine: Engine):
    adapter = running("input()").open()
    assert labelled(engine)
    del adapter
    assert labelled(engine) == []


SYSTEM = f"""
[adapter]
image = "{IMAGE}"
command = "python /small_system.py"
memory = "256m"

[member]
image = "{IMAGE}"
command = "python /small_system.py {{member}}"
volume = "/data"
processes = 64
"""
TWO = Topology(sites=(Site(1, ("A", "B")),))


def described(folder: Path, text: str) -> Candidate:
    (folder / "system.toml").write_text(text)
    return find_candidate("docker:system.toml", limits=LIMITS, folder=folder)


def held(adapter: Adapter, member: str) -> dict[str, str | None]:
    return {one.key: one.token for one in adapter.contents(member, "r") or ()}


def put(adapter: Adapter, number: int, key: str) -> None:
    adapter.begin(
        Operation(
            op_id=number, thread="t", member="A", region="r", kind=OperationKind.PUT, key=key, token=key
        )
    )
    adapter.finish(number, 1_000)


def test_members_in_containers_are_killed_and_come_back_with_their_volume_or_empty(
    engine: Engine, tmp_path: Path
):
    candidate = described(tmp_path, SYSTEM)
    with candidate.open() as adapter:
        assert Capability.MEMBER_FAULTS in adapter.hello().capabilities
        adapter.deploy(TWO)
        put(adapter, 1, "x")
        adapter.crash("B")
        put(adapter, 2, "y")
        adapter.restart("B", from_disk=True)
        assert (held(adapter, "A"), held(adapter, "B")) == ({"x": "x", "y": "y"}, {"x": "x"})
        adapter.crash("B")
        adapter.restart("B", from_disk=False)  # its adapter complains where it finds anything
        assert held(adapter, "B") == {"x": "x", "y": "y"}
        kinds = [one.split()[0] for one in labelled(engine)]
        assert {kind: kinds.count(kind) for kind in kinds} == {"container": 3, "network": 1, "volume": 2}
        adapter.deploy(TWO)
        assert held(adapter, "A") == {}
    assert "each member image" in candidate.surroundings()
    assert "64 processes" in candidate.surroundings()


def test_a_member_that_ends_by_itself_is_told_with_what_it_printed(tmp_path: Path):
    ends = """command = 'python -c "import sys; sys.exit(sys.argv[1])" "no licence for {member}"'"""
    member = SYSTEM.replace('command = "python /small_system.py {member}"', ends)
    with described(tmp_path, member).open() as adapter:
        with pytest.raises(AdapterError) as error:
            adapter.deploy(TWO)
        assert "member A ended with exit code 1\nno licence for A" in error.value.last_words


def test_what_killed_runs_leave_is_removed_by_the_next_run():
    stayed = [one for one in kills(IMAGE, 3) if one.stayed]
    assert stayed == []


def test_the_sweeper_removes_what_a_process_that_has_ended_has_left(engine: Engine):
    api = engine.client.api
    left = {LABEL: str(msgspec.structs.replace(this_process(), started="at another time"))}
    network = api.create_network("plumbline-tests", labels=left, internal=True)["Id"]
    volume = api.create_volume(labels=left)["Name"]
    settings = api.create_host_config(network_mode=network, mounts=[Mount("/data", volume)])
    made = api.create_container(IMAGE, ["python", "-c", "input()"], labels=left, host_config=settings)
    api.start(made["Id"])
    assert len(labelled(engine)) == 3
    Engine().sweep()
    assert labelled(engine) == []


def test_the_sweeper_leaves_alone_what_belongs_to_others(engine: Engine):
    api = engine.client.api
    ours = api.create_container(IMAGE, labels={LABEL: "other-machine/boot/1/2/3"})["Id"]
    foreign = api.create_container(IMAGE, labels={"somebody": "else"})["Id"]
    try:
        container_candidate.ImageCandidate(image_name_of(IMAGE))
        there = {one["Id"] for one in api.containers(all=True)}
        assert {ours, foreign} <= there
    finally:
        for one in (ours, foreign):
            api.remove_container(one)
