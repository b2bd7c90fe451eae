"""A candidate's name leads to an adapter, or to an error that says which names there are."""

from __future__ import annotations

import re
import secrets
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.adapters.candidates import FORMS, CandidateKind, find_candidate
from plumbline.adapters.errors import AdapterError, UnknownCandidateError
from plumbline.adapters.process import python_server
from plumbline.adapters.process.client import ProcessAdapter, ReplyLimits
from plumbline.reference.rulebook.faulty_variants import FAULTY

SMALL = "python:plumbline.adapters.tests.small_adapter:SmallAdapter"
HERE = "python-here:plumbline.adapters.tests.small_adapter:SmallAdapter"
SERVED = "process:" + shlex.join([sys.executable, str(Path(__file__).with_name("small_adapter.py"))])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, from which modules are imported."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def module(folder: Path, request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Makes a module of a source in the current folder, under a name that no other has; gives the name."""

    def make(source: str) -> str:
        name = f"module_{secrets.token_hex(6)}"
        (folder / f"{name}.py").write_text(source)
        request.addfinalizer(lambda: sys.modules.pop(name, None))
        request.addfinalizer(lambda: sys.path.remove(str(folder)))
        return name

    return make


def complaint(name: str) -> str:
    with pytest.raises(UnknownCandidateError) as error:
        find_candidate(name)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "kind", "in_process", "product"),
    [
        ("reference", CandidateKind.REFERENCE, True, "plumbline reference"),
        ("reference:chaotic", CandidateKind.REFERENCE, True, "plumbline reference, chaotic"),
        ("reference:gemfire6", CandidateKind.REFERENCE, True, "plumbline reference"),
        ("reference:chaotic:gemfire8", CandidateKind.REFERENCE, True, "plumbline reference, chaotic"),
        (f"faulty:{min(FAULTY)}", CandidateKind.FAULTY, True, "plumbline reference"),
        (SMALL, CandidateKind.PYTHON, False, "small"),
        (HERE, CandidateKind.PYTHON_HERE, True, "small"),
        (SERVED, CandidateKind.PROCESS, False, "small"),
    ],
)
def test_a_name_leads_to_an_adapter_any_number_of_times(
    name: str, kind: CandidateKind, in_process: bool, product: str
):
    candidate = find_candidate(name)
    assert (candidate.name, candidate.kind, candidate.in_process) == (name, kind, in_process)
    with candidate.open() as first, candidate.open() as second:
        assert first is not second
        assert first.hello().name == second.hello().name == product


def test_a_geode_of_a_known_version_is_a_candidate_before_its_jars_are_there():
    candidate = find_candidate("geode:1.15.1")
    assert (candidate.kind, candidate.in_process) == (CandidateKind.GEODE, False)


@pytest.mark.parametrize("name", ["geode:1.15.11", "geode:/no/such/folder", "geode:"])
def test_a_geode_that_is_neither_a_version_nor_a_folder_is_unknown(name: str):
    assert name in complaint(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("refrence", "did you mean reference"),
        ("reference:chaos", "did you mean reference:chaotic"),
        ("reference:", "did you mean reference"),
        ("proces:./adapter", "did you mean process"),
        ("fault:x", "did you mean faulty"),
        ("", "candidates are: "),
        ("zzz\x1b[31m", r"`zzz\x1b[31m` (candidates are: "),
        ("docker:", "an image is needed"),
        ("docker:image?privileged=yes", "there is no setting 'privileged'"),
        ("process:", "a command is needed"),
        ("process:no-such-program --flag", "no program 'no-such-program'"),
        ("process:adapter 'unclosed", "cannot be split into words: No closing quotation"),
        ("python:", "a module and a factory are needed"),
        ("python:module", "a module and a factory are needed"),
        ("python-here:module", "a module and a factory are needed: `python-here:MODULE:FACTORY`"),
        ("python-here:plumbline.adapters.tests.small_adapter:SmalAdapter", "did you mean SmallAdapter"),
        ("python:no_such_module.adapter:Adapter", "it is neither installed nor below"),
        ("python:..:x", "importing .. raised"),
        ("python:plumbline.adapters.tests.small_adapter:SmalAdapter", "did you mean SmallAdapter"),
        ("python:plumbline.adapters.tests.small_adapter:__file__", "is no function or class"),
    ],
)
def test_an_unknown_name_is_answered_with_what_was_meant_and_with_all_forms(name: str, words: str):
    told = complaint(name)
    assert words in told
    assert all(form in told for form in FORMS)


