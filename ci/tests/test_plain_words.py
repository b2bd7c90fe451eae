"""Texts hold one idea a sentence and the field's own words.

Looks at help texts, labels, messages, scenario names, faulty variants and the pages for users.
Comments, docstrings, the catalogue and the headers of rules are held to fewer words.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from plumbline.ci.command import SUBCOMMANDS, group
from plumbline.ci.lint import FOLDERS
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reports.signs import EXIT_MEANING, SIGNS
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

ROOT = Path(__file__).resolve().parents[2]

LONGEST_WORDS = 20
"""A help text's sentence holds at most so many words."""

RIDDLES = re.compile(
    r"\b(who(m)?ever|hearsay|hindsight|tales?|in vain|nobody|somebody|anybody|everybody|as it may"
    r"|(is|are|be|been|was|were|being) told|told of|tells? of|broken off|befell|bitten|of strangers)\b",
    re.IGNORECASE,
)
"""Words that hide who does what. Each has a plain one: receives, reports, no member, each member."""

NO_ACTOR = re.compile(
    r"\b(who(m)?ever|whatever|whichever|in vain|nobody|somebody|anybody|everybody|as it may be)\b",
    re.IGNORECASE,
)
"""Words that comments, docstrings, the catalogue and rules use no more: they name no actor."""

PAGES: tuple[str, ...] = (
    "README.md",
    "docs/verdicts.md",
    "docs/gate.md",
    "docs/reports.md",
    "docs/configuration.md",
)
PAGES += ("docs/write-an-adapter.md", "docs/protocol.md", "docs/catalogue.md")
PAGES += ("docs/glossary.md", "docs/CONTRIBUTING.md", "docs/SECURITY.md", "docs/development.md")
PAGES += ("docs/architecture.md", "docs/findings.md", "docs/truth.md")
PAGES += ("docs/geode.md", "docs/benchmarks.md")

MESSAGES = ("adapters", "suites", "reports", "ci/commands", "ci/terminal", "ci/selftest/commands")


def helps(command: click.Command, path: str = "plumbline") -> Iterator[tuple[str, str]]:
    """Each help text of a command and those below it, with the place where it is shown."""
    yield path, command.help or ""
    yield f"{path}, epilog", command.epilog or ""
    for parameter in command.params:
        yield f"{path} {parameter.name}", getattr(parameter, "help", None) or ""
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                yield from helps(below, f"{path} {name}")


def sentences(text: str) -> Iterator[str]:
    """The sentences and table cells of a text, each on one line."""
    for part in re.split(r"(?<=[.;:])\s+|\n\n|\n? {2,}|\n(?=\S)", text.replace("\b\n", "")):
        if part.strip():
            yield " ".join(part.split())


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that are no docstrings: what it may print."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value


def notes(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings and comments of a module, each with its line."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.lineno, str(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def prose(page: str) -> str:
    """The text of a page without code, generated tables and quoted output."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"<!-- (generated|written).*?<!-- end -->", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`]*`", "code", text)


def test_help_texts_have_short_sentences_and_plain_words():
    odd = [
        f"{place}: {sentence}"
        for place, text in helps(group)
        for sentence in sentences(text)
        if len(sentence.split()) > LONGEST_WORDS or RIDDLES.search(sentence)
    ]
    odd += [name for name, words in SUBCOMMANDS.items() if RIDDLES.search(words)]
    assert odd == []


@pytest.mark.parametrize("room", MESSAGES)
def test_messages_have_plain_words(room: str):
    odd = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / room).rglob("*.py"))
        if "tests" not in path.parts
        for line, text in messages(path)
        if RIDDLES.search(text)
    ]
    assert odd == []


def test_labels_and_names_have_plain_words():
    texts = [sign.means for sign in SIGNS.values()] + list(EXIT_MEANING.values())
    texts += [name.replace("_", " ") for name in SCENARIOS]
    texts += [variant.description for variant in FAULTY.values()]
    texts += [page.read_text(encoding="utf-8") for page in (ROOT / "reports" / "templates").glob("*.j2")]
    assert [match.group() for text in texts if (match := RIDDLES.search(text))] == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_for_users_have_plain_words(page: str):
    assert [line for line in prose(page).splitlines() if RIDDLES.search(line)] == []


@pytest.mark.parametrize("room", FOLDERS)
def test_comments_and_docstrings_say_who_acts(room: str):
    place = ROOT / room
    odd = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in ([place] if place.is_file() else sorted(place.rglob("*.py")))
        for line, text in notes(path)
        if NO_ACTOR.search(" ".join(text.split()))
    ]
    assert odd == []


def test_the_catalogue_and_the_headers_of_rules_say_who_acts():
    reference = ROOT / "reference"
    odd = [
        f"{path.relative_to(ROOT)}:{number}: {line}"
        for path in (*reference.glob("catalogue/*.yaml"), *reference.rglob("rules/**/*.sql"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if "variants:" not in line and NO_ACTOR.search(line)
    ]
    assert odd == []


def test_the_check_notices_a_riddle_and_a_long_sentence():
    assert RIDDLES.search("the listener is told of it")
    assert RIDDLES.search("whoever is left")
    assert not RIDDLES.search("the listener receives it")
    assert NO_ACTOR.search("it holds, whatever others do")
    assert not NO_ACTOR.search("it holds for each member")
    assert list(sentences("One idea. And a second:\n  three")) == ["One idea.", "And a second:", "three"]
