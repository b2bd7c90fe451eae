import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.ci.lint import ROOT

ASIDE = ("plumbline", "hypothesispytest", "benchmark", "allure_pytest")
"""Plugins that take longer to load than all there is to run here."""


def run_pytest(directory: Path, *options: str, in_ci: bool = False) -> subprocess.CompletedProcess[str]:
    """Run pytest over a folder that has the clone's conftest.py."""
    shutil.copy(ROOT / "conftest.py", directory)
    (directory / "pytest.ini").write_text(
        f"[pytest]\naddopts = --import-mode=importlib {' '.join(f'-p no:{name}' for name in ASIDE)}\n"
        "markers =\n    java\n    spark\n    containers\n    browser\n    slow\n"
    )
    # These tests may run in one of several processes; the pytest that is run here is alone.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(directory)],
        cwd=directory,
        env={**alone, "CI": "true" if in_ci else ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_test_that_needs_a_tool_may_skip_at_home_and_fails_where_it_skips_in_ci(tmp_path: Path):
    # The tests in this text skip to show what their markers make of it; none of the suite's own does.
    markers = ("java", "spark", "containers", "browser")
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        + "".join(
            f"@pytest.mark.{marker}\ndef test_{marker}():\n    pytest.skip('no such tool')\n"
            for marker in markers
        )
    )
    assert "4 skipped" in run_pytest(tmp_path).stdout
    result = run_pytest(tmp_path, in_ci=True)
    assert result.returncode == 1
    for marker in markers:
        # Where this machine lacks the tool indeed, that is the reason, found before the test's own.
        assert f"is marked {marker} and skipped in CI: Skipped: " in result.stdout


def test_tests_that_share_what_takes_long_to_set_up_run_in_one_process(tmp_path: Path):
    tests = tmp_path / "adapters" / "tests"
    tests.mkdir(parents=True)
    for name in ("one", "other"):
        (tests / f"test_geode_{name}.py").write_text(
            "import os, pathlib, pytest\n"
            "@pytest.fixture(scope='module', params=['1.15.1', '1.2.1'])\n"
            "def cluster(request):\n"
            "    return request.param\n"
            "@pytest.mark.parametrize('number', range(8))\n"
            "def test_it(cluster, number):\n"
            f"    pathlib.Path(f'{name}-{{cluster}}-{{number}}-{{os.getpid()}}').touch()\n"
        )
    # A scheduler that hands out tests one by one where nothing is said, as the plugin's own does.
    result = run_pytest(tmp_path, "-n", "2", "--dist", "loadgroup")
    assert "32 passed" in result.stdout
    ran = {tuple(path.name.rsplit("-", 2)) for path in tmp_path.glob("o*-*-*")}
    assert len(ran) == 32
    assert len({(group, process) for group, _, process in ran}) == len({group for group, _, _ in ran}) == 4
    assert len({process for _, _, process in ran}) == 2, "and either process has something to do"


def test_tests_that_take_long_are_begun_first_where_several_processes_share_them(tmp_path: Path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def begun(name):\n"
        f"    with open({str(tmp_path / 'begun')!r}, 'a') as log:\n"
        "        log.write(f'{name} ')\n"
        "@pytest.mark.parametrize('number', range(30))\n"
        "def test_quick(number):\n    begun('quick')\n"
        "@pytest.mark.slow\ndef test_slow():\n    begun('slow')\n"
    )
    for options, first in (((), "quick"), (("-n", "1", "--dist", "loadgroup"), "slow")):
        (tmp_path / "begun").write_text("")
        assert "31 passed" in run_pytest(tmp_path, *options).stdout
        assert (tmp_path / "begun").read_text().split()[0] == first


def test_a_skip_by_a_fixture_counts_as_well(tmp_path: Path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.fixture\ndef tool():\n    pytest.skip('no such tool')\n"
        "@pytest.mark.java\ndef test_it(tool):\n    pass\n"
    )
    assert run_pytest(tmp_path, in_ci=True).returncode == 1


def test_a_module_that_skips_as_a_whole_fails_in_ci(tmp_path: Path):
    (tmp_path / "test_it.py").write_text("import pytest\npytest.importorskip('no_such_library')\n")
    assert "1 skipped" in run_pytest(tmp_path).stdout
    result = run_pytest(tmp_path, in_ci=True)
    assert result.returncode != 0
    assert "skipped as a whole in CI" in result.stdout


@pytest.mark.parametrize(("marker", "words"), [("java", "no Java"), ("spark", "no java found")])
def test_without_a_tool_its_tests_skip_before_their_fixtures_ask_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: str, words: str
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.fixture\ndef tool():\n    raise ValueError\n"
        f"@pytest.mark.{marker}\ndef test_it(tool):\n    pass\n"
    )
    result = run_pytest(tmp_path, "-rs")
    assert result.returncode == 0
    assert words in result.stdout
    assert run_pytest(tmp_path, in_ci=True).returncode == 1


def test_other_skips_and_expected_failures_stay_what_they_are_in_ci(tmp_path: Path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_a():\n    pytest.skip('unsupported by this candidate')\n"
        "@pytest.mark.java\n@pytest.mark.xfail\ndef test_b():\n    raise ValueError\n"
    )
    result = run_pytest(tmp_path, in_ci=True)
    assert result.returncode == 0
    assert "1 skipped, 1 xfailed" in result.stdout


@pytest.mark.parametrize(("folder", "refused"), [("reference", True), (".venv", False)])
def test_a_file_of_the_project_that_is_loaded_under_two_names_stops_the_run(
    tmp_path: Path, folder: str, *, refused: bool
):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "registry.py").write_text("")
    (tmp_path / "test_it.py").write_text(
        "import importlib.util, sys\n"
        "for name in ('one.registry', 'another.registry'):\n"
        f"    file = __file__.replace('test_it', '{folder}/registry')\n"
        "    spec = importlib.util.spec_from_file_location(name, file)\n"
        "    sys.modules[name] = importlib.util.module_from_spec(spec)\n"
        "def test_it():\n    pass\n"
    )
    result = run_pytest(tmp_path)
    assert result.returncode == (4 if refused else 0)
    assert refused == ("registry.py is loaded twice: as one.registry and as another" in result.stderr)
