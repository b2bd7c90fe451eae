"""The pipelines that are shipped: their commands, run one by one as a runner would, on nothing installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from plumbline.ci.lint import ROOT
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference import distribution

WORKFLOWS = ROOT / "ci" / "workflows"

JUNIT = "runs/*/junit.xml"
"""Where a run leaves its verdicts for build servers."""

SETTINGS = """\
[candidate]
command = "plumbline serve-reference{flags}"
capabilities = ["listener_gates"]
[run]
profile = "smoke"
select = ["VER-TIE-01"]
[gate]
minimum_profile = "smoke"
whole_suite = false
"""


class Step(NamedTuple):
    """One step of a pipeline: what a shell is given, and whether it is carried out after a failure, too."""

    script: str
    always: bool = False


def github() -> tuple[list[Step], dict[str, Any]]:
    (job,) = yaml.safe_load((WORKFLOWS / "github.yml").read_text())["jobs"].values()
    steps = [Step(one["run"], one.get("if") == "always()") for one in job["steps"] if "run" in one]
    return steps, job


def gitlab() -> tuple[list[Step], dict[str, Any]]:
    (job,) = yaml.safe_load((WORKFLOWS / "gitlab.yml").read_text()).values()
    steps = [*map(Step, job["script"]), *(Step(line, always=True) for line in job["after_script"])]
    return steps, job


PIPELINES = {"github": github, "gitlab": gitlab}


def source(job: dict[str, Any]) -> str:
    """Where pip takes Plumbline from, if the user sets nothing: what stands behind `||` on GitHub."""
    where = job.get("env") or job["variables"]
    return re.sub(r"^\$\{\{ vars\.PLUMBLINE \|\| '(.*)' \}\}$", r"\1", where["PLUMBLINE"])


def uninstall(empty: Path) -> None:
    names = ("plumbline", distribution.NAME)
    subprocess.run([empty / "python", "-m", "pip", "uninstall", "--yes", *names], check=True)
    assert not (empty / "plumbline").exists()


def decoy(name: str, folder: Path) -> None:
    """A package of this name by another owner: a wheel with nothing in it."""
    stem = f"{name.replace('-', '_')}-9.9"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as file:
        file.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 9.9\n")
        file.writestr(
            f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{stem}.dist-info/RECORD", "")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment with nothing in it but Python and pip."""
    home = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    return home / "bin"


def carry_out(steps: list[Step], folder: Path, environment: dict[str, str]) -> Iterator[tuple[str, int, str]]:
    """Each step that is carried out: its script, its exit code, what it printed."""
    failed = False
    for step in steps:
        if failed and not step.always:
            continue
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step.script],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
        )
        failed |= done.returncode != 0
        yield step.script, done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_pipeline_installs_runs_gates_and_keeps_what_was_found_whatever_it_was(pipeline: str):
    steps, job = PIPELINES[pipeline]()
    whole = "\n".join(step.script for step in steps)
    places = [
        whole.index(command) for command in ("pip install", "check-adapter", "run --out runs", "gate runs")
    ]
    assert places == sorted(places)
    assert [step.script for step in steps if step.always] == ["plumbline report runs --out site"]
    if pipeline == "gitlab":
        assert (job["artifacts"]["when"], job["artifacts"]["paths"]) == (
            "always",
            ["runs", "site", "badge", "plumbline.md", "plumbline.sarif"],
        )
        assert job["artifacts"]["reports"] == {"junit": JUNIT}
    else:
        upload = job["steps"][-1]
        kept = ["runs", "site", "badge", "plumbline.sarif"]
        assert (upload["if"], upload["with"]["path"].split()) == ("always()", kept)
        (scanned,) = (step for step in job["steps"] if "upload-sarif" in step.get("uses", ""))
        assert scanned["with"]["sarif_file"] == "plumbline.sarif"
        assert scanned["if"].startswith("always() ")


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_pipeline_never_installs_what_an_index_offers_by_the_same_name(
    pipeline: str, empty: Path, tmp_path: Path
):
    index = tmp_path / "index"
    index.mkdir()
    for name in ("plumbline", distribution.NAME):
        decoy(name, index)
    steps, job = PIPELINES[pipeline]()
    (install,) = [step for step in steps if "pip install" in step.script]
    environment = {"PATH": f"{empty}:/usr/bin:/bin", "PLUMBLINE": source(job)}
    uninstall(empty)
    ((_, code, said),) = carry_out(
        [install], tmp_path, environment | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    )
    assert code != 0
    assert "Successfully installed" not in said


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", one_in(2, PIPELINES))
def test_the_commands_of_a_pipeline_let_the_reference_through_and_a_faulty_one_not(
    pipeline: str, wheel: Path, empty: Path, tmp_path: Path
):
    steps, job = PIPELINES[pipeline]()
    environment = {name: value for name, value in os.environ.items() if name == "HOME" or name[:4] == "PIP_"}
    # Compiling all that is installed takes longer than compiling what is then imported.
    environment |= {"PATH": f"{empty}:/usr/bin:/bin", "PLUMBLINE": source(job), "PIP_COMPILE": "0"}
    if pipeline == "github":
        environment |= {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "step.md"}
    uninstall(empty)

    right = tmp_path / "right"
    right.mkdir()
    shutil.copy(wheel, right)
    (right / "plumbline.toml").write_text(SETTINGS.format(flags=""))
    done = list(carry_out(steps, right, environment))
    assert [code for _, code, _ in done] == [0] * len(steps), done
    assert (right / "site" / "index.html").is_file()
    assert len(list(right.glob(JUNIT))) == 1

    faulty = tmp_path / "faulty"
    faulty.mkdir()
    shutil.copy(wheel, faulty)
    (faulty / "plumbline.toml").write_text(SETTINGS.format(flags=" --faulty tie-keeps-own"))
    done = list(carry_out(steps, faulty, environment))
    assert len(done) == len(steps)
    (stopped,) = [(script, code, said) for script, code, said in done if code]
    assert "plumbline gate" in stopped[0]
    assert stopped[1] == 1
    assert "red       VER-TIE-01  fail" in stopped[2]
    assert json.loads((faulty / "badge" / "plumbline.json").read_text())["message"].endswith(" violated")
    (scanned,) = json.loads((faulty / "plumbline.sarif").read_text())["runs"]
    assert "VER-TIE-01" in {result["ruleId"] for result in scanned["results"]}
    if pipeline == "github":
        assert "::error file=runs/" in stopped[2]
        assert "**VER&#45;TIE&#45;01**" in (faulty / "step.md").read_text()
    else:
        assert "**VER&#45;TIE&#45;01**" in (faulty / "plumbline.md").read_text()
    assert (faulty / "site" / "index.html").is_file()

    # What passed in the last release must pass now.
    (right / "runs").rename(faulty / "released")
    (gate,) = [step for step in steps if "plumbline gate" in step.script]
    ((_, code, said),) = carry_out([gate], faulty, environment)
    assert code == 1
    assert "it passed in the baseline" in said
