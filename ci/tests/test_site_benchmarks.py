"""What is measured of a large site: runs that are made up, and their pages."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.ci.command import group
from plumbline.ci.selftest.benchmarks import report_sites as site_benchmarks
from plumbline.ci.selftest.commands import bench as bench_command
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.collection import collect
from plumbline.reports.screenshots import CannotTakeError


def test_each_candidate_has_a_verdict_on_every_requirement_and_failures_have_counterexamples(tmp_path: Path):
    site_benchmarks.make_up(tmp_path, 2)
    collection = collect([tmp_path])
    assert collection.set_aside == ()
    assert [candidate.findings().keys() for candidate in collection.candidates] == [catalogue().keys()] * 2
    for candidate in collection.candidates:
        (run,) = candidate.runs
        failed = {name for name, found in candidate.findings().items() if found.verdict is Verdict.FAIL}
        shown = {row.requirement for row in run.rows if row.counterexample in run.examples}
        assert failed == shown
        assert 10 < len(failed) < 100


@pytest.mark.browser
def test_each_kind_of_page_is_opened_as_often_as_is_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bench_command, "measure_site", partial(site_benchmarks.measure, 1, 2))
    result = CliRunner().invoke(group, ["bench", "--pages", "--json"])
    assert result.exit_code == 0, result.output
    site = json.loads(result.stdout)["site"]
    assert (site["candidates"], site["requirements"]) == (1, len(catalogue()))
    assert [page["name"] for page in site["pages"]] == ["overview", "matrix", "requirement", "counterexample"]
    assert all(len(page["seconds"]) == 2 and min(page["seconds"]) > 0 for page in site["pages"])
    assert site["bytes"] > sum(page["bytes"] for page in site["pages"])


def test_without_a_browser_the_remedy_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch):
    def missing(**_: object) -> None:
        raise CannotTakeError("no Chromium on the PATH: install the package chromium")

    monkeypatch.setattr(bench_command, "measure_site", missing)
    result = CliRunner().invoke(group, ["bench", "--pages"])
    assert (result.exit_code, result.stderr) == (
        2,
        "plumbline: no Chromium on the PATH: install the package chromium\n",
    )
