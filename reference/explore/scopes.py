"""Scopes: how large the worlds are that are looked at whole. Knows numbers only."""

from __future__ import annotations

from plumbline.reference.explore import (
    shapes_of_clients,
    shapes_of_members,
    shapes_of_queues,
    shapes_of_sites,
)
from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.topics import ExploreScope, Topic

SHAPES: dict[tuple[Topic, ExploreScope], tuple[ProgramShape, ...]] = {
    **shapes_of_members.SHAPES,
    **shapes_of_sites.SHAPES,
    **shapes_of_queues.SHAPES,
    **shapes_of_clients.SHAPES,
}
"""The shapes of each topic and scope, the small ones first."""


def shapes_of(part: Topic, scope: ExploreScope) -> tuple[ProgramShape, ...]:
    """The worlds of a part and scope; none where a part has none that large."""
    return SHAPES.get((part, scope), ())
