"""A badge: the answer in a few words, as an SVG picture and as JSON for endpoints of shields.

Made without a network. Knows nothing of where it is put.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import msgspec

from plumbline.reference.results.runs import write_atomically
from plumbline.reference.results.totals import GREEN, Totals
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.unjudged import Loudness, unjudged

LABEL = "plumbline"

_COLOURS = {"green": "#2a7a43", "amber": "#94600a", "red": "#b3261e", "grey": "#5c6370"}
"""White text on each has a contrast of at least 4.5."""

_LETTER = 6.6
"""Wide enough for each letter of an 11 pixel Verdana on average; `textLength` fits the rest."""


class Badge(msgspec.Struct, frozen=True):
    """What a badge says, and in which colour: green, amber, red or grey."""

    message: str
    colour: str

    def svg(self) -> str:
        """The picture."""
        left, right = (round(len(word) * _LETTER) + 12 for word in (LABEL, self.message))
        words = f"{LABEL}: {self.message}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
            f'aria-label="{escape(words)}"><title>{escape(words)}</title>'
            f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>'
            f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#3b4048"/>'
            f'<rect x="{left}" width="{right}" height="20" fill="{_COLOURS[self.colour]}"/></g>'
            '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            f'<text x="{left / 2:g}" y="14" textLength="{left - 12}">{escape(LABEL)}</text>'
            f'<text x="{left + right / 2:g}" y="14" textLength="{right - 12}">{escape(self.message)}</text>'
            "</g></svg>\n"
        )

    def endpoint(self) -> bytes:
        """The same for an endpoint of shields."""
        told = {"schemaVersion": 1, "label": LABEL, "message": self.message, "color": _COLOURS[self.colour]}
        return msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n"


def badge(exit_code: int, totals: Sequence[Totals]) -> Badge:
    """What is said of an answer about some candidates: 0 yes, 1 no, 2 it could not be given."""
    if exit_code == 2 or not totals:
        return Badge("could not be judged", "grey")
    violated = sum(_count(one, (Verdict.FAIL, Verdict.INTERMITTENT)) for one in totals)
    if exit_code:
        return Badge(f"{violated} violated" if violated else "not released", "red")
    least = max((unjudged(one) for one in totals), key=lambda one: one.count)
    held = min(_count(one, GREEN) for one in totals)
    colour = {Loudness.CALM: "green", Loudness.AMBER: "amber", Loudness.RED: "red"}[least.level]
    return Badge(f"{held} of {least.of} hold, {least.count} not judged", colour)


def write_badge(made: Badge, file: Path) -> None:
    """Write the picture, and the JSON beside it; raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, made.svg().encode())
    write_atomically(file.with_suffix(".json"), made.endpoint())


def _count(totals: Totals, verdicts: Iterable[Verdict]) -> int:
    return sum(totals.verdicts.get(verdict, 0) for verdict in verdicts)
