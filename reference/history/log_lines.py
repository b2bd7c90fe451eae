"""Log lines: what members log, and the names under which a history notes how many alerts there are.

An alert is a line of the level of a warning or above. A history notes their number as a statistic: "alerts",
"alerts naming x". Knows nothing of what should be logged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

import msgspec

from plumbline.reference.history.ranges import LogText


class LogLevel(StrEnum):
    """How severe a line is."""

    ERROR = "error"
    WARN = "warn"
    INFO = "info"
    DEBUG = "debug"


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a member's log, with all lines of its text.

    Attributes:
        level: how severe it is.
        text: its words, an exception and its causes included; at most 10 000 characters.
    """

    level: LogLevel
    text: LogText


ALERTS = "alerts"
"""The name of how many alerts a member has logged since the example began."""

REFUSAL = "refused as scripted"
"""What the exception of a cache writer says that was told to refuse a key."""

REFUSALS = "alerts of a refusal"
"""The name of how many alerts hold these words."""

_NAMING = "alerts naming "


def naming(key: str) -> str:
    """The name of how many alerts name a key."""
    return f"{_NAMING}{key}"


def named_by(name: str) -> str | None:
    """The key that such a name is about; None for any other name."""
    return name.removeprefix(_NAMING) if name.startswith(_NAMING) else None


def is_of_alerts(name: str) -> bool:
    """Whether a history notes under a name how many alerts there are."""
    return name in (ALERTS, REFUSALS) or named_by(name) is not None


def alerts(name: str, lines: Iterable[LogLine]) -> int:
    """How many of the lines are alerts of the kind that a name stands for.

    A key counts as named where it stands as a word of its own.
    """
    texts = [line.text for line in lines if line.level in (LogLevel.ERROR, LogLevel.WARN)]
    if name == ALERTS:
        return len(texts)
    sought = REFUSAL if name == REFUSALS else named_by(name) or ""
    word = re.compile(rf"(?<!\w){re.escape(sought)}(?!\w)")
    return sum(word.search(text) is not None for text in texts)
