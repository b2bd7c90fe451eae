"""What to run: requirement ids, areas and beginnings of ids, as they are given on a command line."""

from __future__ import annotations

import click

from plumbline.reference.catalogue.loader import all_requirements, near
from plumbline.reference.catalogue.records import Area


def selected(given: tuple[str, ...]) -> tuple[str, ...]:
    """The requirement ids that are meant, in the order of the catalogue; all of them for nothing given.

    Raises click.UsageError naming near matches when something given means nothing.
    """
    if not given:
        return ()
    chosen: set[str] = set()
    for word in given:
        found = {
            requirement.id
            for requirement in all_requirements().values()
            if word in (requirement.id, requirement.area) or requirement.id.startswith(f"{word}-")
        }
        if not found:
            meant = ", ".join(near(word, (*all_requirements(), *(str(area) for area in Area))))
            hint = f"; did you mean {meant}?" if meant else "; `plumbline catalogue` lists them"
            raise click.UsageError(f"no requirement or area is named {word!r}{hint}")
        chosen |= found
    return tuple(requirement for requirement in all_requirements() if requirement in chosen)
