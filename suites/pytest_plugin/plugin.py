"""The pytest plugin: `pytest --candidate C` plays the suite and reports one item per requirement.

Registered once, by entry point. Scenarios and machines are items of their own; the requirement items are
run last, and each one's outcome is the merged verdict. Knows pytest; judging happens elsewhere.
"""

from __future__ import annotations

import re
import secrets
import shlex
import tempfile
from collections.abc import Collection, Generator, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from plumbline.adapters.errors import AdapterError, MissingToolError, UnknownCandidateError
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import is_extension
from plumbline.reference.results.deviations import Deviation, DeviationError, in_force, read_deviations, words
from plumbline.reference.results.runs import Counterexample, read_counterexample, write_counterexample
from plumbline.reference.results.verdicts import MEANING, Source, Verdict
from plumbline.reports.text import one_line
from plumbline.suites.harness.session import Session
from plumbline.suites.pytest_plugin.allure_results import AllureResults, Failure
from plumbline.suites.pytest_plugin.choosing import (
    example_of,
    prepare,
    put_back,
    scenarios_left_out,
    set_aside,
)
from plumbline.suites.pytest_plugin.findings import Findings, ItemFinding
from plumbline.suites.pytest_plugin.item_verdicts import ExitStatus, Together, properties
from plumbline.suites.pytest_plugin.spreading import scheduler
from plumbline.suites.pytest_plugin.words import counterexample_words, statistics
from plumbline.suites.run.closest_run import nearest
from plumbline.suites.run.configuration import ConfigurationError, Settings, find_settings
from plumbline.suites.run.counterexample import counterexample_of
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.rows import CountedResult

SHARED = "plumbline"
TOGETHER = pytest.StashKey[tempfile.TemporaryDirectory[str]]()

FIXED_SEED = 20_250_101

