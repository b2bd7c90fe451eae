"""The shapes that a space-time picture is made of, in pixels from its upper left corner.

Knows nothing of why they stand where they do (`plumbline.reports.diagram`), nor how they are painted
(`templates/diagram.svg.j2`).
"""

from __future__ import annotations

import msgspec


class Lane(msgspec.Struct, frozen=True):
    """One thread or member: `x` is its left edge, `axis` where its bars or dots stand.

    `kind` is `thread`, `member`, or `threads` for several that never call at one time and share the lane.
    """

    name: str
    kind: str
    x: float
    axis: float
    width: float


class Label(msgspec.Struct, frozen=True):
    """A text that starts at (x, y); `full` is what it was before it was cut to `text`.

    `event` labels calls and listener events, `due` what the furthest attempts to explain could not take.
    """

    x: float
    y: float
    text: str
    full: str
    event: bool = False
    due: bool = False


class Bar(msgspec.Struct, frozen=True):
    """A call: from `top` to `bottom`; `began` or `ended` is False where an end is not in the picture."""

    x: float
    top: float
    bottom: float
    number: str
    hue: int
    began: bool
    ended: bool


class Dot(msgspec.Struct, frozen=True):
    """A listener event; `number` is "?" for one whose operation nobody called or that carries no token."""

    x: float
    y: float
    number: str
    hue: int | None
    due: bool


class Wire(msgspec.Struct, frozen=True):
    """The line from a call to an event of its operation.

    It leaves the bar below the row's labels, runs level as far as `turn`, and from there to the dot, so
    that it crosses no text.
    """

    x: float
    y: float
    turn: float
    dot_x: float
    dot_y: float
    hue: int


class Band(msgspec.Struct, frozen=True):
    """A gate; `parked` is the row from which something stood at it, or None."""

    x: float
    top: float
    parked: float | None
    bottom: float


class Mark(msgspec.Struct, frozen=True):
    """A reading of contents or of a statistic."""

    x: float
    y: float


class Rule(msgspec.Struct, frozen=True):
    """A settle point, or another moment of the harness alone, across all lanes."""

    y: float
    text: str
    due: bool


class Diagram(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to draw, in pixels, and in sentences what was left out."""

    width: float
    height: float
    lanes: tuple[Lane, ...]
    numbers: tuple[Label, ...]
    labels: tuple[Label, ...]
    bars: tuple[Bar, ...]
    dots: tuple[Dot, ...]
    wires: tuple[Wire, ...]
    bands: tuple[Band, ...]
    marks: tuple[Mark, ...]
    rules: tuple[Rule, ...]
    left_out: tuple[str, ...]
