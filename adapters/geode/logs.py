"""What members of Apache Geode log: the lines that their JVMs print, entry by entry.

Knows the form of these lines; does not know who reads them, or since when.
"""

from __future__ import annotations

import re

from plumbline.adapters.protocol import MOST_LINES
from plumbline.reference.history.log_lines import LogLevel, LogLine
from plumbline.reference.history.ranges import LONGEST_LOG_TEXT

# Such as "[warn 2026/11/26 09:40:30.123 UTC A <thread> tid=0x1f] words". Versions that come
# without an implementation of logging, print "WARN words".
_HEAD = re.compile(r"^(?:\[(\w+) +\d{4}/\d\d/\d\d [^\n\]]*\]|(FATAL|ERROR|WARN|INFO) )", re.MULTILINE)

_LEVELS = {
    **dict.fromkeys(("severe", "fatal", "error"), LogLevel.ERROR),
    **dict.fromkeys(("warn", "warning"), LogLevel.WARN),
    **dict.fromkeys(("info", "config"), LogLevel.INFO),
}


def entries(printed: str) -> tuple[LogLine, ...]:
    """The newest entries of a log, each with its exception; text in front of the first one is none."""
    heads = list(_HEAD.finditer(printed))[-MOST_LINES:]
    ends = [*(head.start() for head in heads[1:]), len(printed)]
    return tuple(
        LogLine(
            level=_LEVELS.get((head[1] or head[2]).lower(), LogLevel.DEBUG),
            text=printed[head.end() : end].strip()[:LONGEST_LOG_TEXT],
        )
        for head, end in zip(heads, ends, strict=bool(heads))
    )
