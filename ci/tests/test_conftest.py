import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.ci.lint import ROOT


def run_pytest(directory: Path, *options: str, in_ci: bool = False) -> subprocess.CompletedProcess[str]:
    """Run pytest over a folder that has the clone's conftest.py."""
    shutil.copy(ROOT / "conftest.py", directory)
    (directory / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib -p no:plumbline\n"
        "markers =\n    java\n    spark\n    containers\n    browser\n"
    )
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(directory)],
        cwd=directory,
        env={**os.environ, "CI": "true" if in_ci else ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("marker", ["java", "spark", "containers", "browser"])
def test_a_test_that_needs_a_tool_may_skip_at_home_and_fails_where_it_skips_in_ci(
    tmp_path: Path, marker: str
):
    (tmp_path / "test_it.py").write_text(
        f"import pytest\n@pytest.mark.{marker}\ndef test_it():\n    pytest.skip('no such tool')\n"
    )
    assert "1 skipped" in run_pytest(tmp_path).stdout
    result = run_pytest(tmp_path, in_ci=True)
    assert result.returncode == 1
    assert f"is marked {marker} and skipped in CI: Skipped: no such tool" in result.stdout


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
