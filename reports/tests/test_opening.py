"""Pages opened by a browser that is spoken to, and browsers that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plumbline.reports import opening
from plumbline.reports.opening import opened
from plumbline.reports.screenshots import CannotTakeError


def children() -> set[str]:
    """The processes that this one has started and that are not collected yet."""
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())


@pytest.mark.browser
def test_a_page_takes_some_time_to_open_one_that_draws_late_more_and_one_that_is_not_there_is_told(
    tmp_path: Path,
):
    page, late = tmp_path / "page.html", tmp_path / "late.html"
    page.write_text("<!doctype html><title>page</title><p>a page")
    busy = "const end = performance.now() + 700; while (performance.now() < end) {}"
    late.write_text(f"<!doctype html><title>late</title><p>a page<script>{busy}</script>")
    before = children()
    with opened() as browser:
        assert children() > before
        assert browser.seconds_to_open(page) > 0
        assert browser.seconds_to_open(late) >= 0.7
        assert browser.seconds_to_open(page) > 0
        with pytest.raises(CannotTakeError, match=r"none\.html: the browser cannot open it"):
            browser.seconds_to_open(tmp_path / "none.html")
    assert children() == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("exit 1", "the browser has ended"),
        ("exec sleep 60", "did not answer within"),
        (
            r"""printf '{"id":1,"error":{"message":"no targets"}}\0' >&4; sleep 60""",
            "refuses: no targets",
        ),
    ],
)
def test_a_browser_that_ends_hangs_or_refuses_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str
):
    program = tmp_path / "chromium"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o700)
    monkeypatch.setattr(opening, "browser", lambda: str(program))
    monkeypatch.setattr(opening, "LIMIT_S", 1.0 if "did not" in said else 30.0)
    before, descriptors = children(), len([*Path("/proc/self/fd").iterdir()])
    with pytest.raises(CannotTakeError, match=said), opened():
        pass
    assert children() == before
    assert len([*Path("/proc/self/fd").iterdir()]) == descriptors
