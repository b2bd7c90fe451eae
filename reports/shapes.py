"""The shapes that a space-time picture is made of, in pixels from its upper left corner.

Knows nothing of why they stand where they do (`plumbline.reports.diagram`), nor how they are painted
(`templates/diagram.svg.j2`).
"""

from __future__ import annotations

import msgspec


class Group(msgspec.Struct, frozen=True):
    """The lanes of one site, or those of all callers: their common head."""

    name: str
    x: float
    width: float


class DiagramLane(msgspec.Struct, frozen=True):
    """One thread or member: `x` is its left edge, `axis` where its bars or dots stand.

    `kind` is `thread`, `member`, `client`, `threads` for several that share the lane, `call` for one of them
    that has an axis of its own there, or `links` for the links between sites. `until` is where a member died,
    or None.
    """

    name: str
    kind: str
    x: float
    axis: float
    width: float
    until: float | None = None


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
    """A listener event; `number` is "?" for one whose operation was never called or that carries no token.

    `fate` is "again" for one that the member received before; "discarded", "lost" or "not told" for an
    operation that it never received.
    """

    x: float
    y: float
    number: str
    hue: int | None
    due: bool
    fate: str = ""


class CrossingLine(msgspec.Struct, frozen=True):
    """The line from a call to an event of its operation; `crosses` from the caller's site to another.

    It leaves the bar below the row's labels, runs level as far as `turn`, and from there to the dot, so
    that it crosses no text.
    """

    x: float
    y: float
    turn: float
    dot_x: float
    dot_y: float
    hue: int
    crosses: bool = False


class Band(msgspec.Struct, frozen=True):
    """A gate; `parked` is the row from which something stood at it, or None. Or a fault while it lasts.

    `kind` is `gate`, or the kind of the fault.
    """

    x: float
    top: float
    parked: float | None
    bottom: float
    kind: str = "gate"


class Mark(msgspec.Struct, frozen=True):
    """A reading of contents or of a statistic."""

    x: float
    y: float


class SettleLine(msgspec.Struct, frozen=True):
    """A settle point, or another moment of the harness alone, across all lanes."""

    x: float
    y: float
    text: str
    due: bool


class Diagram(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to draw, in pixels, and in sentences what was left out."""

    width: float
    height: float
    groups: tuple[Group, ...]
    lanes: tuple[DiagramLane, ...]
    numbers: tuple[Label, ...]
    labels: tuple[Label, ...]
    bars: tuple[Bar, ...]
    dots: tuple[Dot, ...]
    wires: tuple[CrossingLine, ...]
    bands: tuple[Band, ...]
    marks: tuple[Mark, ...]
    rules: tuple[SettleLine, ...]
    left_out: tuple[str, ...]
