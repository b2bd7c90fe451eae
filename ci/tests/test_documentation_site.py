"""The documentation site: every page is in it, in an order for readers, and no link leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.ci.selftest.checks.prose import ROOT
from plumbline.ci.set_up import PROGRAMS

DOCS = ROOT / "docs"


def build(source: Path, into: Path) -> subprocess.CompletedProcess[str]:
    """Build the site as `python3 ci docs` does, elsewhere."""
    arguments = PROGRAMS["docs"][:-2]
    command = [sys.executable, *arguments, str(source), str(into)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("docs") / "site"
    ended = build(DOCS, into)
    assert ended.returncode == 0, ended.stderr
    return into


def test_every_page_is_on_the_site(site: Path):
    pages = {page.stem for page in DOCS.glob("*.md")}
    assert pages == {page.stem for page in site.glob("*.html")} - {"genindex", "search"}


def test_the_pages_are_in_the_order_of_readers(site: Path):
    index = (site / "index.html").read_text(encoding="utf-8")
    headings = re.findall(r'class="caption"[^>]*><span class="caption-text">(\w+)<', index)
    assert list(dict.fromkeys(headings)) == ["Implement", "Release", "Review", "Extend"]


def test_a_link_that_leads_nowhere_ends_the_build(tmp_path: Path):
    source = tmp_path / "docs"
    source.mkdir()
    (source / "conf.py").write_bytes((DOCS / "conf.py").read_bytes())
    page = "# A page\n\n[Lost](nowhere.md) and [lost](index.md#no-such-heading).\n"
    (source / "index.md").write_text(page, encoding="utf-8")
    ended = build(source, tmp_path / "site")
    assert ended.returncode == 1
    assert "nowhere.md" in ended.stderr
    assert "no-such-heading" in ended.stderr