def test_an_unknown_faulty_variant_is_answered_with_those_spelled_alike_or_where_all_are():
    variant = max(FAULTY, key=len)
    assert f"did you mean {variant}" in complaint(f"faulty:{variant[:-1]}")
    assert f"`plumbline faulty list` names all {len(FAULTY)}" in complaint("faulty:@")


def test_a_module_of_the_current_folder_can_be_a_candidate(folder: Path):
    (folder / "mine.py").write_text(
        "from plumbline.adapters.tests.small_adapter import SmallAdapter as Mine\n"
    )
    with find_candidate("python:mine:Mine").open() as adapter:
        assert adapter.hello().name == "small"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import no_such_library", "it needs module no_such_library"),
        ("1 / 0", "importing broken raised ZeroDivisionError: division by zero"),
        ("def f(:", "importing broken raised SyntaxError"),
    ],
)
def test_a_module_that_cannot_be_imported_is_told_with_the_reason(folder: Path, source: str, words: str):
    (folder / "broken.py").write_text(source)
    assert words in complaint("python:broken:Adapter")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def make(): raise OSError('no\\nlicence')", r"could not be made: OSError: no\nlicence"),
        ("def make(): return 42", "make returned int, which is no Adapter"),
        ("import sys\ndef make(): sys.exit(0)", "could not be made: SystemExit: 0"),
        ("def make(): raise KeyboardInterrupt", "could not be made: KeyboardInterrupt"),
        ("def make(): raise GeneratorExit", "could not be made: GeneratorExit"),
        ("import os\ndef make(): os._exit(0)", "ended with exit status 0"),
        ("def make(): return make()", "could not be made: RecursionError"),
        ("import threading\ndef make(): threading.Event().wait()", "did not answer within its time limit"),
    ],
)
def test_a_factory_that_gives_no_adapter_is_an_adapter_error(folder: Path, source: str, words: str):
    (folder / "factory.py").write_text(source)
    limits = ReplyLimits(call_ms=1_000 if "wait" in source else 30_000, grace_ms=500)
    candidate = find_candidate("python:factory:make", limits=limits)
    with candidate.open() as adapter, pytest.raises(AdapterError) as error:
        adapter.hello()
    assert words in str(error.value)


@pytest.mark.parametrize(
    "source", ["import sys; sys.exit(0)", "import os; os._exit(0)", "raise GeneratorExit"]
)
def test_a_module_that_ends_the_process_is_no_candidate(folder: Path, source: str):
    (folder / "ending.py").write_text(source)
    assert re.search(
        "importing ending (raised|ended the process with status 0)", complaint("python:ending:x")
    )


def test_a_module_that_is_never_imported_to_its_end_is_no_candidate(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder / "endless.py").write_text("import threading\nthreading.Event().wait()")
    monkeypatch.setattr(python_server, "IMPORT_S", 1.0)
    assert "importing endless has not ended within 1 s" in complaint("python:endless:x")


