"""A chart of counts over days: stacked bars, in pixels. Knows neither runs nor how it is painted."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

MOST_BARS = 60
"""So many days are shown, the last ones."""

HEIGHT, WIDTH, LEFT, BELOW = 160.0, 720.0, 40.0, 36.0


class ChartPart(msgspec.Struct, frozen=True):
    """A rectangle of a bar: where it stands, its class, and its words."""

    x: float
    y: float
    width: float
    height: float
    name: str
    words: str


class ChartLabel(msgspec.Struct, frozen=True):
    """A text below the bars; `starts` is whether a version begins there."""

    x: float
    text: str
    starts: bool = False


class TrendChart(msgspec.Struct, frozen=True):
    """The chart, and the same in words."""

    parts: tuple[ChartPart, ...]
    labels: tuple[ChartLabel, ...]
    most: int
    spoken: str
    left_out: int
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    below: float = BELOW


class ChartBar(msgspec.Struct, frozen=True):
    """A bar: the day and version it is of, and its counts, each with the class that it is painted in."""

    day: str
    version: str
    counts: tuple[tuple[str, int], ...]


def trend_chart(bars: Sequence[ChartBar]) -> TrendChart | None:
    """The chart of bars that stand in order; None for none."""
    shown = bars[-MOST_BARS:]
    if not shown:
        return None
    most = max(1, *(sum(count for _, count in bar.counts) for bar in shown))
    step = (WIDTH - LEFT) / len(shown)
    width = round(min(step * 0.8, 40.0), 2)
    parts: list[ChartPart] = []
    labels: list[ChartLabel] = []
    version = None
    every = max(1, len(shown) // 8)
    for number, bar in enumerate(shown):
        x, y = round(LEFT + number * step, 2), HEIGHT
        for name, count in bar.counts:
            height = round(count / most * HEIGHT, 2)
            y = round(y - height, 2)
            words = f"{bar.day}, {bar.version}: {count} {name}"
            if count:
                parts.append(ChartPart(x, y, width, height, name.replace(" ", "-"), words))
        if bar.version != version:
            labels.append(ChartLabel(x, bar.version, starts=True))
            version = bar.version
        if number % every == 0:
            labels.append(ChartLabel(x, bar.day[5:] if len(bar.day) == 10 else bar.day))
    first, last = shown[0], shown[-1]
    spoken = "; ".join(
        f"{bar.day}: " + ", ".join(f"{count} {name}" for name, count in bar.counts) for bar in (first, last)
    )
    return TrendChart(tuple(parts), tuple(labels), most, spoken, len(bars) - len(shown))
