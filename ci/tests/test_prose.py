"""The pages are easy to read: short sentences, and a glossary whose terms and links can be relied on."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from plumbline.ci.lint import FOLDERS
from plumbline.ci.selftest.checks import conditions
from plumbline.ci.selftest.checks.prose import ROOT, all_pages, measure, sentences, words
from plumbline.ci.selftest.soundness.known import WEAKENINGS
from plumbline.ci.selftest.soundness.reductions import PARTED
from plumbline.reference.catalogue.records import DOCUMENTS
from plumbline.reference.model import claims
from plumbline.reference.search.transition import Claim

HELD = (
    "README.md",
    "CHANGELOG.md",
    "docs/glossary.md",
    "docs/CONTRIBUTING.md",
    "docs/style.md",
    "docs/SECURITY.md",
    "docs/development.md",
    "docs/verdicts.md",
    "docs/architecture.md",
    "docs/findings.md",
    "docs/truth.md",
    "docs/geode.md",
    "docs/benchmarks.md",
)
"""The pages whose sentences are held to a length."""

MEAN, LONGEST = 20, 35
"""Words of a sentence: on average, and at most."""

TERMS = 60
"""The glossary has at least so many."""

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def entries() -> dict[str, str]:
    """Each term of the glossary, with what stands below it; a term that comes twice fails."""
    parts = re.split(r"^## (.+)\n", GLOSSARY, flags=re.MULTILINE)[1:]
    names = parts[::2]
    assert len(names) == len(set(names))
    found = dict(zip(names, parts[1::2], strict=True))
    assert found.pop("Sources")
    return found


def sources() -> set[str]:
    """The names of the papers that the glossary lists."""
    return set(re.findall(r"^\* \*\*(.+?)\.\*\* .*\d{4}\.$", GLOSSARY, flags=re.MULTILINE))


@pytest.mark.parametrize("page", HELD)
def test_sentences_are_short(page: str):
    measured = measure(ROOT / page)
    assert measured.mean <= MEAN
    assert [sentence for sentence in measured.sentences if words(sentence) > LONGEST] == []


def test_definitions_of_the_glossary_are_one_or_two_short_sentences():
    definitions = {term: sentences(text.split("\nFrom: ")[0]) for term, text in entries().items()}
    assert {term for term, parts in definitions.items() if not 1 <= len(parts) <= 2} == set()
    lengths = [words(part) for parts in definitions.values() for part in parts]
    assert sum(lengths) / len(lengths) <= MEAN


def test_the_terms_of_the_glossary_are_in_alphabetical_order():
    terms = [term.casefold() for term in entries()]
    assert len(terms) >= TERMS
    assert all(one < other for one, other in pairwise(terms))


def test_each_term_of_the_glossary_names_where_it_comes_from_and_a_module():
    listed = sources()
    documents = "|".join(DOCUMENTS)
    for term, text in entries().items():
        found = re.search(r"^From: (.+)\. Code: \[(.+?)\]\(\.\./(.+?)\)\.$", text, re.MULTILINE)
        assert found, term
        origin, name, path = found.groups()
        assert name == path, term
        assert (ROOT / path).is_file(), path
        papers = re.findall(r"\[(.+?)\]\(#sources\)", origin)
        assert set(papers) <= listed, term
        pages = re.findall(r"\]\((?!#)(.+?)(?:#.*?)?\)", origin)
        assert all((ROOT / "docs" / page).is_file() for page in pages), term
        assert papers or pages or re.search(rf"\b({documents}), L\d+", origin), term


def test_each_source_of_the_glossary_is_used():
    assert sources() == set(re.findall(r"\[([^]]+)\]\(#sources\)", GLOSSARY)) - {"Sources"}


def test_sentences_are_found_in_paragraphs_and_lists_and_nowhere_else():
    page = (
        "# No sentence\n\nOne `a b c` thing. Two (002, L3), e.g. this.\n\n"
        "* three: of\n  a list\n\n| no | sentence |\n|---|---|\n| at | all |\n\n```\nnor code.\n```\n"
        "<!-- generated: x -->\nnor this.\n<!-- end -->\n"
    )
    assert [words(sentence) for sentence in sentences(page)] == [3, 5, 4]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.name)
def test_links_lead_to_files_and_headings_that_exist(page: Path):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?://)([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        led_to = (page.parent / name).resolve() if name else page
        assert led_to.exists(), target
        assert not anchor or led_to.suffix != ".md" or anchor in anchors(led_to), target


@cache
def code() -> tuple[frozenset[str], frozenset[str]]:
    """The words of all modules, and the names of the modules."""
    modules = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in modules)
    return frozenset(re.findall(r"\w+", text)), frozenset(path.stem for path in modules)


def test_the_names_to_be_replaced_are_still_in_the_code():
    rows = re.findall(r"^\| (`.+?) \| ", (ROOT / "docs" / "style.md").read_text(), flags=re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    known, modules = code()
    assert names
    assert [name for name in names if name not in known | modules] == []


def test_contributing_names_files_that_exist():
    text = (ROOT / "docs" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for cell in re.findall(r"^\| (`.+?) \| ", text, flags=re.MULTILINE):
        folder = ROOT
        for name in re.findall(r"`([\w./*-]+\.\w+|[\w/]+/)`", cell):
            # A further name in a cell lies in the folder of the one before it.
            folder = folder if "/" not in name else (ROOT / name).parent
            assert name.startswith("reference/rules/ID") or list(folder.glob(Path(name).name or "*")), name


def architecture_table(title: str) -> list[list[str]]:
    """The rows of the table below a heading of the page on architecture, as cells."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.split(f"### {title}\n")[1].split("\n#")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_table_of_claims_has_each_claim_of_the_model_once():
    named = [row[0] for row in architecture_table("Claims")]
    known = {claim.name for claim in vars(claims).values() if isinstance(claim, Claim)}
    assert sorted(named) == sorted(known)


def test_the_tables_of_reductions_name_weakenings_and_tests_that_exist():
    claimed = architecture_table("Claims")
    limits = architecture_table("What limits a claim")
    others = architecture_table("Other reductions")
    assert {len(row) for row in (*claimed, *limits)} == {4}
    assert {len(row) for row in others} == {5}
    for row in (*claimed, *limits, *others):
        for name in re.findall(r"`([^`]+)`", row[3]):
            assert name in WEAKENINGS or (ROOT / name).is_file(), f"{row[0]}: {name}"
    for row in others:
        first, *further = re.findall(r"`([^`]+)`", row[4])
        assert (ROOT / first).is_file(), row[0]
        assert all(((ROOT / first).parent / name).is_file() for name in further), row[0]


def test_the_table_of_conditions_is_as_the_code_has_them():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert conditions.written(page) == page


def test_each_condition_gives_one_short_reason():
    for reduction in PARTED:
        for one in reduction.conditions:
            assert words(one.reason) <= MEAN, one.name
            assert len(sentences(one.reason)) == 1, one.name


def test_the_table_of_rooms_names_each_module_of_model_and_explaining_that_exists():
    for room, title in (("model", "the model"), ("explain", "explaining"), ("explore", "exploring")):
        folder = "."
        for cell, _ in architecture_table(f"The parts of {title}"):
            for name in re.findall(r"`([\w/]+)`", cell):
                # A further name in a cell lies in the folder of the one before it.
                folder = name.rpartition("/")[0] or folder if "/" in name else folder
                path = Path(name).name
                places = (ROOT / "reference" / room, ROOT / "reference" / room / folder)
                assert any((place / f"{path}.py").is_file() for place in places), name
