"""The site: whole, safe against what candidates say, and green only where something was judged."""

from __future__ import annotations

import re
import time
import unicodedata
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from plumbline import reports
from plumbline.reference.catalogue.capabilities import LOST_WITHOUT
from plumbline.reference.catalogue.coverage import Coverage
from plumbline.reference.catalogue.records import Requirement
from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.runs import Difference, Reduction
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reports.collection import collect
from plumbline.reports.columns import day_and_time, duration
from plumbline.reports.signs import SIGNS
from plumbline.reports.site import build
from plumbline.reports.tests.samples import (
    HOSTILE,
    catalogue,
    counterexample,
    hostile_counterexample,
    long_history,
    row,
    write_run,
)

WRITTEN = datetime(2026, 11, 21, tzinfo=UTC)

TEMPLATES = "".join(path.read_text() for path in Path(reports.__file__).parent.glob("templates/*.j2"))
ELEMENTS = set(re.findall(r"<([a-z][a-z0-9]*)", TEMPLATES))
ATTRIBUTES = {name.lower() for name in re.findall(r"\s([a-zA-Z0-9-]+)=\"", TEMPLATES)} | {"hidden"}
"""The tags and attributes of the templates; all others in a page are not the project's."""


class Page(HTMLParser):
    """The elements, attributes and text of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, name: str) -> list[str]:
        return [value for attribute, value in self.attributes if attribute == name]


def site(
    tmp_path: Path, known: dict[str, Requirement] | None = None, coverage: tuple[Coverage, ...] = ()
) -> Path:
    """Build the site of all runs below `tmp_path/runs`."""
    found = catalogue() if known is None else known
    build(collect([tmp_path / "runs"]), found, tmp_path / "site", coverage=coverage, written=WRITTEN)
    return tmp_path / "site"


def pages(folder: Path) -> dict[str, Page]:
    return {str(path.relative_to(folder)): Page(path) for path in folder.rglob("*.html")}


def hostile_runs(folder: Path, text: str) -> None:
    """A run in which every text is the given one, and more that are damaged."""
    rows = [
        row(text, verdict, run_id=text, source=source, reason=text, counterexample=name)
        for verdict, source, name in (
            (Verdict.FAIL, Source.MACHINE, "own.json"),
            (Verdict.UNKNOWN, Source.RULE, text),
            (Verdict.PASS, Source.SCENARIO, "../../run.json"),
        )
    ]
    everything = {
        "run_id": text,
        "suite_version": text,
        "candidate": text,
        "product": text,
        "product_version": text,
        "digest": text,
        "dialect": text,
        "profile": text,
        "started": text,
        "capabilities": (text,),
    }
    one = write_run(folder / "one", rows, {"own": hostile_counterexample(text)}, **everything)
    name = text.replace("/", "").replace("\0", "")[:40]
    (one / "counterexamples" / f"{name}.json").write_bytes(b"junk")
    broken = folder / f"two{name}"
    broken.mkdir(parents=True)
    (broken / "run.json").write_text("junk")


@pytest.mark.parametrize("text", [HOSTILE, HOSTILE * 8_000], ids=["short", "megabyte"])
def test_whatever_a_candidate_says_stays_text(tmp_path: Path, text: str) -> None:
    hostile_runs(tmp_path / "runs", text)
    found = pages(site(tmp_path))
    # The catalogue's, the unknown one's, the counterexample's, the candidate's, first two.
    assert len(found) == 3 + 1 + 1 + 1 + 2
    for name, page in found.items():
        assert set(page.elements) <= ELEMENTS, name
        assert {attribute for attribute, _ in page.attributes} <= ATTRIBUTES, name
        assert page.elements.count("script") == (
            name == "matrix.html" or name.startswith("counterexamples/")
        ), name
        assert not {"javascript:", "http:", "https:"} & {
            value.split("//")[0] for value in page.values("href")
        }
    told = [page for page in found.values() if "<script>alert(1)</script>\"'><img src=x onerror" in page.text]
    assert len(told) == 2 + 3 + 1 + 1 + 1, "on every page it is told, as text"


@pytest.mark.parametrize("text", [HOSTILE, HOSTILE * 8_000], ids=["short", "megabyte"])
def test_no_page_holds_a_character_that_cannot_be_seen_nor_grows_beyond_bounds(
    tmp_path: Path, text: str
) -> None:
    hostile_runs(tmp_path / "runs", text)
    for path in site(tmp_path).rglob("*.html"):
        content = path.read_text(encoding="utf-8")
        left = {letter for letter in set(content) if unicodedata.category(letter)[0] == "C"}
        assert left <= {"\n"}
        assert len(content) < 300_000


def test_every_link_leads_to_a_page_and_place_that_exist(tmp_path: Path) -> None:
    write_run(
        tmp_path / "runs" / "run-1",
        [row(verdict=Verdict.FAIL, counterexample="tie.json"), row("NEW-ONE-01", reason="unheard of")],
        {"tie": counterexample(), "long": counterexample(long_history())},
    )
    folder = site(tmp_path)
    found = pages(folder)
    targets = 0
    for name, page in found.items():
        assert len(set(page.values("id"))) == len(page.values("id")), name
        for link in page.values("href"):
            if link == "data:,":
                continue
            path, _, place = link.partition("#")
            target = ((folder / name).parent / path).resolve() if path else folder / name
            assert target.is_file(), f"{name}: {link}"
            identity = str(target.relative_to(folder.resolve())) if path else name
            known = {*found[identity].values("id"), *(f"verdict={sign.name}" for sign in SIGNS.values())}
            assert not place or place.split("&candidate=")[0] in known, f"{name}: {link}"
            targets += 1
        for label in page.values("aria-labelledby"):
            assert label in page.values("id"), name
    assert targets > 40


def test_a_page_asks_for_nothing_and_its_policy_allows_only_its_own_style_and_script(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()], {"tie": counterexample()})
    for path in site(tmp_path).rglob("*.html"):
        content = path.read_text(encoding="utf-8")
        assert "src=" not in content
        assert "@import" not in content
        assert "url(" not in content
        assert not re.search(r"https?://", content)
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', content)
        assert policy is not None
        assert policy[1].startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
        assert "unsafe" not in policy[1]
        assert " style=" not in content


def test_every_verdict_is_told_by_a_sign_and_a_word(tmp_path: Path) -> None:
    known = catalogue(len(Verdict))
    rows = [row(identity, verdict) for identity, verdict in zip(known, Verdict, strict=True)]
    write_run(tmp_path / "runs" / "run-1", rows)
    folder = site(tmp_path, known)
    matrix = (folder / "matrix.html").read_text()
    for identity, verdict in zip(known, Verdict, strict=True):
        sign = SIGNS[verdict]
        assert f'<td class="{sign.name}">{sign.symbol} {sign.word}' in matrix
        page = Page(folder / "requirements" / f"{identity}.html")
        assert f"{sign.symbol} {sign.word}" in page.text
        assert f"{sign.word} 1" in Page(folder / "index.html").text
    assert len({(sign.symbol, sign.word, sign.name) for sign in SIGNS.values()}) == len(Verdict)
    assert len({sign.symbol for sign in SIGNS.values()}) == len(Verdict)


def test_an_incomplete_run_is_told_first_and_looks_green_nowhere(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()], complete=False)
    folder = site(tmp_path)
    overview = Page(folder / "index.html")
    assert overview.text.index("it did not end in order") < overview.text.index("At a glance")
    own = candidate_page(folder)
    assert "INCOMPLETE" in own.text
    for page in (overview, own):
        assert "exit0" not in " ".join(page.values("class"))
        assert "f pass" not in page.values("class")
    matrix = Page(folder / "matrix.html")
    assert "! incomplete" in matrix.text
    assert "pass" not in matrix.values("class")
    assert "counts as unknown" in Page(folder / "requirements" / "VER-TIE-01.html").text


def test_what_was_set_aside_is_named_on_the_overview(tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs" / "run-1", [row()], {"tie": counterexample()})
    (run / "counterexamples" / "tie.json").write_bytes(b"{")
    (run / "verdicts.parquet").write_bytes(b"junk")
    seal_run(run)
    overview = Page(site(tmp_path) / "index.html")
    assert "tie.json" in overview.text
    assert "verdicts.parquet" in overview.text
    assert "its verdict table cannot be read" in overview.text
    assert "Parquet" in overview.text, "the reason"
    assert "exit0" not in " ".join(overview.values("class"))


def test_a_requirement_that_the_catalogue_does_not_know_has_a_page_that_says_so(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row("NEW-ONE-01", Verdict.FAIL, reason="it broke")])
    folder = site(tmp_path)
    page = Page(folder / "requirements" / "NEW-ONE-01.html")
    assert "Not in the catalogue" in page.text
    assert "it broke" in page.text
    assert "not in the catalogue" in Page(folder / "matrix.html").text


def test_the_requirement_page_tells_which_deviations_were_on_record_and_which_did_not_show(
    tmp_path: Path,
) -> None:
    known = Deviation(
        requirement="VER-TIE-01",
        reason=HOSTILE,
        owner="cache team",
        expires=date(2027, 6, 30),
        versions=("1.15.*",),
        counterexample="ties.json",
    )
    write_run(
        tmp_path / "runs" / "run-1",
        [row(verdict=Verdict.DEVIATION)],
        deviations=(known,),
        deviations_not_seen=(),
    )
    write_run(
        tmp_path / "runs" / "run-2",
        [row(run_id="run-2")],
        deviations=(known,),
        deviations_not_seen=(known,),
    )
    text = Page(site(tmp_path) / "requirements" / "VER-TIE-01.html").text
    table = text[text.index("Deviations on record") :]
    for words in ("<script>alert(1)", "cache team", "2027-06-30", "1.15.*", "ties.json"):
        assert words in table
    assert table.count("did not show") == 1
    assert "run-2: did not show" in table


@pytest.mark.parametrize(
    "identity", ["../../escaped", "a/b", "", ".", "x" * 300, "VER-TIE-01\n", "ver-tie-01"]
)
def test_no_requirement_id_becomes_a_path(tmp_path: Path, identity: str) -> None:
    write_run(tmp_path / "runs" / "run-1", [row(identity)])
    before = set(tmp_path.parent.iterdir())
    folder = site(tmp_path)
    names = {path.name for path in (folder / "requirements").iterdir()}
    assert sum(name.startswith("unknown-") for name in names) == 1
    assert set(tmp_path.parent.iterdir()) == before


def covered(one: Requirement, *, tested: bool) -> Coverage:
    return Coverage(
        id=one.id,
        area=one.area,
        level=one.level,
        title=one.title,
        source=one.source,
        dialects=one.dialects,
        decided_by=(),
        tested_by=("a_test",) if tested else (),
        faulty=(),
        trace_rule=False,
        reason=None,
    )


def test_the_requirement_page_tells_all_that_is_known_of_it(tmp_path: Path) -> None:
    known = catalogue(1)
    rows: list[VerdictRow] = [
        row(source=Source.SCENARIO, exercised=11),
        row(
            verdict=Verdict.FAIL,
            source=Source.MACHINE,
            reason="B keeps v2",
            counterexample="tie.json",
            failures=3,
        ),
        row(source=Source.RULE, verdict=Verdict.FAIL, counterexample="lost.json"),
    ]
    write_run(tmp_path / "runs" / "run-1", rows, {"tie": counterexample()})
    one = known["VER-TIE-01"]
    covered = Coverage(
        id=one.id,
        area=one.area,
        level=one.level,
        title=one.title,
        source=one.source,
        dialects=one.dialects,
        decided_by=("concurrent_winner",),
        tested_by=("tie_of_two_members",),
        faulty=("lowest-member-wins",),
        trace_rule=True,
        reason=None,
    )
    page = Page(site(tmp_path, known, (covered,)) / "requirements" / "VER-TIE-01.html")
    for told in (
        one.statement,
        one.paragraph,
        one.product_note,
        one.break_it,
        "Consistency Checking by Region Type",
        "MUST",
        "B keeps v2",
        "concurrent_winner",
        "tie_of_two_members",
        "lowest-member-wins",
        "lost.json is missing or cannot be read",
    ):
        assert told in page.text
    assert sum("counterexamples/" in link for link in page.values("href")) == 1
    for planned in (one.controls, one.observables):
        assert planned in page.text
    untested = msgspec.structs.replace(covered, tested_by=(), trace_rule=False)
    page = Page(site(tmp_path, known, (untested,)) / "requirements" / "VER-TIE-01.html")
    for planned in (one.controls, one.observables, "Judged by", "What a trace must show"):
        assert planned not in page.text


def test_the_counterexample_page_tells_the_whole_story(tmp_path: Path) -> None:
    reduction = Reduction(operations_before=16, runs=17, minimal=True)
    one = counterexample(reduction=reduction)
    write_run(tmp_path / "runs" / "run-1", [row()], {"tie": one})
    (path,) = (site(tmp_path) / "counterexamples").iterdir()
    page = Page(path)
    for told in (
        *setup_words(one.history),
        *one.plan,
        *one.expected,
        *one.seen,
        one.replay,
        "Failed in 5 of 5 replays",
        "It was found with 16 operations and made small in 17 runs; none can be left out.",
        "concurrent_winner",
    ):
        assert told in page.text
    _, _, done = page.text.partition("Steps")
    order = [done.index(step) for step in one.plan]
    assert order == sorted(order)
    assert page.elements.count("circle") == 2 + 8 + 1 + 1, "two of the key, events, one discarded, a ring"
    assert page.text.index("Set-up") < page.text.index("Expected")
    assert page.text.index("Expected") < page.text.index("Steps") < page.text.index("Replay it")
    assert any(link.endswith("requirements/VER-TIE-01.html") for link in page.values("href"))


def test_of_many_requirements_the_narrowest_are_named_with_titles_and_the_others_by_their_ids(
    tmp_path: Path,
) -> None:
    named = ("VER-TIE-01", "CONS-RR-03", "CONS-RR-04", "DISC-LSN-01", "VER-ID-01")
    write_run(tmp_path / "runs" / "run-1", [row()], {"tie": counterexample(requirements=named, replay="")})
    (path,) = (site(tmp_path) / "counterexamples").iterdir()
    text = Page(path).text
    first, _, others = text.partition("It may also violate")
    assert all(one in first for one in named[:3])
    assert not any(one in first for one in named[3:])
    assert "DISC-LSN-01, VER-ID-01. Failed in" in " ".join(others.split())
    assert "plumbline replay FILE" in text


def test_the_counterexample_page_tells_the_nearest_right_outcome_and_where_it_departs_first(
    tmp_path: Path,
) -> None:
    near = (
        Difference(
            place="the listener of B, key x",
            right="v1, v3",
            seen="v1, v3, v2",
            instead="nothing more",
            member="B",
            position=2,
        ),
    )
    said = tuple(f"{one.place}: {one.right}" for one in near)
    pages_of = {
        name: counterexample(nearest=near, right_runs=24, expected=expected)
        for name, expected in (("apart", ("C wins",)), ("alike", said))
    }
    write_run(tmp_path / "runs" / "run-1", [row()], pages_of)
    paths = {
        path.read_text().count("Closest correct run (24 tried)"): path
        for path in (site(tmp_path) / "counterexamples").iterdir()
    }
    apart, alike = Page(paths[1]), Page(paths[0])
    assert "The reference ran the same plan." in apart.text
    assert "The reference made 24 runs of the same plan." in alike.text
    for page in (apart, alike):
        assert "First wrong, ✗:" in page.text
        assert "after moment 11, B: update x = v2" in page.text
        assert "The closest correct run has there: nothing more" in page.text
        assert page.values("id").count("wrong") == 1
        assert "#wrong" in page.values("href")


def candidate_page(folder: Path) -> Page:
    (path,) = (folder / "candidates").iterdir()
    return Page(path)


def test_the_page_of_a_candidate_lists_what_it_lacks_and_what_that_costs(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()], capabilities=("replicated_regions",))
    text = candidate_page(site(tmp_path)).text
    assert "offered: replicated_regions" in text
    for name, lost in LOST_WITHOUT.items():
        assert name == "replicated_regions" or f"not offered: {name}; not judged without it: {lost}" in text


def test_the_bar_of_a_candidate_is_as_long_as_its_verdicts_together(tmp_path: Path) -> None:
    known = catalogue(20)
    rows = [row(identity, verdict) for identity, verdict in zip(known, list(Verdict) * 2, strict=False)]
    write_run(tmp_path / "runs" / "run-1", rows)
    overview = (site(tmp_path, known) / "index.html").read_text()
    parts = re.findall(r'<rect class="f [^"]*" x="([\d.]+)" y="0" width="([\d.]+)"', overview)
    assert len(parts) == len(Verdict)
    assert sum(float(width) for _, width in parts) == pytest.approx(720, abs=0.5)


def test_the_overview_counts_only_requirements_that_a_test_exists_for(tmp_path: Path) -> None:
    known = catalogue(4)
    first, second, third, *_ = known
    coverage = tuple(covered(one, tested=identity in (first, second)) for identity, one in known.items())
    rows = [row(first), row(third, Verdict.UNSUPPORTED)]
    write_run(tmp_path / "runs" / "run-1", rows)
    overview = Page(site(tmp_path, known, coverage) / "index.html")
    assert "Verdicts on 2 requirements that have a test" in overview.text
    assert "The 2 that have no test yet" in overview.text
    assert "pass 1" in overview.text
    assert "not exercised 1" in overview.text
    assert "unsupported 1" not in overview.text
    failing = [row(first), row(third, Verdict.FAIL)]
    write_run(tmp_path / "runs" / "run-1", failing)
    assert "fail 1" in Page(site(tmp_path, known, coverage) / "index.html").text, "what was found counts"


def test_the_same_runs_give_the_same_site_byte_by_byte(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()], {"tie": counterexample()})
    first = {path: path.read_bytes() for path in site(tmp_path).rglob("*.html")}
    assert {path: path.read_bytes() for path in site(tmp_path).rglob("*.html")} == first


def test_341_requirements_and_ten_candidates_take_seconds_and_the_matrix_stays_small(tmp_path: Path) -> None:
    known = catalogue(341)
    for number in range(10):
        name = f"run-{number}"
        rows = [row(identity, source=source, run_id=name) for identity in known for source in Source]
        write_run(tmp_path / "runs" / name, rows, candidate=f"process:./adapter-{number}")
    begun = time.monotonic()
    folder = site(tmp_path, known)
    # It takes about one second; a machine that is busy with something else gets a lot more.
    assert time.monotonic() - begun < 20
    assert (folder / "matrix.html").stat().st_size < 1_000_000
    assert Page(folder / "matrix.html").elements.count("td") == 3_410
    assert len(list((folder / "requirements").iterdir())) == 341


def test_beside_each_bar_stands_when_how_much_and_how_long_was_tested(tmp_path: Path) -> None:
    told: dict[str, Any] = {"started": "2026-11-21T08:09:10+01:00", "profile": "gate", "seconds": 185.0}
    write_run(tmp_path / "runs" / "run-1", [row()], **told)
    folder = site(tmp_path)
    for page in (Page(folder / "index.html"), candidate_page(folder)):
        assert "tested 2026-11-21 07:09 UTC" in page.text
        assert "profile gate" in page.text
        assert "took 3 min 5 s" in page.text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.42, "0.4 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3_599.6, "1 h 0 min"), (7_320, "2 h 2 min")],
)
def test_a_duration_is_said_as_people_say_it(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_run_whose_beginning_cannot_be_read_is_shown_as_it_is_written() -> None:
    assert day_and_time("yesterday") == "yesterday"
    assert day_and_time("2026-01-01T00:00:00") == "2026-01-01T00:00:00"
    assert day_and_time("2026-01-01T00:00:00Z") == "2026-01-01 00:00 UTC"


def test_what_was_not_judged_is_said_beside_the_bar(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()])
    folder = site(tmp_path)
    for page in (Page(folder / "index.html"), candidate_page(folder)):
        assert "! 2 of 3 were not judged" in page.text
        assert "open red" in page.values("class")


def test_overview_matrix_and_candidate_lead_to_the_counterexample(tmp_path: Path) -> None:
    rows = [row(verdict=Verdict.FAIL, counterexample="tie.json")]
    write_run(tmp_path / "runs" / "run-1", rows, {"tie": counterexample()})
    folder = site(tmp_path)
    (example,) = (folder / "counterexamples").iterdir()
    (own,) = (folder / "candidates").iterdir()
    assert f"counterexamples/{example.name}" in Page(folder / "index.html").values("href")
    assert f"counterexamples/{example.name}" in Page(folder / "matrix.html").values("href")
    assert f"../counterexamples/{example.name}" in Page(own).values("href")
    assert f"../candidates/{own.name}" in Page(example).values("href")


def test_the_page_of_a_candidate_shows_each_deviation_with_its_record_and_example(tmp_path: Path) -> None:
    known = Deviation(
        requirement="VER-TIE-01",
        reason="ties go to the first caller",
        owner="cache team",
        expires=date(2027, 6, 30),
        versions=("1.15.*",),
        counterexample="ties.json",
    )
    rows = [row(verdict=Verdict.DEVIATION, counterexample="tie.json")]
    given: dict[str, Any] = {"deviations": (known,), "deviations_not_seen": ()}
    write_run(tmp_path / "runs" / "run-1", rows, {"tie": counterexample()}, **given)
    folder = site(tmp_path)
    page = candidate_page(folder)
    for words in ("ties go to the first caller", "cache team", "2027-06-30", "1.15.*", "ties.json"):
        assert words in page.text
    (example,) = (folder / "counterexamples").iterdir()
    assert f"../counterexamples/{example.name}" in page.values("href")
    assert "did not show" not in page.text
    requirement = Page(folder / "requirements" / "VER-TIE-01.html")
    assert f"../counterexamples/{example.name}" in requirement.values("href")


def test_a_candidate_keeps_its_page_in_every_report(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()], candidate="b")
    (only,) = (site(tmp_path) / "candidates").iterdir()
    write_run(tmp_path / "runs" / "run-0", [row(run_id="run-0")], candidate="a")
    assert only.name in {path.name for path in (site(tmp_path) / "candidates").iterdir()}


def test_the_site_has_a_badge_of_its_candidates(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()])
    assert "1 of 3 hold, 2 not judged" in (site(tmp_path) / "badge.svg").read_text()
    write_run(tmp_path / "runs" / "run-2", [row(verdict=Verdict.FAIL, run_id="run-2")], candidate="other")
    assert "1 violated" in (site(tmp_path) / "badge.svg").read_text()
    assert "1 violated" in (tmp_path / "site" / "badge.json").read_text()
