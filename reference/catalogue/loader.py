"""Reading the catalogue: every YAML file of this folder, into records, once.

Strict: a field that a record does not know is refused, with the file and the id. Knows nothing of the code
that decides or tests a requirement.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import yaml

from plumbline.reference.catalogue.clauses import clause_mistakes
from plumbline.reference.catalogue.records import Area, Requirement, is_extension

try:
    from yaml import CSafeLoader as _YamlLoader
except ImportError:  # a PyYAML built without libyaml: slower, else the same
    from yaml import SafeLoader as _YamlLoader  # type: ignore[assignment]


class CatalogueError(ValueError):
    """An entry of the catalogue is not as it has to be; the message names the file and the entry."""


class _StrictLoader(_YamlLoader):
    """YAML in which a key given twice is an error; PyYAML alone would keep the last one in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        if len(mapping) < len(node.value):
            names = [key.value for key, _ in node.value]
            twice = next(name for name in names if names.count(name) > 1)
            raise yaml.MarkedYAMLError(problem=f"{twice} is given twice", problem_mark=node.start_mark)
        return mapping


def read(text: str, file: str) -> tuple[Requirement, ...]:
    """The requirements that one file states, in its order.

    Raises:
        CatalogueError: the text is no list of well-formed entries, or an entry names a kind or a column
            that the trace does not have.
    """
    try:
        entries = yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - derived from the safe loader
    except yaml.YAMLError as error:
        raise CatalogueError(f"{file}: {error}") from error
    if not isinstance(entries, list):
        raise CatalogueError(f"{file}: a list of requirements is expected")
    return tuple(_requirement(entry, f"{file}, entry {number}") for number, entry in enumerate(entries, 1))


def _requirement(entry: object, where: str) -> Requirement:
    if isinstance(entry, dict) and "id" in entry:
        where = f"{where}, {entry['id']}"
    try:
        requirement = msgspec.convert(entry, Requirement)
    except msgspec.ValidationError as error:
        raise CatalogueError(f"{where}: {error}") from error
    for mistake in clause_mistakes(requirement):
        raise CatalogueError(f"{where}: {mistake}")
    return requirement


@cache
def catalogue() -> Mapping[str, Requirement]:
    """What the documents demand, by id: all that counts. The rest is `extensions`; see `all_requirements`."""
    return MappingProxyType({name: one for name, one in all_requirements().items() if not is_extension(name)})


@cache
def extensions() -> Mapping[str, Requirement]:
    """The extensions by id: they bind who claims their capability, and are reported apart."""
    return MappingProxyType({name: one for name, one in all_requirements().items() if is_extension(name)})


@cache
def all_requirements() -> Mapping[str, Requirement]:
    """All that can be named, by id: area by area, and within an area as the files have them.

    Raises:
        CatalogueError: see `read`; or two entries share an id.
    """
    found: dict[str, tuple[str, Requirement]] = {}
    for path in sorted(Path(__file__).parent.glob("*.yaml")):
        for requirement in read(path.read_text(encoding="utf-8"), path.name):
            if requirement.id in found:
                first, _ = found[requirement.id]
                raise CatalogueError(f"{path.name}: {requirement.id} is already stated in {first}")
            found[requirement.id] = (path.name, requirement)
    areas = list(Area)
    ordered = sorted((entry for _, entry in found.values()), key=lambda entry: areas.index(entry.area))
    return MappingProxyType({requirement.id: requirement for requirement in ordered})


def near(wanted: str, known: Iterable[str] | None = None) -> tuple[str, ...]:
    """Up to five names that `wanted` may have meant: first those that begin so, then those spelled alike.

    `known` are the names to choose from; all ids if it is left out. Case is ignored.
    """
    by_folded = {name.casefold(): name for name in (all_requirements() if known is None else known)}
    folded = wanted.casefold()
    begin = [name for name in by_folded if folded and name.startswith(folded)]
    alike = get_close_matches(folded, by_folded, n=5, cutoff=0.6)
    return tuple(by_folded[name] for name in dict.fromkeys((*begin, *alike)))[:5]


def did_you_mean(wanted: str, known: Iterable[str] | None = None) -> str:
    """The end of an error message: "; did you mean A or B?", or "" where nothing is near."""
    names = near(wanted, known)
    return f"; did you mean {' or '.join(names)}?" if names else ""