SETTINGS = pytest.StashKey[Settings]()
SESSIONS = pytest.StashKey[dict[str, Session]]()
DEVIATIONS = pytest.StashKey[tuple[Deviation, ...]]()
ON_RECORD = pytest.StashKey[dict[str, KnownDeviations]]()
FINDINGS = pytest.StashKey[Findings]()
FOLDER = pytest.StashKey[str]()
STATUS = pytest.StashKey[ExitStatus]()
TOGETHER_OF = pytest.StashKey[dict[str, Together]]()


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
    group.addoption(
        "--wide",
        action="store_true",
        help="with -k or -m: select requirements by it, and play all that may name them",
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
    config.stash[ON_RECORD] = {}
    config.stash[TOGETHER_OF] = {}
    # Of a process of xdist: what it shares with the others.
    shared = getattr(config, "workerinput", {}).get(SHARED, {})
    config.stash[FINDINGS] = Findings(Path(shared["findings"]) if "findings" in shared else None)
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-pytest-{secrets.token_hex(3)}"
    config.stash[FOLDER] = shared.get("folder", stamp)
    config.stash[STATUS] = ExitStatus()
    config.pluginmanager.register(config.stash[STATUS])
    for name in ("--candidate", "--deviations", "--plumbline-config"):
        said = config.getoption(name)
        for one in said if isinstance(said, list) else [said]:
            if one is not None and not one.strip():
                raise pytest.UsageError(f"the value of {name} is blank, as an unset variable leaves it")
    try:
        given = config.getoption("--plumbline-config")
        settings = find_settings(None if given is None else Path(given), config.invocation_params.dir)
        file = config.getoption("--deviations") or settings.deviations
        config.stash[DEVIATIONS] = () if file is None else read_deviations(Path(file))
    except (ConfigurationError, DeviationError) as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[SETTINGS] = settings
    of_run = settings.said.run
    config.option.profile = config.option.profile or of_run.profile or "smoke"
    seed = of_run.seed if config.option.suite_seed is None else config.option.suite_seed
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


def on_record(config: pytest.Config, name: str) -> KnownDeviations:
    """The deviations in force for a candidate, which has introduced itself."""
    known = config.stash[ON_RECORD]
    if name not in known:
        version = session_of(config, name).introduction.version
        known[name] = KnownDeviations(in_force(config.stash[DEVIATIONS], version, datetime.now(UTC).date()))
    return known[name]


def together_of(config: pytest.Config, name: str) -> Together:
    """What all that was found about a candidate comes to."""
    known = config.stash[TOGETHER_OF]
    if name not in known:
        known[name] = Together(config.stash[FINDINGS], name, session_of(config, name))
    return known[name]


def keep(config: pytest.Config, name: str, finding: ItemFinding) -> None:
    """Keep what an item has found, for the requirement items, which are run last."""
    introduction = session_of(config, name).introduction
    profile, seed = config.getoption("--profile"), config.getoption("--suite-seed")
    dialect = session_of(config, name).dialect
    product = f"{introduction.name} {introduction.version}, dialect {dialect}, profile {profile}, seed {seed}"
    config.stash[FINDINGS].add(msgspec.structs.replace(finding, product=product))


def keep_failure(
    config: pytest.Config, name: str, judged: CountedResult, source: Source, number: int = 1
) -> tuple[str, str]:
    """Write the counterexample of a failure, or a later one; gives its file, and all of it in words."""
    session, result = session_of(config, name), judged.result
    assert result.history is not None, "what failed was played"
    settings = config.stash[SETTINGS]
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", name)[:40].strip("-")
    directory = settings.out / f"{config.stash[FOLDER]}-{slug}"
    kept_as = f"{source}-{result.title}" + (f"-{number}" if number > 1 else "")
    file = directory / "counterexamples" / f"{kept_as}.json"
    flags = {"--deviations": "--deviations", "--plumbline-config": "--config"}
    given = [(flag, config.getoption(option)) for option, flag in flags.items()]
    also = [str(word) for pair in given if pair[1] for word in pair]
    counterexample = counterexample_of(
        result,
        source,
        candidate=name,
        product=(session.introduction.name, session.introduction.version),
        dialect=session.dialect,
        seed=config.getoption("--suite-seed"),
        tries=(judged.failed, judged.tried),
        near=None if result.played is None else nearest(result.played, result.history, session.dialect),
        replay=shlex.join(["plumbline", "replay", str(file), *also]),
    )
    write_counterexample(directory, kept_as, counterexample)
    return str(file), counterexample_words(counterexample)


def failures(config: pytest.Config, name: str) -> Iterator[Failure]:
    """The counterexamples of a candidate so far, each with the requirements that it was about."""
    for finding in config.stash[FINDINGS].of(name):
        for file in dict.fromkeys(row.counterexample for row in finding.rows if row.counterexample):
            yield tuple(row.requirement for row in finding.rows if row.counterexample == file), _read(file)


@cache
def _read(file: str) -> Counterexample:
    return read_counterexample(Path(file))


class UnjudgedError(Exception):
    """An item could not be judged. To Allure only what fails an assertion has failed; this is broken."""


def end(verdict: Verdict, reason: str, about: Collection[str] = ()) -> None:
    """End an item as its verdict demands (see docs/verdicts.md); and extensions alone fail nothing.

    Args:
        verdict: of the item.
        reason: why.
        about: the requirements that have this verdict.
    """
    if MEANING[verdict].exit_code and about and all(map(is_extension, about)):
        # An extension binds where a gate's policy asks for it. So its failure is shown, and fails no build.
        pytest.xfail(f"extension: {verdict}: {reason}")
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
        report.user_properties.append(("plumbline unjudged", str(call.excinfo.value)[:100]))
    return report


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give the suite's items a candidate, and the requirement items a requirement."""
    if "candidate_name" in metafunc.fixturenames:
        metafunc.parametrize("candidate_name", candidate_names(metafunc.config), scope="session")
    if "requirement_id" in metafunc.fixturenames:
        metafunc.parametrize("requirement_id", list(all_requirements()))


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    """Have `-k` and the like select what speaks of a requirement or, with `--wide`, only what is judged."""
    prepare(items)
    examples = set_aside(items) if config.getoption("--wide") else []
    result = yield
    if examples:
        put_back(items, examples)
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Under xdist, spread scenarios and machines; where each process plays everything, it needs no others."""
    return None if config.getoption("dist") == "each" else scheduler(config, log, candidate_names(config))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each process of xdist the folder in which all keep what they find."""
    config = node.config
    shared: dict[str, str] = {"folder": config.stash[FOLDER]}
    if config.getoption("dist") != "each":
        if TOGETHER not in config.stash:
            config.stash[TOGETHER] = tempfile.TemporaryDirectory(prefix="plumbline-pytest-")
            config.stash[FINDINGS].share(Path(config.stash[TOGETHER].name))
        shared["findings"] = config.stash[TOGETHER].name
    node.workerinput[SHARED] = shared


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tell other processes what is played here, and when it is over, also after an error."""
    example = example_of(item)
    if example is None:
        return (yield)
    findings = item.config.stash[FINDINGS]
    findings.begin(*example)
    try:
        return (yield)
    finally:
        if not findings.has(*example):
            findings.add(ItemFinding(candidate=example[0], title=example[1]))
        findings.end(*example)


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
    """The merged verdict on the item's requirement, and why.

    A requirement without a judgement is an error here.
    """
    played = [one for item in request.session.items if (one := example_of(item)) is not None]
    titles = [title for candidate, title in played if candidate == candidate_name]
    missing = request.config.stash[FINDINGS].missing(candidate_name, titles)
    together = together_of(request.config, candidate_name)
    (verdict, reason), missed = together.verdict(requirement_id, missing)
    left_out = scenarios_left_out(request.session.items, candidate_name, candidate_session)
    request.node.user_properties += properties(candidate_name, requirement_id, verdict, missed, left_out)
    if MEANING[verdict].pytest == "error":
        end(verdict, reason, (requirement_id,))
    known = on_record(request.config, candidate_name).of(requirement_id)
    if known:
        # Of what is on record a pass is a failure: the record is out of date, and would hide the next one.
        expected = f"{words(known)}, but it has not shown: remove it from the file"
        request.applymarker(pytest.mark.xfail(raises=pytest.xfail.Exception, strict=True, reason=expected))
    return verdict, reason


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell at the end what was played of each candidate, and what came of it, as a run does."""
    for name in candidate_names(config):
        findings = config.stash[FINDINGS].of(name)
        if any(finding.rows for finding in findings):
            terminalreporter.section(one_line(f"plumbline: {name}", 200))
            for line in statistics(name, findings, config.stash[STATUS]):
                terminalreporter.write_line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing running."""
    for session in config.stash.get(SESSIONS, {}).values():
        session.close()
    if TOGETHER in config.stash:
        config.stash[TOGETHER].cleanup()
