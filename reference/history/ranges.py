"""The range of each number that travels: a value outside is refused where a message or a file is read."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

LONGEST_WAIT_MS = 600_000
"""No single request waits longer."""

LONGEST_CLOCK_ERROR_MS = 10_000
"""Further the clocks of two sites never differ; a scenario waits for so long between two calls."""

_MOST = 2**63 - 1

Whole = Annotated[int, Meta(ge=-_MOST - 1, le=_MOST)]
Natural = Annotated[int, Meta(ge=0, le=_MOST)]
OpId = Annotated[int, Meta(ge=0, le=_MOST)]
WaitMs = Annotated[int, Meta(ge=0, le=LONGEST_WAIT_MS)]
SettleMs = Annotated[int, Meta(ge=1, le=LONGEST_WAIT_MS)]
ClockErrorMs = Annotated[int, Meta(ge=0, le=LONGEST_CLOCK_ERROR_MS)]
Weight = Annotated[int, Meta(ge=1, le=1_000)]
TimeMs = Annotated[int, Meta(ge=0, le=10**12)]
OffsetMs = Annotated[int, Meta(ge=-(10**12), le=10**12)]
SiteNumber = Annotated[int, Meta(ge=1, le=127)]
ToldSite = Annotated[int, Meta(ge=-1, le=255)]
"""A site as a product tells it; -1 where it names none."""

Copies = Annotated[int, Meta(ge=0, le=100)]
ValueBytes = Annotated[int, Meta(ge=0, le=1_000_000)]
LONGEST_LOG_TEXT = 10_000
LogText = Annotated[str, Meta(max_length=LONGEST_LOG_TEXT)]
LONGEST_ARGUMENT = 100
Argument = Annotated[str, Meta(min_length=1, max_length=LONGEST_ARGUMENT)]
"""A callback argument: short text."""

Small = Annotated[int, Meta(ge=1, le=1_000_000)]
Tries = Annotated[int, Meta(ge=0, le=1_000_000)]
AnswerMs = Annotated[int, Meta(ge=1, le=86_400_000)]
"""Most that a process may be given for one answer: a day."""