ENDING = """
import os, signal, sys, threading
from plumbline.adapters.tests.small_adapter import SmallAdapter
class Ending(SmallAdapter):
    def settle(self, timeout_ms):
        {ends}
"""


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ("sys.exit(0)", "settle: SystemExit: 0"),
        ("raise KeyboardInterrupt", "settle: KeyboardInterrupt"),
        ("raise GeneratorExit", "settle: GeneratorExit"),
        ("raise BaseException('no')", "settle: BaseException: no"),
        ("os._exit(0)", "settle: the adapter ended with exit status 0"),
        ("os.abort()", "settle: the adapter was killed by SIGABRT"),
        ("return self.settle(timeout_ms)", "settle: RecursionError"),
        (
            "threading.Thread(target=sys.exit).start(); threading.Event().wait()",
            "settle: the adapter did not answer",
        ),
        ("threading.Event().wait()", "settle: the adapter did not answer within its time limit"),
        ("print('done'); return None", "settle: "),
    ],
)
def test_what_a_python_adapter_does_to_its_process_is_an_adapter_error(folder: Path, ends: str, words: str):
    (folder / "ending.py").write_text(ENDING.format(ends=ends))
    limits = ReplyLimits(call_ms=30_000, grace_ms=500)
    with find_candidate("python:ending:Ending", limits=limits).open() as adapter:
        assert adapter.hello().name == "small"
        with pytest.raises(AdapterError) as error:
            adapter.settle(500)
    assert str(error.value).startswith(words)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ("sys.exit(0)", "settle: SystemExit: 0"),
        ("raise KeyboardInterrupt", "settle: KeyboardInterrupt"),
        ("raise GeneratorExit", "settle: GeneratorExit"),
        ("raise BaseException('no')", "settle: BaseException: no"),
        ("return self.settle(timeout_ms)", "settle: RecursionError"),
    ],
)
def test_what_a_python_adapter_beside_the_suite_raises_is_an_adapter_error(
    module: Callable[[str], str], ends: str, words: str
):
    name = module(ENDING.format(ends=ends))
    with find_candidate(f"python-here:{name}:Ending").open() as adapter:
        assert adapter.hello().name == "small"
        with pytest.raises(AdapterError, match=words):
            adapter.settle(500)


@pytest.mark.parametrize("error", ["SystemExit(0)", "KeyboardInterrupt", "GeneratorExit", "OSError('no')"])
def test_a_factory_beside_the_suite_that_raises_is_an_adapter_error(module: Callable[[str], str], error: str):
    candidate = find_candidate(f"python-here:{module(f'def make(): raise {error}')}:make")
    with pytest.raises(AdapterError, match=f"could not be made: {error.partition('(')[0]}"):
        candidate.open()


@pytest.mark.parametrize("error", ["SystemExit", "KeyboardInterrupt", "GeneratorExit"])
def test_closing_an_adapter_beside_the_suite_never_ends_the_suite(module: Callable[[str], str], error: str):
    source = ENDING.format(ends="return 5") + f"    def close(self):\n        raise {error}\n"
    adapter = find_candidate(f"python-here:{module(source)}:Ending").open()
    with pytest.raises(AdapterError):
        adapter.settle(1)
    adapter.close()


@pytest.mark.parametrize("swallows", [False, True])
def test_ctrl_c_stops_the_run_also_where_an_adapter_beside_the_suite_swallows_it(
    module: Callable[[str], str], swallows: bool
):
    kill = "os.kill(os.getpid(), signal.SIGINT)"
    ends = f"try: {kill}\n        except BaseException: return None" if swallows else kill
    before = signal.getsignal(signal.SIGINT)
    with find_candidate(f"python-here:{module(ENDING.format(ends=ends))}:Ending").open() as adapter:
        adapter.hello()
        with pytest.raises(KeyboardInterrupt):
            adapter.settle(500)
        assert signal.getsignal(signal.SIGINT) is before


def test_what_a_python_adapter_returns_and_prints_is_read_as_strictly_as_any(folder: Path):
    (folder / "careless.py").write_text(
        "from plumbline.adapters.tests.small_adapter import SmallAdapter\n"
        "class Careless(SmallAdapter):\n"
        "    def hello(self):\n"
        "        print('Welcome')\n"
        "        return {'name': 'x'}\n"
    )
    with (
        find_candidate("python:careless:Careless").open() as adapter,
        pytest.raises(AdapterError, match="hello"),
    ):
        adapter.hello()


def test_a_process_gets_the_limits_it_was_found_with():
    with find_candidate(SERVED, limits=ReplyLimits(call_ms=0)).open() as adapter:
        assert isinstance(adapter, ProcessAdapter)
        with pytest.raises(AdapterError, match="did not answer within its time limit"):
            adapter.hello()
