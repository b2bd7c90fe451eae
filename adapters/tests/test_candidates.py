"""A candidate's name leads to an adapter, or to an error that says which names there are."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.adapters.candidates import FORMS, Kind, find_candidate
from plumbline.adapters.errors import AdapterError, UnknownCandidateError
from plumbline.adapters.process.client import ProcessAdapter
from plumbline.adapters.tests.small_adapter import SmallAdapter
from plumbline.reference.rulebook.faulty import FAULTY

SMALL = "python:plumbline.adapters.tests.small_adapter:SmallAdapter"
SERVED = "process:" + shlex.join([sys.executable, str(Path(__file__).with_name("small_adapter.py"))])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, from which modules are imported; nothing of them stays imported."""
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def complaint(name: str) -> str:
    with pytest.raises(UnknownCandidateError) as error:
        find_candidate(name)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "kind", "in_process", "product"),
    [
        ("reference", Kind.REFERENCE, True, "plumbline reference"),
        ("reference:chaotic", Kind.REFERENCE, True, "plumbline reference, chaotic"),
        ("reference:gemfire6", Kind.REFERENCE, True, "plumbline reference"),
        ("reference:chaotic:gemfire8", Kind.REFERENCE, True, "plumbline reference, chaotic"),
        (f"faulty:{min(FAULTY)}", Kind.FAULTY, True, "plumbline reference"),
        (SMALL, Kind.PYTHON, True, "small"),
        (SERVED, Kind.PROCESS, False, "small"),
    ],
)
def test_a_name_leads_to_an_adapter_any_number_of_times(
    name: str, kind: Kind, in_process: bool, product: str
):
    candidate = find_candidate(name)
    assert (candidate.name, candidate.kind, candidate.in_process) == (name, kind, in_process)
    with candidate.open() as first, candidate.open() as second:
        assert first is not second
        assert first.hello().name == second.hello().name == product


def test_a_geode_of_a_known_version_is_a_candidate_before_its_jars_are_there():
    candidate = find_candidate("geode:1.15.1")
    assert (candidate.kind, candidate.in_process) == (Kind.GEODE, False)


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
        ("tcp:localhost:7000", "`tcp:` are planned, but not there yet"),
        ("docker:image", "`docker:` are planned, but not there yet"),
        ("process:", "a command is needed"),
        ("process:no-such-program --flag", "no program 'no-such-program'"),
        ("process:adapter 'unclosed", "cannot be split into words: No closing quotation"),
        ("python:", "a module and a factory are needed"),
        ("python:module", "a module and a factory are needed"),
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
        ("def make(): raise OSError('no\\nlicence')", r"raised OSError: no\nlicence"),
        ("def make(): return 42", "returned int, which is no Adapter"),
    ],
)
def test_a_factory_that_gives_no_adapter_is_an_adapter_error(folder: Path, source: str, words: str):
    (folder / "factory.py").write_text(source)
    candidate = find_candidate("python:factory:make")
    with pytest.raises(AdapterError) as error:
        candidate.open()
    assert words in str(error.value)


def test_what_an_adapter_of_another_package_returns_is_checked():
    class Careless(SmallAdapter):
        def hello(self):  # noqa: ANN202 - careless
            return {"name": "x"}

    sys.modules["careless"] = type(sys)("careless")
    sys.modules["careless"].Careless = Careless  # type: ignore[attr-defined]
    try:
        with (
            find_candidate("python:careless:Careless").open() as adapter,
            pytest.raises(AdapterError, match="hello"),
        ):
            adapter.hello()
    finally:
        del sys.modules["careless"]


def test_a_process_gets_the_limits_it_was_found_with():
    from plumbline.adapters.process.client import Limits  # noqa: PLC0415

    with find_candidate(SERVED, limits=Limits(call_ms=0)).open() as adapter:
        assert isinstance(adapter, ProcessAdapter)
        with pytest.raises(AdapterError, match="did not answer within its time limit"):
            adapter.hello()
