import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from plumbline.ci.command import EXTRAS
from plumbline.ci.lint import FOLDERS, ROOT
from plumbline.reference.catalogue.loader import catalogue
from plumbline.suites.machines.registry import MACHINES
from plumbline.suites.scenarios.registry import SCENARIOS

LOCK = ROOT / "ci" / "requirements.lock"
LOCKED_EXTRAS = ("spark", "geode", "allure", "develop")

# Of use in a clone only.
NOT_PACKAGED = {"ci/requirements.lock", "ci/requirements-java.lock"}


def packaged_files() -> Iterator[str]:
    """What of the clone belongs into the wheel, as paths in the clone."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            name = path.relative_to(ROOT)
            aside = any(part.startswith(".") or part in {"tests", "__pycache__"} for part in name.parts)
            if path.is_file() and not aside and name.as_posix() not in NOT_PACKAGED:
                yield name.as_posix()


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


def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == {f"plumbline/{name}" for name in packaged_files()}


def test_the_licence_goes_with_the_wheel(wheel: Path):
    (name,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("licenses/LICENSE"))
    assert zipfile.ZipFile(wheel).read(name).decode() == (ROOT / "LICENSE").read_text()


@pytest.mark.slow
def test_the_installed_command_tells_its_version(installed: Path, tmp_path: Path):
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert run(installed / "plumbline", "--version", directory=tmp_path) == f"plumbline {version}\n"


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
    explained = re.compile(rf"\S+ (lacks ({'|'.join(EXTRAS)})\b|tells .*pip install 'plumbline\[\w+\]')")
    assert [line for line in lines if not explained.match(line)] == []


@pytest.mark.slow
def test_the_installed_suite_runs_against_a_candidate(installed: Path, tmp_path: Path):
    """All of it, on the right one: each scenario, machine and requirement is an item, and none fails."""
    output = run(
        installed / "python",
        *("-m", "pytest", "--pyargs", "plumbline.suites", "--candidate", "reference", "--profile", "smoke"),
        *("-rA", "-p", "no:cacheprovider"),
        directory=tmp_path,
    )
    assert "Warning" not in output
    (summary,) = re.findall(r"(\d+) passed, (\d+) skipped in", output)
    passed, skipped = map(int, summary)
    assert len(re.findall(r"^PASSED ", output, re.MULTILINE)) == passed
    assert passed + skipped == len(SCENARIOS) + len(MACHINES) + len(catalogue())
    assert re.search(r"^PASSED \S+\[reference-VER-TIE-01\]", output, re.MULTILINE)


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
