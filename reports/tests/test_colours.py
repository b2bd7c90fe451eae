"""The colours of the site: all text stands out enough, in light and in dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plumbline import reports

PAIRS = [
    *((text, paper) for text in ("ink", "soft", "link") for paper in ("page", "panel")),
    *((verdict, f"{verdict}-b") for verdict in ("pass", "fail", "intermittent", "error", "unknown")),
    *((verdict, f"{verdict}-b") for verdict in ("deviation", "none")),
    *((verdict, "page") for verdict in ("pass", "fail", "error", "intermittent", "unknown", "deviation")),
    # Numbers in a bar, on the colour of the verdict, and on the two greys.
    *(("page", verdict) for verdict in ("pass", "fail", "intermittent", "error", "unknown", "deviation")),
    *(("ink", "none-b"), ("ink", "line"), ("ink", "fail-b"), ("soft", "fail-b"), ("link", "fail-b")),
    *(("ink", "unknown-b"), ("soft", "unknown-b"), ("fail", "panel"), ("pass", "panel")),
]


def themes() -> dict[str, dict[str, str]]:
    style = (Path(reports.__path__[0]) / "templates" / "site.css").read_text()
    blocks = re.findall(r":root\{(?:color-scheme:light dark;)?(--page.*?)\}", style, re.DOTALL)[:2]
    light, dark = (dict(re.findall(r"--([\w-]+):(#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": {**light, **dark}}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("text", "paper"), PAIRS)
def test_all_text_stands_out_enough(theme: str, text: str, paper: str) -> None:
    colours = themes()[theme]
    assert contrast(colours[text], colours[paper]) >= 4.5


def test_every_colour_of_text_is_looked_at() -> None:
    style = (Path(reports.__path__[0]) / "templates" / "site.css").read_text()
    used = set(re.findall(r"(?<![-\w])color:var\(--([\w-]+)\)", style))
    papers = set(re.findall(r"background:var\(--([\w-]+)\)", style))
    assert used <= {text for text, _ in PAIRS}
    assert papers <= {paper for _, paper in PAIRS}


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_the_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#6b7178", "#eeefec") == pytest.approx(4.27, abs=0.05)
