"""How the printed log of a member of Apache Geode is parted into entries."""

from __future__ import annotations

import pytest

from plumbline.reference.history.log_lines import ALERTS, REFUSALS, LogLevel, LogLine, alerts, naming
from plumbline.reference.history.ranges import LONGEST_LOG_TEXT

logs = pytest.importorskip("plumbline.adapters.geode.logs")

LAID_OUT = """25333
a token
[warn 2026/11/26 09:40:30.123 UTC A <Event Processor> tid=0x1f] the event was GatewaySenderEventImpl[key=k-1]
java.lang.Exception: one
Caused by: java.lang.Exception: refused as scripted
[info 2026/11/26 09:40:31.001 UTC A <main> tid=0x1] k-2 is well
"""
PLAIN = """ERROR StatusLogger no implementation of logging
WARN the event was GatewaySenderEventImpl[key=k-1;value=v]
\tat some.Class
WARN refused as scripted
"""


def test_an_entry_has_its_level_and_its_exception():
    first, second = logs.entries(LAID_OUT)
    assert (first.level, second.level) == (LogLevel.WARN, LogLevel.INFO)
    assert first.text.endswith("refused as scripted")
    assert second.text == "k-2 is well"


@pytest.mark.parametrize(("printed", "found"), [(LAID_OUT, (1, 1, 1)), (PLAIN, (3, 1, 1)), ("", (0, 0, 0))])
def test_alerts_are_counted_by_what_they_name(printed: str, found: tuple[int, ...]):
    lines = logs.entries(printed)
    assert tuple(alerts(name, lines) for name in (ALERTS, naming("k-1"), REFUSALS)) == found


def test_a_key_counts_where_it_stands_as_a_word():
    lines = [LogLine(level=LogLevel.WARN, text="k-11 xk-1 [k-1]"), LogLine(level=LogLevel.INFO, text="k-1")]
    assert alerts(naming("k-1"), lines) == 1
    assert alerts(naming("k"), [LogLine(level=LogLevel.WARN, text="kk")]) == 0


def test_what_is_too_long_is_cut():
    (line,) = logs.entries(f"WARN {'x' * 3 * LONGEST_LOG_TEXT}")
    assert len(line.text) == LONGEST_LOG_TEXT
