"""The pytest plugin: `pytest --candidate C` plays the suite and reports one item per requirement.

Registered once, by entry point. Scenarios and machines are items of their own; the requirement items are
run last, and each one's outcome is the merged verdict. Knows pytest; judging happens elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.adapters.errors import AdapterError, MissingToolError, UnknownCandidateError
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.deviations import Deviation, DeviationError, in_force, read_deviations, words
from plumbline.reference.verdicts import MEANING, Source, Verdict, merge
from plumbline.suites.allure_results import AllureResults, Failure
from plumbline.suites.configuration import ConfigurationError, Settings, find_settings
from plumbline.suites.deviations import OnRecord
from plumbline.suites.keeping import counterexample_of
from plumbline.suites.machines.registry import MACHINES
from plumbline.suites.profiles import PROFILES
from plumbline.suites.results import Result
from plumbline.suites.scenarios.registry import SCENARIOS
from plumbline.suites.session import Session

_NO_CALL = SimpleNamespace(params={})

SUITE = re.compile(r"test_(machines|scenarios|requirements)\.py::")
"""The modules whose items are about a candidate, in an item's name."""

FIXED_SEED = 20_250_101

SETTINGS = pytest.StashKey[Settings]()
SESSIONS = pytest.StashKey[dict[str, Session]]()
DEVIATIONS = pytest.StashKey[tuple[Deviation, ...]]()
ON_RECORD = pytest.StashKey[dict[str, OnRecord]]()
FAILED = pytest.StashKey[dict[str, list[Result]]]()
RESULTS = pytest.StashKey[dict[str, dict[str, list[tuple[Verdict, str]]]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite."""
    group = parser.getgroup("plumbline", "conformance of systems that distribute cache events")
    group.addoption(
        "--candidate",
        action="append",
        default=[],
        metavar="C",
        help="what to test: reference, process:COMMAND, geode:VERSION, …; may be repeated",
    )
    group.addoption("--profile", choices=list(PROFILES), default=None, help="how much of it (default smoke)")
    group.addoption(
        "--deviations",
        metavar="FILE",
        help="known differences, a TOML file; each is expected, and one that does not show fails",
    )
    group.addoption("--suite-seed", type=int, default=None, help="what plans are drawn from")
    group.addoption(
        "--plumbline-config",
        metavar="FILE",
        help="settings of the candidate, by default plumbline.toml where there is one; other options win",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read settings, check candidates and deviations before anything is collected."""
    config.stash[SESSIONS] = {}
    config.stash[RESULTS] = {}
    config.stash[FAILED] = {}
    config.stash[ON_RECORD] = {}
    try:
        given = config.getoption("--plumbline-config")
        settings = find_settings(None if given is None else Path(given), config.invocation_params.dir)
        file = config.getoption("--deviations") or settings.deviations
        config.stash[DEVIATIONS] = () if file is None else read_deviations(Path(file))
    except (ConfigurationError, DeviationError) as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[SETTINGS] = settings
    said = settings.said.run
    config.option.profile = config.option.profile or said.profile or "smoke"
    seed = said.seed if config.option.suite_seed is None else config.option.suite_seed
    config.option.suite_seed = FIXED_SEED if seed is None else seed
    for name in candidate_names(config):
        try:
            settings.find(name)
        except (UnknownCandidateError, MissingToolError) as error:
            raise pytest.UsageError(str(error)) from error
    if config.getoption("allure_report_dir", None):
        # Imported here: allure-pytest is an extra, and the option is its own.
        import allure  # noqa: PLC0415

        linked = "tms" in dict(config.getoption("allure_link_pattern"))
        config.pluginmanager.register(
            AllureResults(allure, lambda name: failures(config, name), linked=linked)
        )


def candidate_names(config: pytest.Config) -> list[str]:
    """The candidates asked for; else that of the settings, else the reference."""
    return config.getoption("--candidate") or [config.stash[SETTINGS].candidate_name or "reference"]


def session_of(config: pytest.Config, name: str) -> Session:
    """The session of a candidate, opened once for all items."""
    sessions = config.stash[SESSIONS]
    if name not in sessions:
        sessions[name] = Session(config.stash[SETTINGS].find(name, seed=config.getoption("--suite-seed")))
    return sessions[name]


def on_record(config: pytest.Config, name: str) -> OnRecord:
    """The deviations in force for a candidate, which has introduced itself."""
    known = config.stash[ON_RECORD]
    if name not in known:
        version = session_of(config, name).introduction.version
        known[name] = OnRecord(in_force(config.stash[DEVIATIONS], version, datetime.now(UTC).date()))
    return known[name]


def remember(config: pytest.Config, name: str, result: Result) -> None:
    """Keep what a result says of its requirements, for the items that are run last."""
    for requirement in result.requirements:
        found = config.stash[RESULTS].setdefault(name, {}).setdefault(requirement, [])
        found.append((result.verdict, f"{result.title}: {result.reason}"))
    if result.verdict is Verdict.FAIL and result.history is not None:
        config.stash[FAILED].setdefault(name, []).append(result)


def failures(config: pytest.Config, name: str) -> Iterator[Failure]:
    """The counterexamples of a candidate so far, each with the requirements that it was about."""
    session = session_of(config, name)
    for result in config.stash[FAILED].get(name, []):
        source = Source.SCENARIO if result.title in SCENARIOS else Source.MACHINE
        product = session.introduction.name, session.introduction.version
        seed = config.getoption("--suite-seed")
        yield (
            result.requirements,
            counterexample_of(
                result, source, candidate=name, product=product, dialect=session.dialect, seed=seed
            ),
        )


class UnjudgedError(Exception):
    """An item could not be judged. To Allure only what fails an assertion has failed; this is broken."""


def end(verdict: Verdict, reason: str) -> None:
    """End an item as its verdict demands (see docs/verdicts.md)."""
    match MEANING[verdict].pytest:
        case "passed":
            return
        case "skipped":
            pytest.skip(f"{verdict}: {reason}")
        case "xfailed":
            pytest.xfail(f"{verdict}: {reason}")
        case "error":
            # In a fixture it is an error, elsewhere a failure: pytest knows no errors of tests themselves.
            raise UnjudgedError(f"{verdict}: {reason}")
        case _:
            pytest.fail(f"{verdict}: {reason}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell in words alone why an item could not be judged: the suite's own lines explain nothing."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(UnjudgedError):
        report.longrepr = call.excinfo.getrepr(style="value")
    return report


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give the suite's items a candidate, and the requirement items a requirement."""
    if "candidate_name" in metafunc.fixturenames:
        metafunc.parametrize("candidate_name", candidate_names(metafunc.config), scope="session")
    if "requirement_id" in metafunc.fixturenames:
        metafunc.parametrize("requirement_id", list(catalogue()))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let `-k ID` find all that speaks of a requirement; run requirement items last, who need the others."""
    for item in items:
        name = getattr(item, "callspec", _NO_CALL).params.get("name", "")
        if name in SCENARIOS:
            item.extra_keyword_matches.update(SCENARIOS[name].requirements)
        elif name in MACHINES:
            item.extra_keyword_matches.update(MACHINES[name].requirements)
    items.sort(key=lambda item: "requirement_id" in getattr(item, "fixturenames", ()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Under xdist, keep a candidate's items in one process: requirement items need the others' results."""
    if config.getoption("dist") == "each":
        return None
    # Imported here: xdist is not needed otherwise. Its own groups are not seen by every pytest.
    from xdist.scheduler import LoadGroupScheduling  # noqa: PLC0415

    marks = {f"[{name.encode('unicode_escape').decode()}-": name for name in candidate_names(config)}

    class ByCandidate(LoadGroupScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            found = [name for mark, name in marks.items() if mark in nodeid] if SUITE.search(nodeid) else []
            return max(found, key=len) if found else super()._split_scope(nodeid)

    return ByCandidate(config, log)


@pytest.fixture
def candidate_session(request: pytest.FixtureRequest, candidate_name: str) -> Session:
    """The session of the item's candidate, which has introduced itself."""
    session = session_of(request.config, candidate_name)
    try:
        session.dialect  # noqa: B018 - the introduction is made here, and remembered
    except AdapterError as error:
        session.failed(error)
        end(Verdict.ADAPTER_ERROR, f"{error} {error.last_words[-300:]}".strip())
    return session


@pytest.fixture
def requirement_verdict(
    request: pytest.FixtureRequest, requirement_id: str, candidate_name: str, candidate_session: Session
) -> tuple[Verdict, str]:
    """The merged verdict on the item's requirement, and why; what could not be judged is an error here."""
    verdict, reason = merged(request.config, candidate_name, requirement_id)
    if not candidate_session.owes(requirement_id):
        return Verdict.UNSUPPORTED, f"not owed in the dialect {candidate_session.dialect}"
    lacking = candidate_session.lacks(catalogue()[requirement_id].capabilities)
    if lacking and verdict is Verdict.NOT_EXERCISED:
        return Verdict.UNSUPPORTED, f"needs {', '.join(lacking)}"
    if MEANING[verdict].pytest == "error":
        end(verdict, reason)
    known = on_record(request.config, candidate_name).of(requirement_id)
    if known:
        # Of what is on record a pass is a failure: the record is out of date, and would hide the next one.
        expected = f"{words(known)}, but it has not shown: remove it from the file"
        request.applymarker(pytest.mark.xfail(raises=pytest.xfail.Exception, strict=True, reason=expected))
    return verdict, reason


def merged(config: pytest.Config, name: str, requirement: str) -> tuple[Verdict, str]:
    """The merged verdict on a requirement so far, and the reasons for it."""
    found = config.stash[RESULTS].get(name, {}).get(requirement, [])
    verdict = merge(verdict for verdict, _ in found)
    reasons = [reason for told, reason in found if told is verdict]
    return verdict, "; ".join(reasons) or "no item of this run was about it"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing running."""
    for session in config.stash.get(SESSIONS, {}).values():
        session.close()
