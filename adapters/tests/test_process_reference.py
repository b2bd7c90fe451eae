"""`plumbline serve-reference`: the reference over the protocol is the reference."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.process.client import ProcessAdapter
from plumbline.adapters.protocol_schema import DOCUMENT
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.operations import (
    Event,
    Operation,
    OperationKind,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY

SERVE = [sys.executable, "-c", "from plumbline.ci.command import main; main()", "serve-reference"]


def run(arguments: list[str], sent: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SERVE, *arguments], input=sent, capture_output=True, text=True, timeout=60, check=False
    )


def events_of(adapter: Adapter) -> tuple[Event, ...]:
    """What the listeners of three members are told of puts by each of them on one key."""
    adapter.deploy(Topology((Site(1, ("a", "b", "c")),)))
    adapter.reset((RegionAttributes(name="r"),))
    for number, member in enumerate(("a", "b", "c")):
        adapter.begin(
            Operation(
                op_id=number,
                thread=member,
                member=member,
                region="r",
                kind=OperationKind.PUT,
                key="k",
                token=f"t{number}",
            )
        )
    for number in range(3):
        assert adapter.finish(number, 1_000)
    assert adapter.settle(1_000).settled
    return adapter.observe(0).events


def logs_of(adapter: Adapter) -> dict[str, list[Event]]:
    """The same, member by member."""
    events = events_of(adapter)
    return {member: [event for event in events if event.member == member] for member in ("a", "b", "c")}


def test_the_example_session_of_the_document_goes_as_it_is_told():
    text = DOCUMENT.read_text(encoding="utf-8")
    done = run([], "\n".join(re.findall(r"^→ (.*)$", text, re.MULTILINE)) + "\n")
    assert done.stdout.splitlines() == re.findall(r"^← (.*)$", text, re.MULTILINE)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_faulty_variant_is_as_faulty_when_it_is_served():
    own = logs_of(ReferenceAdapter(FAULTY["skips-a-member"].rulebook(Rulebook())))
    with ProcessAdapter(shlex.join([*SERVE, "--faulty", "skips-a-member"])) as served:
        assert logs_of(served) == own != logs_of(ReferenceAdapter())


def test_the_same_seed_gives_the_same_chaos_in_every_process():
    told = []
    for hashes in ("1", "2"):
        command = ["env", f"PYTHONHASHSEED={hashes}", *SERVE, "--chaotic", "--seed", "1"]
        with ProcessAdapter(shlex.join(command)) as served:
            assert served.hello().name == "plumbline reference, chaotic"
            told.append([events_of(served) for _ in range(10)])
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--faulty", "no-such-variant"], "unknown candidate `faulty:no-such-variant`"),
        (["--faulty", min(FAULTY), "--chaotic"], "exclude each other"),
        (["--seed", "x"], "not a valid integer"),
    ],
)
def test_a_wrong_option_is_told_in_words_and_nothing_is_served(arguments: list[str], words: str):
    done = run(arguments, '{"jsonrpc":"2.0","id":1,"method":"hello"}\n')
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
