"""What only a clone needs of pytest: tests skip without their tools, except in CI; nothing is loaded twice.

The options for testing a candidate are in `plumbline.suites.pytest_plugin.plugin`. pytest finds it by its
entry point; naming it here as well would register it twice.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from plumbline.ci.allure_report import lacking as missing_for_allure
from plumbline.ci.main_job import GEODE_VERSION, missing_for_geode, missing_for_spark
from plumbline.ci.selftest.checks.go_system import missing as missing_for_go
from plumbline.ci.selftest.checks.javascript_system import missing as missing_for_node
from plumbline.ci.selftest.containers.private_engine import missing_for_containers, some_engine
from plumbline.reference.search.garbage import collect_seldom
from plumbline.reports.screenshots import missing_for_pictures

# Where the project's own modules lie; the environment in .venv lies beside them.
ROOMS = [
    Path(__file__).parent / room for room in ("adapters", "ci", "reference", "reports", "spark", "suites")
]

# What these need is not on every machine, so at home their tests may skip; CI has all of it.
NEVER_SKIPPED_IN_CI = ("java", "spark", "allure", "containers", "browser", "go", "node")

# What takes long to set up, and the names of the tests that share it; of a version, those of one.
SHARED = {
    "members": re.compile(r"(adapters/tests/test_geode_\w+\.py)::.*\[(?:.*-)?(\d+\.\d+\.\d+)\b"),
    "an engine": re.compile(r"(?:adapters/tests/test_containers|ci/tests/test_images)\.py::"),
    "Spark": re.compile(r"spark/tests/test_spark\.py::"),
    "the system in Go": re.compile(r"adapters/tests/test_go_system\.py::"),
    "the wheel": re.compile(r"ci/tests/test_(?:packaging|workflows|write_an_adapter)\.py::"),
    "weakened claims": re.compile(r"ci/tests/test_claims\.py::.*noticed"),
    "trials": re.compile(r"ci/tests/test_trials\.py::"),
    "a run": re.compile(r"ci/tests/test_run_command\.py::"),
    "what a module makes": re.compile(
        r"(ci/tests/test_(?:allure|gate_command|nearest|replay_command|what_is_sent)|reference/tests/test_sampled_rules)\.py::"
    ),
}

IN_CI = os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def container_engine() -> Iterator[None]:
    """A Docker engine, found by the environment: the one that runs, else one that ends with the tests."""
    with ExitStack() as stack:
        try:
            address = stack.enter_context(some_engine())
        except RuntimeError as error:
            pytest.skip(str(error))
        if address:
            stack.enter_context(pytest.MonkeyPatch.context()).setenv("DOCKER_HOST", address)
        yield


@cache
def _missing(marker: str) -> str:
    """Why tests with this marker cannot run on this machine, or ""; other markers see to that themselves."""
    match marker:
        case "java":
            return missing_for_geode(GEODE_VERSION)
        case "spark":
            return missing_for_spark()
        case "allure":
            return missing_for_allure()
        case "browser":
            return missing_for_pictures()
        case "containers":
            return missing_for_containers()
        case "go":
            return missing_for_go()
        case "node":
            return missing_for_node()
        case _:
            return ""


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_make_scheduler() -> Generator[None, Any, Any]:
    """Have tests that share what takes long to set up run in one process, where there are several.

    By their names: the process that hands them out sees nothing else, and xdist's own marks are not seen by
    every pytest.
    """
    scheduler = yield
    others = getattr(scheduler, "_split_scope", None)
    if others is not None:
        scheduler._split_scope = lambda nodeid: _shared(nodeid) or others(nodeid)  # noqa: SLF001 - no public name
    return scheduler


def _shared(nodeid: str) -> str:
    """What a test shares with others that takes long to set up, or ""."""
    for what, names in SHARED.items():
        if match := names.search(nodeid):
            return " ".join((what, *match.groups()))
    return ""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Have all cases tested, or those that every change is tested with."""
    parser.addoption("--thorough", action="store_true", help="test further cases, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out further cases unless `--thorough` asks for them, and begin first what takes long.

    Where several processes share the tests, one begun last would keep its process busy when nothing is left
    for the others.
    """
    collect_seldom()
    if not config.getoption("--thorough", default=False):
        further = [item for item in items if item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=further)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose tools are missing, before any of its fixtures asks for them."""
    for marker in NEVER_SKIPPED_IN_CI:
        if item.get_closest_marker(marker) and (reason := _missing(marker)):
            pytest.skip(reason)


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test or module was skipped."""
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that needs a tool fails where it would skip: it would be skipped for ever, unseen."""
    report = yield
    markers = [name for name in NEVER_SKIPPED_IN_CI if item.get_closest_marker(name)]
    if IN_CI and markers and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} is marked {', '.join(markers)} and skipped in CI: {_reason(report)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """In CI no whole module skips either: markers of tests that were never collected cannot be asked."""
    report = yield
    if IN_CI and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} skipped as a whole in CI: {_reason(report)}"
    return report


def pytest_collection_finish() -> None:
    """Refuse to run when one file was imported under two names: two registries, two sets of classes.

    A relative import in a test module does that, since pytest imports tests by their place in the clone and
    everything else is imported as `plumbline.…`. Packages are let off: pytest imports those of the tests.
    """
    names: dict[Path, list[str]] = defaultdict(list)
    for name, module in list(sys.modules.items()):
        file = Path(getattr(module, "__file__", None) or "")
        if file.name != "__init__.py" and any(file.is_relative_to(room) for room in ROOMS):
            names[file].append(name)
    for file, several in names.items():
        if len(several) > 1:
            raise pytest.UsageError(f"{file} is loaded twice: as {' and as '.join(several)}")
