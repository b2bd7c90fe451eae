"""The site in a real browser, opened from disk: nothing is refused, nothing is fetched, the filter works."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.collection import collect
from plumbline.reports.screenshots import browser
from plumbline.reports.site import build
from plumbline.reports.tests.samples import catalogue, counterexample, hostile_counterexample, row, write_run

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--dump-dom",
    "--virtual-time-budget=2000",
)


def opened(page: str, profile: Path) -> tuple[str, str]:
    """The page's document after its scripts have run, and what the browser's console said."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    command = [browser(), *FLAGS, *sandbox, f"--user-data-dir={profile}", page]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, "\n".join(console)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [row(), row("SOME-TOPIC0-02", Verdict.FAIL, reason="B keeps v2", counterexample="tie.json")]
    examples = {"tie": counterexample(), "hostile": hostile_counterexample()}
    write_run(tmp_path / "runs" / "run-1", rows, examples)
    build(collect([tmp_path / "runs"]), catalogue(5), tmp_path / "site")
    return tmp_path / "site"


def test_the_policy_refuses_nothing_of_the_pages_own(folder: Path, tmp_path: Path) -> None:
    pages = [folder / "index.html", folder / "matrix.html", *folder.glob("counterexamples/*.html")]
    pages += folder.glob("candidates/*.html")
    assert len(pages) == 5
    for page in pages:
        document, console = opened(page.as_uri(), tmp_path / "profile")
        assert "</html>" in document
        assert console == "", page.name


def test_a_script_that_slipped_through_would_be_refused(folder: Path, tmp_path: Path) -> None:
    page = folder / "index.html"
    evil = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"></main>"
    page.write_text(page.read_text().replace("</main>", evil))
    document, console = opened(page.as_uri(), tmp_path / "profile")
    assert "<title>owned" not in document
    assert "Content Security Policy" in console


def test_the_filter_of_the_matrix_works_from_disk(folder: Path, tmp_path: Path) -> None:
    document, _ = opened((folder / "matrix.html").as_uri(), tmp_path / "profile")
    assert re.search(r'<output id="count">5 shown</output>', document)
    assert re.search(r'<form class="filter" id="filter">', document), "shown once the script runs"


def test_the_matrix_can_be_opened_already_filtered(folder: Path, tmp_path: Path) -> None:
    document, _ = opened((folder / "matrix.html").as_uri() + "#verdict=fail", tmp_path / "profile")
    assert re.search(r'<output id="count">1 shown</output>', document)
    document, _ = opened((folder / "matrix.html").as_uri() + "#text=tie-01", tmp_path / "profile")
    assert re.search(r'<output id="count">1 shown</output>', document)


def test_the_matrix_shows_one_candidate_or_where_candidates_differ(tmp_path: Path) -> None:
    failing = [row(verdict=Verdict.FAIL), row("SOME-TOPIC0-02")]
    write_run(tmp_path / "runs" / "run-1", failing)
    write_run(
        tmp_path / "runs" / "run-2",
        [row(run_id="run-2"), row("SOME-TOPIC0-02", run_id="run-2")],
        run_id="run-2",
        candidate="other",
    )
    build(collect([tmp_path / "runs"]), catalogue(5), tmp_path / "site")
    page = (tmp_path / "site" / "matrix.html").as_uri()
    for place, count, hidden in (
        ("differs=1", 1, 0),
        ("verdict=fail", 1, 0),
        ("verdict=fail&candidate=1", 1, 1),
        ("verdict=fail&candidate=2", 0, 1),
        ("candidate=2", 5, 1),
    ):
        document, _ = opened(f"{page}#{place}", tmp_path / "profile")
        assert f'<output id="count">{count} shown</output>' in document, place
        head = document[document.index("<thead") : document.index("</thead")]
        assert len(re.findall(r"<th[^>]* hidden", head)) == hidden, place


def test_a_replay_command_has_a_button_to_copy_it(folder: Path, tmp_path: Path) -> None:
    page = next(folder.glob("counterexamples/*.html"))
    assert "<button" not in page.read_text()
    document, _ = opened(page.as_uri(), tmp_path / "profile")
    assert document.count('class="copy">Copy</button>') == 1
