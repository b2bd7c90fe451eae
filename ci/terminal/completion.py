"""What the shell offers behind options: candidates, requirement ids and areas.

By click's own mechanism. Knows what there is to name, not what becomes of it.
"""

from __future__ import annotations

import os

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from plumbline.adapters.geode.jars import KNOWN_VERSIONS
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import AREA_MEANING, Area, Dialect


def candidates(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The candidates that can be named in full, and the beginnings of those that cannot."""
    del context, parameter  # click's signature
    from plumbline.reference.rulebook.faulty_variants import FAULTY  # noqa: PLC0415 - slow to import

    variants = ["reference", "reference:chaotic"]
    variants += [f"{whole}:{dialect}" for whole in variants for dialect in Dialect]
    found = [CompletionItem(name) for name in variants if name.startswith(incomplete)]
    found += [
        CompletionItem(f"faulty:{variant.name}", help=variant.description)
        for variant in FAULTY.values()
        if f"faulty:{variant.name}".startswith(incomplete)
    ]
    found += [CompletionItem(name) for name in _begun(incomplete)]
    return found


def _begun(incomplete: str) -> list[str]:
    names = [
        *(f"geode:{version}" for version in KNOWN_VERSIONS),
        "process:",
        "python:",
        "python-here:",
        "docker:",
    ]
    return [name for name in names if name.startswith(incomplete)]


def requirements(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Requirement ids with their titles, the beginnings that several share, and areas."""
    del context, parameter  # click's signature
    known = all_requirements().values()
    wanted = incomplete.upper()
    found = [
        CompletionItem(str(area), help=AREA_MEANING[area]) for area in Area if area.startswith(incomplete)
    ]
    beginnings = {one.id.rpartition("-")[0] for one in known} | {one.family for one in known}
    found += [CompletionItem(name) for name in sorted(beginnings) if name and name.startswith(wanted)]
    found += [CompletionItem(one.id, help=one.title) for one in known if one.id.startswith(wanted)]
    return found


class ColonsInBash(BashComplete):
    """Completion of bash, which takes a colon for the end of a word: `faulty:tie` are three words to it."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to be completed, and that, with what belongs together put together."""
        words = split_arg_string(os.environ["COMP_WORDS"])
        at = int(os.environ["COMP_CWORD"])
        joined: list[str] = []
        for word in [*words[: at + 1], *[""] * (at >= len(words))]:
            if joined and (word == ":" or joined[-1].endswith(":")):
                joined[-1] += word
            else:
                joined.append(word)
        # Nothing is joined to the command itself; bash puts in what comes behind the last colon.
        *before, incomplete = joined
        self._put_in = incomplete.rpartition(":")[0]
        return before[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """One item; the part that bash has already is left out."""
        value = str(item.value)
        given = f"{self._put_in}:" if self._put_in else ""
        return f"{item.type},{value.removeprefix(given)}"


add_completion_class(ColonsInBash, "bash")
