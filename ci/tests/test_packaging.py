import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from plumbline.ci.command import EXTRAS
from plumbline.ci.lint import FOLDERS, ROOT
from plumbline.reference import distribution
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

LOCK = ROOT / "ci" / "requirements.lock"
LOCKED_EXTRAS = ("spark", "geode", "allure", "docker", "develop")

# Of use in a clone only.
NOT_PACKAGED = {"ci/requirements.lock", "ci/requirements-java.lock"}


LEFT_OUT = {"tests", "selftest", "__pycache__"}
"""Folders that the wheel leaves out: what tests Plumbline itself stays in the clone."""


def packaged_files() -> Iterator[str]:
    """What of the clone belongs into the wheel, as paths in the clone."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            name = path.relative_to(ROOT)
            aside = any(part.startswith(".") or part in LEFT_OUT for part in name.parts)
            if path.is_file() and not aside and name.as_posix() not in NOT_PACKAGED:
                yield name.as_posix()


def copy_clone(copy: Path) -> None:
    """A copy of what a wheel is made of."""
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))


def run(*command: object, directory: Path) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        [str(part) for part in command], cwd=directory, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment that holds the wheel and what it asks for, without extras."""
    home = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", home, directory=home)
    # Compiling all that is installed takes longer than compiling what is then imported.
    pip = (home / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile")
    run(*pip, wheel, directory=home)
    return home / "bin"


def test_every_package_folder_is_named_in_pyproject():
    with (ROOT / "pyproject.toml").open("rb") as file:
        named = tomllib.load(file)["tool"]["setuptools"]["packages"]
    folders = {Path(name).parent for name in packaged_files() if Path(name).name == "__init__.py"}
    assert sorted(named) == sorted("plumbline." + ".".join(folder.parts) for folder in folders)


@pytest.mark.slow
@pytest.mark.thorough
def test_build_makes_the_same_wheel_where_an_earlier_installation_has_left_its_folder(
    wheel: Path, tmp_path: Path
):
    clone, out = tmp_path / "clone", tmp_path / "out"
    copy_clone(clone)
    left = clone / "build" / "lib" / "plumbline" / "reference" / "removed_since.py"
    left.parent.mkdir(parents=True)
    left.write_text("")
    run(sys.executable, "-m", "build", "--outdir", out, directory=clone)
    (built,) = out.glob("plumbline_conformance-*.whl")
    assert list(out.glob("plumbline_conformance-*.tar.gz"))
    assert set(zipfile.ZipFile(built).namelist()) == set(zipfile.ZipFile(wheel).namelist())


def test_the_pages_say_how_the_wheel_is_made():
    for page in ("README.md", "docs/write-an-adapter.md", "docs/gate.md"):
        text = " ".join((ROOT / page).read_text().split())
        assert "`pip install build` and `python -m build`" in text
    # That would work in the folder that an installation has left, with what lies in it.
    pages = (*ROOT.glob("docs/*.md"), *ROOT.glob("ci/workflows/*.yml"), ROOT / "README.md")
    assert [page.name for page in pages if "build --wheel" in page.read_text()] == ["development.md"]


def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == {f"plumbline/{name}" for name in packaged_files()}


def test_the_licence_goes_with_the_wheel(wheel: Path):
    (name,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("licenses/LICENSE"))
    assert zipfile.ZipFile(wheel).read(name).decode() == (ROOT / "LICENSE").read_text()


def test_the_wheel_has_the_name_and_the_version_that_the_suite_tells(wheel: Path):
    (name,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA"))
    told = Parser().parsestr(zipfile.ZipFile(wheel).read(name).decode())
    assert (told["Name"], told["Version"]) == (distribution.NAME, distribution.VERSION)


def test_no_file_installs_the_project_by_name():
    """The name `plumbline` belongs to another project on public indexes; what is free may be taken."""
    named = re.compile(
        rf"(pip3?|uv|pipx)\b.*\binstall\b.*[ '\"](plumbline|{distribution.NAME})(?![\w.-]*[\w/])"
    )
    here = Path(__file__).relative_to(ROOT).as_posix()
    listed = run("git", "ls-files", directory=ROOT).splitlines()
    text = {name: (ROOT / name).read_bytes().decode(errors="replace") for name in listed}
    assert [name for name, whole in text.items() if named.search(whole)] == [here]
    assert named.search("pip install 'plumbline[spark]'")
    assert named.search("pip install --force plumbline==1")
    assert not named.search("pip install ./plumbline_conformance-0.1.0-py3-none-any.whl")


def test_a_clone_that_is_not_installed_knows_what_it_needs(monkeypatch: pytest.MonkeyPatch):
    told = {extra: distribution.packages(extra) for extra in ("", *EXTRAS.values())}
    assert told["spark"] == ("pyspark", "pandas")
    assert distribution.how_to_install("geode").startswith("pip install 'py4j>=")
    monkeypatch.setattr(distribution, "NAME", "not-installed-anywhere")
    assert {extra: distribution.packages(extra) for extra in told} == told


@pytest.mark.slow
def test_the_installed_command_tells_its_version(installed: Path, tmp_path: Path):
    said = run(installed / "plumbline", "--version", directory=tmp_path)
    assert said == f"plumbline {distribution.VERSION}\n"


@pytest.mark.slow
def test_the_core_brings_no_spark_no_docker_no_allure(installed: Path, tmp_path: Path):
    listed = run(installed / "python", "-m", "pip", "list", "--format=freeze", directory=tmp_path).lower()
    for library in ("pyspark", "pandas", "docker", "testcontainers", "allure", "py4j"):
        assert library not in listed


@pytest.mark.slow
def test_every_module_of_the_core_installation_imports_or_asks_for_an_extra(installed: Path, tmp_path: Path):
    probe = (
        "import importlib, pkgutil, plumbline\n"
        "from plumbline.adapters.errors import MissingToolError\n"
        "for module in pkgutil.walk_packages(plumbline.__path__, 'plumbline.'):\n"
        "    if module.name.endswith('__main__') or '.test_' in module.name:\n"
        "        continue\n"
        "    try:\n"
        "        importlib.import_module(module.name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        print(module.name, 'lacks', error.name)\n"
        "    except MissingToolError as error:\n"
        "        print(module.name, 'tells', error)\n"
    )
    lines = run(installed / "python", "-c", probe, directory=tmp_path).splitlines()
    explained = re.compile(rf"\S+ (lacks ({'|'.join(EXTRAS)})\b|tells .*pip install '?[a-z0-9-]+[<>=])")
    assert [line for line in lines if not explained.match(line)] == []


SUITE = ("-m", "pytest", "--pyargs", "plumbline.suites", "--candidate", "reference", "-p", "no:cacheprovider")


def test_each_scenario_machine_and_requirement_of_the_installed_suite_is_an_item(
    installed: Path, tmp_path: Path
):
    output = run(installed / "python", *SUITE, "--collect-only", "-q", directory=tmp_path)
    items = len(SCENARIOS) + len(MACHINES) + len(all_requirements())
    assert f"\n{items} tests collected" in output


@pytest.mark.slow
@pytest.mark.thorough
def test_the_installed_suite_runs_against_a_candidate(installed: Path, tmp_path: Path):
    """All scenarios and one machine, on the right one. The main job plays all machines."""
    others = " or ".join(f"reference-{name}]" for name in MACHINES if name != "lesser_members")
    chosen = ("--profile", "smoke", "-rA", "-k", f"not ({others})".replace("]", ""))
    output = run(installed / "python", *SUITE, *chosen, directory=tmp_path)
    assert "Warning" not in output
    (summary,) = re.findall(r"(\d+) passed, (\d+) skipped, (\d+) deselected in", output)
    passed, skipped, deselected = map(int, summary)
    assert len(re.findall(r"^PASSED ", output, re.MULTILINE)) == passed > len(SCENARIOS)
    assert passed + skipped + deselected == len(SCENARIOS) + len(MACHINES) + len(all_requirements())
    assert deselected >= len(MACHINES) - 1
    assert re.search(r"^PASSED \S+\[reference-VER-TIE-01\]", output, re.MULTILINE)
    assert re.search(r"^PASSED \S+\[reference-lesser_members\]", output, re.MULTILINE)


def pins() -> dict[str, list[tuple[str, int]]]:
    """Name → the versions pinned (for several Pythons) and how many hashes each has."""
    found: dict[str, list[tuple[str, int]]] = {}
    for entry in re.split(r"\n(?=[a-z0-9])", LOCK.read_text()):
        if match := re.match(r"([a-z0-9.-]+)==(\S+)", entry):
            found.setdefault(match[1], []).append((match[2], entry.count("--hash=sha256:")))
    return found


def test_everything_the_clone_needs_is_pinned_to_a_version_that_pyproject_allows():
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    wanted = project["dependencies"] + [
        name for extra in LOCKED_EXTRAS for name in project["optional-dependencies"][extra]
    ]
    pinned = pins()
    for text in wanted:
        requirement = Requirement(text)
        versions = pinned.get(canonicalize_name(requirement.name))
        assert versions, f"{requirement.name} is not pinned"
        for version, _ in versions:
            assert requirement.specifier.contains(version), f"{version} pinned against {text}"


@pytest.mark.parametrize("lock", sorted((ROOT / "ci").glob("*.lock")), ids=lambda path: path.name)
def test_a_lock_names_no_address(lock: Path):
    text = lock.read_text()
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def test_every_pin_has_hashes():
    without = [name for name, versions in pins().items() if not all(hashes for _, hashes in versions)]
    assert without == []
