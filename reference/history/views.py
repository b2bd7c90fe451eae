"""Views: the ways in which a caller sees a region as a whole, and the names under which their sizes are read.

A history notes how many entries a view has as a statistic: "size of orders", "queried keys of orders". Knows
nothing of what a view should have.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.operations import Content
from plumbline.reference.history.ranges import Natural

VIEWS = ("size", "keys", "values", "entries")
"""The size of a region, and its key, value and entry sets (004, L93)."""

QUERIES = ("queried size", "queried keys", "queried values", "queried entries")
"""The same by queries: how many entries one finds, and all keys, values and entries (004, L93)."""

_OF, _QUERIED = " of ", "queried "


def name_of(view: str, region: str) -> str:
    """The name under which a history notes how many entries a view of a region has."""
    return f"{view}{_OF}{region}"


def view_of(name: str) -> tuple[str, str] | None:
    """The view and the region that such a name stands for; None for a statistic of another kind."""
    view, _, region = name.partition(_OF)
    return (view, region) if view in (*VIEWS, *QUERIES) and region else None


class RegionViews(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a region on a member, and its sets, as it has them or as queries find them.

    Whether an entry without a value is shown is open.

    Attributes:
        size: how many entries there are.
        keys: their keys.
        values: their values, of which some may be alike; null for an entry without one.
        entries: both.
    """

    size: Natural
    keys: tuple[str, ...]
    values: tuple[str | None, ...]
    entries: tuple[Content, ...]

    def count(self, view: str) -> int:
        """How many entries a view has."""
        found = getattr(self, view.removeprefix(_QUERIED))
        return int(found) if isinstance(found, int) else len(found)
